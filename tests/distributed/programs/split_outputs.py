"""A torch function with several results, of which three of five are used."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.arange(10.0, requires_grad=True)
        parts = rpc.rpc_sync("worker1", torch.split, args=(x, 2))
        loss = (parts[0] * parts[2] * parts[4]).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [part.tolist() for part in parts]
