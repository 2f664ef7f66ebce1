"""Record what PyTorch 2.13 gives for ``data_cases.py`` as ``data.json``. Needs torch: python tests/torch_api/record_data.py"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from torch.utils import data

sys.path.insert(0, str(Path(__file__).parent))

from data_cases import CASES, result

if __name__ == "__main__":
    found = {case: result(torch, data, case) for case in CASES}
    Path(__file__).with_name("data.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
