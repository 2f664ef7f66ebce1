"""Lists, tuples and dicts of tensors, numbers and text; only tensors that require grad have edges."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def gather(values, more, flag=None):
    total = sum(values)
    return {"total": total, "pair": (more["x"] * 2, flag), "count": len(values)}


def main(watch, look):
    with dist_autograd.context() as context_id:
        values = [torch.tensor([float(i)], requires_grad=i % 2 == 0) for i in range(5)]
        more = {"x": torch.tensor([7.0], requires_grad=True), "name": "text", "n": None}
        answer = rpc.rpc_sync("worker1", gather, args=(values, more), kwargs={"flag": True})
        loss = (answer["total"] * answer["pair"][0]).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    return [answer["count"], answer["pair"][1], answer["total"].tolist()]
