"""Any worker of the context may call backward(): here the function on worker 1 does."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 2


def train(x):
    y = rpc.rpc_sync("worker0", torch.mul, args=(x, x))
    dist_autograd.backward(dist_context(), [y.sum()])
    return 1


contexts = []


def dist_context():
    return contexts[-1]


def tell(context_id):
    contexts.append(context_id)


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([2.0, 3.0], requires_grad=True)
        rpc.rpc_sync("worker1", tell, args=(context_id,))
        done = rpc.rpc_sync("worker1", train, args=(x,))
        look(context_id)
    return done
