"""Two passes with retain_graph add up in the context; a gradient that is held changes with them."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        loss = rpc.rpc_sync("worker1", torch.mul, args=(a, b)).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss], retain_graph=True)
        held = dist_autograd.get_gradients(context_id)[a]
        first = held.tolist()
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [first, held.tolist()]
