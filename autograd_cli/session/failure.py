"""From an exception that stopped a script to an error with a kind, a place and a hint."""

from __future__ import annotations

import re
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..errors import AgradError, BadArgumentType, Interrupted, LimitExceeded, Place, ScriptRaised, Unsupported
from ..scenario.world import name_not_defined
from ..trace.causes import tell_story
from ..trace.codec import error_record
from .hints import hint_for_arguments, hint_for_attribute

if TYPE_CHECKING:
    from ..scenario.script import Script
    from ..trace.model import ErrorRecord
    from ..trace.recorder import Recorder


def explain(error: BaseException, script: Script, names: dict[str, Any]) -> AgradError:
    """`error`, raised while `script` ran, as an AgradError with its place in the file.

    Parameters
    ----------
    names : dict
        The script's top-level names, for suggestions.
    """
    found = error if isinstance(error, AgradError) else _of_python(error, names)
    if found.place is None:
        found.place = place_of(error.__traceback__, script)
    return found


def record_of(error: AgradError, recorder: Recorder, variables: dict[str, Any], script: Script) -> ErrorRecord:
    """`error`, which stopped `script`, as data: with names, causes and the text of their lines."""
    node = tell_story(error, recorder, variables)
    recorder.failed(error)
    error.causes = [replace(cause, source=script.source_line(cause.line or 0).strip() or None) for cause in error.causes]
    return error_record(error, node)


def _of_python(error: BaseException, names: dict[str, Any]) -> AgradError:
    text = str(error) or type(error).__name__
    if isinstance(error, KeyboardInterrupt):
        return Interrupted("interrupted by the user")
    if isinstance(error, MemoryError):
        return LimitExceeded(f"not enough memory: {text}", hint="make the tensors smaller")
    if isinstance(error, RecursionError):
        return ScriptRaised(
            "a function called itself too deeply", "RecursionError", hint="give the recursion an end, or write a loop"
        )
    if isinstance(error, NameError):
        return name_not_defined(error, names)
    wrong = re.match(r"(\w+(?:\.\w+)*)\(\) (got an unexpected|missing|takes)", text) if isinstance(error, TypeError) else None
    if wrong and wrong[1].rpartition(".")[2] not in names:  # a call of one of our functions that Python itself refused
        if "argument 'out'" in text:
            function = wrong[1].rpartition(".")[2]
            return Unsupported(
                f"{function}() cannot write its result into a tensor that is there already (out=…), which no graph can record",
                hint=f"keep what it returns: result = {function}(…); or copy it: result.copy_({function}(…))",
            )
        return BadArgumentType(text, hint=hint_for_arguments(wrong[1].rpartition(".")[2], text))
    if isinstance(error, AssertionError) and not str(error):
        text = "an assertion does not hold"
    if isinstance(error, KeyError):
        text = f"key {text} is not in the dictionary"
    return ScriptRaised(text, type(error).__name__, hint=hint_for_attribute(error) if isinstance(error, AttributeError) else None)


def place_of(trace: TracebackType | None, script: Script) -> Place | None:
    """The innermost place in the script's own file."""
    found = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == script.file:
            found = trace
        trace = trace.tb_next
    if found is None:
        return None
    column = None
    for offset, position in enumerate(found.tb_frame.f_code.co_positions()):
        if 2 * offset == found.tb_lasti:
            column = None if position[2] is None else script.character_column(found.tb_lineno, position[2])
            break
    return Place(script.file, found.tb_lineno, column, script.source_line(found.tb_lineno))
