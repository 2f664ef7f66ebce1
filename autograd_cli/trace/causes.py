"""The story behind an error: where a tensor was saved, by which line and operation it was changed or by which pass freed, and why no
path leads to it. The message and the hint are made to fit what happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..core.array import device_of
from ..core.node import AccumulateGrad
from ..core.view import edge_or_none
from ..errors import AgradError, AnomalyDetected, Cause, DeviceMismatch, GraphFreed, InplaceModified, NoGraph, UnusedInput
from .assemble import GraphBuilder
from .kept import PassRow, key_of, saved_of, target_of
from .names import Names
from .no_graph import why_no_graph
from .operands import tell_operands
from .out_of_place import instead_of
from .writes import Write, first_after

if TYPE_CHECKING:
    from types import TracebackType

    from .lines import Lines
    from .recorder import Recorder

CONSUMERS = 3  # how many uses of an input that the outputs do not depend on are named


def tell_story(error: AgradError, recorder: Recorder, variables: Mapping[str, Any]) -> int | None:
    """Fill in ``variable`` and ``causes`` of `error`, and put names and lines into its message.

    Returns
    -------
    int or None
        The id of the node that the error is about.
    """
    story = Story(error, recorder, variables)
    return None if error.node is None else story.id_of(key_of(error.node))


def scopes(trace: TracebackType | None, lines: Lines) -> list[Mapping[str, Any]]:
    """The local variables of the script's functions that were running, the innermost first."""
    frames: list[Mapping[str, Any]] = []
    while trace is not None:
        if lines.is_script.get(trace.tb_frame.f_code.co_filename) and trace.tb_frame.f_code.co_name != "<module>":
            frames.append(trace.tb_frame.f_locals)
        trace = trace.tb_next
    return frames[::-1]


