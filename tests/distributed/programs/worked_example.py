"""The design note's t1 … t5: two tensors are added on a neighbour, the sum is used here."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def my_add(t1, t2):
    return torch.add(t1, t2)


def main(watch, look):
    torch.manual_seed(0)
    with dist_autograd.context() as context_id:
        t1 = torch.rand((3, 3), requires_grad=True)
        t2 = torch.rand((3, 3), requires_grad=True)
        t3 = rpc.rpc_sync("worker1", my_add, args=(t1, t2))
        t4 = torch.rand((3, 3), requires_grad=True)
        t5 = torch.mul(t3, t4)
        loss = t5.sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [t3.tolist(), t3.requires_grad, t3.is_leaf, t1.grad is None]
