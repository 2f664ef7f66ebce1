"""Calls that run at the same time on two workers."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        a = rpc.rpc_async("worker1", torch.mul, args=(x, x))
        b = rpc.rpc_async("worker2", torch.exp, args=(x,))
        loss = (a.wait() * b.wait()).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return loss.item()
