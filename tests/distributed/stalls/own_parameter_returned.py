"""The callee ignores its argument and returns a leaf of its own."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


w = torch.tensor([5.0, 6.0], requires_grad=True)


def own(x):
    return w * 2


def main():
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        c = rpc.rpc_sync("worker1", own, args=(a,))
        dist_autograd.backward(context_id, [(b * c).sum()])
