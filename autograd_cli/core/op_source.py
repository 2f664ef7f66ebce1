"""From the declaration of an operation to the source of the functions one would write by hand.

Note [One op, one declaration]
    ``@op("MulBackward0", self=lambda grad, other: grad * other, ...)`` over ``def mul(self, other): return self * other`` says all there is
    to say. A dispatcher that interprets it costs more than the arithmetic of a small tensor, so the declaration is read as syntax and
    written out: a forward that fills slots, a Node class with one slot a saved value, and its ``apply`` in three forms (on arrays; on
    arrays, letting the saved tensors go; on Tensors, recording). ``op._info.source`` shows what was written.
"""

from __future__ import annotations

import ast

from .declaration import Declaration, for_halves, for_real, rename
from .halves import EXACT_NUMBERS


def write(d: Declaration) -> str:
    """The source of the forward, its plain and mixed forms, and the Node's methods."""
    return "\n".join([_forward(d), _mixed(d), *_plain(d), *_applies(d), _saved(d), _release(d)])


def _block(lines: list[str], depth: int = 1) -> str:
    return "\n".join("    " * depth + line for line in lines if line)


def _body(d: Declaration) -> list[ast.stmt]:
    """The statements of the forward, without its docstring."""
    return [s for s in d.function.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]


def _single_return(d: Declaration) -> ast.expr | None:
    body = _body(d)
    if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
        return body[0].value
    return None


def _compute(d: Declaration) -> str:
    """The expression that computes the result from arrays named ``x_<param>``."""
    single = _single_return(d)
    table = {t: f"x_{t}" for t in d.tensors}
    if single is not None:
        found = rename(single, table)
    else:
        found = f"{d.name}__plain({', '.join(table.get(p, p) for p in d.params)})"
    if d.through_float:  # see Note [Halves]
        number = d.name in EXACT_NUMBERS
        given = {t: f"_exact({t}, x_{t})" if number else f"x_{t}" for t in d.tensors}
        given |= {p: f"_rounded_number({p}, x_{d.tensors[0]}.dtype)" for p in d.rounds}
        halved = f"_in_float({d.name}__kernel, {', '.join(given.get(p, p) for p in d.params)})"
        found = f"({halved} if {' or '.join(f'x_{t}.dtype in _HALVES' for t in d.tensors)} else {found})"
    return f"_row_by_row({found})" if d.contiguous else found


def _forward(d: Declaration) -> str:
    edges = {p: f"e_{p}" for p in d.differentiable}
    lines = [
        f"if {' or '.join(f'{t}.__class__ is not Tensor' for t in d.tensors)}: return {d.name}__mixed({', '.join(d.params)})"
    ]
    lines += [f"x_{t} = {t}._data" for t in d.tensors]
    lines += [f"{e} = {p}._edge" for p, e in edges.items()]
    if d.devices:
        lines += _same_device(d)
    if d.real_only:
        lines.append(f"if _modes.complex_seen: _refuse_complex({d.name!r}, {', '.join(f'x_{t}' for t in d.tensors)})")
    lines += _operands(d, list(edges.values()))
    if d.uses_xp and _single_return(d) is not None:
        lines.append(f"xp = {_module(d, [f'x_{t}' for t in d.tensors])}")
    if d.view:
        lines.append(f"x_{d.tensors[0]} = {d.tensors[0]}._storage()")
    more = "".join(f", y{i}" for i in range(1, len(d.outputs)))
    lines += ["r = _new(Tensor)", f"r._data = y{more} = {_compute(d)}" if not more else f"y{more} = {_compute(d)}; r._data = y"]
    lines += [f"r._grad = r._meta = {'r._counter = ' if not (_saves_result(d) or d.view) else ''}None"]
    if d.view:
        arguments = "".join(f"{p}, " for p in d.params if p not in d.tensors)
        lines.append(f"_share(r, {d.tensors[0]}, {d.name}, ({arguments}))")
    lines += [f"o_{name} = _fresh(y{i})" for i, name in enumerate(d.outputs[1:], 1)]
    any_edge = " or ".join(f"{e} is not None" for e in edges.values())
    lines.append(f"if ({any_edge}) and _modes.grad_enabled:" if edges else "if False:")
    lines += ["    " + line for line in _record(d, edges)]
    if d.view:  # of a tensor that requires grad, unrecorded: see Note [Edges that lead nowhere] in mode_listener.py
        lines.append(f"elif {any_edge.replace(' or ', ' and ').replace('is not', 'is')}: r._edge = None")
    else:
        lines.append("else: r._edge = None; r._counter = _modes.new_counter")
    lines.append(f"return r{''.join(f', o_{name}' for name in d.outputs[1:])}")
    return f"def {d.name}({_signature(d, lines)}):\n{_block(lines)}"


