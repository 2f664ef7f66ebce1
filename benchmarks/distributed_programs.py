"""The program that torch and agrad both run for ``benchmarks.distributed``; it measures itself and prints seconds by name."""

PROGRAM = """
import time
import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc


def same(x):
    return x


def hop(x, left):
    y = x * 2
    if left == 0:
        return y
    return rpc.rpc_sync("worker" + str((rpc.get_worker_info().id + 1) % 3), hop, args=(y, left - 1))


def middle(values):
    return sorted(values)[len(values) // 2]


def timed(run, count, warm):
    found = []
    for i in range(count + warm):
        start = time.perf_counter()
        run()
        if i >= warm:
            found.append(time.perf_counter() - start)
    return middle(found)


def backward_times(forward, count, warm):
    found = []
    for i in range(count + warm):
        with dist_autograd.context() as context:
            loss = forward()
            start = time.perf_counter()
            dist_autograd.backward(context, [loss])
            if i >= warm:
                found.append(time.perf_counter() - start)
    return middle(found)


def driver_ring(x):
    for i in range(50):
        x = rpc.rpc_sync("worker" + str(i % 3), torch.add, args=(x, 1.0))
    return x.sum()


def measure():
    time.sleep(0.3)  # the memory of idle workers is read now
    a, b = torch.rand(3, 3), torch.rand(3, 3)
    x = torch.rand((3, 3), requires_grad=True)
    y = torch.rand((3, 3), requires_grad=True)
    big, bigger = torch.rand(4 * 1024 * 1024), torch.rand(16 * 1024 * 1024)
    print("call", timed(lambda: rpc.rpc_sync("worker1", torch.add, args=(a, b)), 400, 100))
    print("nested", timed(lambda: rpc.rpc_sync("worker1", hop, args=(a, 2)), 200, 50))
    print("backward", backward_times(lambda: rpc.rpc_sync("worker1", torch.add, args=(x, y)).sum(), 200, 50))
    print("backward ring", backward_times(lambda: rpc.rpc_sync("worker1", hop, args=(x, 2)).sum(), 100, 20))
    print("driver ring backward", backward_times(lambda: driver_ring(x), 20, 3))
    print("16 MiB", timed(lambda: rpc.rpc_sync("worker1", same, args=(big,)), 10, 2))
    print("64 MiB", timed(lambda: rpc.rpc_sync("worker1", same, args=(bigger,)), 5, 1))
"""
TORCH_MAIN = """
def main(rank):
    import os
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", "@PORT@"
    torch.set_num_threads(1)
    rpc.init_rpc("worker" + str(rank), rank=rank, world_size=@WORKERS@)
    if rank == 0:
        print("ready", time.time(), flush=True)
        print("pids", *(rpc.rpc_sync("worker" + str(i), os.getpid) for i in range(@WORKERS@)), flush=True)
        @THEN@
    rpc.shutdown()


if __name__ == "__main__":
    import warnings
    warnings.simplefilter("ignore")
    import torch.multiprocessing as mp
    mp.spawn(main, nprocs=@WORKERS@)
"""
