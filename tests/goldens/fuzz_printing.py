"""Compare the printing of random tensors with real PyTorch, live (needs torch): ``python fuzz_printing.py [COUNT [SEED]]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from printing_cases import printed, recipes
from torch_printing import torch_text


def main(count: int = 3000, seed: int = 1) -> int:
    """Print the first differences and how many there are."""
    different = skipped = 0
    for recipe in recipes(seed, count):
        ours = printed(recipe)
        if ours is None:
            skipped += 1
            continue
        theirs = torch_text(recipe)
        if ours != theirs:
            different += 1
            if different <= 5:
                print(json.dumps(recipe), f"ours:\n{ours}", f"torch:\n{theirs}", sep="\n")
    print(f"{count} tensors, {skipped} skipped, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
