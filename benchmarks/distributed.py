"""Distributed runs beside ``torch.distributed.rpc``: ``python -m benchmarks.distributed [--rounds 3] [--json FILE]``.

One program, in the language that both speak, runs over three workers: under torch with its RPC, under agrad over its worker
processes, turn by turn. It measures itself and prints medians. Only the ratios within a round count; the table shows their median.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PROGRAM = """
import time
import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc


def same(x):
    return x


def hop(x, left):
    y = x * 2
    if left == 0:
        return y
    return rpc.rpc_sync("worker" + str((rpc.get_worker_info().id + 1) % 3), hop, args=(y, left - 1))


def middle(values):
    return sorted(values)[len(values) // 2]


def timed(run, count, warm):
    found = []
    for i in range(count + warm):
        start = time.perf_counter()
        run()
        if i >= warm:
            found.append(time.perf_counter() - start)
    return middle(found)


def backward_times(forward, count, warm):
    found = []
    for i in range(count + warm):
        with dist_autograd.context() as context:
            loss = forward()
            start = time.perf_counter()
            dist_autograd.backward(context, [loss])
            if i >= warm:
                found.append(time.perf_counter() - start)
    return middle(found)


def driver_ring(x):
    for i in range(50):
        x = rpc.rpc_sync("worker" + str(i % 3), torch.add, args=(x, 1.0))
    return x.sum()


def measure():
    a, b = torch.rand(3, 3), torch.rand(3, 3)
    x = torch.rand((3, 3), requires_grad=True)
    y = torch.rand((3, 3), requires_grad=True)
    big, bigger = torch.rand(4 * 1024 * 1024), torch.rand(16 * 1024 * 1024)
    print("call", timed(lambda: rpc.rpc_sync("worker1", torch.add, args=(a, b)), 400, 100))
    print("nested", timed(lambda: rpc.rpc_sync("worker1", hop, args=(a, 2)), 200, 50))
    print("backward", backward_times(lambda: rpc.rpc_sync("worker1", torch.add, args=(x, y)).sum(), 200, 50))
    print("backward ring", backward_times(lambda: rpc.rpc_sync("worker1", hop, args=(x, 2)).sum(), 100, 20))
    print("driver ring backward", backward_times(lambda: driver_ring(x), 20, 3))
    print("16 MiB", timed(lambda: rpc.rpc_sync("worker1", same, args=(big,)), 10, 2))
    print("64 MiB", timed(lambda: rpc.rpc_sync("worker1", same, args=(bigger,)), 5, 1))
"""
TORCH_MAIN = """
def main(rank):
    import os
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", "@PORT@"
    torch.set_num_threads(1)
    rpc.init_rpc("worker" + str(rank), rank=rank, world_size=3)
    if rank == 0:
        print("ready", time.time())
        measure()
    rpc.shutdown()


if __name__ == "__main__":
    import warnings
    warnings.simplefilter("ignore")
    import torch.multiprocessing as mp
    mp.spawn(main, nprocs=3)
"""
BARS = {  # ratio to torch, time over time: docs/performance.md
    "call": 0.40, "nested": 0.30, "backward": 0.50, "backward ring": 0.50, "driver ring backward": 0.40, "16 MiB": 1.0, "64 MiB": 1.0,
    "ready": 0.15,
}  # fmt: skip


def readings(text: str, started: float) -> dict[str, float]:
    """What a program printed: seconds by name."""
    found = {}
    for line in text.splitlines():
        name, _, value = line.removeprefix("worker0 | ").rpartition(" ")
        if name:
            found[name] = float(value) - (started if name == "ready" else 0.0)
    return found


def run_torch(folder: Path, port: int) -> dict[str, float]:
    """One round under torch."""
    program = folder / "program.py"
    program.write_text(PROGRAM + TORCH_MAIN.replace("@PORT@", str(port)))
    environment = dict(os.environ, TP_SOCKET_IFNAME="lo", GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1")
    started = time.time()
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, env=environment, timeout=300)
    if done.returncode:
        raise SystemExit(f"torch failed:\n{done.stderr[-2000:]}")
    return readings(done.stdout, started)


def run_agrad() -> dict[str, float]:
    """One round under agrad, nothing recorded, as torch records nothing for a picture either."""
    from autograd_cli.scenario.load import read_scenario
    from autograd_cli.session.cluster import DistOptions, run_distributed
    from autograd_cli.session.options import RunOptions

    lines = [*PROGRAM.splitlines(), 'print("ready", time.time())', "measure()"]
    text = "workers: 3\nforward:\n  worker0: |\n" + "".join(f"    {line}\n" for line in lines)
    started = time.time()
    dist = run_distributed(read_scenario(text.encode(), None), RunOptions(recording=False), DistOptions())
    if dist.error is not None:
        raise SystemExit(f"agrad failed: {dist.error.message}")
    return readings(dist.workers[0].stdout, started)


def main() -> int:
    """Measure, print the table, and say with the exit status whether every bar holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rounds: list[dict[str, dict[str, float]]] = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(given.rounds):
            rounds.append({"agrad": run_agrad(), "torch": run_torch(Path(folder), 29500 + i)})
    table: dict[str, Any] = {}
    missed = False
    print("| what | agrad | torch | ratio | bar |\n| --- | --- | --- | --- | --- |")
    for name, bar in BARS.items():
        ours = statistics.median(r["agrad"][name] for r in rounds)
        theirs = statistics.median(r["torch"][name] for r in rounds)
        ratio = statistics.median(r["agrad"][name] / r["torch"][name] for r in rounds)
        missed |= ratio > bar
        table[name] = {"agrad": ours, "torch": theirs, "ratio": ratio, "bar": bar}
        print(
            f"| {name} | {ours * 1e3:.3f} ms | {theirs * 1e3:.3f} ms | {ratio:.2f} | {bar:.2f}{' MISSED' if ratio > bar else ''} |"
        )
    if given.json:
        given.json.write_text(json.dumps({"rounds": rounds, "table": table}, indent=1))
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
