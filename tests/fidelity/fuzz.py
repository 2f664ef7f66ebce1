"""Random programs against PyTorch, so that it can contradict us where nobody thought of asking. Needs torch; nothing goes through files.

python tests/fidelity/fuzz.py --count 1000 --seed 0
python tests/fidelity/fuzz.py --show 17               one program, and how it differs
python tests/fidelity/fuzz.py --file small.py         a program of your own

A program that differs is shrunk. Programs run in a child process, since there are some that PyTorch itself does not survive.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import torch
from random_program import program
from shrink import shrink

from autograd_cli.pytorch.comparison import compare_traces
from autograd_cli.pytorch.run import run_in_pytorch
from autograd_cli.scenario.closeness import Tolerance
from autograd_cli.scenario.model import Scenario
from autograd_cli.scenario.script import Script
from autograd_cli.session.local import run_scenario
from autograd_cli.trace.compare_model import DifferenceRecord

FILE = Path("random.py")
PER_CHILD = 500  # programs a process: PyTorch's cycles of hooks and graphs are never freed


class Chained(Tolerance):
    """A chain of operations adds up what each of them rounds; where some compute in float32, float64 results are no better."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.near = 1e-4 if "float32" in text or ".float()" in text else 1e-9

    def for_dtype(self, dtype: str) -> tuple[float, float]:
        """(rtol, atol) for values of a dtype."""
        near = self.near if dtype in ("float32", "float64") else 0.0
        return near, near


def found_in(text: str, seed: int = 0) -> list[DifferenceRecord]:
    """The differences between PyTorch's run of a program and ours.

    Left out is the number of a node that a stale view's new history has, and its place in a pass. PyTorch makes it after the node that
    asks for it, agrad before; and it makes one as soon as it shows the view to those who record what nodes saved.
    """
    scenario = Scenario(FILE, Script.whole_file(text, str(FILE)), seed=seed, dtype="float64")
    ours = run_scenario(scenario)
    stale = any(node.name == "AsStridedBackward0" for node in ours.graph.nodes)
    theirs = run_in_pytorch(scenario)
    if (
        theirs.error is not None and "INTERNAL ASSERT FAILED" in theirs.error.message
    ):  # PyTorch's own bug: there is nothing to compare
        return []
    found = compare_traces(ours, theirs, Chained(text)).differences
    return [one for one in found if not (stale and (one.what == "sequence" or is_renewed(one)))]


def is_renewed(found: DifferenceRecord) -> bool:
    """Whether a difference is the place of a stale view's new node in a pass."""
    return found.what.startswith("order") and any("AsStridedBackward0" in str(side) for side in (found.torch, found.ours))


def respect(found: list[DifferenceRecord]) -> str:
    """What the first difference is about."""
    return (
        re.sub(r"\d+", "#", f"{found[0].what}: torch {str(found[0].torch)[:30]}, agrad {str(found[0].ours)[:30]}")
        if found
        else ""
    )


class Tally:
    """What was found so far: how many programs differ, by respect, and the seeds with which PyTorch crashed."""

    def __init__(self, each: int, most: int) -> None:
        self.each, self.most = each, most
        self.wrong: Counter[str] = Counter()
        self.crashed: list[int] = []

    @property
    def enough(self) -> bool:
        """Whether too many differ to go on."""
        return self.wrong.total() >= self.most

    def note(self, seed: int, text: str, found: list[DifferenceRecord]) -> None:
        """Count a program that differs, and show it where few like it were shown."""
        about = respect(found)
        self.wrong[about] += 1
        if self.wrong[about] <= self.each:
            kind = found[0].what
            show(seed, shrink(text, lambda shorter: [one.what for one in found_in(shorter, seed)][:1] == [kind]))


def show(seed: int, text: str) -> bool:
    """Print a program and its differences; whether there are any."""
    found = found_in(text, seed)
    lines = [f"  {one.what} {one.where}: torch {one.torch}, agrad {one.ours}"[:400] for one in found[:5]]
    print(f"==== seed {seed}\n{text}\n" + "\n".join(lines or ["  no difference"]), flush=True)
    return bool(found)


def in_a_child(first: int, end: int, tally: Tally) -> int:
    """Run seeds in a process of their own; the next seed to run."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        with os.fdopen(write, "w", buffering=1) as out:
            for seed in range(first, end):
                out.write(f"{seed}\n")
                one_of_many(seed, tally, out.write)
                if tally.enough:
                    break
            out.write("end\n")
        os._exit(0)
    os.close(write)
    seed, ended = first, False
    with os.fdopen(read) as lines:
        for line in lines:
            if line == "end\n":
                ended = True
            elif line.startswith("wrong "):
                tally.wrong[line[6:-1]] += 1
            else:
                seed = int(line)
    os.waitpid(child, 0)
    if not ended:
        tally.crashed.append(seed)
    return seed + 1


def one_of_many(seed: int, tally: Tally, tell: Callable[[str], object]) -> None:
    """Write, run and compare one program; what must not stop the others is shown."""
    try:
        text = program(seed)
        found = found_in(text, seed)
        if found:
            tally.note(seed, text, found)
            tell(f"wrong {respect(found)}\n")
    except Exception:
        traceback.print_exc()
        tally.wrong["the comparison failed"] += 1
        tell("wrong the comparison failed\n")


def main() -> int:
    """Run programs until the count is reached or too many differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=10, help="stop after so many programs that differ")
    parser.add_argument("--each", type=int, default=2, help="programs shown of those that differ in one respect")
    parser.add_argument("--show", type=int)
    parser.add_argument("--file", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.file:
        return show(options.seed, options.file.read_text(encoding="utf-8"))
    if options.show is not None:
        return show(options.show, program(options.show))
    tally = Tally(options.each, options.most)
    start, seed = time.monotonic(), options.seed
    while seed < options.seed + options.count and not tally.enough:
        seed = in_a_child(seed, min(options.seed + options.count, seed + PER_CHILD), tally)
    done = seed - options.seed
    equal = done - tally.wrong.total() - len(tally.crashed)
    print(f"{equal} of {done} programs do what they do in PyTorch ({done / (time.monotonic() - start):.0f} a second)")
    for about, count in tally.wrong.most_common():
        print(f"{count} differ: {about}")
    if tally.crashed:
        print(f"PyTorch crashed with the seeds {tally.crashed}")
    return bool(tally.wrong)


if __name__ == "__main__":
    sys.exit(main())
