"""Outputs of a live message that nothing uses: their gradients are zeros, also at a leaf that only they reach."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def three(x, y):
    return [x * 2, y * 3, x + 1]


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = torch.tensor([3.0, 4.0], requires_grad=True)
        first, _, last = rpc.rpc_sync("worker1", three, args=(x, y))
        loss = (first * last).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [first.tolist(), last.tolist()]
