"""Bring the lists of names in docs/language.md up to date: names that are gone are taken out, new ones are added to a row.

    python tests/update_language.py

New names of a section go into its row "more", from where a person moves them to where their kin are; a new module gets a row
under "Other modules". ``test_docs.py`` says when this is needed.
"""

from __future__ import annotations

import re
from pathlib import Path

from test_docs import OPTIONAL, rows, section, submodules

from autograd_cli.torch_api.modules import modules

PAGE = Path(__file__).parent.parent / "docs" / "language.md"


def names_of(namespace: str) -> set[str]:
    """The names that a namespace, or the class Tensor, has now."""
    if namespace == "torch.Tensor":
        return {name for name in dir(modules()["torch"].Tensor) if not name.startswith("_")}
    return set(dir(modules()[namespace])) - OPTIONAL - submodules(namespace)


def table(namespace: str, old: list[list[str]]) -> str:
    """The rows of a section, brought up to date."""
    there = names_of(namespace)
    left = set(there)
    lines = []
    for what, cell in old:
        span, rest = re.fullmatch(r"`([^`]*)`(.*)", cell).groups()
        kept = [name for name in span.split() if name in there]
        left -= set(kept)
        if kept:
            lines.append((what, kept, rest))
    if left:
        more = next((kept for what, kept, _ in lines if what == "more"), None)
        if more is None:
            lines.append(("more", more := [], ""))
        more += sorted(left)
    return "".join(f"| {what} | `{' '.join(kept)}`{rest} |\n" for what, kept, rest in lines)


def with_table(text: str, heading: str, new: str) -> str:
    """The page with the rows of the table below a heading replaced."""
    before = section("language.md", heading)
    after = re.sub(r"(^\| --- \| --- \|\n)(?:\|.*\n)*", lambda found: found[1] + new, before, count=1, flags=re.M)
    return text.replace(before, after)


def main() -> None:
    """Rewrite the page."""
    text = PAGE.read_text(encoding="utf-8")
    own = re.findall(r"^### `(torch[\w.]*)`$", text, re.M)
    for namespace in own:
        text = with_table(text, f"`{namespace}`", table(namespace, rows(section("language.md", f"`{namespace}`"))))
    others = {name: sorted(names_of(name)) for name in sorted(modules()) if name not in own and names_of(name)}
    text = with_table(text, "Other modules", "".join(f"| `{name}` | `{' '.join(names)}` |\n" for name, names in others.items()))
    PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE.name}: {len(own)} sections, {len(others)} other modules")


if __name__ == "__main__":
    main()
