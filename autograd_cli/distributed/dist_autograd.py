"""``torch.distributed.autograd`` and ``torch.distributed.rpc`` as a script of one worker sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.tensor import Tensor
from ..errors import BadArgument
from .futures import futures_table
from .worker import Worker


class context:
    """``with dist_autograd.context() as context_id:`` A new context, current inside the block and released at its end."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self.context_id: int | None = None

    def __enter__(self) -> int:
        tasks = self._worker.tasks
        if tasks.current_context is not None:
            raise BadArgument(
                "a distributed autograd context is open here already: contexts do not nest",
                hint="end the first `with` block before the second",
            )
        self.context_id = tasks.current_context = self._worker.contexts.new_context().context_id
        return self.context_id

    def __exit__(self, *error: object) -> None:
        self._worker.tasks.current_context = None
        if self.context_id is not None:
            self._worker.release(self.context_id)


class WorkerInfo:
    """The name and the rank of a worker."""

    __slots__ = ("id", "name")

    def __init__(self, name: str, id: int) -> None:
        self.name, self.id = name, id

    def __repr__(self) -> str:
        return f"WorkerInfo(id={self.id}, name={self.name})"


def autograd_table(worker: Worker) -> dict[str, Any]:
    """The names of ``torch.distributed.autograd`` for one worker."""

    def backward(context_id: int, roots: list[Tensor], retain_graph: bool = False) -> None:
        """Run the distributed backward pass of a context from scalar roots."""
        worker.engine.backward(context_id, roots, retain_graph)

    def get_gradients(context_id: int) -> dict[Tensor, Tensor]:
        """The gradients accumulated in a context on this worker, by leaf."""
        return worker.contexts.get(context_id).get_gradients()

    def make_context() -> context:
        """A context manager; ``with`` gives its id."""
        return context(worker)

    make_context.__name__ = "context"
    return {"context": make_context, "backward": backward, "get_gradients": get_gradients}


def rpc_table(worker: Worker) -> dict[str, Any]:
    """The names of ``torch.distributed.rpc`` for one worker."""

    def get_worker_info(worker_name: str | None = None) -> WorkerInfo:
        """The WorkerInfo of a worker, by default this one."""
        rank = worker.rank if worker_name is None else worker.rank_of(worker_name)
        return WorkerInfo(worker.names[rank], rank)

    made: dict[str, Callable[..., Any]] = {
        "rpc_sync": worker.rpc.rpc_sync,
        "rpc_async": worker.rpc.rpc_async,
        "get_worker_info": get_worker_info,
    }
    return {**made, "WorkerInfo": WorkerInfo}


def tables(worker: Worker) -> dict[str, dict[str, Any]]:
    """The tables of ``torch.distributed``, its submodules and ``torch.futures`` for one worker."""

    def barrier() -> None:
        """Wait until every worker has come to its barrier of this number."""
        worker.barrier()

    top = {"barrier": barrier, "get_rank": lambda: worker.rank, "get_world_size": lambda: len(worker.names)}
    return {
        "torch.distributed": top,
        "torch.distributed.rpc": rpc_table(worker),
        "torch.distributed.autograd": autograd_table(worker),
        "torch.futures": futures_table(worker.tasks),
    }
