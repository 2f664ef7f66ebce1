"""Under no_grad the caller records nothing, and the result is a leaf that requires grad."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


w = torch.tensor([3.0], requires_grad=True)


def scaled(x):
    return x * w


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([2.0], requires_grad=True)
        with torch.no_grad():
            y = rpc.rpc_sync("worker1", scaled, args=(x,))
        loss = y * x
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [y.tolist(), y.is_leaf, y.requires_grad]
