"""Distributed runs beside ``torch.distributed.rpc``: ``python -m benchmarks.distributed [--rounds 3] [--json FILE]``.

One program, in the language that both speak, runs over three workers: under torch with its RPC, under agrad over its worker
processes, turn by turn. It measures itself and prints medians. Only the ratios within a round count; the table shows their median.
Beside it: how long 3 and 16 workers take to start, the memory that an idle worker has for itself (Linux), and how long it takes
until the death of a worker is told. Needs torch and agrad in one environment; ``--no-torch`` prints agrad's column alone.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.distributed_programs import PROGRAM, TORCH_MAIN

MANY = 16
BARS = {  # ratio to torch, time over time and memory over memory: docs/performance.md
    "call": 0.40, "nested": 0.30, "backward": 0.50, "backward ring": 0.50, "driver ring backward": 0.40, "16 MiB": 1.0, "64 MiB": 1.0,
    "ready": 0.15, "ready 16": 0.15, "memory": 0.25,
}  # fmt: skip
DEATH_BAR = 0.100  # seconds
Readings = dict[str, float]


def private_memory(pids: list[int]) -> float:
    """The median of the bytes that each process has for itself; 0 where /proc does not tell."""
    found = []
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            return 0.0
        rows = [line.split() for line in text.splitlines() if line.startswith("Private_")]
        found.append(sum(int(row[1]) for row in rows) * 1024)
    return float(statistics.median(found))


def take(line: str, found: Readings, started: float) -> list[int]:
    """Put what a program's line says into `found`; the process ids, where it gives them."""
    name, _, value = line.strip().removeprefix("worker0 | ").rpartition(" ")
    if name.startswith("pids"):
        return [int(pid) for pid in line.split()[1:]]
    if name:
        found[name] = float(value) - (started if name == "ready" else 0.0)
    return []


def run_torch(workers: int, then: str) -> Readings:
    """One run under torch; `then` is what worker 0 does once all are ready."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = PROGRAM + TORCH_MAIN.replace("@PORT@", str(port)).replace("@WORKERS@", str(workers)).replace("@THEN@", then)
    environment = dict(os.environ, TP_SOCKET_IFNAME="lo", GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1")
    found: Readings = {}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.py"
        program.write_text(text)
        started = time.time()
        with subprocess.Popen(
            [sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                pids = take(line, found, started)
                if pids:
                    found["memory"] = private_memory(pids[1:])
        if process.returncode:
            raise SystemExit("torch's program failed")
    return found


def run_scenario(text: str, pids: list[int], printed: Callable[[str, str], None]) -> Any:
    """Run a scenario under agrad, nothing recorded, as torch records nothing for a picture either; its workers' ids go into `pids`."""
    from autograd_cli.scenario.load import read_scenario
    from autograd_cli.session.cluster import DistOptions, run_distributed
    from autograd_cli.session.options import RunOptions

    options = DistOptions(on_start=lambda names, started: pids.extend(started), on_print=printed)
    return run_distributed(read_scenario(text.encode(), None), RunOptions(recording=False), options)


def run_agrad(workers: int = 3, then: str = "measure()") -> Readings:
    """One run under agrad."""
    lines = [*PROGRAM.splitlines(), 'print("ready", time.time())', then]
    text = f"workers: {workers}\nforward:\n  worker0: |\n" + "".join(f"    {line}\n" for line in lines)
    found: Readings = {}
    pids: list[int] = []
    started = time.time()

    def printed(name: str, text: str) -> None:
        for line in text.splitlines():
            take(line, found, started)
            if line.startswith("ready"):
                found["memory"] = private_memory(pids[1:])

    dist = run_scenario(text, pids, printed)
    if dist.error is not None:
        raise SystemExit(f"agrad failed: {dist.error.message}")
    return found


def death_told() -> float:
    """Seconds from the SIGKILL of a worker that is waited for to the end of the run that names it."""
    killed: list[float] = []
    pids: list[int] = []
    text = """workers: 3
forward: |
  import time

  def nap():
      print("asleep")
      time.sleep(60)

  rpc.rpc_sync("worker1", nap)
"""

    def printed(name: str, text: str) -> None:
        if "asleep" in text:
            killed.append(time.perf_counter())
            os.kill(pids[1], signal.SIGKILL)

    dist = run_scenario(text, pids, printed)
    told = time.perf_counter() - killed[0]
    assert dist.error is not None
    assert dist.error.kind == "WorkerDied"
    return told


def a_round(with_torch: bool) -> dict[str, Readings]:
    """Everything once."""
    ours = run_agrad()
    ours["ready 16"] = run_agrad(MANY, "pass")["ready"]
    ours["death"] = death_told()
    if not with_torch:
        return {"agrad": ours}
    theirs = run_torch(3, "measure()")
    theirs["ready 16"] = run_torch(MANY, "pass")["ready"]
    return {"agrad": ours, "torch": theirs}


def shown(name: str, value: float) -> str:
    """A reading with its unit."""
    return f"{value / 2**20:.1f} MiB" if name == "memory" else f"{value * 1e3:.3f} ms"


def main() -> int:
    """Measure, print the table, and say with the exit status whether every bar holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-torch", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rounds = [a_round(not given.no_torch) for _ in range(given.rounds)]
    table: dict[str, Any] = {}
    missed = False
    print("| what | agrad | torch | ratio | bar |\n| --- | --- | --- | --- | --- |")
    for name, bar in BARS.items():
        ours = statistics.median(r["agrad"][name] for r in rounds)
        if given.no_torch:
            print(f"| {name} | {shown(name, ours)} | - | - | {bar:.2f} |")
            continue
        theirs = statistics.median(r["torch"][name] for r in rounds)
        ratio = statistics.median(r["agrad"][name] / r["torch"][name] for r in rounds)
        missed |= ratio > bar
        table[name] = {"agrad": ours, "torch": theirs, "ratio": ratio, "bar": bar}
        mark = " MISSED" if ratio > bar else ""
        print(f"| {name} | {shown(name, ours)} | {shown(name, theirs)} | {ratio:.2f} | {bar:.2f}{mark} |")
    death = statistics.median(r["agrad"]["death"] for r in rounds)
    missed |= death > DEATH_BAR
    mark = " MISSED" if death > DEATH_BAR else ""
    print(f"| death told | {shown('death', death)} | - | - | {shown('death', DEATH_BAR)}{mark} |")
    if given.json:
        given.json.write_text(json.dumps({"rounds": rounds, "table": table, "death": death}, indent=1))
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
