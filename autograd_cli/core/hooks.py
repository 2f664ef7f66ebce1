"""Hooks: functions the user hangs on tensors and nodes."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_next_id = count().__next__


class RemovableHandle:
    """What a ``register_*`` function returns: ``remove()`` takes the hook away; also a context manager."""

    __module__ = "torch.utils.hooks"

    def __init__(self, hooks: dict[int, Any], key: int, when_empty: Callable[[], None] | None = None) -> None:
        self._hooks = hooks
        self.id = key
        self._when_empty = when_empty

    def remove(self) -> None:
        """Take the hook away; doing so twice is fine."""
        self._hooks.pop(self.id, None)
        if not self._hooks and self._when_empty is not None:
            self._when_empty()

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def register(hooks: dict[int, Any], entry: Any, when_empty: Callable[[], None] | None = None) -> RemovableHandle:
    """Add `entry` to `hooks`, which keep their order; `when_empty` is called when the last of them was removed."""
    key = _next_id()
    hooks[key] = entry
    return RemovableHandle(hooks, key, when_empty)


class NodeHooks:
    """The hooks of one node, in the order in which the engine calls them.

    Attributes
    ----------
    tensor_pre : dict of (input_nr, hook)
        ``Tensor.register_hook``: sees one gradient before the node runs.
    retain : dict of input_nr to hook
        ``retain_grad``: after all tensor hooks, whenever they were registered.
    pre, post : dict of hook
        ``Node.register_prehook`` (all gradients in) and ``Node.register_hook`` (gradients out and in).
    post_accumulate : dict of hook
        ``register_post_accumulate_grad_hook`` of a leaf: sees the leaf.
    """

    __slots__ = ("post", "post_accumulate", "pre", "retain", "tensor_pre")

    def __init__(self) -> None:
        self.tensor_pre: dict[int, tuple[int, Callable[..., Any]]] = {}
        self.retain: dict[int, Callable[..., Any]] = {}
        self.pre: dict[int, Callable[..., Any]] = {}
        self.post: dict[int, Callable[..., Any]] = {}
        self.post_accumulate: dict[int, Callable[..., Any]] = {}


def hooks_of(node: Any) -> NodeHooks:
    """The hooks of `node`, made when there are none yet."""
    if node.hooks is None:
        node.hooks = NodeHooks()
    hooks: NodeHooks = node.hooks
    return hooks
