"""A result is used here, and as the argument of another call."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        a = torch.tensor([2.0, 3.0], requires_grad=True)
        b = rpc.rpc_sync("worker1", torch.mul, args=(a, a))
        c = rpc.rpc_sync("worker1", torch.add, args=(b, a))
        loss = (b * c).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return c.tolist()
