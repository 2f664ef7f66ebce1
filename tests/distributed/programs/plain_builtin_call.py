"""A torch function's call without a tensor that requires grad carries no context at all."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        y = rpc.rpc_sync("worker1", torch.add, args=(torch.tensor([1.0]), 2))
        z = torch.tensor([1.0], requires_grad=True) * y
        watch(context_id, z)
        dist_autograd.backward(context_id, [z])
        look(context_id)
    return [y.tolist(), y.requires_grad]
