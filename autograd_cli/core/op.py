"""``@op``: one declaration an operation. See Note [One op, one declaration] in ``op_source.py``.

The compiler runs when an operation is first called (about a millisecond), so starting up does not pay for operations that a
script never uses. Until then the name is bound to a short function that compiles and calls; its code object is then replaced, so
everybody who imported the name has the compiled one.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from ..errors import BadArgumentType
from . import device_operands as on_devices
from . import dtype as dt
from . import halves
from . import op_support as support
from .array import HOST, array_module, common_module, cuda, device_of
from .complex_node import mark_complex
from .declaration import Declaration, rename
from .modes import modes
from .node import Node, edge_to, next_sequence_nr
from .op_source import write
from .saved_attributes import raw_properties, saved_properties
from .tensor import Tensor
from .version_counter import VersionCounter
from .view import share

OPS: dict[str, Op] = {}


class Op:
    """An operation of the table: its declaration, and what was compiled from it."""

    def __init__(self, forward: Callable[..., Any], node_name: str, vjps: dict[str, Any], options: dict[str, Any]) -> None:
        self.forward = forward
        self.name = forward.__name__
        self.long_name, self.node_name = node_name, node_name.rpartition("::")[2]
        self.doc = (forward.__doc__ or "").strip()
        self.inputs = tuple(name for name in vjps if name != "common")
        self.options = options
        self.source: str | None = None
        self.node_class: type[Node] | None = None
        self.namespace: dict[str, Any] = {
            "__builtins__": __builtins__,
            "__name__": f"{__package__}.compiled",
            "_first_call": self._first_call,
        }
        self.namespace["_first_plain"] = self._first_plain
        stub = "def stub(*args, **kwargs): return _first_call(args, kwargs)\n"
        stub += "def plain_stub(*args, **kwargs): return _first_plain(args, kwargs)"
        exec(compile(stub, f"<op {self.name}>", "exec"), self.namespace)
        self.function: FunctionType = self.namespace["stub"]
        self.plain: FunctionType = self.namespace["plain_stub"]  # the operation on arrays alone
        self.function.__name__ = self.function.__qualname__ = self.name
        self.function.__doc__ = forward.__doc__
        self.function.__dict__["_info"] = self

    def _first_call(self, args: Any, kwargs: Any) -> Any:
        self.compile()
        return self.function(*args, **kwargs)

    def _first_plain(self, args: Any, kwargs: Any) -> Any:
        self.compile()
        return self.plain(*args, **kwargs)

    def declaration(self) -> Declaration:
        """The declaration as syntax, read from the source of the module."""
        tree = ast.parse(_block_at(self.forward)).body[0]
        assert isinstance(tree, ast.FunctionDef)
        call = tree.decorator_list[0]
        assert isinstance(call, ast.Call)
        vjps = {k.arg: k.value for k in call.keywords if isinstance(k.value, ast.Lambda) and k.arg}
        marked = [a.arg for a in tree.args.args if isinstance(a.annotation, ast.Name) and a.annotation.id == "Tensor"]
        lists = tuple(a.arg for a in tree.args.args if isinstance(a.annotation, ast.Name) and a.annotation.id == "Tensors")
        for a in tree.args.args:
            a.annotation = None
        tree.returns = None
        params = [a.arg for a in tree.args.args]
        names = {n.id for v in vjps.values() for n in ast.walk(v) if isinstance(n, ast.Name)}
        scope = self.forward.__globals__
        common = vjps.pop("common", None)
        ops = frozenset(n for n in names if isinstance(getattr(scope.get(n), "_info", None), Op))
        tensors = [p for p in params if p in vjps or p in marked]
        return Declaration(
            self.name, self.node_name, tree, tensors, vjps, common=common, ops=ops, lists=lists, devices=not modes.host_only,
            halves=modes.halves_seen, **self.options
        )  # fmt: skip

    def formulas(self) -> dict[str, str]:
        """The formula of each gradient, as the declaration has it."""
        d = self.declaration()
        common = {} if d.common is None else {"common": ast.unparse(d.common.body)}
        return {p: rename(d.vjps[p].body, common)[1:-1] for p in d.differentiable}

    def compile(self) -> None:
        """Write the functions and the Node class, and put them in place."""
        if self.source is not None:
            return
        d = self.declaration()
        self.source = source = write(d)
        scope = self._scope(d)
        methods = ("apply", "apply_release", "apply_tensor", "saved", "describe", "release")
        code = compile(source, f"<op {self.name}>", "exec")
        function, namespace = self.function, self.namespace
        namespace.update(scope)
        exec(code, namespace)
        body = {m: namespace.pop(m) for m in methods}
        slots = [f"edge{i}" for i in range(min(2, len(d.differentiable)))] + ["more_edges"] * (len(d.differentiable) > 2)
        slots += ["fits"] * bool((d.style != "plain" and len(d.tensors) > 1) or d.broadcasts)
        slots += [f"s_{s}" for s in d.saved] + [f"v_{s}" for s in d.saved if d.is_kept(s)] + [f"c_{s}" for s in d.own]
        body |= saved_properties(d.name, d.saved)
        body |= {
            "__slots__": tuple(slots),
            "input_names": tuple(d.differentiable),
            "saved_names": tuple(s for s in d.saved if d.is_kept(s)),
            "saved_for": {s: i for s in d.saved if (i := d.user_of(s)) is not None},
            "own_outputs": d.own,
            "check_saved": support.check_saved,
            "_op": self,
        }
        body |= raw_properties(tuple(s for s in d.saved if d.is_tensor(s)), tuple(s for s in d.saved if s in d.lists))
        if self.long_name != self.node_name:
            body["name"] = lambda node: node._op.long_name
        if d.num_grads > 1:
            body["num_inputs"] = d.num_grads
        self.node_class = namespace[self.node_name] = type(self.node_name, (Node,), body)
        compiled = namespace[self.name]
        function.__code__, function.__defaults__ = compiled.__code__, compiled.__defaults__
        namespace[self.name] = function
        compiled = namespace[f"{self.name}__plain"]
        self.plain.__code__, self.plain.__defaults__ = compiled.__code__, compiled.__defaults__
        namespace[f"{self.name}__plain"] = self.plain

    def _scope(self, d: Declaration) -> dict[str, Any]:
        """The names the written source may use: the helpers, the declaring module's names, and the plain forms of other operations."""
        names = {
            "Tensor": Tensor, "_np": np, "_ndarray": np.ndarray, "_HOST": HOST, "_array_module": array_module, "_modes": modes,
            "_new": object.__new__, "_next_nr": next_sequence_nr, "_prepare": support.prepare, "_prepare_float": support.prepare_float,
            "_lift": support.lift, "_modified": support.modified, "_FREED": support.FREED, "_fresh": support.fresh,
            "_history_of": support.history_of_result,
            "_VersionCounter": VersionCounter, "_share": share, "_edge_to": edge_to, "_ABSENT": support.ABSENT, "_plain_call": _plain_call,
            "_mark_complex": mark_complex, "_refuse_complex": support.refuse_complex, "_handle_r_to_c": support.handle_r_to_c,
            "_row_by_row": support.rows,
        }  # fmt: skip
        if d.devices:
            names |= {
                "_prepare_on_devices": on_devices.prepare_on_devices, "_prepare_float_on_devices": on_devices.prepare_float_on_devices,
                "_at_device": on_devices.at_device, "_together": on_devices.together, "_common_module": common_module,
                "_DeviceFits": on_devices.DeviceFits, "_device_of": device_of, "_number": on_devices.plain,
            }  # fmt: skip
        if d.halves:
            names |= {
                "_HALVES": dt.GO_UP.get(d.as_given), "_any_half": halves.any_half, "_in_float": halves.in_float, "_exact": halves.exact,
                "_rounded_number": halves.rounded_number,
                "_times": halves.times, "_over": halves.over,
            }  # fmt: skip
        used = {n.id for n in ast.walk(d.function) if isinstance(n, ast.Name)}
        formulas = [*d.vjps.values(), *([d.common] if d.common else [])]
        used |= {n.id for v in formulas for n in ast.walk(v) if isinstance(n, ast.Name)}
        scope = self.forward.__globals__
        names |= {n: scope[n] for n in used if n in scope and n not in names}
        for other in d.ops:
            names[f"{other}__plain"] = scope[other]._info.plain
        return names


