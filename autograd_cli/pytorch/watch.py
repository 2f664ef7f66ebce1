"""Look over PyTorch's shoulder while it records graphs and runs passes.

PyTorch shows its nodes as Python objects: their names, edges, saved tensors, and a hook that runs before a node is evaluated. From
these a pass is written down: the order is what the hooks saw, the dependency counts are those of the edges, as PyTorch's
``compute_dependencies`` counts them.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks

from ..trace.policy import KeepPolicy
from .nodes import Node, NodeRow, as_list, is_wrapped, looking, needed, node_or_none, nodes_of, reachable

MOST_NODES = 50_000  # that are held, before those of passes that are not kept are let go


@dataclass
class PassRow:
    """What is known of one pass; nodes by number."""

    kind: str
    line: int | None
    roots: list[int]
    restricted: bool
    dependencies: dict[int, int]
    order: list[int] = field(default_factory=list)
    failed: bool = False
    elided: bool = False
    evaluated: int = 0
    duration: float = 0.0


class Watch:
    """The passes and the nodes of one run.

    Parameters
    ----------
    file : str
        The file name that marks the script's own frames.
    policy : KeepPolicy
        Which passes are kept in full.

    Attributes
    ----------
    fallback : int, optional
        The line of a pass that no frame of the script asked for: that of the ``backward:`` key.
    """

    def __init__(self, file: str, policy: KeepPolicy) -> None:
        self.file = file
        self.policy = policy
        self.fallback: int | None = None
        self.ids: dict[Node, int] = {}  # holding the nodes keeps PyTorch from using an address twice
        self.rows: dict[int, NodeRow] = {}
        self.passes: list[PassRow] = []
        self._numbered = 0
        self._gradients: list[weakref.ref[torch.Tensor]] = []
        self._in_hook: Node | None = None  # the node whose tensor hook was called last and that has not been evaluated since

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """See every backward() and grad() until the block ends. ``Tensor.backward`` looks up the patched function itself."""
        backward, grad, register_hook = torch.autograd.backward, torch.autograd.grad, torch.Tensor.register_hook
        enter = saved_tensors_hooks.__init__

        @functools.wraps(backward)
        def watched_backward(tensors: Any, grad_tensors: Any = None, *args: Any, inputs: Any = None, **more: Any) -> None:
            if any(map(is_wrapped, as_list(tensors))):
                backward(tensors, grad_tensors, *args, inputs=inputs, **more)
                return
            watched = self._watched("backward", as_list(tensors), as_list(inputs))
            watched(lambda: backward(tensors, grad_tensors, *args, inputs=inputs, **more))

        @functools.wraps(grad)
        def watched_grad(outputs: Any, inputs: Any, *args: Any, **more: Any) -> Any:
            if any(map(is_wrapped, as_list(outputs))):
                return grad(outputs, inputs, *args, **more)
            gradients = self._watched("grad", as_list(outputs), as_list(inputs))(lambda: grad(outputs, inputs, *args, **more))
            self._gradients += [weakref.ref(gradient) for gradient in gradients if gradient is not None]
            return gradients

        @functools.wraps(register_hook)
        def watched_register_hook(tensor: torch.Tensor, hook: Callable[[torch.Tensor], Any]) -> Any:
            # Asking gives a view whose base was changed its history: PyTorch crashes where register_hook has to make it.
            node = node_or_none(tensor)

            @functools.wraps(hook)
            def watched_hook(gradient: torch.Tensor) -> Any:
                self._in_hook = node
                return hook(gradient)

            return register_hook(tensor, watched_hook)

        @functools.wraps(enter)
        def watched_hooks(hooks: saved_tensors_hooks, pack_hook: Any, unpack_hook: Any) -> None:
            def watched_unpack(packed: Any) -> Any:
                if looking.now:  # what the script would see of this is not to happen
                    raise RuntimeError("not for us")
                return unpack_hook(packed)

            enter(hooks, pack_hook, watched_unpack)

        saved_tensors_hooks.__init__ = watched_hooks
        torch.autograd.backward, torch.autograd.grad = watched_backward, watched_grad
        torch.Tensor.register_hook = watched_register_hook
        try:
            yield
        finally:
            saved_tensors_hooks.__init__ = enter
            torch.autograd.backward, torch.autograd.grad = backward, grad
            torch.Tensor.register_hook = register_hook

    def is_gradient(self, tensor: torch.Tensor) -> bool:
        """Whether grad() returned this tensor. Its version only tells whether the engine or a formula wrote in place."""
        return any(tensor is gradient() for gradient in self._gradients)

    def node_id(self, node: Node) -> int:
        """The number of a node; it and all that it reaches are written down the first time."""
        if node not in self.ids:
            new = list(reachable([node], known=self.ids))
            for one in new:
                self.ids[one] = self._numbered
                self._numbered += 1
            for one in new:
                row = self.rows[self.ids[one]] = NodeRow.of(one)
                row.next = [None if target is None else (self.ids[target], input_nr) for target, input_nr in one.next_functions]
        return self.ids[node]

    def line(self) -> int | None:
        """The line of the innermost frame of the script that is running."""
        frame: Any = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename == self.file:
                return int(frame.f_lineno)
            frame = frame.f_back
        return self.fallback

    def _watched(self, kind: str, roots: list[Any], inputs: list[Any]) -> Callable[[Callable[[], Any]], Any]:
        """Prepare the record of one pass; call the result with the function that runs it."""
        root_nodes = nodes_of(roots)
        captured = nodes_of(inputs)
        root_ids = [self.node_id(node) for node in root_nodes]
        nodes = list(reachable(root_nodes))
        counts = Counter(function for node in nodes for function, _ in node.next_functions if function is not None)
        if inputs:
            nodes = needed(nodes, captured, accumulate=kind == "backward")
        dependencies = {self.node_id(node): counts[node] for node in nodes}
        row = PassRow(kind, self.line(), root_ids, bool(inputs), dependencies)
        order = row.order

        def evaluating(number: int) -> None:
            self._in_hook = None
            order.append(number)

        def run(the_pass: Callable[[], Any]) -> Any:
            self.passes.append(row)
            self._in_hook = None
            note = [node.register_prehook(lambda _, number=self.ids[node]: evaluating(number)) for node in nodes]
            started = time.perf_counter()
            try:
                return the_pass()
            except BaseException:
                row.failed = True
                if self._in_hook in nodes:  # a tensor's hooks run before those of its node, so nobody has seen it
                    order.append(self.ids[self._in_hook])
                raise
            finally:
                row.duration = time.perf_counter() - started
                row.evaluated = len(order)
                for handle in note:
                    handle.remove()
                if row.failed and not order:  # it was refused before its first node ran, and PyTorch leaves no trace of it
                    self.passes = [one for one in self.passes if one is not row]
                self._let_go()

        return run

    def _let_go(self) -> None:
        """Drop what the newest pass makes superfluous, so that a long loop takes constant memory."""
        total = len(self.passes)
        dropped = [row for i, row in enumerate(self.passes) if not row.elided and not self.policy.keeps(i, total)]
        if not dropped:
            return
        for row in dropped:
            row.elided, row.order, row.dependencies = True, [], {}
        if len(self.ids) > MOST_NODES:
            self._forget_nodes()

    def _forget_nodes(self) -> None:
        """Let go of the nodes that no kept pass reaches. One that the script still holds is written down anew when it is met again."""
        kept: set[int] = set()
        stack = [root for row in self.passes if not row.elided for root in row.roots]
        while stack:
            number = stack.pop()
            if number not in kept:
                kept.add(number)
                stack += [edge[0] for edge in self.rows[number].next if edge is not None]
        self.rows = {number: row for number, row in self.rows.items() if number in kept}
        self.ids = {node: number for node, number in self.ids.items() if number in kept}
