"""Changes in place on either side do not reach the other."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def change(x, plain):
    plain.add_(100)
    return x * plain


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        plain = torch.tensor([1.0, 1.0])
        y = rpc.rpc_sync("worker1", change, args=(x, plain))
        loss = y.sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [plain.tolist(), y.tolist()]
