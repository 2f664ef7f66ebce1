"""Two Traces of one scenario, agrad's and PyTorch's, and what differs between them. Nothing here asks PyTorch anything."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from ..scenario.closeness import Tolerance, unequal
from ..trace.model import ErrorRecord, Json, PassRecord, Trace
from .align import aligned
from .findings import Findings
from .pairs import SAME_NAME, Pairs
from .printed import line_key, same_line

_FACTS = ("shape", "dtype", "requires_grad", "is_leaf", "grad_fn", "version")
_ABSENT = "(not there)"


def compare_traces(ours: Trace, torch: Trace, tolerance: Tolerance | None = None) -> Findings:
    """Compare two runs of one scenario.

    Parameters
    ----------
    ours, torch : Trace
        What `run_scenario` and `run_in_pytorch` gave.
    tolerance : Tolerance, optional
        Instead of torch.testing's for each dtype.

    Returns
    -------
    Findings
        The words of errors are agrad's own and are not compared. Where the two fail differently, what only the longer run has is not
        held against the other.
    """
    comparison = _Comparison(ours, torch, tolerance or Tolerance())
    comparison.compare()
    return comparison.findings


class _Comparison:
    def __init__(self, ours: Trace, torch: Trace, tolerance: Tolerance) -> None:
        self.ours, self.torch, self.tolerance = ours, torch, tolerance
        self.findings = Findings()
        self.pairs = Pairs(ours, torch, self.findings)
        self.number_dtype = ours.scenario.dtype  # that of Python's floats: most were elements of a tensor
        self.is_partial = False  # the two ran to different points

    def compare(self) -> None:
        """Everything; nodes are paired before what speaks of nodes."""
        self._errors(self.ours.error, self.torch.error)
        self._printed()
        passes = self._paired_passes()
        for where, mine, other in passes:
            self._roots(where, mine, other)
        names = [name for name in self.ours.variables if name in self.torch.variables]
        for are_leaves in (False, True):
            for name in sorted(names):
                self._starts(self.ours.variables[name], self.torch.variables[name], are_leaves)
        self._variables(names)
        self.pairs.compare_sequence()
        self._passes(passes)

    # ---- how the run ended ----

    def _errors(self, ours: ErrorRecord | None, torch: ErrorRecord | None) -> None:
        told = {who: error for who, error in (("agrad", ours), ("PyTorch", torch)) if error is not None}
        if told:
            line = next(iter(told.values())).line
            note = "\n".join(f"{who}: {error.message}" for who, error in told.items())
            self.is_partial = not self.findings.check("error", "the run", _outcome(ours), _outcome(torch), line=line, note=note)

    def _printed(self) -> None:
        mine, other = self.ours.stdout.splitlines(), self.torch.stdout.splitlines()
        rtol = self.tolerance.for_dtype(self.number_dtype)[0]
        number = 1
        for ours, torch in aligned(mine, other, line_key):
            one, two = ("\n".join(lines) if lines else None for lines in (ours, torch))
            if one is not None and two is not None and same_line(one, two, rtol):
                self.findings.equal["stdout"] += 1
            elif not (self.is_partial and None in (one, two)):
                where = f"line {number}" if len(ours) < 2 else f"lines {number} to {number + len(ours) - 1}"
                self.findings.differ("stdout", f"{where} of what is printed", one, two)
            number += len(ours)

    # ---- variables ----

    def _variables(self, names: list[str]) -> None:
        for name in names:
            self._value(name, self.ours.variables[name], self.torch.variables[name])
        for name in self.ours.variables.keys() ^ self.torch.variables.keys():
            if not self.is_partial:
                there = name in self.ours.variables
                self.findings.differ("variable", name, "there" if there else _ABSENT, _ABSENT if there else "there")

    def _value(self, where: str, ours: Json, torch: Json) -> None:
        stack = [(where, ours, torch)]
        while stack:
            where, ours, torch = stack.pop()
            if ours["type"] != torch["type"] or ours.get("class") != torch.get("class"):
                self.findings.differ("variable", f"{where}.type", *(one.get("class", one["type"]) for one in (ours, torch)))
            elif ours["type"] == "tensor":
                self._tensor(where, ours, torch)
            elif "value" in ours:
                self._plain(where, ours["value"], torch["value"])
            else:
                inside, others = _inside(ours), _inside(torch)
                keys = list(inside)
                if self.findings.check("variable", where if keys else f"{where}.type", keys, list(others)):
                    stack += [(_path(where, ours, key), inside[key], others[key]) for key in reversed(keys)]

    def _tensor(self, where: str, ours: Json, torch: Json) -> None:
        facts = {fact: (ours[fact], torch[fact]) for fact in _FACTS if fact != "version" or torch["version"] is not None}
        if ours["node"] in self.pairs.torch_of or torch["node"] in self.pairs.ours_of:
            facts["node"] = (self.pairs.torch_of.get(ours["node"]), torch["node"])
        place = {} if ours["node"] is None else self.pairs.place(ours["node"])
        self.findings.facts("variable", where, facts, **place)
        if (ours["shape"], ours["dtype"]) != (torch["shape"], torch["dtype"]):
            return
        for what, field in (("value", "value"), ("gradient", "grad")):
            mine, other = ours[field], torch[field]
            if ours.get("elided") or torch.get("elided"):
                self.findings.left_out[what] += field == "value" or ours["requires_grad"]
            elif mine is None or other is None:
                if mine is not other and not self.is_partial:  # else its pass may not have run
                    self.findings.differ(what, where, mine, other, **place)
                elif mine is other and ours["requires_grad"]:
                    self.findings.equal[what] += 1
            else:
                pair = [2] if ours["dtype"].startswith("complex") else []
                self._numbers(what, where, mine, other, [*ours["shape"], *pair], ours["dtype"], place)

    def _plain(self, where: str, ours: Json, torch: Json) -> None:
        """A number, text, a bool or None; a complex number is a pair."""
        if isinstance(ours, str) and isinstance(torch, str):
            if same_line(ours, torch, self.tolerance.for_dtype(self.number_dtype)[0]):
                self.findings.equal["value"] += 1
            else:
                self.findings.differ("value", where, ours, torch)
        elif isinstance(ours, list) or (isinstance(ours, float) and isinstance(torch, float)):
            dtype = "complex64" if isinstance(ours, list) and self.number_dtype == "float32" else self.number_dtype
            self._numbers("value", where, ours, torch, [2] if isinstance(ours, list) else [], dtype, {})
        else:
            self.findings.check("value", where, ours, torch)

    def _numbers(self, what: str, where: str, ours: Json, torch: Json, shape: list[int], dtype: str, place: Any) -> None:
        """Nested lists of one shape, with the tolerance of their dtype."""
        rtol, atol = self.tolerance.for_dtype(dtype)
        wrong = unequal(torch, ours, shape, rtol, atol)
        if not wrong:
            self.findings.equal[what] += 1
            return
        position, want, have = wrong[0]
        at = where + "".join(f"[{i}]" for i in position)
        self.findings.differ(what, at, have, want, note=_how_far(wrong, shape, rtol, atol), **place)

    # ---- the graph ----

    def _roots(self, where: str, ours: PassRecord, torch: PassRecord) -> None:
        if not (ours.elided or torch.elided):
            counts = len(ours.roots), len(torch.roots)
            if counts[0] != counts[1]:
                self.findings.differ("pass", f"{where}: number of roots", *counts, line=ours.line)
            for mine, other in zip(ours.roots, torch.roots, strict=False):
                if not self.pairs.walk(mine, other):
                    names = self.pairs.label(mine), self.pairs.torch_label(other)
                    self.findings.differ(
                        "pass", f"{where}: root", *names, line=ours.line, note=SAME_NAME if names[0] == names[1] else None
                    )

    def _starts(self, ours: Json, torch: Json, are_leaves: bool) -> None:
        """Walk from each tensor in two values, as far as these have the same form: from the leaves, or from the others."""
        stack = [(ours, torch)]
        while stack:
            mine, other = stack.pop()
            if mine["type"] == other["type"] == "tensor":
                has_node = mine["node"] is not None and other["node"] is not None
                if has_node and mine["is_leaf"] is other["is_leaf"] is are_leaves:
                    self.pairs.walk(mine["node"], other["node"])  # `_tensor` says where they are no partners
            else:
                inside, others = _inside(mine), _inside(other)
                stack += [(inside[key], others[key]) for key in reversed(list(inside)) if key in others]

    def _paired_passes(self) -> list[tuple[str, PassRecord, PassRecord]]:
        """(name, ours, PyTorch's) of the passes that both have; the others are differences."""
        found: list[tuple[str, PassRecord, PassRecord]] = []
        number = 1
        for ours, torch in aligned(_started(self.ours), _started(self.torch), lambda one: (one.kind, one.line)):
            if len(ours) == len(torch) == 1:
                found.append((f"pass {number}", ours[0], torch[0]))
            elif not self.is_partial:
                line = (ours or torch)[0].line
                where = f"passes that begin at line {line}" if line else "passes"
                self.findings.differ("pass", where, len(ours), len(torch), line=line)
            number += len(ours)
        return found

    def _passes(self, passes: list[tuple[str, PassRecord, PassRecord]]) -> None:
        for where, ours, torch in passes:
            facts = {"kind": (ours.kind, torch.kind), "line": (ours.line, torch.line)}
            if not (ours.elided or torch.elided):
                facts |= {name: (getattr(ours, name) is True, getattr(torch, name) is True) for name in ("failed", "restricted")}
            self.findings.facts("pass", where, facts, line=ours.line)
            if not (ours.elided or torch.elided):
                self._dependencies(where, ours, torch)
                self._order(where, ours, torch)

    def _dependencies(self, where: str, ours: PassRecord, torch: PassRecord) -> None:
        mine = {int(node): count for node, count in ours.dependencies.items()}
        others = {int(node): count for node, count in torch.dependencies.items()}
        for node, count in mine.items():
            theirs = others.get(self.pairs.torch_of.get(node, -1))
            self.findings.check("dependencies", f"{self.pairs.label(node)} in {where}", count, theirs, **self.pairs.place(node))
        for node, count in others.items():
            if self.pairs.ours_of.get(node) not in mine:
                self.findings.differ("dependencies", f"{self.pairs.torch_label(node)} in {where}", None, count, line=ours.line)

    def _order(self, where: str, ours: PassRecord, torch: PassRecord) -> None:
        for step, (mine, other) in enumerate(zip_longest(ours.order, torch.order), start=1):
            if other is None and ours.failed is torch.failed is True and step == len(ours.order):
                return  # the node that it failed at: a hook of it stopped it before PyTorch told of it
            if mine is None or other is None or self.pairs.torch_of.get(mine) != other:
                names = (
                    None if mine is None else self.pairs.label(mine),
                    None if other is None else self.pairs.torch_label(other),
                )
                note = SAME_NAME if names[0] == names[1] else None
                self.findings.differ("order", f"step {step} of {where}", *names, line=ours.line, note=note)
                return  # what follows is another order altogether
            self.findings.equal["order"] += 1


def _started(trace: Trace) -> list[PassRecord]:
    """The passes, without those that PyTorch leaves no trace of: those in which no node ran, and those of ``torch.func``, whose tensors
    are wrapped.
    """
    return [one for one in trace.passes if (one.elided is True or one.order) and one.inside != "func"]


def _outcome(error: ErrorRecord | None) -> dict[str, Any] | None:
    return None if error is None else {"type": error.type, "line": error.line}


def _inside(value: Json) -> Mapping[Any, Json]:
    """What a VALUE holds, by index or name; nothing of one that holds nothing."""
    found = value.get("items", value.get("parameters", {}))
    return found if isinstance(found, dict) else dict(enumerate(found))


def _path(where: str, value: Json, key: Any) -> str:
    """The name of what a VALUE holds under a key."""
    return f"{where}.{key}" if value["type"] == "module" else f"{where}[{key!r}]"


def _how_far(wrong: list[tuple[list[int], Any, Any]], shape: list[int], rtol: float, atol: float) -> str:
    """How many elements differ, and by how much at most."""
    size = 1
    for n in shape:
        size *= n
    gaps = [
        abs(have - want) for _, want, have in wrong if not isinstance(have, (str, bool)) and not isinstance(want, (str, bool))
    ]
    many = f"{len(wrong)} of {size} elements differ, " if size > 1 else ""
    by = f"by {max(gaps):.3g}{' at most' if len(wrong) > 1 else ''}, " if gaps else ""
    return f"{many}{by}allowed: rtol {rtol:g}, atol {atol:g}"
