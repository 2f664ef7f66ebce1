"""A result that nothing uses, and a loss that is local only."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main():
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        rpc.rpc_sync("worker1", torch.add, args=(a, b))
        dist_autograd.backward(context_id, [(a * b).sum()])
