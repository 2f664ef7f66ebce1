"""A tensor that stands in a message several times has one edge."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def mix(a, b, c):
    return a * b + c


def main(watch, look):
    with dist_autograd.context() as context_id:
        a = torch.tensor([2.0, 3.0], requires_grad=True)
        b = a * 2
        y = rpc.rpc_sync("worker1", mix, args=(a, a, b))
        z = rpc.rpc_sync("worker1", mix, args=(b, b, b))
        loss = (y * z).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return y.tolist()
