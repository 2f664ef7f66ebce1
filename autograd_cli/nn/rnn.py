"""RNN, LSTM and GRU, and their cells."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..core.warning import warn
from ..errors import BadArgument, BadArgumentType, BadArgumentValue, DtypeMismatch, Unsupported
from ..ops import creation, recurrent
from ..ops.inplace_views import transpose_
from ..ops.lists import stack, unbind
from ..ops.recurrent import Weights
from ..ops.shape import transpose
from ..ops.sizes import squeeze, unsqueeze
from .make import draw_uniform, new_parameter
from .module import Module
from .module_text import unusual


class RNNBase(Module):
    """Weights, options and text of all recurrent layers."""

    mode = ""
    gates = 1
    bias: bool

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False,
        dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if proj_size:
            raise Unsupported("proj_size of LSTM is part of PyTorch, but agrad does not have it yet")
        if not 0 <= dropout <= 1:
            raise BadArgumentValue(f"dropout is a probability between 0 and 1, not {dropout}")
        if dropout and num_layers == 1:
            warn("RecurrentDropout", module=type(self).__name__, dropout=dropout)
        if hidden_size <= 0 or num_layers <= 0:
            raise BadArgumentValue(f"hidden_size and num_layers are greater than 0, not {hidden_size} and {num_layers}")
        self.input_size, self.hidden_size, self.num_layers, self.bias = input_size, hidden_size, num_layers, bias
        self.batch_first, self.dropout, self.bidirectional, self.proj_size = batch_first, float(dropout), bidirectional, 0
        rows, directions = self.gates * hidden_size, 2 if bidirectional else 1
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else hidden_size * directions
            for direction in range(directions):
                for name, shape in (
                    ("weight_ih", (rows, inputs)),
                    ("weight_hh", (rows, hidden_size)),
                    ("bias_ih", (rows,)),
                    ("bias_hh", (rows,)),
                ):
                    if bias or not name.startswith("bias"):
                        setattr(self, self._named(name, layer, direction), new_parameter(*shape, device=device, dtype=dtype))
        self.reset_parameters()

    @staticmethod
    def _named(name: str, layer: int, direction: int) -> str:
        return f"{name}_l{layer}{'_reverse' if direction else ''}"

    def reset_parameters(self) -> None:
        """Draw new values."""
        for weight in self.parameters():
            draw_uniform(weight, self.hidden_size)

    def flatten_parameters(self) -> None:
        """Nothing to do: PyTorch's hint for GPUs."""

    def _weights(self) -> list[list[Weights]]:
        own = self._parameters
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        directions = range(2 if self.bidirectional else 1)
        return [
            [Weights(*(own.get(self._named(name, layer, d)) for name in names)) for d in directions]
            for layer in range(self.num_layers)
        ]

    def _step(self) -> recurrent.Step:
        raise NotImplementedError

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(L, N, input_size) → (L, N, hidden_size * directions), and the last hidden states."""
        output, final = self._run(input, None if hx is None else [hx])
        return output, final[0]

    def _checked(self, input: Any, states: list[Any]) -> None:
        kind = type(self).__name__
        if not isinstance(input, Tensor):
            raise BadArgumentType(f"{kind} takes a tensor, not {type(input).__name__}")
        shape = input._data.shape
        if len(shape) not in (2, 3):
            raise BadArgumentValue(
                f"{kind} takes a sequence with 2 dimensions, or a batch of them with 3, not shape {list(shape)}"
            )
        if shape[-1] != self.input_size:
            raise BadArgument(f"the last size of {kind}'s input is {self.input_size}, not {shape[-1]}")
        if input._data.dtype != next(self.parameters())._data.dtype:
            raise DtypeMismatch(
                f"{kind} has weights of another dtype than its input, {input.dtype.name}", hint="convert one: x.float()"
            )
        count = self.num_layers * (2 if self.bidirectional else 1)
        batch = () if len(shape) == 2 else (shape[0] if self.batch_first else shape[1],)
        for state in states:
            if state._data.shape != (count, *batch, self.hidden_size):
                raise BadArgument(
                    f"the first state of {kind} has shape {[count, *batch, self.hidden_size]}, not {list(state._data.shape)}",
                    hint="its sizes are layers times directions, batch, hidden_size",
                )

    def _run(self, input: Any, states: list[Any] | None) -> tuple[Any, list[Any]]:
        """The output and the last states, one tensor for each kind of state (h, or h and c)."""
        self._checked(input, states or [])
        alone = input._data.ndim == 2
        if alone:
            batch_dim = 0 if self.batch_first else 1
            input = unsqueeze(input, batch_dim)
            states = None if states is None else [unsqueeze(state, 1) for state in states]
        sequence = transpose(input, 0, 1) if self.batch_first else input
        first = self._first(sequence, states)
        output, last = recurrent.layers(self._step(), sequence, first, self._weights(), self.dropout, self.training)
        kinds = list(zip(*last, strict=True)) if isinstance(last[0], tuple) else [tuple(last)]
        final = [stack(list(kind), 0) for kind in reversed(kinds)][::-1]  # as PyTorch's compiler orders it, c before h
        if self.batch_first:
            output = transpose(output, 0, 1) if len(final) > 1 else transpose_(output, 0, 1)
        if alone:
            output = squeeze(output, batch_dim)
            final = [squeeze(state, 1) for state in final]
        return output, final

    def _first(self, sequence: Any, states: list[Any] | None) -> list[Any]:
        """The first state of each direction of each layer."""
        kinds = 2 if self.mode == "LSTM" else 1
        if states is None:
            shape = (self.num_layers * (2 if self.bidirectional else 1), sequence._data.shape[1], self.hidden_size)
            states = [creation.zeros(shape, dtype=sequence.dtype, device=str(sequence.device))] * kinds
        apart = [unbind(state, 0) for state in states]
        return list(zip(*apart, strict=True)) if kinds > 1 else list(apart[0])

    def extra_repr(self) -> str:
        """Sizes and options that are not the usual ones."""
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0, "bidirectional": False}
        return f"{self.input_size}, {self.hidden_size}{unusual(self, usual)}"


class RNN(RNNBase):
    """Elman's network: ``h = tanh(W_ih @ x + b_ih + W_hh @ h + b_hh)``."""

    mode = "RNN"

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", **options: Any
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise BadArgumentValue(f"nonlinearity of RNN is 'tanh' or 'relu', not {nonlinearity!r}")
        super().__init__(input_size, hidden_size, num_layers, **options)
        self.nonlinearity = nonlinearity

    def _step(self) -> recurrent.Step:
        return recurrent.rnn_tanh_step if self.nonlinearity == "tanh" else recurrent.rnn_relu_step


