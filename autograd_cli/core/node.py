"""Nodes and edges of the recorded graph.

Note [An edge is a node, nearly always]
    PyTorch's Edge is a pair (function, input_nr). Nearly every node has one input, so here an edge to input 0 *is* the node
    (``node.function is node``, ``node.input_nr == 0``), and only an edge to another input is an ``Edge`` object. That saves an
    allocation for each edge; whoever reads edges asks ``edge.function`` and ``edge.input_nr`` and need not know.

Note [Edges in slots]
    A node keeps its first two edges in ``edge0`` and ``edge1`` and any others in the tuple ``more_edges``; classes with fewer
    inputs have None there once, on the class. ``next_edges`` puts them together in PyTorch's order.
"""

from __future__ import annotations

import weakref
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import BadArgumentType
from .hooks import RemovableHandle, hooks_of, register
from .modes import modes

if TYPE_CHECKING:
    from .hooks import NodeHooks
    from .tensor import Tensor

ACCUMULATE_GRAD_NR = 2**64 - 1  # PyTorch's UINT64_MAX: see Note [AccumulateGrad runs first] in ready_queue.py
next_sequence_nr = count(1).__next__  # 0 is that of recv functions: see Note [Recv functions run last]
next_leaf_nr = count().__next__
FIRST_ADDRESS, FIRST_LEAF_ADDRESS = 0x7F0000000010, 0x7E0000000010  # what the repr of nodes starts from


class Edge:
    """An edge to an input other than the first. See Note [An edge is a node, nearly always]."""

    __slots__ = ("function", "input_nr")

    def __init__(self, function: Node, input_nr: int) -> None:
        self.function = function
        self.input_nr = input_nr


class Node:
    """A function of the backward graph. Operations make subclasses of it: see ``op.py``.

    Attributes
    ----------
    sequence_nr : int
        The order of recording; the ready queue runs the highest first.
    hooks : NodeHooks or None
    """

    __slots__ = ("__weakref__", "hooks", "sequence_nr")
    sequence_nr: int
    hooks: NodeHooks | None

    input_nr: ClassVar[int] = 0
    num_inputs: int = 1  # how many outputs the forward had: gradients this node takes
    takes_none: ClassVar[bool] = False  # whether it runs even when none of its gradients is defined
    all_or_none: ClassVar[bool] = False  # whether it computes the gradients of all its edges where one is needed
    edge0: Any = None
    edge1: Any = None
    more_edges: Any = None
    fits: Any = None  # shapes and dtypes for validate_outputs; None when every gradient fits as it comes
    saved_names: ClassVar[tuple[str, ...]] = ()
    saved_for: ClassVar[dict[str, int]] = {}  # the edge without which a tensor is not saved
    own_outputs: ClassVar[dict[str, int]] = {}  # which of these are results of the node itself, and their numbers
    input_names: ClassVar[tuple[str, ...]] = ()

    def __lt__(self, other: object) -> bool:
        return False  # See Note [Ties in the ready queue]

    @property
    def function(self) -> Node:
        """The node an edge to this node's first input leads to: itself."""
        return self

    @property
    def next_edges(self) -> tuple[Any, ...]:
        """The edges in PyTorch's order; None where an input needs no gradient."""
        first = (self.edge0, self.edge1)[: len(self.input_names)]
        return first if self.more_edges is None else (*first, *self.more_edges)

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """PyTorch's view of the edges: pairs (node or None, input_nr)."""
        return tuple((None, 0) if edge is None else (edge.function, edge.input_nr) for edge in self.next_edges)

    def name(self) -> str:
        """PyTorch's long name, for example ``MulBackward0``."""
        own = type(self).__name__
        return f"torch::autograd::{own}" if own == "CopyBackwards" else own  # the one operation that PyTorch writes by hand

    def apply(self, grad: Any) -> Any:
        """Gradients for the edges from `grad`, as arrays; the saved tensors stay."""
        raise NotImplementedError

    def apply_release(self, grad: Any) -> Any:
        """As ``apply``, and the saved tensors are let go."""
        raise NotImplementedError

    def apply_tensor(self, grad: Any) -> Any:
        """As ``apply`` on Tensors, recording: a pass with ``create_graph``."""
        raise NotImplementedError

    def check_saved(self) -> None:
        """Raise where what was saved is freed or changed, as running the node would."""

    def __call__(self, *grads: Any) -> Any:
        """The gradients of the inputs from those of the outputs, as tensors, recorded where that is switched on; nothing is let go."""
        if len(grads) != self.num_inputs:
            raise BadArgumentType(f"{self.name()} takes {self.num_inputs} gradients, one for each output, and got {len(grads)}")
        found = self.apply_tensor(grads[0] if self.num_inputs == 1 else list(grads))[: len(self.next_edges)]
        return found[0] if len(found) == 1 else tuple(found)

    def release(self) -> None:
        """Let the saved tensors go."""

    def saved(self) -> list[tuple[str, Any, int]]:
        """The saved tensors: (name, Tensor or None once freed or when not needed, version at the time of saving)."""
        return []

    def held(self) -> list[tuple[str, Tensor | None, int]]:
        """The saved tensors that this node keeps alive: as ``saved``; no tensor where a pack hook took it and keeps what it likes."""
        return [entry for entry in self.saved() if entry[1] is not None]

    def describe(self) -> Any:
        """What a Recorder keeps of the saved tensors: name, shape, dtype, version, four items each in one flat tuple (memory counts)."""
        found = ((name, tensor._data, version) for name, tensor, version in self.saved() if tensor is not None)
        return tuple(item for name, data, version in found for item in (name, data.shape, data.dtype, version))

    def register_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node has run; what it returns replaces the first."""
        modes.order_matters = True
        return register(hooks_of(self).post, hook)

    def register_prehook(self, hook: Any) -> RemovableHandle:
        """Call `hook(grad_outputs)` before this node runs; what it returns replaces them."""
        modes.order_matters = True
        return register(hooks_of(self).pre, hook)

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary of the node's own, for whoever wants to note something on it; anomaly mode does."""
        from .anomaly_check import metadata_of

        return metadata_of(self)

    def _sequence_nr(self) -> int:
        return self.sequence_nr

    def __repr__(self) -> str:
        # PyTorch shows an address here. Ours is made from the order of recording, so that it is the same in every run.
        return f"<{type(self).__name__} object at {self._address():#x}>"

    def _address(self) -> int:
        return FIRST_ADDRESS + 16 * max(0, self.sequence_nr - modes.first_nr)


