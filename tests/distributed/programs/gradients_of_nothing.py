"""get_gradients() before any pass is empty."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        before = len(dist_autograd.get_gradients(context_id))
        x = torch.tensor([1.0], requires_grad=True)
        loss = rpc.rpc_sync("worker1", torch.exp, args=(x,))
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        after = len(dist_autograd.get_gradients(context_id))
        look(context_id)
    return [before, after]
