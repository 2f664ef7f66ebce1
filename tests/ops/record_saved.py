"""Record what the nodes of PyTorch's samples show as ``_saved_…``, as ``saved.json``: one line a sample. Needs torch.

python tests/ops/record_saved.py
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from observe import evaluate, saved_by
from sampled import CORNERS, SMOOTH

GOLDENS = Path(__file__).parent / "saved.json"


def main() -> None:
    """Write the file."""
    warnings.simplefilter("ignore")
    lines = []
    for expression in SMOOTH + CORNERS:
        found, _ = evaluate(torch, torch.nn.functional, expression)
        shown = saved_by(torch, found)
        if shown is not None:
            lines.append(f"{json.dumps(expression)}: {json.dumps(shown)}")
    GOLDENS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
