"""The design note's a, b, c: one call is used, another is not."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main():
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        d = rpc.rpc_sync("worker1", torch.add, args=(a, b))
        rpc.rpc_sync("worker1", torch.mul, args=(b, a))
        dist_autograd.backward(context_id, [d.sum()])
