"""``Optimizer``: parameters in groups with options, a state for each parameter, and one step for all of them.

Source: https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

import copy
import functools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..core.array import array_module
from ..core.device_operands import at_device
from ..core.grad_mode import enable_grad, no_grad
from ..core.hooks import RemovableHandle, register
from ..core.op_support import fresh
from ..core.tensor import Tensor
from ..core.warning import warn
from ..errors import BadArgumentType, BadArgumentValue, Unsupported

Options = dict[str, Any]


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """A ``step`` that is counted and has its optimizer's hooks around it, whichever class wrote it; once, also with ``super().step()``."""

    @functools.wraps(step)
    def hooked(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        if type(self).step is not hooked:
            return step(self, *args, **kwargs)
        for hook in list(self._step_pre_hooks.values()):
            hook(self, (self, *args), kwargs)
        self._steps_taken += 1
        result = step(self, *args, **kwargs)
        for hook in list(self._step_post_hooks.values()):
            hook(self, (self, *args), kwargs)
        return result

    return hooked


class Optimizer:
    """Base of all optimizers.

    Parameters
    ----------
    params : iterable
        Tensors, pairs of name and tensor, or dictionaries with ``params`` and options of their own.
    defaults : dict
        The options of groups that do not give their own.

    Attributes
    ----------
    param_groups : list of dict
    state : dict
        By parameter, what the optimizer remembers of it.
    """

    __module__ = "torch.optim.optimizer"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    def __init__(self, params: Any, defaults: Options) -> None:
        if isinstance(params, Tensor):
            raise BadArgumentType(
                "an optimizer takes an iterable of tensors or dictionaries, not one tensor", hint="put it into a list: [w]"
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, Options] = defaultdict(dict)
        self.param_groups: list[Options] = []
        self._step_pre_hooks: dict[int, Any] = {}
        self._step_post_hooks: dict[int, Any] = {}
        self._steps_taken = 0  # a scheduler asks whether there was any
        given = list(params)
        if not given:
            raise BadArgumentValue("the optimizer got no parameters", hint="pass model.parameters() of a model that has some")
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: Options) -> None:
        """Add parameters with options of their own."""
        if not isinstance(param_group, dict):
            raise BadArgumentType(f"a parameter group is a dictionary, not {type(param_group).__name__}")
        tensors, names = _tensors_of(param_group)
        group = {**param_group, "params": tensors}
        if names:
            group["param_names"] = names
        known = {id(p) for other in self.param_groups for p in other["params"]}
        for tensor in tensors:
            if not tensor.is_leaf:
                raise BadArgumentValue(
                    "an optimizer changes leaf tensors only, and one of these was computed from others",
                    hint="pass the leaves, such as model.parameters(), or make one: x.detach().requires_grad_()",
                )
            if id(tensor) in known:
                raise BadArgumentValue("a parameter is in more than one parameter group")
        for name, value in self.defaults.items():
            if value is required and name not in group:
                raise BadArgumentValue(f"a parameter group has no value for {name}")
            group.setdefault(name, value)
        if len({id(tensor) for tensor in tensors}) != len(tensors):
            warn("RepeatedParameter")
        self.param_groups.append(group)

    # ---- steps ----

    @_with_hooks
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient.

        Parameters
        ----------
        closure : callable, optional
            Computes the loss and its gradients anew; its result is returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for parameter in group["params"]:
                    if parameter._grad is not None:
                        self._step_one(parameter, group)
        return loss

    def _step_one(self, parameter: Tensor, group: Options) -> None:
        gradient = parameter._grad
        assert gradient is not None
        data, grad = at_device(parameter._storage()), gradient._storage()
        state = self.state.get(parameter, {})
        self.update(data, -grad if group.get("maximize") else grad, state, group)
        if state:
            self.state[parameter] = state
        for _ in range(self.writes(group)):
            parameter._written(f"{type(self).__name__}.step")

    def update(self, p: Any, grad: Any, state: Options, group: Options) -> None:
        """Change the array `p`, given its gradient, what is remembered of it, and the options of its group."""
        raise NotImplementedError(f"{type(self).__name__} has no step of its own")

    def writes(self, group: Options) -> int:
        """How often PyTorch changes a parameter in one step: that many times its version moves."""
        return 1

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters, or fill them with zeros."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter._grad is None:
                    continue
                if set_to_none:
                    parameter._grad = None
                else:
                    parameter._grad = parameter._grad.detach()
                    parameter._grad.zero_()

    def register_step_pre_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; the first of `args` is the optimizer."""
        return register(self._step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step; the first of `args` is the optimizer."""
        return register(self._step_post_hooks, hook)

    # ---- state ----

    def state_dict(self) -> Options:
        """State and options, with parameters as numbers in the order of the groups."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
            packed = {name: value for name, value in group.items() if name != "params"}
            groups.append({**packed, "params": [numbers[id(p)] for p in group["params"]]})
        state = {numbers.get(id(key), key): value for key, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Options) -> None:
        """Take over state and options that ``state_dict()`` returned."""
        groups, saved = self.param_groups, copy.deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise BadArgumentValue(f"the state has {len(saved)} parameter groups, and this optimizer has {len(groups)}")
        if any(len(own["params"]) != len(other["params"]) for own, other in zip(groups, saved, strict=True)):
            raise BadArgumentValue("the state has a group with another number of parameters")
        numbers = [n for group in saved for n in group["params"]]
        tensors = [p for group in groups for p in group["params"]]
        by_number = dict(zip(numbers, tensors, strict=True))
        self.state.clear()
        for key, value in state_dict["state"].items():
            self.state[by_number.get(key, key)] = {name: _taken(name, item, by_number.get(key)) for name, item in value.items()}
        for own, other in zip(groups, saved, strict=True):
            own.update({name: value for name, value in other.items() if name != "params"})

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines += ["", f"Parameter Group {i}"] if i else [f"Parameter Group {i}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name not in ("params", "param_names")]
        return "\n".join([*lines, ")"])


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


def _tensors_of(group: Options) -> tuple[list[Tensor], list[str]]:
    """The parameters of a group, and their names where they came with names."""
    params = group.get("params")
    if params is None:
        raise KeyError("params")
    if isinstance(params, set):
        raise BadArgumentType("the parameters of an optimizer have an order: give a list, not a set")
    items = [params] if isinstance(params, Tensor) else list(params)
    names = [item[0] for item in items if isinstance(item, tuple)]
    tensors = [item[1] if isinstance(item, tuple) else item for item in items]
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise BadArgumentType(f"an optimizer changes tensors, and one of these is a {type(tensor).__name__}")
    return tensors, names


def _taken(name: str, value: Any, parameter: Tensor | None) -> Any:
    """A value of a loaded state: a tensor is copied, in the parameter's dtype."""
    if not isinstance(value, Tensor):
        return value
    data = value._data if name == "step" or parameter is None else value._data.astype(parameter._data.dtype)
    return fresh(data.copy())


