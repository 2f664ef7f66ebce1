"""Record the names, parameters and dtypes that CuPy knows as ``cupy_api.json``, for ``strict_device.py``. Needs cupy, but no GPU.

python tests/device/record_cupy.py
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import cupy
import numpy

API = Path(__file__).parent / "cupy_api.json"


def parameters(function: Any) -> list[str] | None:
    """The parameters of a function, from its signature or from the first line of its docstring; None where neither tells."""
    try:
        found = inspect.signature(function).parameters
        return None if any(p.kind is p.VAR_KEYWORD for p in found.values()) else list(found)
    except (TypeError, ValueError):
        line = re.match(r"\w[\w.]*\((.*?)\)\s*(->.*)?$", (function.__doc__ or "").strip().split("\n")[0])
        return re.findall(r"(\w+)(?=[=,]|$)(?:=[^,]+)?", line[1].replace("self, ", "").replace(" ", "")) if line else None


def entry(value: Any) -> Any:
    """What is recorded of a name: the loops of a ufunc, the parameters of a function, nothing of anything else."""
    if isinstance(value, cupy.ufunc):
        return {"types": value.types}
    return {"parameters": parameters(value)} if callable(value) and not isinstance(value, type) else {}


def main() -> None:
    """Write the file."""
    names = {n: getattr(cupy, n) for n in dir(cupy) if not n.startswith("_") and hasattr(numpy, n)}
    linalg = {n: getattr(cupy.linalg, n) for n in dir(cupy.linalg) if not n.startswith("_") and hasattr(numpy.linalg, n)}
    methods = {n: getattr(cupy.ndarray, n) for n in dir(cupy.ndarray) if not n.startswith("_") or n.startswith("__")}
    api = {
        "version": cupy.__version__,
        "module": {n: entry(v) for n, v in sorted({**names, "asnumpy": cupy.asnumpy}.items())},
        "linalg": {n: entry(v) for n, v in sorted(linalg.items())},
        "ndarray": {n: entry(v) for n, v in sorted(methods.items())},
    }
    lines = [f'"version": {json.dumps(api.pop("version"))}']
    for part, table in api.items():
        rows = ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in table.items())
        lines.append(f"{json.dumps(part)}: {{\n{rows}\n}}")
    API.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
