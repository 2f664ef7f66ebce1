"""Script: program text that stands in a file, with the place of each of its lines there."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from functools import cached_property

from autograd_cli.errors import Place


@dataclass(frozen=True)
class Script:
    """A script or an expression and where it stands.

    Attributes
    ----------
    text : str
        The program; its lines end in newlines.
    file : str
        The name of the file it stands in, as shown to users and given to the compiler.
    places : tuple of (int, int)
        For each line of ``text`` the line (1-based) and the column (0-based, in characters) of its start in the file.
    source : tuple of str
        The lines of the file.
    """

    text: str
    file: str
    places: tuple[tuple[int, int], ...]
    source: tuple[str, ...]

    @classmethod
    def whole_file(cls, text: str, file: str) -> Script:
        """The script of a .py file: every line stands where it is."""
        lines = tuple(text.split("\n"))
        return cls(text, file, tuple((number, 0) for number in range(1, len(lines) + 1)), lines)

    @property
    def place(self) -> Place:
        """Where the script begins."""
        return self.place_of(1, 0)

    def source_line(self, file_line: int) -> str:
        """The text of a line of the file, 1-based; empty when there is no such line."""
        return self.source[file_line - 1] if 0 < file_line <= len(self.source) else ""

    def file_position(self, line: int, column: int) -> tuple[int, int]:
        """(line, 0-based column) in the file of a position in the script (1-based line, 0-based column)."""
        last = len(self.places)
        first, start = self.places[min(max(line, 1), last) - 1]
        return first, start + column

    def place_of(self, line: int, column: int) -> Place:
        """The Place of a position in the script (1-based line, 0-based column in characters)."""
        return self.place_in_file(*self.file_position(line, column))

    def place_in_file(self, file_line: int, column: int) -> Place:
        """The Place of a position in the file (1-based line, 0-based column in characters)."""
        return Place(self.file, file_line, column + 1, self.source_line(file_line))

    def character_column(self, file_line: int, byte_offset: int) -> int:
        """1-based column in characters for a byte offset in a line of the file, as code objects and tracebacks give it."""
        head = self.source_line(file_line).encode()[:byte_offset]
        return len(head.decode(errors="ignore")) + 1

    @cached_property
    def comments(self) -> dict[int, str]:
        """The text of each comment, by its line in the file."""
        return {line: text for line, text, _ in self._comment_tokens}

    def narration(self, file_line: int) -> str | None:
        """What the comments say about a line: the comment lines right above it, then the one at its end."""
        alone = {line for line, _, is_alone in self._comment_tokens if is_alone}
        above: list[str] = []
        line = file_line - 1
        while line in alone:
            above.append(self.comments[line])
            line -= 1
        parts = [*reversed(above), *([self.comments[file_line]] if file_line in self.comments else [])]
        return " ".join(parts) or None

    @cached_property
    def _comment_tokens(self) -> list[tuple[int, str, bool]]:
        """(file line, text, whether it has the line to itself) of each comment."""
        found = []
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
                if token.type == tokenize.COMMENT:
                    row, column = token.start
                    alone = not token.line[:column].strip()
                    found.append((self.file_position(row, 0)[0], token.string.lstrip("#").strip(), alone))
        except (tokenize.TokenError, SyntaxError):  # text that is not Python: the compiler says so, with the place
            pass
        return [entry for entry in found if entry[1]]
