"""Record what PyTorch 2.13 does with every line of ``layer_cases.py``. Needs torch: python tests/nn/record_layer_cases.py"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from layer_cases import cases, observe

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.backends.mkldnn.enabled = False  # the plain path, without kernels that depend on the build
    lines = [f"{json.dumps(case)}: {json.dumps(observe(torch, case))}" for case in cases()]
    Path(__file__).with_name("layer_cases.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
