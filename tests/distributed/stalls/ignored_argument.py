"""The callee ignores its argument and returns a constant."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def constant(x):
    return torch.ones(2)


def main():
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        c = rpc.rpc_sync("worker1", constant, args=(a,))
        dist_autograd.backward(context_id, [(b * c).sum()])
