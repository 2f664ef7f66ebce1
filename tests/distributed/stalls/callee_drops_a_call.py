"""The function of a used call calls worker 2 and drops what comes back."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def drops(x):
    rpc.rpc_sync("worker2", torch.add, args=(x, 1))
    return x * 2


def main():
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        c = rpc.rpc_sync("worker1", drops, args=(a,))
        dist_autograd.backward(context_id, [(c * b).sum()])