def _same_device(d: Declaration) -> list[str]:
    """Operands of one device, which is made current."""
    names = [f"x_{t}" for t in d.tensors]
    if len(names) == 1 or d.anywhere:
        return [f"_at_device({names[0]})"]
    return [f"{', '.join(names)} = _together({d.name!r}, {tuple(d.tensors)!r}, {', '.join(names)})"]


def _module(d: Declaration, names: list[str]) -> str:
    """The array module of the operands."""
    if d.devices and len(names) > 1 and not d.anywhere:
        return f"_common_module({', '.join(names)})"
    return f"_np if {names[0]}.__class__ in _HOST else _array_module({names[0]})"


def _signature(d: Declaration, lines: list[str]) -> str:
    """The parameters; the first is ``self`` in PyTorch's formulas and ``input`` for those who call ``torch.exp(input=x)``."""
    text = ast.unparse(d.function.args)
    if d.params[0] != "self":
        return text
    lines.insert(0, "self = input")
    return "input" + text.removeprefix("self")


def _saves_result(d: Declaration) -> bool:
    return 0 in d.own.values()


def _operands(d: Declaration, edges: list[str]) -> list[str]:
    if d.style == "plain":
        return []
    prepare = "_prepare_float" if d.style == "pointwise_float" else "_prepare"
    names = [f"x_{t}" for t in d.tensors]
    lines = []
    if len(names) > 1 and d.devices:
        lines.append(f"fits, {', '.join(names)} = {prepare}_on_devices({', '.join(names)})")
    elif len(names) > 1:
        first, rest = names[0], names[1:]
        same_class = " and ".join(f"c is {x}.__class__" for x in rest)
        same_array = " and ".join(f"{first}.dtype is {x}.dtype and {first}.shape == {x}.shape" for x in rest)
        lines += [
            f"c = {first}.__class__",
            f"if {same_class} and (c is not _ndarray or ({same_array})): fits = None",
            *(_beside_a_scalar(d) if len(names) == 2 else []),
            f"else: fits, {', '.join(names)} = {prepare}({', '.join(names)})",
        ]
    if d.style == "pointwise_float":
        guard = " and ".join(f"{e} is None" for e in edges) or "True"
        targets = "".join(f", {x}" for x in names)
        lines.append(f"if {guard} and {names[0]}.dtype.kind in 'biu': _{targets} = _prepare_float({', '.join(names)})")
    return lines


def _beside_a_scalar(d: Declaration) -> list[str]:
    """An array beside a 0-d operand of its dtype: nothing to promote, and only the latter's gradient has to be fitted."""
    lines = []
    for small, large in (d.tensors[::-1], d.tensors):
        fit = f"((), x_{small}.dtype)"
        fits = f"({', '.join(fit if t == small else 'None' for t in d.tensors)})"
        wanted = f"{fits} if e_{small} is not None else None" if small in d.vjps else "None"
        condition = f"x_{small}.dtype is x_{large}.dtype and not x_{small}.shape"
        lines.append(f"elif {condition}: fits = {wanted}")
    return lines


def _record(d: Declaration, edges: dict[str, str]) -> list[str]:
    """Statements that make the node and fill it."""
    lines = [f"n = _new({d.node_name}); n.sequence_nr = _next_nr(); n.hooks = None"]
    values = list(edges.values())
    lines += [f"n.edge{i} = {e}" for i, e in enumerate(values[:2])]
    if len(values) > 2:
        lines.append(f"n.more_edges = ({', '.join(values[2:])},)")
    kind = "_DeviceFits" if d.devices else ""
    if d.style != "plain" and len(d.tensors) > 1:
        picked = "".join(f"fits[{d.tensors.index(p)}], " for p in d.differentiable)
        same = d.tensors == d.differentiable
        lines.append("n.fits = fits" if same else f"n.fits = None if fits is None else {kind}(({picked}))")
    elif d.broadcasts:
        where = ", _device_of(x_{0})" if d.devices else ""
        fit = f"(x_{{0}}.shape, x_{{0}}.dtype{where})"
        fits = ", ".join(fit.format(p) if p in d.broadcasts else "None" for p in d.differentiable)
        lines.append(f"n.fits = {kind}(({fits},))")
    for s in d.saved:
        lines += _save(d, s, edges)
    lines.append("if _modes.complex_seen: _mark_complex(n, r)")
    lines.append("r._edge = n")
    lines += [f"o_{name}._edge = _edge_to(n, {i})" for i, name in enumerate(d.outputs[: d.num_grads]) if i]
    lines += ["if _modes.instrument is not None: _modes.instrument.record(n, r)"]
    return lines


