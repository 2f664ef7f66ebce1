"""0 calls 1, which calls 0: two sends and two recvs on worker 0."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def inner(a, b):
    return a * b


def outer(a, b):
    return rpc.rpc_sync("worker0", inner, args=(a, b)) + a


def main(watch, look):
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        y = rpc.rpc_sync("worker1", outer, args=(a, b))
        loss = y.sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return y.tolist()
