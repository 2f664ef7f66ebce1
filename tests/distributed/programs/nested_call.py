"""0 calls 1, which calls 2 before it answers: worker 1 has two send functions."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def square(x):
    return x * x


def outer(x):
    return rpc.rpc_sync("worker2", square, args=(x + 1,)) * 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = rpc.rpc_sync("worker1", outer, args=(x,))
        loss = y.sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return y.tolist()
