"""Hooks on a leaf, on a remote intermediate and on a received tensor; each sees and replaces its gradient."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


seen = []


def remote(x):
    y = x * 3
    y.register_hook(times_ten)
    return y * 2


def times_ten(grad):
    return grad * 10


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        x.register_hook(lambda grad: grad * 100)
        y = rpc.rpc_sync("worker1", remote, args=(x,))
        y.register_hook(lambda grad: seen.append(grad.tolist()))
        y.retain_grad()
        loss = (y * y).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [seen, y.grad.tolist(), x.grad is None]
