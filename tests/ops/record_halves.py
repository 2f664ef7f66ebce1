"""Record what PyTorch 2.13 does with float16 and bfloat16 on the CPU: ``goldens_halves.json``. Needs torch."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from halves import DTYPES, observe_half, sampled

HERE = Path(__file__).parent


def main() -> None:
    """Write the file, a line a record."""
    warnings.simplefilter("ignore")
    lines = []
    for dtype in DTYPES:
        for expression in sampled():
            record = observe_half(torch, torch.nn.functional, expression, getattr(torch, dtype))
            lines.append(f"{json.dumps(f'{dtype} {expression}')}: {json.dumps(record)}")
    (HERE / "goldens_halves.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
