"""What a message between two processes of one machine costs, without an engine: ``python -m benchmarks.transport_local``.

One process sends a Call with a float32 array to another, which answers with a Reply and the same array; both decode and
validate, and see the bytes as an array. Bandwidth counts both directions. Absolute figures depend on the machine, and a round
trip on whether both processes share a core.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from autograd_cli.distributed.messages import AnyMessage, Call, Reply
from autograd_cli.transport.frame import Framer
from autograd_cli.transport.local import LocalLink
from autograd_cli.transport.sockets import make_pairs

NAMES = ["worker0", "worker1"]
MIB = 1 << 20


def serve(link: LocalLink) -> None:
    """Answer every Call with what it carried, until the other end is gone."""
    while True:
        for event in link.poll():
            if event[0] == "lost":
                return
            _, source, call, buffers = event
            arrays = [np.frombuffer(b, np.float32) for b in buffers]
            link.post(source, Reply(call.request, ["tensor", 0], call.arrays, [0], [], None, None), arrays)


def connect() -> LocalLink:
    """A link to a new process that serves."""
    ((near, far),) = make_pairs(1)
    if os.fork() == 0:
        near.close()
        serve(LocalLink(1, NAMES, {0: far}, Framer(AnyMessage)))
        os._exit(0)
    far.close()
    return LocalLink(0, NAMES, {1: near}, Framer(AnyMessage))


def post_call(link: LocalLink, number: int, value: object, array: np.ndarray) -> None:
    """Send a Call with `array`."""
    link.post(1, Call(number, "torch.add", value, [("float32", list(array.shape))], [0], [], None, None, None), [array])


def call(link: LocalLink, number: int, array: np.ndarray) -> None:
    """One round trip."""
    post_call(link, number, ["list", ["tuple", ["tensor", 0]], ["dict"]], array)
    events: list = []
    while not events:
        events = link.poll()
    assert len(events[0][3][0]) == array.nbytes


def seconds(step: Callable[[int], None], count: int, warm: int) -> list[float]:
    """How long `step` takes, `count` times, after `warm` that do not count."""
    times = []
    for i in range(warm + count):
        start = time.perf_counter()
        step(i)
        times.append(time.perf_counter() - start)
    return times[warm:]


def main() -> None:
    """Print the table."""
    link = connect()
    print(f"{'what':34}{'median':>12}{'best':>12}")
    for shape in ((), (3, 3), (64, 64)):
        array = np.ones(shape, np.float32)
        times = seconds(lambda i, a=array: call(link, i, a), 5000, 500)  # type: ignore[misc]
        print(f"call, float32 {list(shape)!s:20}{statistics.median(times) * 1e6:9.1f} µs{min(times) * 1e6:9.1f} µs")
    for size in (1, 16, 64):
        array = np.ones(size * MIB // 4, np.float32)
        times = seconds(lambda i, a=array: call(link, i, a), 15, 3)  # type: ignore[misc]
        rates = [2 * array.nbytes / t / 1e9 for t in times]
        print(f"echo, {size:3} MiB{'':22}{statistics.median(rates):9.2f} GB/s{max(rates):7.2f} GB/s")
    array = np.ones(64 * MIB // 4, np.float32)
    times = seconds(lambda i: mutual(link, i, array), 10, 2)
    rates = [4 * array.nbytes / t / 1e9 for t in times]
    print(f"2 calls of 64 MiB at the same time{statistics.median(rates):9.2f} GB/s{max(rates):7.2f} GB/s")
    link.close()
    os.wait()


def mutual(link: LocalLink, number: int, array: np.ndarray) -> None:
    """Two calls at once: the answer to the first meets the second on the way."""
    for _ in range(2):
        post_call(link, number, None, array)
    came = 0
    while came < 2:
        came += len(link.poll())


if __name__ == "__main__":
    sys.exit(main())
