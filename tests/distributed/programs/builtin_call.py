"""The same call with a torch function as its target."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def main(watch, look):
    with dist_autograd.context() as context_id:
        t1 = torch.tensor([1.0, 2.0], requires_grad=True)
        t2 = torch.tensor([3.0, 5.0], requires_grad=True)
        t3 = rpc.rpc_sync("worker1", torch.add, args=(t1, t2), kwargs={"alpha": 2})
        loss = (t3 * t3).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return t3.tolist()
