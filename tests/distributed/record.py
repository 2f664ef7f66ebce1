"""Records what torch.distributed.rpc does with ``programs/`` and ``stalls/``: ``python tests/distributed/record.py [NAME …]``.

Needs PyTorch 2.13; the tests that read ``goldens/`` do not. Each program runs in worker processes of its own, forked after torch
was imported. ``watch`` looks at the graph of every worker and hangs a hook on each node that notes the order of the pass;
``look`` takes the gradients. Both ask the other workers from a thread, which has no context, so that no message id is spent.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import multiprocessing
import os
import socket
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

HERE = Path(__file__).parent
STALL_TIMEOUT = 2.0  # seconds of RPC time-out for the stalls, instead of 60
HUNG = 3 * STALL_TIMEOUT  # after this long without an answer a stall is a hang
orders: list[str] = []  # in each worker: the nodes of the pass, in the order in which they ran


def short(node: Any) -> str:
    """The name of a node without its C++ namespaces."""
    return node.name().rpartition("::")[2]


def walk(starts: list[Any]) -> list[Any]:
    """All nodes reachable from `starts`, depth first and in the order of their edges."""
    found: list[Any] = []
    todo = [n for n in reversed(starts) if n is not None]
    while todo:
        node = todo.pop()
        if not any(node is other for other in found):
            found.append(node)
            todo.extend(n for n, _ in reversed(node.next_functions) if n is not None)
    return found


def note(name: str, _: Any) -> None:
    """A node of that name runs now."""
    orders.append(name)


def graph(context_id: int, loss: Any = None) -> dict[str, Any]:
    """This worker's part of the graph; also puts the hooks on its nodes."""
    try:
        context = dist_autograd._retrieve_context(context_id)
    except RuntimeError:
        return {"sends": [], "recvs": [], "known": [], "nodes": []}
    sends, recvs = context._send_functions(), context._recv_functions()
    starts = [*(sends[m] for m in sorted(sends)), loss.grad_fn if loss is not None else None]
    nodes = walk(starts)
    for node in nodes:
        node.register_prehook(functools.partial(note, short(node)))

    def index(node: Any) -> int | None:
        return next((i for i, other in enumerate(nodes) if other is node), None)

    return {
        "sends": sorted(sends),
        "recvs": sorted(recvs),
        "known": sorted(context._known_worker_ids()),
        "nodes": [[short(n), [None if m is None else [index(m), k] for m, k in n.next_functions]] for n in nodes],
    }


def gradients(context_id: int) -> list[Any]:
    """This worker's gradients: dtype, value of the leaf, value of the gradient."""
    try:
        found = dist_autograd.get_gradients(context_id)
    except RuntimeError:
        return []
    rows = [[str(leaf.dtype).removeprefix("torch."), leaf.tolist(), grad.tolist()] for leaf, grad in found.items()]
    return sorted(rows, key=json.dumps)


def take_order() -> list[str]:
    """The order of this worker's nodes so far."""
    found = list(orders)
    orders.clear()
    return found


def in_thread(function: Any) -> Any:
    """What `function` returns in a thread of its own, where no context is current."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def everywhere(workers: int, function: Any, *arguments: Any) -> list[Any]:
    """What `function` returns on workers 1 and up."""
    return in_thread(lambda: [rpc.rpc_sync(rank, function, args=arguments) for rank in range(1, workers)])


class Watcher:
    """``watch`` and ``look`` for one program."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.contexts: list[dict[str, Any]] = []

    def watch(self, context_id: int, loss: Any) -> None:
        """Before the pass: the graph of each worker."""
        self.contexts.append({"id": context_id, "graph": [graph(context_id, loss), *everywhere(self.workers, graph, context_id)]})

    def look(self, context_id: int) -> None:
        """After the pass: order and gradients of each worker."""
        if not self.contexts or self.contexts[-1]["id"] != context_id:
            self.contexts.append({"id": context_id})
        self.contexts[-1]["order"] = [take_order(), *everywhere(self.workers, take_order)]
        self.contexts[-1]["gradients"] = [gradients(context_id), *everywhere(self.workers, gradients, context_id)]


def load(path: Path) -> Any:
    """A program as a module that every worker finds by its name."""
    spec = importlib.util.spec_from_file_location(f"program_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def worker(rank: int, count: int, port: int, program: Any, is_stall: bool, pipe: Any) -> None:
    """One process."""
    warnings.simplefilter("ignore")
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), TP_SOCKET_IFNAME="lo", GLOO_SOCKET_IFNAME="lo")
    torch.set_num_threads(1)
    options = rpc.TensorPipeRpcBackendOptions(rpc_timeout=STALL_TIMEOUT if is_stall else 60)
    rpc.init_rpc(f"worker{rank}", rank=rank, world_size=count, rpc_backend_options=options)
    if rank == 0:
        if is_stall:
            try:
                pipe.send("begun")
                program.main()
                pipe.send("worked")
            except RuntimeError as error:
                pipe.send("time-out" if "RPC ran for more than" in str(error) else str(error))
        else:
            watcher = Watcher(count)
            result = program.main(watcher.watch, watcher.look)
            pipe.send({"torch": torch.__version__, "workers": count, "result": result, "contexts": watcher.contexts})
    elif is_stall:
        time.sleep(3600)  # until the parent ends it
    rpc.shutdown()


def run(path: Path) -> Any:
    """What torch does with one program."""
    program, is_stall = load(path), path.parent.name == "stalls"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = multiprocessing.get_context("fork")
    near, far = context.Pipe()
    processes = [
        context.Process(target=worker, args=(r, program.WORKERS, port, program, is_stall, far), daemon=True)
        for r in range(program.WORKERS)
    ]
    for process in processes:
        process.start()
    try:
        if is_stall:
            assert near.poll(60), "the workers did not meet"
            assert near.recv() == "begun"
            return near.recv() if near.poll(HUNG) else "hang"
        if not near.poll(60):
            raise SystemExit(f"{path.stem}: torch gave no answer")
        answer = near.recv()
        for process in processes:
            process.join(20)
        return answer
    finally:
        for process in processes:
            process.kill()
            process.join()


def main(names: list[str]) -> None:
    """Record the programs of these names, or all."""
    (HERE / "goldens").mkdir(exist_ok=True)
    for path in sorted((HERE / "programs").glob("*.py")):
        if not names or path.stem in names:
            text = json.dumps(run(path))
            (HERE / "goldens" / f"{path.stem}.json").write_text(text + "\n")
            print(path.stem, text[:200], flush=True)
    stalls = HERE / "goldens" / "stalls.json"
    known = json.loads(stalls.read_text()) if stalls.exists() else {}
    for path in sorted((HERE / "stalls").glob("*.py")):
        if not names or path.stem in names:
            known[path.stem] = run(path)
            print(path.stem, known[path.stem], flush=True)
    stalls.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