class Story:
    """What is known of the nodes and tensors of one error."""

    def __init__(self, error: AgradError, recorder: Recorder, variables: Mapping[str, Any]) -> None:
        self.error, self.recorder = error, recorder
        self.graph = GraphBuilder(recorder, variables)
        inner = scopes(error.__traceback__, recorder.lines)
        self.names = Names([variables, *inner])
        if error.tensor is not None:
            self._name_subject()
        error.message += tell_operands(error, recorder.lines.trees, [*inner, variables])
        for kind, tell in TELLERS.items():
            if isinstance(error, kind):
                tell(self)
        if error.node is not None:
            self._name_node()

    def _name_subject(self) -> None:
        error = self.error
        if error.variable is None:
            error.variable = self.names.of(error.tensor)
        if error.variable is not None:
            error.message = error.message.replace("this tensor", error.variable, 1)

    def _name_node(self) -> None:
        """Say which node was being evaluated, where nothing else was said of it."""
        error, key = self.error, key_of(self.error.node)
        if error.variable is None:
            error.variable = self.graph.names.get(key)
        if not error.causes and not isinstance(error, AnomalyDetected):
            error.message += f" (in the backward of {error.node.name()}{at(self.line_of(key))})"

    # ---- what is known ----

    def id_of(self, key: int) -> int | None:
        return self.graph.ids.get(key)

    def line_of(self, key: int) -> int | None:
        entry = self.graph.entries.get(key)
        return None if entry is None else entry[2]

    def name_of_saved(self, tensor: Any) -> str | None:
        """What the script calls a tensor that a node saved; it may have dropped the name since."""
        edge = edge_or_none(tensor)
        return self.names.of_storage(tensor) or (None if edge is None else self.graph.names.get(key_of(edge.function)))

    def add(self, what: str, line: int | None, key: int | None, variable: str | None = None, version: int | None = None) -> None:
        self.error.causes.append(Cause(what, line, None if key is None else self.id_of(key), variable, version))

    # ---- InplaceModified ----

    def modified(self) -> None:
        """A saved tensor was changed: by what, and between which passes."""
        error: Any = self.error
        node, key = error.node, key_of(error.node)
        found = [t for name, t, _ in node.held() if name == error.saved_name]
        changed = [t for t in found if t._version == error.version] or found
        if not changed:
            return
        tensor, line = changed[0], self.line_of(key)
        name = error.variable = self.name_of_saved(tensor)
        if name is None and error.saved_name == "result":
            name = error.variable = self.graph.names.get(key)
        self.add("saved", line, key, name, error.saved_version)
        earlier = self._first_pass(key)
        if earlier is not None:
            self.add("first_pass", earlier.line, key)
        what = f"`{error.saved_name}`" if name is None else name
        error.message = (
            f"{node.name()} saved {what}{at(line)} (version {error.saved_version}) because its gradient needs it, and "
        )
        write = first_after(tensor._counter, error.saved_version)
        if write is None:
            error.message += f"it was changed in place since: it is at version {error.version}"
            return
        through = self.names.of(write.tensor)
        version = max(write.first, error.saved_version + 1)
        self.add("changed", write.line, self._node_of(write) if write.first == version else None, through or name, version)
        shares = through is not None and name is not None and through != name
        via = f" on {through}, which shares its memory," if shares else ""
        error.message += (
            f"{called(write.operation)}{via} changed it in place{at(write.line)} (it is at version {error.version} now)"
        )
        is_leaf = edge_or_none(tensor).__class__ is AccumulateGrad
        error.hint = self._hint_for(write, name or "x", through if shares else None, earlier, is_leaf)

    def _node_of(self, write: Write) -> int | None:
        """The node recorded for a change; for one of a view that is the CopySlices that came after, with the view's node in it."""
        key = write.key
        if key is None or key in self.graph.entries:
            return key
        return next((k for k in sorted(self.graph.entries) if k > key and self.graph.entries[k][0] == "CopySlices"), None)

    def _hint_for(self, write: Write, name: str, through: str | None, earlier: PassRow | None, is_leaf: bool) -> str:
        """What to do instead of the change."""
        instead = f"write {instead_of(self.recorder.lines.trees, write.line, name)}, which makes a new tensor, instead of changing this one"
        if write.operation.endswith(".step"):
            return f"call backward() before {write.operation}(), or run the forward again after it: the graph needs the old parameters"
        if write.operation == "backward":
            return f"every backward() adds to .grad in place; take a copy of it first: {name} = w.grad.clone()"
        if earlier is not None:
            return f"run the forward again after the change, or {instead}"
        if through is not None:
            return f"change a copy, {through}.clone(): views and detach() share the memory of the tensor they are made from"
        if self.error.saved_name == "result":  # type: ignore[attr-defined]
            return f"{instead}: this operation computes its gradient from its own result"
        if is_leaf:
            return f"change it after backward(): the graph needs the values that {name} had in the forward"
        return f"{instead}, or change it after backward(), or give the operation a copy: {name}.clone()"

    # ---- GraphFreed ----

    def freed(self) -> None:
        """What a node had saved is gone: which pass freed it."""
        error = self.error
        if error.node is None:
            return
        key = key_of(error.node)
        line = self.line_of(key)
        self._saved_before(key, line)
        ended = [row for row in self.recorder.passes if key in row.order]
        by = next((row for row in ended if row.released), None)
        now = next((row for row in reversed(ended) if row.failed and row is not by), None)
        error.variable = self.graph.names.get(key) or (None if now is None else self._root_name(now))
        if by is None:
            return
        self.add("freed", by.line, key)
        error.message = (
            f"{'grad' if by.kind == 'grad' else 'backward'}(){at(by.line)} used this part of the graph and freed what was saved in it, so "
            f"{error.node.name()}{at(line)} has nothing left to compute a gradient from"
        )
        if now is not None:
            error.hint = self._hint_to_keep(by, now)

    def _saved_before(self, key: int, line: int | None) -> None:
        entry, node = self.graph.entries.get(key), self.error.node
        saved = (
            [] if entry is None else [(self._input_name(entry, node, name), version) for name, _, _, version in saved_of(entry)]
        )
        named = next(((name, version) for name, version in saved if name is not None), (None, None))
        self.add("saved", line, key, *named)

    def _input_name(self, entry: Any, node: Any, saved: str) -> str | None:
        """The variable that a node saved as `saved`, by the edge that leads to where it comes from."""
        if saved == "result":
            return self.graph.names.get(entry[1])
        inputs = list(node.input_names)
        edge = entry[7][inputs.index(saved)] if saved in inputs and inputs.index(saved) < len(entry[7]) else None
        return None if edge is None else self.graph.names.get(target_of(edge)[0])

    def _root_name(self, row: PassRow) -> str | None:
        return self.graph.names.get(row.roots[0]) if row.roots else None

    def _hint_to_keep(self, by: PassRow, now: PassRow) -> str:
        name = self.error.variable
        if by.roots == now.roots:
            again = " inside the loop" if by.line == now.line else ""
            return f"run the forward again{again} before each backward(), or keep the graph: backward(retain_graph=True)"
        if by.line == now.line:
            carried = name or "h"
            return (
                f"{carried} comes from an earlier round of the loop and brings that round's graph with it: cut it off where a round "
                f"begins, {carried} = {carried}.detach()"
            )
        return "add the results and call backward() once on the sum, or keep the graph in the first pass: backward(retain_graph=True)"

    def _first_pass(self, key: int) -> PassRow | None:
        """The first pass that ran the node and went well."""
        return next((row for row in self.recorder.passes if key in row.order and not row.failed), None)

    # ---- UnusedInput ----

    def unreached(self) -> None:
        """The outputs do not depend on an input: who uses it instead, if anybody does."""
        error = self.error
        edge = None if error.tensor is None else edge_or_none(error.tensor)
        if edge is None or not self.recorder.passes:
            return
        name = error.variable
        key = key_of(edge.function)
        roots = self.recorder.passes[-1].roots
        if edge.__class__ is not AccumulateGrad and roots and key > max(roots):
            self.add("unreached", self.line_of(key), key, name)
            error.message += f": it was computed{at(self.line_of(key))}, after them"
            error.hint = (
                "ask for the gradient of the tensor that the outputs were computed from; an index or a view makes a new tensor"
            )
            return
        users = [e for e in self.graph.entries.values() if any(t is not None and target_of(t)[0] == key for t in e[7])]
        for entry in users[:CONSUMERS]:
            self.add("unreached", entry[2], entry[1], name)
        if not users:
            line = self.line_of(key) if edge.__class__ is not AccumulateGrad else edge.line
            self.add("unreached", line, None, name)
            error.message += ": no operation that was recorded uses it"
        else:
            where = ", ".join(f"{entry[0]}{at(entry[2])}" for entry in users[:CONSUMERS])
            more = " and others" if len(users) > CONSUMERS else ""
            error.message += f": it is used by {where}{more} only, and the outputs are not computed from that"

    # ---- DeviceMismatch ----

    def misplaced(self) -> None:
        """Two operands live on different devices: what the script calls them. It is about the one on the CPU, which was not moved."""
        error: Any = self.error
        for parameter, data in error.operands:
            name = self.names.of_data(data)
            if name is not None:
                error.message = error.message.replace(f"`{parameter}`", f"{name} (as `{parameter}`)", 1)
                error.variable = name if error.variable is None or device_of(data) == "cpu" else error.variable

    # ---- NoGraph ----

    def no_graph(self) -> None:
        """A tensor does not require grad: the line that made it so."""
        error = self.error
        if error.variable is None:
            return
        found = why_no_graph(error.variable, error.tensor, self.recorder.lines.trees, self.names)
        if found is not None:
            self.add("unreached", found.line, None, error.variable)
            error.message += f". {found.why}"
            error.hint = found.hint


TELLERS: dict[type[AgradError], Callable[[Story], None]] = {
    InplaceModified: Story.modified,
    GraphFreed: Story.freed,
    UnusedInput: Story.unreached,
    DeviceMismatch: Story.misplaced,
    NoGraph: Story.no_graph,
}


def at(line: int | None) -> str:
    """Where, as part of a sentence."""
    return "" if line is None else f" at line {line}"


def called(operation: str) -> str:
    """An operation as a sentence names it."""
    return "an assignment to its elements" if operation == "__setitem__" else f"{operation}()"
