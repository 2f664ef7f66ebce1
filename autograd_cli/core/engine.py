"""The engine: runs a backward pass from its roots to the leaves.

Note [Two loops, one order]
    ``run_counted`` is PyTorch's engine: it counts dependencies, then runs what is ready. ``run_plain`` takes a short way when nobody can
    see the difference: a node's consumers were all recorded after it, so in a heap by sequence number every consumer comes out before
    the node does, and no counts are needed. Inner nodes therefore run in the same order. Leaves are filled at the end, in the order in
    which gradients reached them first; only hooks, custom backwards and listeners could see the moment, and those take the counted loop.
    When a node stops the plain loop by an error, the leaves that would have been complete are filled all the same.
"""

from __future__ import annotations

from heapq import heappop, heappush, heappushpop
from itertools import count
from sys import getrefcount
from typing import Any

import numpy as np

from .array import SCALARS
from .basic_ops import add, add_gradients, copy_gradient
from .device_queues import DeviceQueues
from .graph_task import ExecInfo, GraphTask, add_to_list
from .modes import modes
from .node import AccumulateGrad, Edge
from .op_support import fresh, validate_outputs
from .run_hooks import run_post_accumulate, run_post_hooks, run_pre_hooks
from .tensor import Tensor


def _count_when_alone() -> int:
    """What ``getrefcount`` says of an object that only a local variable holds: 2, and 1 from Python 3.14, which borrows."""
    held = object()
    return getrefcount(held)


ALONE = _count_when_alone()
next_graph_task = count().__next__


def run_backward(
    roots: list[Any], grads: list[Any], *, kind: str, keep_graph: bool, create_graph: bool, inputs: list[Any] | None = None
) -> list[Any]:
    """Run one pass.

    Parameters
    ----------
    roots : list of edges
    grads : list
        The gradient that enters at each root: arrays, or Tensors when `create_graph`.
    kind : {"backward", "grad"}
        With ``backward`` leaves accumulate; with ``grad`` the gradients of `inputs` are returned.
    inputs : list of edges, optional
        Restrict the pass to what leads to these.

    Returns
    -------
    list
        For ``grad``, the gradient of each input (None where the roots do not depend on it).
    """
    before, outer = modes.grad_enabled, modes.graph_task
    modes.grad_enabled = create_graph and not modes.inference
    number = next_graph_task()
    try:
        alone = len(roots) == 1 and inputs is None and not create_graph
        if alone and modes.instrument is None and not modes.order_matters and modes.host_only:
            modes.graph_task = (number, True, None)
            run_plain(roots[0], grads[0], keep_graph)
            return []
        task = GraphTask(keep_graph=keep_graph, create_graph=create_graph, accumulate=accumulate_into_grad)
        modes.graph_task = (number, inputs is None, task)
        return run_counted(task, roots, grads, kind, inputs)
    finally:
        modes.grad_enabled, modes.graph_task = before, outer


def run_counted(task: GraphTask, roots: list[Any], grads: list[Any], kind: str, inputs: list[Any] | None) -> list[Any]:
    """The counted loop. See Note [Two loops, one order]."""
    functions = [edge.function for edge in roots]
    task.compute_dependencies(functions)
    if inputs is not None:
        task.init_to_execute(inputs, accumulate=kind == "backward")
    listener = modes.instrument
    if listener is not None:
        counts = task.dependencies
        shown = counts if inputs is None else {n: c for n, c in counts.items() if task.runs(n)}
        listener.pass_start(kind, functions)
        listener.dependencies(shown, restricted=inputs is not None)
    error: BaseException | None = None
    try:
        start_roots(task, roots, grads)
        run_ready(task)
    except BaseException as stopped:
        error = stopped
        raise
    finally:
        if listener is not None:
            listener.pass_end(error)
    return task.captured


def start_roots(task: GraphTask, roots: list[Any], grads: list[Any]) -> None:
    """What PyTorch's GraphRoot does: hand each root its gradient; a root that nothing else feeds is ready."""
    waiting = task.dependencies
    for edge in roots:
        waiting[edge.function] += 1
    for edge, grad in zip(roots, grads, strict=True):
        node = edge.function
        task.add_to_buffer(node, edge.input_nr, grad)
        waiting[node] -= 1
        if waiting[node] == 0 and (task.exec_info is None or node in task.exec_info):
            task.ready.push(node)
            if modes.instrument is not None and modes.instrument.detailed:
                modes.instrument.ready(node, "root")


