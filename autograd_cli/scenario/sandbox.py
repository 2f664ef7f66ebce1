"""A script to code that runs natively, with the lines and columns of its file; refused where it leaves the script language.

What the code is run in is made by `script_globals` (`world.py`).
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autograd_cli.errors import AgradError, ForbiddenImport, ForbiddenSyntax, Place
from autograd_cli.scenario.policy import Complaint, ScriptPolicy
from autograd_cli.scenario.script import Script
from autograd_cli.scenario.world import BUILTINS, GUARDED_BUILTINS, script_globals

__all__ = ["compile_expression", "compile_script", "script_globals"]

_VISITOR_DEPTH = 20_000  # the visitor takes about four frames for a level of the tree, and the parser allows some thousands
_REASONS = {
    "invalid syntax": "Python cannot read this",
    "unexpected EOF while parsing": "the script ends in the middle of a statement",
    "unexpected indent": "this line is indented without a reason",
    "unindent does not match any outer indentation level": "this line's indentation fits none of the lines above it",
}


def compile_script(script: Script, every_attribute: bool = False) -> types.CodeType:
    """Compile a script; its code carries the lines and columns of the file it stands in.

    Parameters
    ----------
    script : Script
    every_attribute : bool
        See `ScriptPolicy`.

    Raises
    ------
    ForbiddenSyntax
        The text is not Python, or not part of the script language.
    ForbiddenImport
        It imports what scripts may not have.
    """
    return _compile(script, "exec", every_attribute)


def compile_expression(script: Script, every_attribute: bool = False) -> types.CodeType:
    """Compile one expression, such as a root of `backward:`, for `eval`; raises as `compile_script` does."""
    return _compile(script, "eval", every_attribute)


def _compile(script: Script, mode: str, every_attribute: bool) -> types.CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "\d" in a text and such: not our user's business
        try:
            tree = ast.parse(script.text, mode=mode)
            policy = ScriptPolicy(every_attribute)
            with _recursion_limit(_VISITOR_DEPTH):
                tree = ast.fix_missing_locations(policy.visit(tree))
            complaints = policy.complaints + _not_in_the_language(policy) if mode == "exec" else policy.complaints
            if complaints:
                raise _refusal(script, complaints)
        except SyntaxError as error:
            if isinstance(error, AgradError):
                raise
            raise _not_python(script, error) from None
        except (RecursionError, MemoryError):
            raise ForbiddenSyntax("the script is nested too deeply", hint="split the expression", place=script.place) from None
        except ValueError as error:  # a null byte, a number with too many digits
            raise ForbiddenSyntax(f"this is not Python: {error}", place=script.place) from None
        _move_into_file(tree, script)
        try:
            return compile(tree, script.file, mode, dont_inherit=True, optimize=0)
        except SyntaxError as error:  # such as a `return` outside a function; the tree has the file's positions already
            place = script.place_in_file(error.lineno or 1, max((error.offset or 1) - 1, 0))
            raise ForbiddenSyntax(f"this is not Python: {error.msg}", place=place) from None
        except RecursionError:
            raise ForbiddenSyntax("the script is nested too deeply", hint="split the expression", place=script.place) from None


@contextmanager
def _recursion_limit(limit: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, limit))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _not_in_the_language(policy: ScriptPolicy) -> list[Complaint]:
    """Builtins of Python that scripts do not have, where the script does not define the name itself."""
    python = {name for name in vars(builtins) if not name.startswith("_")}
    missing = python - set(BUILTINS) - set(GUARDED_BUILTINS) - policy.bound
    return [
        Complaint(node.lineno, node.col_offset, f"the script language has no {node.id}", _why(node.id))
        for node in policy.loaded
        if node.id in missing
    ]


def _why(name: str) -> str:
    reasons = {
        "open": "a script reads no files; name a .npy or .csv file under tensors: with load:",
        "input": "a script cannot ask; write the value down",
        "breakpoint": "agrad run --json shows every value of the run",
        "BaseException": "use Exception",
        "KeyboardInterrupt": "Ctrl-C always ends the run",
    }
    return reasons.get(name, "a script has the harmless builtins only: no files, no processes, no code from text")


def _refusal(script: Script, complaints: list[Complaint]) -> ForbiddenSyntax | ForbiddenImport:
    first, *others = sorted(complaints, key=lambda complaint: (complaint.line, complaint.column))
    kind = ForbiddenImport if first.is_import else ForbiddenSyntax
    also = [f"line {_place(script, other.line, other.column).line}: {other.message}" for other in others[:3]]
    more = f" (and {len(others) - 3} more)" if len(others) > 3 else ""
    hints = [first.hint] if first.hint else []
    if also:
        hints.append(f"also {'; '.join(also)}{more}")
    return kind(first.message, hint=". ".join(hints) or None, place=_place(script, first.line, first.column))


def _place(script: Script, line: int, byte_column: int) -> Place:
    lines = script.text.split("\n")
    head = lines[min(line, len(lines)) - 1].encode()[:byte_column]
    return script.place_of(line, len(head.decode(errors="ignore")))


def _not_python(script: Script, error: SyntaxError) -> ForbiddenSyntax:
    reason = _REASONS.get(error.msg, error.msg)
    hint = None
    if "null bytes" in reason:
        hint = "remove the null byte"
    elif "leading zeros" in reason:
        hint = "write the number without zeros in front"
    return ForbiddenSyntax(
        f"this is not Python: {reason}", hint=hint, place=script.place_of(error.lineno or 1, max((error.offset or 1) - 1, 0))
    )


def _move_into_file(tree: Any, script: Script) -> None:
    """Give every node the line and the byte column it has in the file, end positions included."""
    starts = []
    for line, column in script.places:
        starts.append((line, len(script.source_line(line)[:column].encode())))
    last = len(starts)
    node: Any
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            line, start = starts[min(max(node.lineno, 1), last) - 1]
            node.lineno, node.col_offset = line, start + max(node.col_offset, 0)
            if node.end_lineno is not None:
                line, start = starts[min(max(node.end_lineno, 1), last) - 1]
                node.end_lineno, node.end_col_offset = line, start + max(node.end_col_offset, 0)
