"""Random programs, so that PyTorch can contradict us where nobody thought of asking. Three steps, since torch may live elsewhere:

python tests/fidelity/fuzz.py generate FOLDER --count 200 --seed 0
python-with-torch tests/fidelity/record.py --folder FOLDER
python tests/fidelity/fuzz.py compare FOLDER
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from random_program import program

SHOWN = 25  # programs that a comparison lists


def generate(folder: Path, count: int, seed: int) -> None:
    """Write ``count`` programs into ``folder/programs``."""
    (folder / "programs").mkdir(parents=True, exist_ok=True)
    for number in range(seed, seed + count):
        (folder / "programs" / f"random_{number:06d}.yaml").write_text(program(number), encoding="utf-8")


def compare(folder: Path) -> int:
    """Run the programs here and list those that differ from their goldens; the number of them."""
    from golden import Strict, read

    from autograd_cli.pytorch.comparison import compare_traces
    from autograd_cli.scenario.load import load_scenario
    from autograd_cli.session.local import run_scenario

    wrong, causes = 0, Counter()
    goldens = sorted((folder / "goldens").glob("*.json"))
    for path in goldens:
        got = run_scenario(load_scenario(folder / "programs" / f"{path.stem}.yaml"))
        found = compare_traces(got, read(path), Strict()).in_order()
        if found:
            wrong += 1
            causes[found[0].what] += 1
            if wrong <= SHOWN:
                print(f"{path.stem}: {len(found)} differences, {found[0]}", got.error.message if got.error else "")
    print(f"{len(goldens) - wrong} of {len(goldens)} random programs do what they do in PyTorch", dict(causes) or "")
    return wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["generate", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.step == "generate":
        generate(options.folder, options.count, options.seed)
    else:
        sys.exit(min(compare(options.folder), 1))
