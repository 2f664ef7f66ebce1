"""``nn.Module``: a node of a tree of layers, with parameters and buffers.

Source of the rules: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.hooks import RemovableHandle, register
from ..core.tensor import Tensor
from ..errors import BadArgumentType, BadArgumentValue
from ..missing import missing
from .module_change import ModuleChange
from .module_hooks import call_with_hooks
from .module_state import load_state_dict, state_dict
from .module_text import module_text
from .module_tree import ModuleTree
from .parameter import is_parameter

known_names: Callable[[], frozenset[str]] = frozenset  # names PyTorch's Module has; torch_api sets it

_NOT_STARTED = "call super().__init__() at the start of this class's __init__"


class Module(ModuleTree, ModuleChange):
    """Base of all layers and networks: assign Modules and Parameters to attributes in ``__init__``, write ``forward``, call the object.

    Attributes
    ----------
    training : bool
        What ``train()`` and ``eval()`` set; Dropout and BatchNorm look at it.
    """

    __module__ = "torch.nn.modules.module"
    training: bool
    _parameters: dict[str, Tensor | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            unknown = next(iter(kwargs), None)
            what = f"an unexpected keyword argument {unknown!r}" if unknown else f"{len(args)} arguments where none belong"
            raise BadArgumentType(f"{type(self).__name__}.__init__() got {what}")
        own = self.__dict__
        own["training"] = True
        own["_parameters"], own["_buffers"], own["_modules"] = {}, {}, {}
        own["_non_persistent"] = set()
        own["_forward_hooks"], own["_forward_pre_hooks"] = {}, {}
        own["_backward_hooks"], own["_backward_pre_hooks"] = {}, {}

    # ---- calling ----

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            hooked = self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks
        except AttributeError:
            raise AttributeError(f"{type(self).__name__} was not set up; {_NOT_STARTED}") from None
        return call_with_hooks(self, args, kwargs) if hooked else self.forward(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; each class writes its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    # ---- attributes ----

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            found = own.get(table)
            if found is not None and name in found:
                return found[name]
        if name in known_names():
            raise missing(f"torch.nn.Module.{name}")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        parameters = own.get("_parameters")
        if is_parameter(value):
            self._started("parameters")
            _forget(self, name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise BadArgumentType(
                    f"{name} is a parameter of this module: only an nn.Parameter or None can take its place, not {_kind(value)}",
                    hint=f"write nn.Parameter(…), or change the values: with torch.no_grad(): module.{name}.copy_(…)",
                )
            parameters[name] = None
        elif isinstance(value, Module):
            self._started("modules")
            _forget(self, name, "_parameters", "_buffers")
            self._modules[name] = value
        elif name in own.get("_modules", ()):
            if value is not None:
                raise BadArgumentType(f"{name} is a child module: only a Module or None can take its place, not {_kind(value)}")
            self._modules[name] = None
        elif name in own.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise BadArgumentType(f"{name} is a buffer: only a tensor or None can take its place, not {_kind(value)}")
            self._buffers[name] = value
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        for table in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                self._non_persistent.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._buffers, *self._modules]
        return sorted({name for name in names if not name[:1].isdigit()})

    def _started(self, what: str) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(f"{what} cannot be assigned before Module.__init__() has run; {_NOT_STARTED}")

    def register_parameter(self, name: str, param: Tensor | None) -> None:
        """Add a parameter under a name; None keeps the place."""
        self._started("parameters")
        self._check_name(name, "parameter", self._parameters)
        if param is not None and not is_parameter(param):
            raise BadArgumentType(f"a parameter is an nn.Parameter or None, not {_kind(param)}", hint="write nn.Parameter(…)")
        if param is not None and not param.is_leaf:
            raise BadArgumentValue("a parameter is a leaf: a computed tensor cannot be one", hint="nn.Parameter(x.detach())")
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is no parameter but part of the state; one that is not persistent is left out of ``state_dict()``."""
        self._started("buffers")
        self._check_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise BadArgumentType(f"a buffer is a tensor or None, not {_kind(tensor)}")
        self._buffers[name] = tensor
        (self._non_persistent.discard if persistent else self._non_persistent.add)(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """Add a child module under a name."""
        self.add_module(name, module)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a child module under a name."""
        self._started("modules")
        if module is not None and not isinstance(module, Module):
            raise BadArgumentType(f"{_kind(module)} is not a Module", hint="children are objects of nn.Module's subclasses")
        self._check_name(name, "module", self._modules)
        self._modules[name] = module

    def _check_name(self, name: Any, what: str, table: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise BadArgumentType(f"the name of a {what} is a string, not {_kind(name)}")
        if "." in name or not name:
            raise KeyError(f"the name of a {what} cannot be empty or contain a dot: {name!r}")
        taken = (self.__dict__, self._parameters, self._buffers, self._modules)
        if name not in table and (hasattr(type(self), name) or any(name in names for names in taken)):
            raise KeyError(f"attribute '{name}' already exists")

    # ---- state, hooks, text ----

    state_dict = state_dict
    load_state_dict = load_state_dict

    def register_forward_pre_hook(self, hook: Any, *, prepend: bool = False, with_kwargs: bool = False) -> RemovableHandle:
        """Call `hook(module, args)` before ``forward``; what it returns replaces the arguments."""
        return _add(self._forward_pre_hooks, (hook, with_kwargs), prepend)

    def register_forward_hook(
        self, hook: Any, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after ``forward``; what it returns replaces the output."""
        return _add(self._forward_hooks, (hook, with_kwargs), prepend)

    def register_full_backward_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs are known; what it returns replaces them."""
        return _add(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` when the gradients of the outputs are known; what it returns replaces them."""
        return _add(self._backward_pre_hooks, hook, prepend)

    def extra_repr(self) -> str:
        """What stands between the parentheses when the module is printed."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        return module_text(self)


def _kind(value: Any) -> str:
    return f"a {type(value).__name__}"


def _forget(module: Module, name: str, *tables: str) -> None:
    """A name belongs to one table: what is assigned leaves the others, and hides no plain attribute."""
    module.__dict__.pop(name, None)
    for table in tables:
        module.__dict__[table].pop(name, None)


def _add(hooks: dict[int, Any], entry: Any, prepend: bool) -> RemovableHandle:
    handle = register(hooks, entry)
    if prepend:
        rest = {key: value for key, value in hooks.items() if key != handle.id}
        hooks.clear()
        hooks[handle.id] = entry
        hooks.update(rest)
    return handle
