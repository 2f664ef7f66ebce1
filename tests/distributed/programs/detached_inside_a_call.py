"""Part of a function works under no_grad, and its result is still connected by another way."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def partly(x):
    with torch.no_grad():
        factor = x * 10
    return x * factor


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([2.0, 3.0], requires_grad=True)
        loss = rpc.rpc_sync("worker1", partly, args=(x,)).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return loss.item()
