"""Record what PyTorch 2.13's optimizers and schedulers do as ``goldens.json``. Needs torch: python tests/optim/record.py"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from trajectories import OPTIMIZERS, SCHEDULERS, follow, lines, rates

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    entries = [f"{json.dumps(line)}: {json.dumps(follow(torch, line))}" for line in lines(OPTIMIZERS)]
    entries += [
        f"{json.dumps(line + ' float32')}: {json.dumps(follow(torch, line, 'float32')['losses'])}" for line in lines(OPTIMIZERS)
    ]
    entries += [f"{json.dumps(line)}: {json.dumps(rates(torch, line))}" for line in lines(SCHEDULERS)]
    Path(__file__).with_name("goldens.json").write_text("{\n" + ",\n".join(entries) + "\n}\n", encoding="utf-8")