def _save(d: Declaration, s: str, edges: dict[str, str]) -> list[str]:
    if s in d.own:
        y, made = (f"y{d.own[s]}", f"o_{s}") if d.own[s] else ("y", "r")
        counter = "r._ensure_counter()" if d.view else f"{made}._counter = _new(_VersionCounter)"
        return [f"n.s_{s} = {y}; n.c_{s} = {counter}; n.v_{s} = n.c_{s}.version = 0"]
    if s.endswith("_sizes") and s.removesuffix("_sizes") in d.tensors:
        return [f"n.s_{s} = x_{s.removesuffix('_sizes')}.shape"]
    if s.endswith("_dtype") and s.removesuffix("_dtype") in d.tensors:
        return [f"n.s_{s} = x_{s.removesuffix('_dtype')}.dtype"]
    if s.endswith("_device") and s.removesuffix("_device") in d.tensors:
        return [f"n.s_{s} = " + (f"_device_of(x_{s.removesuffix('_device')})" if d.devices else "'cpu'")]
    if s.endswith("_strides") and s.removesuffix("_strides") in d.tensors:
        return [f"n.s_{s} = x_{s.removesuffix('_strides')}.strides"]
    if s in d.lists:
        return [f"n.s_{s} = {s}; n.v_{s} = tuple([None if t is None else t._version for t in {s}])"]
    if not d.is_tensor(s):
        return [f"n.s_{s} = {s}"]
    source = f"o_{s}" if s in d.outputs else s
    keep = f"n.s_{s} = {source}; k = {source}._counter; n.v_{s} = 0 if k is None else k.version"
    user = d.user_of(s)
    if user is None:
        return [keep]
    return [f"if {edges[d.differentiable[user]]} is not None: {keep}", f"else: n.s_{s} = None"]


def _mixed(d: Declaration) -> str:
    """Numbers made tensors; arrays alone computed (what vjps do in a first-order pass)."""
    lines = [
        f"if {t}.__class__ is Tensor: like = {t}" if i == 0 else f"elif {t}.__class__ is Tensor: like = {t}"
        for i, t in enumerate(d.tensors)
    ]
    lines.append(f"else: return _plain_call({d.name!r}, {d.name}__plain, ({', '.join(d.tensors)},), ({', '.join(d.params)},))")
    lines.append(
        f"return {d.name}({', '.join(f'_lift({p}, like, {d.name!r}, {p!r})' if p in d.tensors else p for p in d.params)})"
    )
    return f"def {d.name}__mixed({', '.join(d.params)}):\n{_block(lines)}"


def _plain(d: Declaration) -> list[str]:
    """The operation on arrays alone; where there are 2-byte floats, its kernel under another name. See Note [Halves]."""
    lines = [line for s in _body(d) for line in ast.unparse(s).split("\n")]
    if d.uses_xp or d.devices:  # asking for the module makes the device current
        lines.insert(0, f"xp = {_module(d, d.tensors)}")
    args = ast.parse(f"def f({ast.unparse(d.function.args)}): pass").body[0]
    assert isinstance(args, ast.FunctionDef)
    for a in args.args.args:
        a.annotation = None
    signature = ast.unparse(args.args)
    if not d.through_float:
        return [f"def {d.name}__plain({signature}):\n{_block(lines)}"]
    table = {p: f"_rounded_number({p}, {d.params[0]}.dtype)" for p in d.rounds}
    given = ", ".join(table.get(p, p) for p in d.params)
    check = f"if _any_half(_HALVES, {', '.join(d.params)}): return _in_float({d.name}__kernel, {given})"
    return [
        f"def {d.name}__{form}({signature}):\n{_block(body)}" for form, body in (("kernel", lines), ("plain", [check, *lines]))
    ]


def _applies(d: Declaration) -> list[str]:
    return [_apply(d, "apply", False, False), _apply(d, "apply_release", True, False), _apply(d, "apply_tensor", False, True)]


def _apply(d: Declaration, name: str, release: bool, tensors: bool) -> str:
    many = len(d.differentiable) > 1
    lines: list[str] = []
    for s in d.saved:
        lines += _load(d, s, many, tensors)
    if release:  # after all checks: a pass that is refused because of one saved tensor leaves the others
        lines += [_free(s, many and s not in d.own) for s in d.saved if d.is_kept(s)]
    table = {s: _value(d, s, tensors) for s in d.saved}
    if not tensors:
        table |= {o: f"{o}__plain" for o in d.ops}
    if d.common is not None:
        lines.append(f"common = {rename(d.common.body, {**table, d.common.args.args[0].arg: 'grad'})}")
    results = []
    for i, p in enumerate(d.differentiable):
        vjp = d.vjps[p]
        body = vjp.body if tensors else for_real(vjp.body)
        if d.halves and not tensors:
            body = for_halves(body)
        value = rename(body, {**table, vjp.args.args[0].arg: "grad"})
        edge = f"n.edge{i}" if i < 2 else f"n.more_edges[{i - 2}]"
        results.append(f"{value} if {edge} is not None else None" if many else value)
    if tensors and many:
        # PyTorch's generated code computes gradients in the order of the inputs' names, which is that of recording.
        # Formulas that share something are one function there, which goes through the inputs in their own order.
        for p in d.differentiable if d.common is not None else sorted(d.differentiable):
            i = d.differentiable.index(p)
            lines.append(f"g_{p} = {results[i]}")
            if d.style != "plain":
                lines.append(f"if _modes.complex_seen: g_{p} = _handle_r_to_c(n, {i}, g_{p})")
        results = [f"g_{p}" for p in d.differentiable]
    if len(results) == 1:
        results.append("None")
    lines.append(f"return ({', '.join(results)},)")
    return f"def {name}(n, grad):\n{_block(lines)}"


