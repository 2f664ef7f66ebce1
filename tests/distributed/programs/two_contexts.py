"""Each context has its own gradients; ids and counters go on."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    ids = []
    for factor in (2.0, 5.0):
        with dist_autograd.context() as context_id:
            ids.append(context_id)
            b = rpc.rpc_sync("worker1", torch.mul, args=(a, torch.tensor([factor])))
            loss = b.sum()
            watch(context_id, loss)
            dist_autograd.backward(context_id, [loss])
            look(context_id)
    return ids
