"""The modes an operation runs under, as one object that can be swapped when a task is resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .instrument import Instrument


class Modes:
    """What every operation asks before it records.

    Attributes
    ----------
    grad_enabled : bool
        Whether operations record nodes.
    inference : bool
        Whether ``torch.inference_mode`` is on.
    instrument : Instrument or None
        Who listens. None costs one comparison a recorded node.
    order_matters : bool
        Whether somebody can see the moment at which a leaf accumulates (a hook, a custom backward). Then the engine counts
        dependencies instead of taking its short way; see Note [Two loops, one order] in ``engine.py``.
    host_only : bool
        Whether all data made so far lives on the CPU.
    """

    __slots__ = ("first_leaf_nr", "first_nr", "grad_enabled", "host_only", "inference", "instrument", "order_matters")

    def __init__(self) -> None:
        self.grad_enabled = True
        self.inference = False
        self.instrument: Instrument | None = None
        self.order_matters = False
        self.host_only = True
        self.first_nr = self.first_leaf_nr = 0  # where a run's numbers start: see number_from_here in node.py

    def snapshot(self) -> tuple[Any, ...]:
        """What belongs to one task: put back with ``restore`` when that task goes on."""
        return (self.grad_enabled, self.inference)

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Make `saved`, a snapshot, current."""
        self.grad_enabled, self.inference = saved


modes = Modes()
