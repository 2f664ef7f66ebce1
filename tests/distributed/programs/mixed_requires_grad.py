"""What does not require grad here does not there either."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def flags(a, b, n):
    return a * b * n, [a.requires_grad, b.requires_grad, n.requires_grad, n.dtype == torch.int64]


def main(watch, look):
    with dist_autograd.context() as context_id:
        a = torch.tensor([2.0, 3.0], requires_grad=True)
        b = torch.tensor([4.0, 5.0])
        n = torch.tensor([2, 3])
        y, seen = rpc.rpc_sync("worker1", flags, args=(a, b, n))
        loss = y.sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [seen, y.tolist()]
