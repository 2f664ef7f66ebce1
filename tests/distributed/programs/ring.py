"""Each worker multiplies and passes on, from inside the call it serves, until the tensor is back."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def hop(x, left):
    me = rpc.get_worker_info().id
    y = x * (me + 2)
    if left == 0:
        return y
    return rpc.rpc_sync("worker" + str((me + 1) % 3), hop, args=(y, left - 1))


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, -2.0], requires_grad=True)
        y = rpc.rpc_sync("worker1", hop, args=(x, 2))
        loss = (y * x).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return y.tolist()
