"""What ``agrad compare`` prints: how much was compared, and each difference with what agrad and PyTorch have."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rich.console import Console

from autograd_cli.render.labels import plural, printable, shape_text
from autograd_cli.render.terminal_table import Column, Row
from autograd_cli.render.terminal_writer import PALE, Writer
from autograd_cli.trace.compare_model import CompareTrace, DifferenceRecord

FIRST = 20  # differences that are shown
LONGEST = 400  # characters of a value
_COMPARED = [Column("compared"), Column("equal", right=True), Column("different", right=True)]
# What is compared: its name in the table, and the words for one difference.
_WORDS = {
    "error": ("error of the run", "error of {}"),
    "node": ("nodes", "node {}"),
    "edge": ("edges", "{}"),
    "saved": ("saved tensors", "saved tensors of {}"),
    "sequence": ("order of recording", "place in the order of recording of {}"),
    "variable": ("variables", "variable {}"),
    "value": ("values", "value of {}"),
    "gradient": ("gradients", "gradient of {}"),
    "pass": ("passes", "{}"),
    "dependencies": ("dependency counts", "dependency count of {}"),
    "order": ("order of evaluation", "{}"),
    "stdout": ("printed lines", "{}"),
}
_NOTHING = {
    "stdout": "(no such line)",
    "gradient": "None",
    "edge": "no edge",
    "dependencies": "takes no part",
    "order": "has ended",
}


def print_comparison(
    found: CompareTrace, console: Console, *, source: Callable[[int], str] | None = None, verbose: bool = False
) -> None:
    """Print the comparison of one scenario; an error that stopped it is left to others.

    Parameters
    ----------
    found : CompareTrace
        The comparison.
    console : rich.console.Console
        Where to.
    source : callable, optional
        The text of a line of the scenario's file.
    verbose : bool
        Every difference is printed, not only the first FIRST.
    """
    report = _Report(found, console, source or (lambda line: ""))
    report.counts()
    report.differences(verbose)
    if found.status == "ok":
        report.say(f"\nno difference from PyTorch {found.torch}", "green")


def print_short(found: CompareTrace, name: str, console: Console, *, source: Callable[[int], str] | None, verbose: bool) -> None:
    """Print the comparison of one of several scenarios: a line, and below it what differs."""
    report = _Report(found, console, source or (lambda line: ""))
    if found.status == "ok":
        report.say(f"{printable(name)}: equal, {plural(sum(one.equal for one in found.compared), 'thing')} compared")
    elif found.differences:
        report.say(f"{printable(name)}: {plural(len(found.differences), 'difference')}", "bold red")
        report.differences(verbose, heading=False)
        report.console.print()
    elif found.error is not None:
        where = "" if found.error.line is None else f"line {found.error.line}: "
        report.say(f"{printable(name)}: not compared: {where}{printable(found.error.message)}", "yellow")


class _Report(Writer):
    """One comparison being printed."""

    def __init__(self, found: CompareTrace, console: Console, source: Callable[[int], str]) -> None:
        super().__init__(console)
        self.found = found
        self.source = source

    def counts(self) -> None:
        """The table of what was compared."""
        rows = []
        for one in self.found.compared:
            name = _WORDS[one.what][0]
            if isinstance(one.left_out, int):
                name += f" ({one.left_out} too large)"
            rows.append(Row([name, str(one.equal), str(one.different)], "red" if one.different else ""))
        if self.found.scenario.title:
            self.say(printable(self.found.scenario.title), "bold")
        if rows:
            self.say(f"agrad beside PyTorch {self.found.torch}\n")
            self.table(_COMPARED, rows)

    def differences(self, verbose: bool, heading: bool = True) -> None:
        """Each difference, in the order in which they were met."""
        all_of_them = self.found.differences
        if all_of_them and heading:
            self.say(f"\n{plural(len(all_of_them), 'difference')}", "bold red")
        shown = all_of_them if verbose else all_of_them[:FIRST]
        for one in shown:
            self.console.print()
            self._difference(one)
        if len(shown) < len(all_of_them):
            self.say(f"\n{self.dots} and {len(all_of_them) - len(shown)} more (--verbose shows all)", PALE)

    def _difference(self, one: DifferenceRecord) -> None:
        place = "" if one.line is None else f", line {one.line}"
        self.say(printable(_WORDS[one.what][1].format(one.where) + place), "bold")
        text = "" if one.line is None else self.source(one.line).strip()
        if text:
            self.say(f"  {printable(text)}", PALE)
        self.say(f"  agrad    {self._value(one, one.ours)}")
        self.say(f"  PyTorch  {self._value(one, one.torch)}")
        for note in (one.note or "").splitlines():
            self.say(f"  {printable(note)}", PALE)

    def _value(self, one: DifferenceRecord, value: Any) -> str:
        text = printable(_value_text(one.what, value))
        return text if len(text) <= LONGEST else text[:LONGEST] + self.dots


def _value_text(what: str, value: Any) -> str:
    """One side of a difference in words."""
    if what == "error":
        return "no error" if value is None else f"{value['type']} at line {value['line']}"
    if value is None:
        return _NOTHING.get(what, "None")
    if what == "saved":
        return ", ".join(f"{one['name']} {one['dtype']} {shape_text(one['shape'])}" for one in value) or "nothing"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
