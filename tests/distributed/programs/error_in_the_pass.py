"""A hook that raises two workers away: the caller sees a RuntimeError."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def refuse(grad):
    raise RuntimeError("no gradient today")


def inner(x):
    y = x * 2
    y.register_hook(refuse)
    return y * 3


def outer(x):
    return rpc.rpc_sync("worker2", inner, args=(x,)) + 1


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        loss = rpc.rpc_sync("worker1", outer, args=(x,)).sum()
        try:
            dist_autograd.backward(context_id, [loss])
        except Exception as error:
            return isinstance(error, RuntimeError)
    return None
