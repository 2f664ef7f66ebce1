"""What backward() refuses, and the type of each refusal."""

import torch
import torch.distributed.autograd as dist_autograd

WORKERS = 2


def kind(error):
    for known in (ValueError, TypeError, RuntimeError):
        if isinstance(error, known):
            return known.__name__
    return None


def refusal(context_id, roots):
    try:
        dist_autograd.backward(context_id, roots)
    except Exception as error:
        return kind(error)
    return None


def main(watch, look):
    with dist_autograd.context() as context_id:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        s = torch.tensor(1.0, requires_grad=True)
        found = [
            refusal(context_id, [x * 2]),
            refusal(context_id, [torch.tensor(1.0)]),
            refusal(context_id, [s]),
            refusal(context_id, []),
            refusal(context_id, [None]),
            refusal(100, [x.sum()]),
            refusal(context_id, x.sum()),
        ]
        look(context_id)
    return found