def run_ready(task: GraphTask) -> None:
    """Run what is ready until nothing is (PyTorch's thread_main): evaluate a node, pass its gradients on.

    What most nodes have (one gradient in, at most two edges out, nothing restricted, no hooks) is written out here; the rest is in
    ``_special`` and ``GraphTask.add_to_buffer``.
    """
    queues = task.ready if task.ready.__class__ is DeviceQueues else None
    heap, waiting, buffers, exec_info = task.ready.heap, task.dependencies, task.not_ready, task.exec_info
    keep_graph, create_graph, listener = task.keep_graph, task.create_graph, modes.instrument
    detailed = listener is not None and listener.detailed
    while heap or (queues is not None and queues.feed()):
        node: Any = heappop(heap)[1]
        grad = buffers.pop(node, None)
        try:
            if exec_info is not None or node.hooks is not None:
                grad, runs = _special(task, node, grad)
                if not runs:
                    continue
            if listener is not None and (detailed or create_graph):
                listener.evaluate_start(node)
            if node.__class__ is AccumulateGrad:
                if grad is not None or (node.hooks is not None and task.accumulate is accumulate_into_grad):
                    task.accumulate(node, grad)  # hooks of a leaf are called without a gradient too
                if listener is not None:
                    listener.evaluate_end(node, grad, (), False)
                continue
            if (grad is None or grad.__class__ is list) and _nothing_to_do(node, grad):
                outputs = _pass_over(node, keep_graph)
            elif exec_info is not None and (node.edge1 is not None or node.more_edges):
                outputs = _apply_needed(task, node, grad)
            elif create_graph:
                outputs = node.apply_tensor(grad)
                if not keep_graph:
                    node.release()
            else:
                outputs = node.apply(grad) if keep_graph else node.apply_release(grad)
            fits = node.fits
            if fits is not None:
                outputs = validate_outputs(fits, outputs)
            if node.hooks is not None and node.hooks.post:
                outputs = run_post_hooks(node, task.needed_only(node, outputs), grad)
        except BaseException as error:
            _blame(error, node)
            if listener is not None and task.runs(node):  # a hook may fail on a gradient that is only handed over
                listener.evaluate_end(node, grad, (), False)
            raise
        if listener is not None:
            listener.evaluate_end(node, grad, outputs, not keep_graph)
        grad = None
        for edge, g in zip((node.edge0, node.edge1) if node.more_edges is None else node.next_edges, outputs):  # noqa: B905
            if edge is None:
                continue
            target = edge.function if edge.__class__ is Edge else edge
            waiting[target] = left = waiting[target] - 1
            if exec_info is not None and target not in exec_info:
                continue
            if g is None or target.num_inputs > 1:
                task.add_to_buffer(target, edge.input_nr, g)
            else:
                old = buffers.get(target)
                buffers[target] = g if old is None else old + g if not create_graph else add_gradients(old, g)
            if left == 0:
                if queues is None:
                    heappush(heap, (-target.sequence_nr, target))
                else:
                    queues.push(target)
                if detailed:
                    listener.ready(target, "last_gradient")  # type: ignore[union-attr]


def _apply_needed(task: GraphTask, node: Any, grad: Any) -> Any:
    """Run a node in a restricted pass: edges to what does not run are hidden, so that no gradient is computed (or recorded) for them.

    PyTorch's nodes ask ``task_should_compute_output`` for each edge.
    """
    info = task.exec_info
    assert info is not None
    first, second, more = node.edge0, node.edge1, node.more_edges
    try:
        if first is not None and first.function not in info:
            node.edge0 = None
        if second is not None and second.function not in info:
            node.edge1 = None
        if more:
            node.more_edges = tuple(e if e is None or e.function in info else None for e in more)
        if not task.create_graph:
            return node.apply(grad) if task.keep_graph else node.apply_release(grad)
        outputs = node.apply_tensor(grad)
        if not task.keep_graph:
            node.release()
        return outputs
    finally:
        if first is not None:
            node.edge0 = first
        if second is not None:
            node.edge1 = second
        if more:
            node.more_edges = more


def _nothing_to_do(node: Any, grad: Any) -> bool:
    """Whether no gradient arrived (`grad` is None, or a list of None), so that the node is passed without running it."""
    return not node.takes_none and (grad is None or all(g is None for g in grad))


def _pass_over(node: Any, keep_graph: bool) -> tuple[None, ...]:
    """No gradient for any edge of `node`; what it saved is let go as if it had run."""
    node.check_saved()
    if not keep_graph:
        node.release()
    return (None,) * max(2, len(node.next_edges))


def _blame(error: BaseException, node: Any) -> None:
    """Note on `error`, when it is one of ours, the node that was being evaluated."""
    if getattr(error, "node", False) is None:
        error.node = node  # type: ignore[attr-defined]


def _special(task: GraphTask, node: Any, grad: Any) -> tuple[Any, bool]:
    """Hooks before the node runs, and captures: (the gradient after them, whether the node runs)."""
    info = None if task.exec_info is None else task.exec_info[node]
    runs = info is None or info.needed
    if info is not None and runs:  # as in PyTorch, which then calls the hooks later: see its evaluate_function
        _capture(task, info, node, grad)
    if node.hooks is not None:
        grad = run_pre_hooks(node, grad, captured_only=not runs)
    if info is not None and not runs:
        _capture(task, info, node, grad)
    return grad, runs


def _capture(task: GraphTask, info: ExecInfo, node: Any, grad: Any) -> None:
    """Hand over the gradients that ``grad`` was asked for."""
    for input_nr, position in info.captures:
        task.captured[position] = grad if node.num_inputs == 1 or grad is None else grad[input_nr]


