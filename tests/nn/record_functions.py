"""Record what PyTorch 2.13 gives for ``functions.py`` as ``functions.json``. Needs torch: python tests/nn/record_functions.py"""

import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from functions import FUNCTIONS, observe

if __name__ == "__main__":
    found = {e: observe(torch, torch.nn.functional, e) for e in FUNCTIONS}
    Path(__file__).with_name("functions.json").write_text(json.dumps(found, indent=1) + "\n")
