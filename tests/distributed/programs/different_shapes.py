"""Matrices of several shapes."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    torch.manual_seed(0)
    with dist_autograd.context() as context_id:
        t1 = torch.rand((4, 6), requires_grad=True)
        t2 = torch.rand((6, 5))
        t3 = torch.rand((5, 7), requires_grad=True)
        t4 = torch.rand((7, 9))
        a = rpc.rpc_sync("worker1", torch.matmul, args=(t1, t2))
        b = rpc.rpc_sync("worker1", torch.matmul, args=(a, t3))
        loss = rpc.rpc_sync("worker1", torch.matmul, args=(b, t4)).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return loss.item()
