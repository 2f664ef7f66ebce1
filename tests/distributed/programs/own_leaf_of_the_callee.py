"""No tensor is sent; the result depends on a leaf of worker 1, which keeps its gradient."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


w = torch.tensor([3.0, 4.0], requires_grad=True)


def weight(scale):
    return w * scale


def main(watch, look):
    with dist_autograd.context() as context_id:
        y = rpc.rpc_sync("worker1", weight, args=(2.5,))
        loss = (y * y).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [y.tolist(), w.grad is None]
