"""Record what PyTorch 2.13 does with the snippets of ``docs/errors.md``. Needs torch: python tests/explain/record.py"""

import contextlib
import io
import json
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

from snippets import Snippet, snippets

OURS = {"Unsupported", "LimitExceeded", "ForbiddenSyntax", "ForbiddenImport", "DeviceUnavailable"}  # not PyTorch's to judge


def line_here(depth: int) -> int | None:
    """The line of the snippet that is running."""
    frame: Any = sys._getframe(depth)
    while frame is not None and frame.f_code.co_filename != "snippet":
        frame = frame.f_back
    return None if frame is None else frame.f_lineno


def run(snippet: Snippet) -> dict[str, Any]:
    """What it prints, the type and the line of its error, and the lines that it was warned about."""
    out = io.StringIO()
    error = None
    warned: list[int | None] = []
    warnings.showwarning = lambda *told: warned.append(line_here(2))
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(snippet.text, "snippet", "exec"), {"__name__": "__main__"})
        except Exception as raised:
            lines = [frame.lineno for frame in traceback.extract_tb(raised.__traceback__) if frame.filename == "snippet"]
            error = {"type": type(raised).__name__, "line": lines[-1]}
    return {"stdout": out.getvalue(), "error": error, "warnings": sorted({line for line in warned if line is not None})}


if __name__ == "__main__":
    warnings.simplefilter("always")
    ours = [s for s in snippets() if s.language == "python" and s.kind not in OURS and not s.needs_device]
    found = {snippet.key: run(snippet) for snippet in ours}
    Path(__file__).with_name("pytorch.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(len(found), "snippets")