# ---- what the steps of several optimizers need ----


def number(value: Any) -> float:
    """An option that may be a tensor with one element."""
    found: float = value._data.item() if isinstance(value, Tensor) else value
    return found


def check_options(group: Options) -> None:
    """Refuse options that no optimizer takes, and those that agrad has not."""
    for name in ("lr", "eps", "weight_decay", "momentum", "alpha", "lr_decay", "initial_accumulator_value", "momentum_decay"):
        value = group.get(name)
        if value is not None and number(value) < 0:
            raise BadArgumentValue(f"{name} cannot be negative, and it is {value}")
    for i, beta in enumerate(group.get("betas", ())):
        if not 0 <= number(beta) < 1:
            raise BadArgumentValue(f"betas[{i}] is at least 0 and below 1, not {beta}")
    for name in ("differentiable", "capturable"):
        if group.get(name):
            raise Unsupported(f"{name}=True of optimizers is part of PyTorch, but agrad does not have it yet")


def zeros_for(state: Options, name: str, p: Any) -> Any:
    """The array that `state` keeps under `name`; zeros in the shape of `p` at first."""
    if name not in state:
        state[name] = fresh(array_module(p).zeros(p.shape, p.dtype))
    return state[name]._storage()


def number_for(state: Options, name: str, start: float) -> Tensor:
    """The 0-d tensor that `state` keeps under `name`, on the CPU; `start` at first."""
    if name not in state:
        kind: Any = np.float64 if dt.default.dtype is dt.float64 else np.float32
        state[name] = fresh(kind(start))
    found: Tensor = state[name]
    return found


def count_step(state: Options) -> float:
    """Count one more step of a parameter."""
    step = number_for(state, "step", 0)
    step._set_data(step._data.dtype.type(step._data + 1))
    return float(step._data)
