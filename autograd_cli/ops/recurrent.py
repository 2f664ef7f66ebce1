"""Recurrent layers: one step of RNN, LSTM and GRU, and runs over sequences in PyTorch's order of operations.

Sources: Elman 1990 (RNN), Hochreiter and Schmidhuber 1997 (LSTM), Cho et al. 2014 (GRU). The products with the input are computed for the
whole sequence at once. PyTorch may take one fused kernel for float32 LSTMs (MkldnnRnnLayerBackward0), depending on its build; this is the
plain path.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators, allow-untyped-calls
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..core.op_support import fresh
from ..core.tensor import Tensor
from .activation import relu, sigmoid, tanh
from .dropout import dropout
from .linalg import linear
from .lists import SplitBackward0, cat, record_parts, stack, unbind


class UnsafeSplitBackward0(SplitBackward0):
    """The gradient is the parts' gradients, side by side."""

    __slots__ = ()


def unsafe_chunk(input: Tensor, chunks: int, dim: int) -> tuple[Any, ...]:
    """`chunks` parts of one size along `dim`, all results of one node and, since input is a temporary, no views."""
    data = input._data
    size = data.shape[dim] // chunks
    lead = (slice(None),) * dim
    parts = [fresh(data[(*lead, slice(i * size, (i + 1) * size))]) for i in range(chunks)]
    record_parts(UnsafeSplitBackward0, input, parts, dim)
    return tuple(parts)


class Weights(NamedTuple):
    """The weights of one direction of one layer; biases may be None."""

    ih: Any
    hh: Any
    bias_ih: Any
    bias_hh: Any

    def of_input(self, input: Any) -> Any:
        """The product with the input, of a step or of a sequence."""
        return linear(input, self.ih, self.bias_ih)

    def of_hidden(self, hidden: Any) -> Any:
        """The product with the hidden state."""
        return linear(hidden, self.hh, self.bias_hh)


Step = Callable[[Any, Any, Weights, bool], Any]  # (input, state, weights, whether input is the product already) -> state


def rnn_step(activation: Any) -> Step:
    """Hidden state → ``activation(W_hh @ h + b_hh + W_ih @ x + b_ih)``."""

    def step(input: Any, hidden: Any, weights: Weights, given: bool) -> Any:
        product = weights.of_hidden(hidden)
        return activation(product + (input if given else weights.of_input(input)))

    return step


rnn_tanh_step, rnn_relu_step = rnn_step(tanh), rnn_step(relu)


def lstm_step(input: Any, state: Any, weights: Weights, given: bool) -> Any:
    """(h, c) → (h, c): gates for input, forgetting, the cell and the output."""
    hidden, cell = state
    product = weights.of_hidden(hidden)
    gates = unsafe_chunk(product + (input if given else weights.of_input(input)), 4, 1)
    into, forget, candidate, out = sigmoid(gates[0]), sigmoid(gates[1]), tanh(gates[2]), sigmoid(gates[3])
    kept = forget * cell
    cell = kept + into * candidate
    return out * tanh(cell), cell


def gru_step(input: Any, hidden: Any, weights: Weights, given: bool) -> Any:
    """Hidden state → a mixture of itself and a candidate."""
    from_input = unsafe_chunk(input if given else weights.of_input(input), 3, 1)
    from_hidden = unsafe_chunk(weights.of_hidden(hidden), 3, 1)
    reset = sigmoid(from_hidden[0] + from_input[0])
    update = sigmoid(from_hidden[1] + from_input[1])
    candidate = tanh(from_input[2] + from_hidden[2] * reset)
    return (hidden - candidate) * update + candidate


def over_sequence(step: Step, products: list[Any], state: Any, weights: Weights) -> tuple[list[Any], Any]:
    """All outputs of one direction, and its last state."""
    outputs = []
    for product in products:
        state = step(product, state, weights, True)
        outputs.append(state[0] if isinstance(state, tuple) else state)
    return outputs, state


def layers(
    step: Step, input: Any, states: list[Any], weights: list[list[Weights]], dropout_p: float, training: bool
) -> tuple[Any, list[Any]]:
    """A stack of layers over a sequence (L, N, H).

    Parameters
    ----------
    states : list
        The first state of each direction of each layer.
    weights : list of list of Weights
        By layer and direction.

    Returns
    -------
    output, states
        The last layer's outputs, and the last state of each direction of each layer.
    """
    last: list[Any] = []
    for number, directions in enumerate(weights):
        whole = []
        for backwards, own in enumerate(directions):
            products = list(unbind(own.of_input(input), 0))
            outputs, state = over_sequence(step, products[::-1] if backwards else products, states[len(last)], own)
            last.append(state)
            whole.append(stack(outputs[::-1] if backwards else outputs, 0))
        input = whole[0] if len(whole) == 1 else cat(whole, whole[0]._data.ndim - 1)
        if dropout_p != 0 and training and number < len(weights) - 1:
            input = dropout(input, dropout_p)
    return input, last
