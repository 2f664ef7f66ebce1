"""A tensor goes to two workers; both results meet in the loss."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def cube(x):
    return x * x * x


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([2.0, -1.0], requires_grad=True)
        a = x * 3
        b = rpc.rpc_sync("worker1", cube, args=(a,))
        c = rpc.rpc_sync("worker2", torch.sin, args=(a,))
        loss = (b * c + a).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [b.tolist(), c.tolist()]
