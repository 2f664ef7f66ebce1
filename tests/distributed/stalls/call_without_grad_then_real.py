"""Under no_grad the callee records a send that nobody answers; a real call to it follows."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def double(x):
    return x * 2


def main():
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        with torch.no_grad():
            rpc.rpc_sync("worker1", double, args=(a,))
        c = rpc.rpc_sync("worker1", double, args=(b,))
        dist_autograd.backward(context_id, [c.sum()])
