"""A float32 and a float64 leaf: each gradient has the dtype of its leaf."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True, dtype=torch.float32)
        b = torch.tensor([3.0, 4.0], requires_grad=True, dtype=torch.float64)
        c = rpc.rpc_sync("worker1", torch.mul, args=(a, b))
        loss = c.sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [c.tolist(), str(c.dtype)]