def write_anew() -> None:
    """Write the operations that are written already for what tensors may be now. See Notes [Two writings of an operation] and [Halves]."""
    for found in OPS.values():
        if found.source is not None:
            found.source = None
            found.compile()


cuda.on_first_use.append(write_anew)
dt.on_first_half.append(write_anew)


def _plain_call(name: str, plain: Callable[..., Any], tensors: tuple[Any, ...], args: tuple[Any, ...]) -> Any:
    """Arrays in, array out; anything else in the place of a tensor is the user's mistake."""
    for value in tensors:
        if not hasattr(value, "dtype") and not isinstance(value, (int, float, complex)):
            raise BadArgumentType(f"{name}() takes a tensor, not {type(value).__name__}", hint="make one with torch.tensor(...)")
    if not any(hasattr(value, "dtype") for value in tensors):
        raise BadArgumentType(f"{name}() takes a tensor, not {type(tensors[0]).__name__}", hint="make one with torch.tensor(...)")
    return plain(*args)


def _block_at(function: Callable[..., Any]) -> str:
    """The source lines of a decorated top-level function."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)[code.co_firstlineno - 1 :]
    end, seen = len(lines), False
    for i, line in enumerate(lines):
        if seen and line.strip() and not line[0].isspace() and line[0] != ")":
            end = i
            break
        seen = seen or line.startswith("def ")
    return "".join(lines[:end])


def op(
    node_name: str,
    *,
    style: str = "plain",
    view: bool = False,
    contiguous: bool = False,
    broadcasts: tuple[str, ...] = (),
    outputs: tuple[str, ...] = (),
    num_grads: int = 1,
    anywhere: bool = False,
    real_only: bool = False,
    as_given: str = "",
    rounds: tuple[str, ...] = (),
    **vjps: Any,
) -> Any:
    """Declare an operation.

    Parameters
    ----------
    node_name : str
        PyTorch's name of its node; ``torch::autograd::`` before it where PyTorch has that.
    style, view, contiguous, broadcasts, outputs, num_grads, anywhere, real_only, as_given, rounds
        See ``Declaration``.
    **vjps : lambda
        For each differentiable input, by PyTorch's argument name, the vector-Jacobian product: its first parameter is ``grad``, the
        others name what is saved: an argument, ``result``, one of `outputs`, or an argument's ``_sizes``, ``_strides``, ``_dtype`` or
        ``_device``.
        Written in the table's own operations, so that it computes on arrays and records on Tensors; with ``conj`` where PyTorch's formula
        has it. See Note [Complex nodes] in ``complex_node.py``. ``common`` is no input: it is what several of them share, see
        ``Declaration``.
    """

    def declare(forward: Callable[..., Any]) -> Any:
        options = {"style": style, "view": view, "broadcasts": broadcasts, "outputs": outputs, "num_grads": num_grads}
        options |= {
            "contiguous": contiguous,
            "anywhere": anywhere,
            "real_only": real_only,
            "as_given": as_given,
            "rounds": rounds,
        }
        made = Op(forward, node_name, vjps, options)
        OPS[made.name] = made
        return made.function

    return declare


def pointwise(node_name: str, **vjps: Any) -> Any:
    """Declare an operation whose operands are promoted and broadcast."""
    return op(node_name, style="pointwise", **vjps)


def pointwise_float(node_name: str, **vjps: Any) -> Any:
    """Declare a pointwise operation that turns integers into floats."""
    return op(node_name, style="pointwise_float", **vjps)
