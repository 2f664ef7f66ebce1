"""Futures: callbacks, callbacks that call workers, callbacks that fail, several futures at once."""

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc

WORKERS = 3


def fail():
    raise KeyError("nothing here")


def scale(x, factor):
    return x * factor


def broken(future):
    raise ValueError("the callback fails")


def caught(function):
    try:
        function()
    except RuntimeError as error:
        text = str(error)
        return [w in text for w in ("nothing here", "the callback fails", "running the callback")]
    return None


def main(watch, look):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with dist_autograd.context() as context_id:
        futures = [rpc.rpc_async(f"worker{k}", scale, args=(x, float(k))) for k in (1, 2)]
        first, second = torch.futures.wait_all(futures)
        loss = (first * second).sum()
        watch(context_id, loss)
        dist_autograd.backward(context_id, [loss])
        look(context_id)
    plain = torch.tensor([3.0, 4.0])
    sent = rpc.rpc_async("worker1", scale, args=(plain, 2.0))
    chain = sent.then(lambda f: f.value() + 1).then(lambda f: rpc.rpc_sync("worker2", scale, args=(f.wait(), 10.0)))
    both = torch.futures.collect_all([sent, chain])
    found = [f.value().tolist() for f in both.wait()]
    late = sent.then(lambda f: f.done())
    states = [sent.done(), chain.done(), both.done(), late.done(), late.value()]
    failures = [
        caught(rpc.rpc_async("worker1", fail).wait),
        caught(rpc.rpc_async("worker1", fail).then(lambda f: f.wait()).wait),
        caught(rpc.rpc_async("worker1", fail).then(lambda f: "not asked").wait),
        caught(sent.then(broken).wait),
        caught(rpc.rpc_async("worker1", scale, args=(plain, 2.0)).then(broken).then(lambda f: f.value()).wait),
        caught(lambda: torch.futures.wait_all([sent, rpc.rpc_async("worker1", fail)])),
        caught(lambda: torch.futures.collect_all([rpc.rpc_async("worker2", fail), sent]).wait()),
    ]
    empty = [torch.futures.wait_all([]), torch.futures.collect_all([]).wait()]
    return [loss.item(), found, states, failures, empty]
