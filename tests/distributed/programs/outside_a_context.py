"""Outside a context nothing is recorded; the result of a call is a leaf that requires grad."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    y = rpc.rpc_sync("worker1", torch.mul, args=(a, 3))
    with dist_autograd.context() as context_id:
        loss = (y * a).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [y.is_leaf, y.requires_grad]
