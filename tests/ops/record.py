"""Record what PyTorch 2.13 does with every sample as ``goldens.json``, one line a sample. Needs torch.

python tests/ops/record.py
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from observe import observe
from samples import CORNERS, ERRORS, SMOOTH, expressions

GOLDENS = Path(__file__).parent / "goldens.json"


def main() -> None:
    """Write the file, and say which samples do not do what their block promises."""
    warnings.simplefilter("ignore")
    records = {}
    for block, fails in ((SMOOTH, False), (CORNERS, False), (ERRORS, True)):
        for expression in expressions(block):
            records[expression] = record = observe(torch, torch.nn.functional, expression)
            if ("error" in record) != fails:
                print(f"{expression}: {record.get('error', 'does not fail')}")
    lines = [f"{json.dumps(e)}: {json.dumps(r)}" for e, r in records.items()]
    GOLDENS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
