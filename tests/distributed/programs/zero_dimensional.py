"""Scalars and tensors without elements cross like all others."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def both(a, e):
    return a * 3, e * 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        a = torch.tensor(2.0, requires_grad=True)
        e = torch.zeros((0, 3), requires_grad=True)
        x, y = rpc.rpc_sync("worker1", both, args=(a, e))
        loss = x * x + y.sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [x.tolist(), list(y.shape)]