def number_from_here() -> None:
    """A run begins: what nodes show as their address starts anew."""
    modes.first_nr, modes.first_leaf_nr = next_sequence_nr() + 1, next_leaf_nr() + 1


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds what arrives to the leaf's ``.grad``.

    The leaf owns this node and the node only refers to it, so that leaves are freed without the garbage collector; ``data``
    keeps the values for a leaf that nobody holds any more but the graph.
    """

    __slots__ = ("data", "keep", "leaf_nr", "line", "ref")
    input_names = ()

    def __init__(self, variable: Tensor) -> None:
        self.sequence_nr = ACCUMULATE_GRAD_NR
        self.hooks = None
        self.leaf_nr = next_leaf_nr()
        self.data = variable._data
        self.ref = weakref.ref(variable)
        self.keep: Tensor | None = None  # the leaf, while a hook is to see it as long as the graph lives
        self.line: int | None = None
        if modes.instrument is not None:
            modes.instrument.leaf(self)

    @property
    def variable(self) -> Tensor:
        """The leaf. One that was dropped by everybody else is made again from its values."""
        leaf = self.ref()
        if leaf is None:
            from .tensor import Tensor

            leaf = Tensor._leaf(self.data)
            leaf._edge = self
            self.ref = weakref.ref(leaf)
        return leaf

    def let_go(self) -> None:
        """Nobody needs the leaf any more but its owners."""
        self.keep = None

    def name(self) -> str:
        """PyTorch's long name."""
        return "torch::autograd::AccumulateGrad"

    def _address(self) -> int:
        return FIRST_LEAF_ADDRESS + 16 * max(0, self.leaf_nr - modes.first_leaf_nr)


class _Nobody:
    """In the place of a leaf: it wants no gradient."""

    _edge = _grad = None


def _nowhere() -> Any:
    made = object.__new__(AccumulateGrad)
    made.sequence_nr, made.leaf_nr, made.hooks, made.keep, made.line, made.data = ACCUMULATE_GRAD_NR, -2, None, None, None, None
    made.ref = lambda: _Nobody  # type: ignore[assignment]
    return made


NOWHERE = _nowhere()
"""The edge of a tensor that requires grad and has no place in the graph. See Note [Edges that lead nowhere] in ``mode_listener.py``."""


def edge_to(function: Node, input_nr: int) -> Any:
    """The edge (function, input_nr)."""
    return function if input_nr == 0 else Edge(function, input_nr)
