"""Record what PyTorch 2.13 gives for ``layers.py`` as ``layers.json``. Needs torch: python tests/nn/record_layers.py"""

import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from layers import LAYERS, observe

if __name__ == "__main__":
    found = {name: observe(torch, torch.nn, name) for name in LAYERS}
    Path(__file__).with_name("layers.json").write_text(json.dumps(found) + "\n")
