"""Record how PyTorch prints the tensors of printing_cases.py into printing.json (needs torch)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from printing_cases import recipes
from torch_printing import torch_text

LONGEST = 2500  # characters; the live fuzz covers longer ones

# What random recipes seldom meet: one element of each sort, empty shapes, the borders of the rules.
CORNERS: list[dict[str, Any]] = [
    *({"dtype": dtype, "shape": [], "kind": "unit"} for dtype in ("float32", "float64", "float16", "int64", "bool", "complex64")),
    *({"dtype": "float32", "shape": [], "kind": kind} for kind in ("wide", "whole", "special", "large", "small", "zeros")),
    *({"dtype": dtype, "shape": [0], "kind": "unit"} for dtype in ("float32", "float64", "int64", "bool", "complex64")),
    *({"dtype": "float32", "shape": shape, "kind": "unit"} for shape in ([0, 3], [3, 0], [2, 0, 4], [1, 1, 1, 1])),
    *({"dtype": "int64", "shape": [n], "kind": "unit"} for n in (1, 2, 7, 25, 1000, 1001)),
    *({"dtype": "float32", "shape": [n, n], "kind": "unit", "grad": "clone"} for n in (1, 2, 9, 31, 32, 33)),
    *(
        {"dtype": "float32", "shape": [3, 3], "kind": "unit", "grad": "custom", "options": {"linewidth": width}}
        for width in range(50, 90, 5)
    ),
    *(
        {"dtype": "float32", "shape": [2, 3], "kind": kind, "options": {"sci_mode": mode}}
        for kind in ("unit", "whole")
        for mode in (True, False)
    ),
]


def main() -> None:
    """Write printing.json."""
    cases = []
    for recipe in [{"seed": i, **corner} for i, corner in enumerate(CORNERS)] + recipes(7, 420):
        text = torch_text(recipe)
        if len(text) <= LONGEST:
            cases.append({**recipe, "text": text})
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    path = Path(__file__).with_name("printing.json")
    path.write_text(f'{{"torch":"{torch.__version__}","cases":[\n{lines}\n]}}\n', encoding="utf-8")
    print(f"{len(cases)} cases, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
