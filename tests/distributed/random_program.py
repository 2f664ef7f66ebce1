"""Random programs over workers: tensors are made, combined and sent about, and worker 0 reduces some of its own to the loss.

A program is plain data, so it can be run over workers, run in one process, and looked at to see which messages are *live*: those
that a way leads to from the loss. Worker 0 drives: it tells a worker by a call without tensors what to do next.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from autograd_cli.torch_api.modules import modules

from .simulate import Choice, Simulation

torch: Any = modules()["torch"]

OPERATIONS = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b * 0.7,
    "sub": lambda a, b: a - 0.3 * b,
    "tanh": lambda a, b: torch.tanh(a) + b.sum(),
    "cat": lambda a, b: torch.cat([b, a])[1:3],
    "twice": lambda a, b: a * a,
}


@dataclass(frozen=True)
class Make:
    """A leaf on a worker."""

    worker: int
    values: tuple[float, float]
    requires_grad: bool


@dataclass(frozen=True)
class Combine:
    """An operation on two tensors of a worker, by their numbers there."""

    worker: int
    name: str
    first: int
    second: int


@dataclass(frozen=True)
class Send:
    """A message with tensors of a worker, which are appended to those of another."""

    worker: int
    to: int
    tensors: tuple[int, ...]


Step = Make | Combine | Send


@dataclass
class RandomProgram:
    """Steps, and the numbers of the tensors of worker 0 whose sum is the loss."""

    workers: int
    steps: list[Step] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)


def random_program(seed: int, *, all_live: bool) -> RandomProgram:
    """A program; with `all_live` every tensor takes part in the loss, and so every message."""
    rng = random.Random(seed)
    program = RandomProgram(rng.randint(1, 4))
    counts = [0] * program.workers

    def add(step: Step) -> None:
        program.steps.append(step)
        if isinstance(step, Send):
            counts[step.to] += len(step.tensors)
        else:
            counts[step.worker] += 1

    for worker in range(program.workers):
        for _ in range(rng.randint(1, 2)):
            add(Make(worker, (rng.uniform(-1, 1), rng.uniform(-1, 1)), worker == 0 or rng.random() < 0.7))
    for _ in range(rng.randint(1, 14)):
        worker = rng.randrange(program.workers)

        def pick(worker: int = worker) -> int:
            return rng.randrange(max(0, counts[worker] - 3), counts[worker])

        if rng.random() < 0.5:
            add(Combine(worker, rng.choice(sorted(OPERATIONS)), pick(), pick()))
        else:
            add(Send(worker, rng.randrange(program.workers), tuple(pick() for _ in range(rng.randint(1, 3)))))
    if all_live:
        for worker in range(1, program.workers):
            add(Send(worker, 0, tuple(range(counts[worker]))))
        program.roots = list(range(counts[0]))
    else:
        program.roots = sorted(rng.sample(range(counts[0]), rng.randint(1, min(2, counts[0]))))
    return program


def dead_messages(program: RandomProgram) -> set[int]:
    """The sends, by step, that carry a tensor which requires grad and that no way leads to from the loss."""
    live, recorded = live_messages(program)
    return recorded - live


def must_stall(program: RandomProgram) -> bool:
    """Whether FAST waits for ever: a message of worker 0, or of a worker that a live message left, is dead.

    Nobody waits for a worker that no gradient reaches.
    """
    engaged = {0, *(program.steps[number].worker for number in live_messages(program)[0])}
    return any(program.steps[number].worker in engaged for number in dead_messages(program))


class Sent(NamedTuple):
    """What a received tensor was made from: a message, and the one tensor in it."""

    step: int
    tensor: Any


def live_messages(program: RandomProgram, *, whole: bool = True) -> tuple[set[int], set[int]]:
    """The sends, by step, that a way leads to from the loss; and all that carry a tensor which requires grad.

    With `whole`, one way to a message makes all of its tensors live: FAST sends zeros for the others.
    """
    stores: list[list[tuple[bool, list[Any]]]] = [[] for _ in range(program.workers)]  # (requires grad, what it was made from)
    sources: dict[int, list[Any]] = {}
    for number, step in enumerate(program.steps):
        store = stores[step.worker]
        if isinstance(step, Make):
            store.append((step.requires_grad, []))
        elif isinstance(step, Combine):
            used = [store[step.first], *([] if step.name == "twice" else [store[step.second]])]
            store.append((any(u[0] for u in used), used))
        else:
            sent = [store[i] for i in step.tensors]
            if any(s[0] for s in sent):
                sources[number] = [s for s in sent if s[0]]
            stores[step.to].extend((s[0], [number] if whole else [Sent(number, s)]) for s in sent)
    live: set[int] = set()
    todo: list[Any] = [stores[0][i] for i in program.roots]
    seen: set[int] = set()
    while todo:
        requires, made_from = todo.pop()
        if not requires or id(made_from) in seen:
            continue
        seen.add(id(made_from))
        for source in made_from:
            if isinstance(source, int):
                live.add(source)
                todo.extend(sources[source])
            elif isinstance(source, Sent):
                live.add(source.step)
                todo.append(source.tensor)
            else:
                todo.append(source)
    return live, set(sources)


def carry_out(step: Step, store: list[Any]) -> Any:
    """Do a step on its worker; the tensors that a Send sends."""
    if isinstance(step, Make):
        store.append(torch.tensor(step.values, dtype=torch.float64, requires_grad=step.requires_grad))
    elif isinstance(step, Combine):
        store.append(OPERATIONS[step.name](store[step.first], store[step.second]))
    else:
        return [store[i] for i in step.tensors]
    return None


def loss_of(program: RandomProgram, store: list[Any]) -> Any:
    """The loss, from worker 0's tensors."""
    total = store[program.roots[0]]
    for root in program.roots[1:]:
        total = total + store[root]
    return total.sum()


