"""The distributed engine over real sockets: what it sends in memory must survive the wire."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from link_worlds import WORLDS

from autograd_cli.distributed import dist_autograd
from autograd_cli.distributed.function_table import FunctionTable
from autograd_cli.distributed.messages import AnyMessage
from autograd_cli.distributed.worker import Worker
from autograd_cli.errors import RemoteValueError, WorkerDied
from autograd_cli.torch_api.modules import modules as torch_modules
from autograd_cli.transport.frame import Framer
from autograd_cli.transport.local import LocalLink

torch = torch_modules()["torch"]


class Workers:
    """Workers of one process whose messages go through sockets; their links are polled in turn."""

    def __init__(self, count, functions, make_pair):
        ends = {rank: {} for rank in range(count)}
        for a in range(count):
            for b in range(a + 1, count):
                ends[a][b], ends[b][a] = make_pair()
        names = [f"worker{i}" for i in range(count)]
        framer = Framer(AnyMessage)
        self.ends = ends
        self.links = {rank: LocalLink(rank, names, ends[rank], framer) for rank in range(count)}
        self.workers = [Worker(r, names, self.links[r].post, FunctionTable(torch, functions)) for r in range(count)]
        self.rpc = [SimpleNamespace(**dist_autograd.rpc_table(w)) for w in self.workers]
        self.autograd = [SimpleNamespace(**dist_autograd.autograd_table(w)) for w in self.workers]

    def run(self, script):
        """Run `script` on worker 0; what it returns or raises."""
        outcome = []

        def body():
            try:
                outcome.append((script(), None))
            except Exception as error:
                outcome.append((None, error))

        self.workers[0].tasks.start(body)
        rounds = 0
        while not outcome:
            rounds += 1
            assert rounds < 1_000_000
            for rank, link in list(self.links.items()):
                for event in link.poll(0):
                    if event[0] == "lost":
                        self.workers[rank].lost(event[1], event[2])
                    else:
                        self.workers[rank].receive(*event[1:])
        value, error = outcome[0]
        if error is not None:
            raise error
        return value

    def kill(self, rank):
        self.links.pop(rank)
        for sock in self.ends[rank].values():
            sock.close()

    def close(self):
        for link in self.links.values():
            link.close(patience=0)


@pytest.fixture(params=list(WORLDS))
def start(request):
    started = []

    def begin(count, functions=None):
        started.append(Workers(count, functions or {}, WORLDS[request.param]))
        return started[-1]

    yield begin
    for workers in started:
        workers.close()


@pytest.mark.parametrize("shape", [(), (0,), (3, 3), (1500, 1500)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int64"])
def test_tensor_of_any_size_and_dtype_comes_back(start, shape, dtype):
    workers = start(2)
    a = torch.ones(shape, dtype=getattr(torch, dtype)) * 3
    result = workers.run(lambda: workers.rpc[0].rpc_sync("worker1", torch.add, args=(a, a)))
    assert list(result.shape) == list(shape)
    assert result.dtype is a.dtype
    assert np.array_equal(result.numpy(), np.full(shape, 6, dtype))


@pytest.mark.parametrize("shape", [(3, 3), (1500, 1500)])
def test_gradients_over_three_workers_are_those_on_paper(start, shape):
    workers = start(3)
    a, b = torch.full(shape, 2.0, requires_grad=True), torch.full(shape, 5.0, requires_grad=True)

    def script():
        with workers.autograd[0].context() as context:
            c = workers.rpc[0].rpc_sync("worker1", torch.mul, args=(a, b))
            d = workers.rpc[0].rpc_sync("worker2", torch.mul, args=(c, a))
            workers.autograd[0].backward(context, [d.sum()])
            return workers.autograd[0].get_gradients(context)

    grads = workers.run(script)
    assert np.array_equal(grads[a].numpy(), np.full(shape, 2 * 2 * 5, np.float32))  # d(a²b)/da = 2ab
    assert np.array_equal(grads[b].numpy(), np.full(shape, 2 * 2, np.float32))  # d(a²b)/db = a²


def test_argument_changed_after_the_call_arrives_as_it_was(start):
    workers = start(2)
    a = torch.ones(1500, 1500)

    def script():
        future = workers.rpc[0].rpc_async("worker1", torch.mul, args=(a, 2))
        a.add_(1)
        return future.wait()

    assert np.array_equal(workers.run(script).numpy(), np.full((1500, 1500), 2, np.float32))


def test_result_belongs_to_the_caller(start):
    workers = start(2)
    a = torch.ones(1500, 1500)

    def script():
        result = workers.rpc[0].rpc_sync("worker1", torch.mul, args=(a, 2))
        result.add_(1)
        return result

    assert np.array_equal(workers.run(script).numpy(), np.full((1500, 1500), 3, np.float32))


def test_remote_error_and_loss_reach_the_caller(start):
    def refuse(x):
        raise ValueError("not this one")

    workers = start(3, {"refuse": refuse})
    with pytest.raises(RemoteValueError, match="not this one"):
        workers.run(lambda: workers.rpc[0].rpc_sync("worker1", refuse, args=(1,)))

    def lose():
        future = workers.rpc[0].rpc_async("worker1", torch.add, args=(torch.ones(2), 1))
        workers.kill(1)
        return future.wait()

    with pytest.raises(WorkerDied, match="worker1 is gone: its connection was closed"):
        workers.run(lose)
    assert workers.run(lambda: workers.rpc[0].rpc_sync("worker2", torch.add, args=(torch.ones(1), 1))).item() == 2
