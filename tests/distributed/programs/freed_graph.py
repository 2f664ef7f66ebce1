"""A second pass without retain_graph fails where saved tensors are gone."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        loss = rpc.rpc_sync("worker1", torch.mul, args=(a, a)).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        caught = None
        try:
            dist_autograd.backward(context_id, [loss])
        except RuntimeError as error:
            caught = len(str(error)) > 0
        look(context_id)
    return caught