class GRU(RNNBase):
    """Gated recurrent units."""

    mode = "GRU"
    gates = 3

    def _step(self) -> recurrent.Step:
        return recurrent.gru_step


class LSTM(RNNBase):
    """Long short-term memory."""

    mode = "LSTM"
    gates = 4

    def _step(self) -> recurrent.Step:
        return recurrent.lstm_step

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(L, N, input_size) → (L, N, hidden_size * directions), and the last (hidden states, cell states)."""
        output, final = self._run(input, None if hx is None else list(hx))
        return output, tuple(final)


class RNNCellBase(Module):
    """Weights and text of the cells."""

    gates = 1
    kinds = 1  # of states
    bias: bool

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = self.gates * hidden_size
        self.weight_ih = new_parameter(rows, input_size, device=device, dtype=dtype)
        self.weight_hh = new_parameter(rows, hidden_size, device=device, dtype=dtype)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, new_parameter(rows, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values."""
        for weight in self.parameters():
            draw_uniform(weight, self.hidden_size)

    def _check(self, input: Any, states: tuple[Any, ...]) -> None:
        kind = type(self).__name__
        if input._data.ndim not in (1, 2):
            raise BadArgumentValue(f"{kind} takes an input with 1 or 2 dimensions, not shape {list(input._data.shape)}")
        if input._data.shape[-1] != self.input_size:
            raise BadArgument(f"the last size of {kind}'s input is {self.input_size}, not {input._data.shape[-1]}")
        for state in states:
            if state._data.shape != (*input._data.shape[:-1], self.hidden_size):
                raise BadArgument(
                    f"the state of {kind} has shape {[*input._data.shape[:-1], self.hidden_size]}, not {list(state._data.shape)}"
                )

    def _run(self, step: recurrent.Step, input: Any, states: tuple[Any, ...] | None) -> tuple[Any, ...]:
        """The next states; the first ones are zeros."""
        self._check(input, states or ())
        if states is None:
            shape = (*input._data.shape[:-1], self.hidden_size)
            states = (creation.zeros(shape, dtype=input.dtype, device=str(input.device)),) * self.kinds
        alone = input._data.ndim == 1
        if alone:
            input, states = unsqueeze(input, 0), tuple(unsqueeze(state, 0) for state in states)
        weights = Weights(self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        found = step(input, states if len(states) > 1 else states[0], weights, False)
        results = found if isinstance(found, tuple) else (found,)
        return tuple(squeeze(result, 0) for result in results) if alone else results

    def extra_repr(self) -> str:
        """Sizes and options that are not the usual ones."""
        text = f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")
        kind = getattr(self, "nonlinearity", "tanh")
        return text if kind == "tanh" else f"{text}, nonlinearity={kind}"


class RNNCell(RNNCellBase):
    """One step of an RNN."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        if nonlinearity not in ("tanh", "relu"):
            raise BadArgument(f"nonlinearity of RNNCell is 'tanh' or 'relu', not {nonlinearity!r}")
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next hidden state."""
        step = recurrent.rnn_tanh_step if self.nonlinearity == "tanh" else recurrent.rnn_relu_step
        return self._run(step, input, None if hx is None else (hx,))[0]


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    gates = 3

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next hidden state."""
        return self._run(recurrent.gru_step, input, None if hx is None else (hx,))[0]


class LSTMCell(RNNCellBase):
    """One step of an LSTM."""

    gates = 4
    kinds = 2

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next (hidden state, cell state)."""
        return self._run(recurrent.lstm_step, input, None if hx is None else tuple(hx))
