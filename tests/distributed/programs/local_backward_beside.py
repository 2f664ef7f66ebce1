"""A local backward() beside the context's: only the local one fills .grad."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        (a * b).sum().backward()
        loss = rpc.rpc_sync("worker1", torch.sub, args=(a, b)).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [a.grad.tolist(), b.grad.tolist()]
