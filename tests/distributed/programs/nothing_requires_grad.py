"""A Python function's call carries the context although nothing is recorded."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def double(x):
    return x * 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        y = rpc.rpc_sync("worker1", double, args=(torch.tensor([1.0]),))
        z = torch.tensor([1.0], requires_grad=True) * 2
        watch(context_id, z)
        dist_autograd.backward(context_id, [z])
        look(context_id)
    return [y.tolist(), y.requires_grad]