def _free(s: str, many: bool) -> str:
    return f"if s_{s} is not None: n.s_{s} = _FREED" if many else f"n.s_{s} = _FREED"


def _load(d: Declaration, s: str, many: bool, tensors: bool) -> list[str]:
    load = f"s_{s} = n.s_{s}"
    if not d.is_kept(s):
        return [load]
    if s in d.lists:
        return [
            load,
            f"if s_{s} is _FREED: _FREED.version",
            f"for t, v in zip(s_{s}, n.v_{s}):",
            f"    if t is not None and t._version != v: _modified(n, {s!r}, t._version, v)",
        ]
    if s in d.own:
        return [
            load,
            f"if s_{s} is _FREED: _FREED.version",
            f"if n.c_{s}.version != n.v_{s}: _modified(n, {s!r}, n.c_{s}.version, n.v_{s})",
            f"t_{s} = {_rebuilt(d, s, f's_{s}')}" if tensors else "",
        ]
    check = [f"k = s_{s}._counter", f"if k is not None and k.version != n.v_{s}: _modified(n, {s!r}, k.version, n.v_{s})"]
    if not many:
        return [load, *check]
    return [load, f"if s_{s} is not None:", *("    " + c for c in check)]


def _rebuilt(d: Declaration, s: str, data: str) -> str:
    """The Tensor of a saved result of the node's own."""
    return f"_fresh({data}, {f'_edge_to(n, {d.own[s]})' if d.own[s] else '_history_of(n)'}, n.c_{s})"


def _value(d: Declaration, s: str, tensors: bool) -> str:
    if s in d.own:
        return f"t_{s}" if tensors else f"s_{s}"
    if d.is_tensor(s):
        data = f"_number(s_{s}._data)" if d.devices else f"s_{s}._data"
        if d.halves and d.name in EXACT_NUMBERS:
            data = f"_exact(s_{s}, {data})"
        return f"s_{s}" if tensors else data
    return f"s_{s}"


def _saved(d: Declaration) -> str:
    """``saved`` gives the saved tensors, ``describe`` what a Recorder keeps of them: see ``Node.describe``."""
    items, lines, parts, missing = [], [], [], []
    for s in sorted(s for s in d.saved if d.is_tensor(s)):
        value = _rebuilt(d, s, f"n.s_{s}") if s in d.own else f"n.s_{s}"
        items.append(f"({s!r}, None if n.s_{s} is None or n.s_{s} is _FREED else {value}, getattr(n, 'v_{s}', 0))")
        lines.append(f"t_{s} = n.s_{s}")
        data = f"t_{s}" if s in d.own else f"t_{s}._data"
        missing.append(f"t_{s} is None" if s in d.own else f"t_{s} is None or t_{s}._meta is _ABSENT")
        dtype = f"{data}.dtype" if s in d.own else f"{data}.dtype if t_{s}._meta is None else t_{s}._meta.number or {data}.dtype"
        parts.append(f"{s!r}, {data}.shape, {dtype}, n.v_{s}")
    if len(parts) > 1:
        lines.append(f"if not ({' or '.join(missing)}): return ({', '.join(parts)})")
    parts = [f"() if {absent} else ({part})" for absent, part in zip(missing, parts, strict=True)]
    for s in (s for s in d.saved if s in d.lists):
        listed_now = f"(() if n.s_{s} is _FREED else zip(n.s_{s}, n.v_{s}))"
        items.append(f"*(({s!r}, t, v) for t, v in {listed_now} if t is not None)")
        parts.append(f"sum([({s!r}, t._data.shape, t._data.dtype, v) for t, v in {listed_now} if t is not None], ())")
    described = _block([*lines, f"return {' + '.join(f'({p})' for p in parts) or '()'}"])
    return f"def saved(n): return [{', '.join(items)}]\ndef describe(n):\n{described}"


def _release(d: Declaration) -> str:
    found = [s for s in d.saved if d.is_kept(s)]
    lines = [f"if n.s_{s} is not None: n.s_{s} = _FREED" for s in found]
    return "def release(n):\n" + _block(lines or ["pass"])
