"""Worker 1 keeps a tensor of one call and uses it in the next."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


kept = []


def keep(x):
    kept.append(x * 2)
    return x + 1


def use(y):
    return y * kept[0]


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([2.0, 3.0], requires_grad=True)
        y = rpc.rpc_sync("worker1", keep, args=(x,))
        z = rpc.rpc_sync("worker1", use, args=(y,))
        loss = z.sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return z.tolist()
