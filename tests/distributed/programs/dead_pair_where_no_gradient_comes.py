"""A dead pair between two workers that the pass never reaches does not keep it from ending."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3

w = torch.tensor([5.0, 6.0], requires_grad=True)


def dropped():
    rpc.rpc_sync("worker2", torch.mul, args=(w, w))
    return 1


def main(watch, look):
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        rpc.rpc_sync("worker1", dropped)
        loss = (a * b).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return loss.item()
