"""One leaf here and one on each of two workers, all in one loss."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


w = torch.tensor([[1.0, -1.0], [0.5, 2.0]], requires_grad=True)


def layer(x):
    return torch.tanh(x @ w)


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([[0.3, -0.7]], requires_grad=True)
        h = rpc.rpc_sync("worker1", layer, args=(x,))
        y = rpc.rpc_sync("worker2", layer, args=(h,))
        loss = ((y @ w) ** 2).mean()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return y.tolist()
