"""The hook points of the engine. Nobody listening costs nothing that can be measured; the Recorder is the listener we ship."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .modes import modes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .node import Node
    from .tensor import Tensor


class Instrument:
    """Override what you want to hear. Nodes and tensors are handed over as they are: copy what you keep.

    A node kept alive keeps its saved tensors alive, so a listener that only wants to tell nodes apart keeps ``sequence_nr``
    (or, for AccumulateGrad, the leaf's own number) instead.

    Attributes
    ----------
    detailed : bool
        Whether ``ready`` and ``evaluate_start`` are wanted in every pass; otherwise ``evaluate_start`` is called only in passes that
        record themselves.
    inside : str or None
        What runs the passes that begin now, when it is not the user: ``checkpoint``, ``autograd.functional``, ``gradcheck``.
    """

    detailed = True
    inside: str | None = None

    def record(self, node: Node, result: Tensor, line: int | None = None) -> None:
        """`node` was recorded; `result` is the tensor whose ``grad_fn`` it is. `line` where the running one is not the right one."""

    def here(self) -> int | None:
        """The line of the script that is running, where the listener knows it."""
        return None

    def line_of(self, node: Node) -> int | None:
        """The line where `node` was recorded, where the listener knows it."""
        return None

    def saved(self, node: Node, result: Tensor) -> None:
        """What `node`, recorded just now, saves is complete: hooks have packed it, or it was changed. Mostly ``record`` says it all."""

    def absorbed(self, node: Node) -> None:
        """`node`, recorded just now, is part of the next one (a CopySlices) and no node of the graph itself."""

    def leaf(self, node: Node) -> None:
        """`node` is the AccumulateGrad of a tensor that requires grad from now on."""

    def write(self, tensor: Tensor, operation: str, node: Node | None = None) -> None:
        """`operation` changed `tensor` in place, for which `node` was recorded, if anything; its version has moved already."""

    def pass_start(self, kind: str, roots: Sequence[Node]) -> None:
        """A backward pass begins: ``kind`` is ``backward`` or ``grad``.

        In ``evaluate_end``, gradients are arrays (Tensors in a pass that records itself), or lists of them for a node with several inputs.
        """

    def dependencies(self, counts: Mapping[Node, int], *, restricted: bool) -> None:
        """The counts, as computed before the first node runs; ``restricted`` when only part of the graph will run."""

    def ready(self, node: Node, why: str) -> None:
        """`node` entered the ready queue: ``root`` or ``last_gradient``."""

    def evaluate_start(self, node: Node) -> None:
        """`node` is about to run."""

    def evaluate_end(self, node: Node, grads: Any, outputs: Any, released: bool) -> None:
        """`node` has run on `grads` and gave `outputs`, one for each of its edges; `released` when its saved tensors were let go."""

    def accumulate(self, node: Node, into: str) -> None:
        """A leaf's gradient was stored ``into`` ``grad`` or ``context``."""

    def hook(self, node: Node) -> None:
        """A hook of `node` was called."""

    def pass_end(self, error: BaseException | None) -> None:
        """The pass is over; `error` is what stopped it, if anything did."""

    def pass_refused(self, error: BaseException) -> None:
        """The pass that ended last did not give what was asked for."""

    def current_pass(self) -> Any:
        """A token for the pass that runs: several passes of a worker may take turns."""

    def set_pass(self, token: Any) -> None:
        """The pass of `token`, from ``current_pass``, goes on."""

    def warn(self, kind: str, message: str, tensor: Tensor | None = None) -> None:
        """The user should know `message`, in which "this tensor" is `tensor`."""


@contextmanager
def inside(what: str) -> Iterator[None]:
    """Passes that begin in the block are run by `what`; the outermost name stays."""
    listener = modes.instrument
    if listener is None or listener.inside is not None:
        yield
        return
    listener.inside = what
    try:
        yield
    finally:
        listener.inside = None
