"""Worker 0 sends a tensor to each worker in turn, itself among them, ten times."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([0.5, 1.5], requires_grad=True)
        y = x
        for i in range(10):
            y = rpc.rpc_sync("worker" + str(i % 3), torch.mul if i % 2 else torch.add, args=(y, x))
        loss = y.sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return y.tolist()
