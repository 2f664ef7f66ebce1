"""What every test starts from: the engine's modes as in a new process, and one seed for all properties."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", parent=settings.get_profile("ci"), derandomize=False, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(autouse=True)
def modes_of_a_new_process():
    """No listener, grad mode on, and the short loop allowed; put back afterwards, since hooks switch it off for good."""
    from autograd_cli.core.modes import modes

    before = (modes.grad_enabled, modes.new_counter, modes.instrument, modes.order_matters)
    modes.saved_hooks, modes.anomaly, modes.check_nan, modes.graph_task = (), False, True, None
    modes.grad_enabled, modes.new_counter, modes.instrument, modes.order_matters = True, None, None, False
    yield
    modes.grad_enabled, modes.new_counter, modes.instrument, modes.order_matters = before