def accumulate(node: Any, grad: Any, *, shared: bool) -> None:
    """Add `grad` to the leaf's ``.grad``; `shared` when others may hold the array."""
    leaf = node.variable
    if leaf._edge is None:
        return  # requires_grad was switched off after the forward
    old = leaf._grad
    if grad.__class__ is Tensor:  # create_graph: out of place, recorded
        leaf._grad = made = copy_gradient(fresh(grad._data), grad) if old is None else add(old, grad)
        if old is None:
            made._ensure_counter().bump()  # PyTorch copies in place
    elif old is None:
        leaf._grad = fresh(own(grad) if shared else grad)
    else:  # in place: whoever holds .grad sees it change, as in PyTorch
        add_in_place(old, grad)
    if modes.instrument is not None:
        modes.instrument.accumulate(node, "grad")


def accumulate_into_grad(node: Any, grad: Any) -> None:
    """What a counted pass does at a leaf, unless its GraphTask says otherwise."""
    if grad is not None:
        accumulate(node, grad, shared=True)
    if node.hooks is not None:
        run_post_accumulate(node)
        run_post_hooks(node, (), grad)


def add_in_place(target: Tensor, grad: Any) -> None:
    """target += grad on the data, version moved."""
    data = target._data
    if data.__class__ in SCALARS:
        target._set_data(data + grad)
    else:
        np.add(data, grad, out=data) if data.__class__ is np.ndarray else data.__iadd__(grad)
    target._ensure_counter().bump()


def own(grad: Any) -> Any:
    """`grad` as an array nobody else holds."""
    return grad if grad.__class__ in SCALARS else grad.copy()


def run_plain(root: Any, grad: Any, keep_graph: bool) -> None:
    """The short loop. See Note [Two loops, one order]."""
    node: Any = root.function
    if node.num_inputs > 1:
        entry = [None] * node.num_inputs
        entry[root.input_nr] = grad
        grad = entry
    buffers: dict[Any, Any] = {}
    owned: set[Any] = set()  # targets whose buffer this pass has allocated: safe to add to in place
    heap: list[tuple[int, Any]] = []
    leaves: list[Any] = []
    _plain_loop(node, grad, keep_graph, buffers, owned, heap, leaves)
    grad = None
    for leaf in leaves:
        g = buffers.pop(leaf)
        if g is not None:
            # own() unless this array is ours alone: held by `g`, and not a view of something else
            alone = g.__class__ in SCALARS or (getrefcount(g) == ALONE and g.base is None and g.flags.c_contiguous)
            accumulate(leaf, g, shared=not alone)


def _plain_loop(node: Any, grad: Any, keep_graph: bool, buffers: Any, owned: Any, heap: Any, leaves: Any) -> None:
    get, take = buffers.get, buffers.pop
    if node.__class__ is AccumulateGrad:
        buffers[node] = grad
        leaves.append(node)
        return
    while True:
        try:
            if (grad is None or grad.__class__ is list) and _nothing_to_do(node, grad):
                outputs = _pass_over(node, keep_graph)
            else:
                outputs = node.apply(grad) if keep_graph else node.apply_release(grad)
                fits = node.fits
                if fits is not None:
                    outputs = validate_outputs(fits, outputs)
        except BaseException as error:
            _blame(error, node)
            heap.append((-node.sequence_nr, node))  # what it leads to is unfinished too
            _fill_complete_leaves(heap, leaves, buffers)
            raise
        grad = None
        following = None
        edges = (node.edge0, node.edge1) if node.more_edges is None else node.next_edges
        for edge, g in zip(edges, outputs):  # noqa: B905  (apply pads its answer to two)
            if edge is None:
                continue
            if edge.__class__ is Edge or edge.num_inputs > 1:
                input_nr, edge = edge.input_nr, edge.function
                if not add_to_list(buffers, edge, input_nr, g):
                    continue
            elif edge in buffers:
                if g is not None:
                    old = get(edge)
                    if old is None:
                        buffers[edge] = g
                    elif edge in owned:
                        old += g
                    else:
                        buffers[edge] = old = old + g
                        if old.__class__ is np.ndarray:
                            owned.add(edge)
                continue
            else:
                buffers[edge] = g
            if edge.__class__ is AccumulateGrad:
                leaves.append(edge)
            elif following is None:
                following = (-edge.sequence_nr, edge)
            else:
                heappush(heap, (-edge.sequence_nr, edge))
        del outputs
        g = old = None
        if following is None:
            if not heap:
                return
            node = heappop(heap)[1]
        elif heap:
            node = heappushpop(heap, following)[1]
        else:
            node = following[1]
        grad = take(node)


def _fill_complete_leaves(heap: list[tuple[int, Any]], leaves: list[Any], buffers: dict[Any, Any]) -> None:
    """After an error: fill the leaves that no unfinished node leads to, as the counted loop would have done."""
    stack = [node for _, node in heap]
    unfinished = set(stack)
    while stack:
        for edge in stack.pop().next_edges:
            if edge is not None and edge.function not in unfinished:
                unfinished.add(edge.function)
                stack.append(edge.function)
    for leaf in leaves:
        if leaf not in unfinished and buffers.get(leaf) is not None:
            accumulate(leaf, buffers[leaf], shared=True)
