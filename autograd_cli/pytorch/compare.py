"""``agrad compare``: a scenario in agrad and in PyTorch, side by side."""

from __future__ import annotations

from dataclasses import replace

from ..errors import CompareMismatch, InvalidScenario, Place
from ..scenario.closeness import Tolerance
from ..scenario.model import Scenario
from ..session.local import run_scenario
from ..session.options import RunOptions
from ..trace.codec import error_record
from ..trace.compare_model import CompareTrace
from ..trace.model import ErrorRecord, Trace
from .comparison import compare_traces
from .library import require_torch

WRITTEN_ELEMENTS = 1_000_000  # of a tensor whose elements are compared
# What ends a run of agrad that PyTorch cannot be asked about: there is no more of it to compare.
_NO_ANSWER = {"Unsupported", "LimitExceeded", "Interrupted"}


def compare_scenario(scenario: Scenario, options: RunOptions | None = None, tolerance: Tolerance | None = None) -> CompareTrace:
    """Run `scenario` in agrad and in PyTorch, and tell what differs.

    Parameters
    ----------
    scenario : Scenario
        Of one process.
    options : RunOptions, optional
        How both are run.
    tolerance : Tolerance, optional
        Instead of torch.testing's for each dtype.

    Returns
    -------
    CompareTrace
        ``status`` is ``ok`` where nothing differs. A scenario that fails in both, with one type of error at one line, is equal.

    Raises
    ------
    AgradError
        With ``exit_code`` 2: it could not be started.
    """
    version = str(require_torch().__version__)
    from .run import run_in_pytorch

    if scenario.is_distributed:
        raise InvalidScenario(
            "this scenario has `workers`, and agrad compare asks PyTorch about scenarios of one process",
            hint="agrad dist runs it over worker processes",
            place=Place(str(scenario.path) if scenario.path else None),
        )
    options = replace(options or RunOptions(), written_elements=WRITTEN_ELEMENTS)
    ours = run_scenario(scenario, options)
    if ours.error is not None and ours.error.kind in _NO_ANSWER:
        return _ended(ours, ours.error, version)
    torch = run_in_pytorch(scenario, options)
    if torch.error is not None and torch.error.kind in _NO_ANSWER - {"Unsupported"}:
        return _ended(ours, torch.error, version)
    findings = compare_traces(ours, torch, tolerance)
    count = len(findings.differences)
    error = None
    if count:
        words = f"{count} difference{'s' * (count > 1)} from PyTorch {version}"
        error = error_record(CompareMismatch(words))
    return CompareTrace(
        scenario=ours.scenario,
        torch=version,
        status="ok" if error is None else "error",
        error=error,
        compared=findings.compared(),
        differences=findings.in_order(),
    )


def _ended(ours: Trace, error: ErrorRecord, version: str) -> CompareTrace:
    """A comparison that there was nothing for: a run was stopped, or agrad does not have what the script uses."""
    return CompareTrace(scenario=ours.scenario, torch=version, status="error", error=error, compared=[], differences=[])
