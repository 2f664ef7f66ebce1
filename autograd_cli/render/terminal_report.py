"""What ``agrad run`` prints after the script's own output: variables and gradients, the passes, warnings."""

from __future__ import annotations

from rich.console import Console

from autograd_cli.render.labels import clip, plural, printable
from autograd_cli.render.terminal import STYLES
from autograd_cli.render.terminal_error import print_error, warning_text
from autograd_cli.render.terminal_table import GAP, Column, Row, width_of
from autograd_cli.render.terminal_writer import PALE, Writer
from autograd_cli.render.values import NOT_COMPUTED, NOT_KEPT, grad_text, type_text, value_text
from autograd_cli.render.view import GraphView, NodeView, prepare
from autograd_cli.trace.model import Trace

__all__ = ["print_error", "print_report"]

FIRST_VARIABLES = 30
FIRST_NODES, LAST_NODES = 24, 8
VERBOSE_PASSES = 20  # at each end, even where everything is asked for
_LONGEST = ((16, 26, 20), (14, 20, 18), (12, 16, 16), (10, 14, 13), (10, 12, 10))  # of name, type, grad_fn: wide to narrow
_LEAST_ROOM = 22  # for a value and a gradient
_VARIABLES = [Column(heading) for heading in ("name", "type", "requires\n_grad", "grad_fn", "value", "grad")]
_NODES = [
    Column("step", right=True),
    Column("node"),
    Column("variable"),
    Column("line", right=True),
    Column("deps", right=True),
    Column("next"),
]


def print_report(trace: Trace, console: Console, *, quiet: bool = False, verbose: bool = False) -> None:
    """Print the tables of a run.

    Parameters
    ----------
    trace : Trace
        The run.
    console : rich.console.Console
        Where to; its width, encoding and colours are respected.
    quiet : bool
        Only warnings and the error.
    verbose : bool
        No row is left out, and passes tell their duration and memory.
    """
    report = _Report(trace, console, verbose, quiet)
    if not quiet:
        report.variables()
        report.passes()
    report.warnings()
    if trace.error is not None:
        print_error(trace.error, console, trace=trace)


