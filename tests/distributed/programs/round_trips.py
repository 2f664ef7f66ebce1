"""Add, mul, stack, bmm and matmul over rotating workers, some inputs without grad."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def main(watch, look):
    torch.manual_seed(0)
    with dist_autograd.context() as context_id:
        t1 = torch.rand((3, 3), requires_grad=True)
        t2 = torch.rand((3, 3))
        t3 = torch.rand((3, 3), requires_grad=True)
        t4 = torch.rand((3, 3))
        t5 = torch.rand((3, 3), requires_grad=True)
        r1 = rpc.rpc_sync("worker1", torch.add, args=(t1, t2))
        r2 = rpc.rpc_sync("worker2", torch.mul, args=(t3, t4))
        r3 = rpc.rpc_sync("worker0", torch.stack, args=([r1, r2],))
        r4 = rpc.rpc_sync("worker1", torch.stack, args=([r2, t5],))
        r5 = rpc.rpc_sync("worker2", torch.bmm, args=(r3, r4))
        r6 = rpc.rpc_sync("worker0", torch.matmul, args=(r5[0], t5))
        loss = r6.sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return loss.item()
