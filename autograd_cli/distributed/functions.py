"""The two nodes that join local graphs: a send function for what left a worker, a recv function for what came.

Both know the message they belong to. A send function's edges lead to the tensors that were sent; it runs when their gradients come
back. A recv function has no edges; running it sends the gradients to the worker that sent the tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.node import Node, edge_to, next_leaf_nr, next_sequence_nr
from ..core.op_support import fresh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.tensor import Tensor
    from .context import DistAutogradContext


class SendRpcBackward(Node):
    """Takes the gradients that a Gradient message brought and hands them to the tensors that were sent."""

    __slots__ = ("context_id", "edges", "message_id", "num_inputs", "peer")
    takes_none = True

    def __init__(self, context_id: int, message_id: int, peer: int, tensors: Sequence[Tensor]) -> None:
        self.sequence_nr = next_sequence_nr()
        self.hooks = None
        self.context_id, self.message_id, self.peer = context_id, message_id, peer
        self.edges = tuple(t._edge for t in tensors)
        self.num_inputs = max(2, len(self.edges))  # gradients are always a list, also of one

    more_edges = ()  # so that the engine asks for next_edges

    @property
    def next_edges(self) -> tuple[Any, ...]:
        return self.edges

    def apply(self, grad: Any) -> Any:
        return tuple(grad[: len(self.edges)])

    apply_release = apply


class RecvRpcBackward(Node):
    """Sends the gradients of the tensors that came in a message back to where they came from."""

    __slots__ = ("context", "fits_of", "leaf_nr", "message_id", "num_inputs", "peer")
    takes_none = True

    def __init__(self, context: DistAutogradContext, message_id: int, peer: int, tensors: Sequence[Tensor]) -> None:
        self.sequence_nr = 0  # See Note [Recv functions run last]
        self.leaf_nr = next_leaf_nr()
        self.hooks = None
        self.context, self.message_id, self.peer = context, message_id, peer
        self.fits_of = [(t._data.shape, t._data.dtype) for t in tensors]
        self.num_inputs = max(2, len(tensors))

    def apply(self, grad: Any) -> Any:
        given = [None] * len(self.fits_of) if grad is None else grad[: len(self.fits_of)]
        self.context.send_gradients(self, list(given))
        return ()

    apply_release = apply

    def zeros(self, index: int) -> Any:
        """What FAST sends for an output that no gradient reached."""
        shape, dtype = self.fits_of[index]
        return np.zeros(shape, dtype) if shape else dtype.type(0)


# Note [Recv functions run last]
#     PyTorch makes recv functions on threads of their own, whose sequence numbers start at 0, so that in a pass every local node that is
#     ready runs before them. We give them 0.


def receive(context: DistAutogradContext, message_id: int, peer: int, tensors: Sequence[Tensor]) -> RecvRpcBackward:
    """Give `tensors`, which came in a message and require grad, their history."""
    node = RecvRpcBackward(context, message_id, peer, tensors)
    for i, tensor in enumerate(tensors):
        tensor._edge = edge_to(node, i)
    return node


def sent_copy(tensor: Tensor) -> Tensor:
    """The values of `tensor` as they are now: later changes in place do not reach what was sent."""
    return fresh(tensor._data)