def leaves_of(program: RandomProgram, stores: list[list[Any]]) -> list[tuple[int, Any]]:
    """(worker, leaf) of each Make, in that order."""
    found, counts = [], [0] * program.workers
    for step in program.steps:
        if isinstance(step, Make):
            found.append((step.worker, stores[step.worker][counts[step.worker]]))
        target = step.to if isinstance(step, Send) else step.worker
        counts[target] += len(step.tensors) if isinstance(step, Send) else 1
    return found


def forward_in_one_process(program: RandomProgram) -> list[list[Any]]:
    """The tensors of each worker when all workers are one process."""
    stores: list[list[Any]] = [[] for _ in range(program.workers)]
    for step in program.steps:
        sent = carry_out(step, stores[step.worker])
        if isinstance(step, Send):
            stores[step.to].extend(sent)
    return stores


def loss_requires_grad(program: RandomProgram) -> bool:
    """Whether there is anything to differentiate."""
    return bool(loss_of(program, forward_in_one_process(program)[0]).requires_grad)


def further_losses(program: RandomProgram, store: list[Any], passes: int) -> list[Any]:
    """Losses for passes after the first: other tensors of worker 0, those that require grad."""
    found = [store[(program.roots[0] + k) % len(store)].sum() for k in range(1, passes)]
    return [loss for loss in found if loss.requires_grad]


def in_one_process(program: RandomProgram, passes: int = 1) -> list[Any]:
    """The gradient of each leaf, or None, when all workers are one process."""
    stores = forward_in_one_process(program)
    loss = loss_of(program, stores[0])
    for one in [loss, *further_losses(program, stores[0], passes)] if loss.requires_grad else ():
        one.backward(retain_graph=True)
    return [None if leaf.grad is None else leaf.grad.tolist() for _, leaf in leaves_of(program, stores)]


def over_workers(
    program: RandomProgram,
    choose: Choice | None = None,
    steps: dict[str, int] | None = None,
    mode: str = "fast",
    kinds: Counter[str] | None = None,
    passes: int = 1,
) -> list[Any] | None:
    """The gradient of each leaf in the context, or None, after a pass; None where the loss requires no grad.

    `steps` is filled with the step of each message that is a Send, `kinds` with how many messages of each kind there were.
    """
    stores: list[list[Any]] = [[] for _ in range(program.workers)]
    rpcs: list[Any] = []

    def put(to: int, tensors: list[Any]) -> None:
        stores[to].extend(tensors)

    def do(worker: int, number: int) -> None:
        step = program.steps[number]
        sent = carry_out(step, stores[worker])
        if isinstance(step, Send):
            if steps is not None:
                steps[f"{worker}:{sim.workers[worker].contexts._next_message}"] = number
            rpcs[worker].rpc_sync(step.to, put, (step.to, sent))

    sim = Simulation(program.workers, {"put": put, "do": do}, choose=choose, mode=mode)
    rpcs.extend(sim.rpc)

    def script() -> list[Any] | None:
        with sim.autograd[0].context() as context_id:
            for number, step in enumerate(program.steps):
                rpcs[0].rpc_sync(step.worker, do, (step.worker, number))
            loss = loss_of(program, stores[0])
            if not loss.requires_grad:
                return None
            for one in [loss, *further_losses(program, stores[0], passes)]:
                sim.autograd[0].backward(context_id, [one], retain_graph=passes > 1)
            found = [sim.workers[w].contexts.contexts.get(context_id) for w in range(program.workers)]
            by_worker = [{} if c is None else c.get_gradients() for c in found]
            leaves = leaves_of(program, stores)
            return [by_worker[w][leaf].tolist() if leaf in by_worker[w] else None for w, leaf in leaves]

    result: list[Any] | None = sim.run(script)
    assert all(not w.contexts.contexts and not w.tasks.waiting and not w.engine.smart.plans for w in sim.workers)
    if kinds is not None:
        kinds.update(sim.kinds)
    return result
