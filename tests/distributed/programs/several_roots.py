"""Several roots, one of them twice; their gradients add up."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        a = torch.tensor([0.5, 1.0], requires_grad=True)
        b = torch.tensor([2.0, 3.0], requires_grad=True)
        r1 = rpc.rpc_sync("worker1", torch.add, args=(a, b)).sum()
        r2 = rpc.rpc_sync("worker1", torch.mul, args=(a, b)).sum()
        r3 = torch.cos(a).sum()
        r4 = torch.div(a, b).sum().reshape(1, 1)
        watch(context_id, r4)
        dist_autograd.backward(context_id, [r1, r2, r3, r4, r2])
        look(context_id)
    return [r1.item(), r2.item()]
