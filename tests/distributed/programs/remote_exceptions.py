"""ValueError and TypeError keep their types on the way back; others become RuntimeError."""

import torch
import torch.distributed.rpc as rpc

WORKERS = 2


def kind(error):
    for known in (ValueError, TypeError, RuntimeError):
        if isinstance(error, known):
            return known.__name__
    return None


def fail(name):
    raise {
        "ValueError": ValueError,
        "TypeError": TypeError,
        "KeyError": KeyError,
        "IndexError": IndexError,
        "RuntimeError": RuntimeError,
    }[name](name)


def main(watch, look):
    found = []
    for name in ("ValueError", "TypeError", "KeyError", "IndexError", "RuntimeError"):
        try:
            rpc.rpc_sync("worker1", fail, args=(name,))
        except Exception as error:
            found.append([kind(error), name in str(error)])
    try:
        rpc.rpc_sync("worker1", torch.mm, args=(torch.ones(2, 2), torch.ones(3, 3)))
    except Exception as error:
        found.append(kind(error))
    return found
