"""A transpose, a slice and an expanded tensor are sent with their values."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def combine(a, b, c):
    return a @ b + c


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        y = rpc.rpc_sync("worker1", combine, args=(x, x.t(), x[:, 1:2].expand(2, 2)))
        loss = (y * y).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return y.tolist()