class _Report(Writer):
    """One report being printed."""

    def __init__(self, trace: Trace, console: Console, verbose: bool, quiet: bool) -> None:
        super().__init__(console)
        self.quiet = quiet
        self.trace = trace
        self.verbose = verbose
        self.by_id = {node.id: node for node in trace.graph.nodes}

    # ---- variables ----

    def variables(self) -> None:
        """The names that the script leaves, with their gradients."""
        names = list(self.trace.variables)
        if not names:
            return
        shown = names if self.verbose else names[:FIRST_VARIABLES]
        for longest in _LONGEST:  # names, types and grad_fns give way until values and gradients have room
            rows = [self._variable_cells(name, longest) for name in shown]
            taken = sum(width_of(column, [row[i] for row in rows]) + GAP for i, column in enumerate(_VARIABLES[:4]))
            room = self.console.width - taken - GAP
            if room >= _LEAST_ROOM:
                break
        room = max(room, _LEAST_ROOM)
        values = [self.trace.variables[name] for name in shown]
        wanted = max(len(grad_text(value, room, self.dots)) for value in values)
        value_room = room - min(max(wanted, len(NOT_COMPUTED)), max(room // 2, len(NOT_COMPUTED)))
        texts = [value_text(value, value_room, self.dots) for value in values]
        grad_room = room - max(map(len, texts))  # what the values leave
        filled = []
        for value, text, cells in zip(values, texts, rows, strict=True):
            gradient = grad_text(value, grad_room, self.dots)
            filled.append(Row([*cells, text, gradient], PALE if gradient in (NOT_COMPUTED, NOT_KEPT) else ""))
        self.console.print()
        self.table(_VARIABLES, filled)
        if len(shown) < len(names):
            self.say(f"{self.dots} and {len(names) - len(shown)} more (--verbose shows all)", PALE)

    def _variable_cells(self, name: str, longest: tuple[int, int, int]) -> list[str]:
        value = self.trace.variables[name]
        requires = {True: "yes", False: "no", None: ""}[value.get("requires_grad")]
        texts = (printable(name), type_text(value), value.get("grad_fn") or "")
        cells = [clip(text, most, self.dots) for text, most in zip(texts, longest, strict=True)]
        return [*cells[:2], requires, cells[2]]

    # ---- passes ----

    def passes(self) -> None:
        """The first and the last passes in full, the others in one line."""
        passes = self.trace.passes
        if not passes:
            count = len(self.trace.graph.nodes)
            if count:
                self.console.print()
                self.say(f"No backward pass ran: {plural(count, 'node')} recorded, no dependencies counted.", PALE)
            return
        keep = VERBOSE_PASSES if self.verbose else 1
        kept = [i for i, record in enumerate(passes) if not record.elided]
        chosen = kept if len(kept) <= 2 * keep else kept[:keep] + kept[-keep:]
        previous = -1
        for index in chosen:
            self._left_out(previous + 1, index)
            self._pass(index)
            previous = index
        self._left_out(previous + 1, len(passes))

    def _left_out(self, start: int, stop: int) -> None:
        """Say in one line that the passes from `start` up to `stop` are not shown."""
        if start < stop:
            skipped = self.trace.passes[start:stop]
            evaluated = sum(record.nodes if isinstance(record.nodes, int) else len(record.order) for record in skipped)
            which = f"pass {start + 1} is" if len(skipped) == 1 else f"passes {start + 1} to {stop} are"
            self.console.print()
            self.say(f"{self.dots} {which} not shown ({plural(evaluated, 'node')} evaluated)", PALE)

    def _pass(self, index: int) -> None:
        """One pass: its heading, its nodes in order, and the nodes it does not reach."""
        view = prepare(self.trace, pass_index=index)
        record = self.trace.passes[index]
        self.console.print()
        self.say(view.subtitle.replace("pass", "Pass", 1) if view.subtitle.startswith("pass") else view.subtitle, "bold")
        if self.verbose:
            self.say(f"{record.duration * 1e3:.3f} ms, at most {record.peak_bytes} bytes of gradients", PALE)
        nodes = [node for node in view.nodes if not node.pale]
        rows = self._node_rows(nodes)
        taken = sum(width_of(column, [row.cells[i] for row in rows]) + GAP for i, column in enumerate(_NODES[:5]))
        room = max(self.console.width - taken, 8)
        self.table(_NODES, [Row([*row.cells[:5], clip(row.cells[5], room, self.dots)], row.style) for row in rows])
        self._unreached(view)

    def _node_rows(self, nodes: list[NodeView]) -> list[Row]:
        """Rows of a pass; of a long one the first and the last."""
        if self.verbose or len(nodes) <= FIRST_NODES + LAST_NODES + 1:
            return [self._node_row(node) for node in nodes]
        left_out = len(nodes) - FIRST_NODES - LAST_NODES
        rows = [self._node_row(node) for node in nodes[:FIRST_NODES]]
        rows.append(Row([self.dots, f"{left_out} more nodes", "", "", "", "(--verbose shows them)"], PALE))
        return rows + [self._node_row(node) for node in nodes[-LAST_NODES:]]

    def _node_row(self, node: NodeView) -> Row:
        record = node.record
        following = ", ".join("None" if edge is None else self._label(edge.node) for edge in record.next[:8])
        following = node.remark if node.remark else following + (f", {self.dots}" if len(record.next) > 8 else "")
        cells = [
            "-" if node.step is None else str(node.step),
            clip(record.name, 26, self.dots),
            clip(node.variable, 16, self.dots),
            "" if record.line is None else str(record.line),
            "-" if node.dependencies is None else str(node.dependencies),
            following,
        ]
        return Row(cells, STYLES.get(node.state, ""))

    def _label(self, node_id: int) -> str:
        """A node in a list of others: a leaf's name, or PyTorch's name and the variable."""
        node = self.by_id.get(node_id)
        if node is None:
            return f"node {node_id}"
        variable = printable(node.variable or "")
        return variable if node.is_leaf and variable else f"{node.name} {variable}".strip()

    def _unreached(self, view: GraphView) -> None:
        """The nodes that take no part in the pass."""
        pale = [node for node in view.nodes if node.pale]
        if pale:
            named = [f"{node.record.name} {node.variable}".strip() for node in pale[:8]]
            more = f" and {len(pale) - 8} more" if len(pale) > 8 else ""
            self.say(f"Not reached by this pass (0 dependencies): {', '.join(named)}{more}", PALE)

    # ---- warnings ----

    def warnings(self) -> None:
        """What did not stop the run."""
        if self.trace.warnings and not self.quiet:
            self.console.print()
        for warning in self.trace.warnings:
            self.say(warning_text(warning), "yellow")
