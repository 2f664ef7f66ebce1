"""The snippets of ``docs/errors.md``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"


@dataclass(frozen=True)
class Snippet:
    """A block of code below the heading of a kind; ``number`` counts those of the kind."""

    kind: str
    number: int
    language: str
    text: str

    @property
    def key(self) -> str:
        return f"{self.kind} {self.number}"

    @property
    def needs_device(self) -> bool:
        return '"cuda"' in self.text

    def marked(self, mark: str) -> int | None:
        """The line that ends with ``# mark``."""
        return next((n for n, line in enumerate(self.text.splitlines(), 1) if line.endswith(f"# {mark}")), None)

    @property
    def printed(self) -> str:
        """What the comments behind the lines that print say."""
        lines = [line for line in self.text.splitlines() if re.search(r"print|backward\(\)  # tensor", line)]
        return "".join(f"{line.partition('  # ')[2]}\n" for line in lines if "  # " in line and not line.endswith("# warns"))


def snippets() -> list[Snippet]:
    """All of them, in the order of the page."""
    found = []
    text = PAGE.read_text(encoding="utf-8")
    for kind, section in re.findall(r"^### (\w+)\n(.*?)(?=^#{2,3} [A-Z]|\Z)", text, re.S | re.M):
        blocks = re.findall(r"^```(python|yaml)\n(.*?)^```", section, re.S | re.M)
        found += [Snippet(kind, number, language, code) for number, (language, code) in enumerate(blocks)]
    return found
