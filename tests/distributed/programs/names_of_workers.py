"""A worker is named by its name, its number or its WorkerInfo."""

import torch.distributed.rpc as rpc

WORKERS = 3


def who():
    return rpc.get_worker_info().name


def main(watch, look):
    info = rpc.get_worker_info("worker2")
    return [rpc.rpc_sync(to, who) for to in ("worker1", 1, info, "worker0", 0)] + [info.id, info.name]
