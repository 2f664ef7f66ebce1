"""Record what PyTorch 2.13 does with every sample, one line a sample: ``goldens.json`` and its like. Needs torch.

python tests/ops/record.py [samples …]    the files to record, by default all
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from observe import observe
from sampled import FAMILIES, block, goldens_of


def main(families: list[str]) -> None:
    """Write the files, and say which samples do not do what their block promises."""
    warnings.simplefilter("ignore")
    for family in families:
        records = {}
        for name in ("SMOOTH", "CORNERS", "ERRORS"):
            for expression in block(family, name):
                records[expression] = record = observe(torch, torch.nn.functional, expression)
                if ("error" in record) != (name == "ERRORS"):
                    print(f"{expression}: {record.get('error', 'does not fail')}")
        lines = [f"{json.dumps(e)}: {json.dumps(r)}" for e, r in records.items()]
        goldens_of(family).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or list(FAMILIES))
