"""Write docs/ops.md: the op table as its declarations have it.

    python tests/update_ops.py

``test_docs.py`` says when this is needed.
"""

from __future__ import annotations

from pathlib import Path

from autograd_cli.torch_api.op_listing import OpEntry, all_entries

PAGE = Path(__file__).parent.parent / "docs" / "ops.md"
HEAD = """# Operations

Every operation that has a gradient, with the name of the node that PyTorch records for it and the formula of each gradient, as the
declaration in `autograd_cli/ops/` has it: `grad` is the gradient that arrives, the other names are arguments of the operation, its
`result`, or sizes that it saved. "Twice" says whether the gradient can be differentiated again. A formula that is a function's name is
written out where that function is defined. `agrad ops NAME` shows one operation with what calls it. Operations that only backward
passes call are left out.

"""


def page() -> str:
    """The text of the page."""
    entries = [entry for entry in all_entries().values() if not entry.is_of_a_backward]
    rows = "".join(f"| {' | '.join(cells(entry))} |\n" for entry in entries)
    return f"{HEAD}| operation | node | gradients | twice | complex |\n| --- | --- | --- | --- | --- |\n{rows}"


def cells(entry: OpEntry) -> list[str]:
    """The columns of one operation."""
    formulas = "<br>".join(f"`{argument}`: `{formula}`" for argument, formula in entry.gradients.items()).replace("|", "\\|")
    doc = entry.doc.replace("|", "\\|")
    return [f"`{entry.name}` {doc}", f"`{entry.node}`", formulas, _yes(entry.second_derivative), _yes(entry.complex)]


def _yes(value: bool) -> str:
    return "yes" if value else "no"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name}: {page().count(chr(10)) - HEAD.count(chr(10)) - 2} operations")
