"""Two workers compute, one of the results is not used."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def main():
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        c = rpc.rpc_sync("worker1", torch.mul, args=(a, b))
        rpc.rpc_sync("worker2", torch.mul, args=(a, b))
        dist_autograd.backward(context_id, [c.sum()])
