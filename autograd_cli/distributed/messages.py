"""What workers say to each other.

A message is a header, one of the structs below, and raw arrays that travel beside it. No code and no pickle crosses the wire: a
function is a name that the receiver looks up, a value is a tree of plain data (``values.py``).

``request`` numbers a request on its sender; the answer carries the same number. Context and message ids are PyTorch's 64-bit numbers
(16 bits worker, 48 bits counter).
"""

from __future__ import annotations

from typing import Any, Union

import msgspec


class Message(msgspec.Struct, array_like=True, tag_field="_message", tag=True, forbid_unknown_fields=True):
    """Base of all messages."""


class Call(Message, tag=1):
    """Run `function` and answer with Reply or Failure. ``context`` and ``message`` are there inside a distributed autograd context.

    ``line`` is the caller's, for what is recorded of the call. ``records`` lists the arrays that require grad: those that get a recv
    function at the receiver.
    """

    request: int
    function: str
    value: Any
    arrays: list[tuple[str, list[int]]]
    requires_grad: list[int]
    records: list[int]
    context: int | None
    message: int | None
    line: int | None


class Reply(Message, tag=2):
    """The result of a Call; its tensors are recorded as those of a Call."""

    request: int
    value: Any
    arrays: list[tuple[str, list[int]]]
    requires_grad: list[int]
    records: list[int]
    context: int | None
    message: int | None


class Failure(Message, tag=3):
    """A request failed. ``path`` lists the workers the error came through, the one where it was raised last."""

    request: int
    kind: str
    type: str
    text: str
    path: list[int]
    line: int | None
    hint: str | None


class Gradient(Message, tag=4):
    """Gradients for the send function of ``message`` (PyTorch's PropagateGradientsReq). ``present`` lists the defined ones.

    ``run`` is the pass they belong to: the number that its caller gave it, built like a message id.
    """

    request: int
    context: int
    message: int
    run: int
    retain_graph: bool
    arrays: list[tuple[str, list[int]]]
    present: list[int]
    smart: bool = False  # the mode of the pass


class Done(Message, tag=5):
    """A request was carried out and has no result."""

    request: int


class Cleanup(Message, tag=6):
    """The context was released (PyTorch's CleanupAutogradContextReq)."""

    context: int


class Probe(Message, tag=7):
    """Asks whether anything still moves: see Note [Nothing moves] in ``quiescence.py``.

    With ``context`` it also asks what the pass of that context waits for.
    """

    request: int
    context: int | None


class ProbeReply(Message, tag=8):
    """Counts of messages, probes apart; of the context that was asked for, what explains a stall. Numbers are those of messages."""

    request: int
    sent: int
    received: int
    waiting: list[tuple[int, int]]  # (message, peer) of each send function whose gradient has not come
    engaged: bool  # whether a gradient message brought this worker into the pass
    recvs: list[int]  # the recv functions
    leads: list[tuple[int, list[int]]]  # a send function, and the recv functions that a way leads to from it on this worker


class Barrier(Message, tag=9):
    """The sender has reached its barrier number ``count``; worker 0 answers with Done when all have."""

    request: int
    count: int


class Finished(Message, tag=10):
    """The sender's script has ended; ``ok`` unless it failed. When all have ended the workers may stop."""

    ok: bool


class Abort(Message, tag=11):
    """Pass ``run`` of the context has failed: give it up, undo what it accumulated, and answer with Done."""

    request: int
    context: int
    run: int


class Collect(Message, tag=12):
    """Asks for a Summary, before pass ``run`` of the context starts: see ``smart_mode.py``."""

    request: int
    context: int
    run: int


class Summary(Message, tag=13):
    """The ways through the sender's graph, from its send functions to its recv functions.

    ``inputs`` are those of recv functions: (message, number of the input, the worker that sent the message). ``sends`` has for each send
    function, by message, a list for each tensor that was sent: the positions among ``inputs`` of those that a way leads to.
    """

    request: int
    context: int
    run: int
    inputs: list[tuple[int, int, int]]
    sends: list[tuple[int, list[list[int]]]]


class Plan(Message, tag=14):
    """What is live on the receiver in pass ``run``: send functions by message, and which of their tensors."""

    context: int
    run: int
    live: list[tuple[int, list[int]]]


AnyMessage = Union[  # noqa: UP007
    Call, Reply, Failure, Gradient, Done, Cleanup, Probe, ProbeReply, Barrier, Finished, Abort, Collect, Summary, Plan
]
DISCOVERY = (Collect, Summary, Plan)
PROBES = (Probe, ProbeReply)

WORKER_BITS = 48


def make_id(worker: int, counter: int) -> int:
    """A context or message id: 16 bits worker, 48 bits counter, as in PyTorch."""
    return worker << WORKER_BITS | counter


def show_id(number: int) -> str:
    """``worker:counter``, the form of every document."""
    return f"{number >> WORKER_BITS}:{number & (1 << WORKER_BITS) - 1}"
