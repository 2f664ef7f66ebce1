"""The function on worker 1 uses its arguments and the nested result several times."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def product(a, b):
    return torch.matmul(a, b)


def body(t1, t2):
    t3 = t1 * t2
    t4 = rpc.rpc_sync("worker2", torch.add, args=(t1, t2))
    t5 = rpc.rpc_sync("worker2", product, args=(t4, t3))
    return t3 * t4 * t5 + t3


def main(watch, look):
    torch.manual_seed(0)
    with dist_autograd.context() as context_id:
        t1 = torch.rand((3, 3), requires_grad=True)
        t2 = torch.rand((3, 3), requires_grad=True)
        y = rpc.rpc_sync("worker1", body, args=(t1, t2))
        loss = y.sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return y.tolist()
