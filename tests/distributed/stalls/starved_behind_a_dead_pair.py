"""A live pair on worker 1 that waits for a dead one on worker 2."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def add(x, y):
    return x + y


def both(x):
    y = rpc.rpc_sync("worker2", add, args=(x, x))
    return rpc.rpc_sync("worker2", add, args=(y, x))


def dropped(x):
    return rpc.rpc_sync("worker2", add, args=(x, 1))


def main():
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        c = rpc.rpc_sync("worker1", both, args=(a,))
        rpc.rpc_sync("worker1", dropped, args=(b,))
        dist_autograd.backward(context_id, [c.sum()])
