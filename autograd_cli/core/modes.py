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
    grad_asked : bool
        What the script set last; under ``torch.inference_mode`` nothing is recorded whatever it is.
    new_counter : VersionCounter or None
        What tensors that are made get for their counter: None, and under ``inference_mode`` the one that counts nothing. See Note
        [Inference tensors] in ``version_counter.py``.
    instrument : Instrument or None
        Who listens. None costs one comparison a recorded node.
    order_matters : bool
        Whether somebody can see the moment at which a leaf accumulates (a hook, a custom backward). Then the engine counts
        dependencies instead of taking its short way; see Note [Two loops, one order] in ``engine.py``.
    host_only : bool
        Whether all data made so far lives on the CPU.
    complex_seen : bool
        Whether a complex tensor was ever made: only then do operations look for complex results. See Note [Complex nodes].
    halves_seen : bool
        Whether a dtype of 2-byte floats was ever used. See Note [Halves] in ``halves.py``.
    saved_hooks : tuple of (pack, unpack)
        The saved-tensor hooks that are set, the innermost last. Who sets some also installs a ModeListener, so that operations need
        not ask: see Note [The mode listener] in ``mode_listener.py``.
    anomaly : bool
        Whether anomaly mode is on; `check_nan`, whether it looks for NaN.
    multithreading : bool
        What ``torch.autograd.set_multithreading_enabled`` was told; the engine has one thread all the same.
    graph_task : (int, bool, GraphTask or None) or None
        The pass that runs here: its number, whether it is a whole one (``backward`` without ``inputs``), and its GraphTask where it
        counts dependencies.
    """

    __slots__ = (
        "anomaly", "check_nan", "complex_seen", "first_leaf_nr", "first_nr", "grad_asked", "grad_enabled", "graph_task", "halves_seen",
        "host_only", "instrument", "multithreading", "new_counter", "order_matters", "saved_hooks",
    )  # fmt: skip

    def __init__(self) -> None:
        self.grad_enabled = self.grad_asked = True
        self.new_counter: Any = None
        self.instrument: Instrument | None = None
        self.order_matters = False
        self.host_only = True
        self.complex_seen = False
        self.halves_seen = False
        self.first_nr = self.first_leaf_nr = 0  # where a run's numbers start: see number_from_here in node.py
        self.saved_hooks: tuple[tuple[Any, Any], ...] = ()
        self.anomaly, self.check_nan = False, True
        self.multithreading = True
        self.graph_task: tuple[int, bool, Any] | None = None

    @property
    def packs_saved(self) -> bool:
        """Whether what is saved now goes through a pack hook; where hooks are disabled, the innermost entry has none."""
        return bool(self.saved_hooks) and self.saved_hooks[-1][0] is not None

    @property
    def inference(self) -> bool:
        """Whether ``torch.inference_mode`` is on."""
        return self.new_counter is not None

    def set_grad(self, enabled: bool) -> None:
        """The script switches recording."""
        self.grad_asked = enabled
        self.grad_enabled = enabled and self.new_counter is None

    def snapshot(self) -> tuple[Any, ...]:
        """What belongs to one task: put back with ``restore`` when that task goes on."""
        return (self.grad_enabled, self.grad_asked, self.new_counter, self.saved_hooks, self.graph_task)

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Make `saved`, a snapshot, current."""
        self.grad_enabled, self.grad_asked, self.new_counter, self.saved_hooks, self.graph_task = saved


modes = Modes()
