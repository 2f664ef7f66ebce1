"""What every test starts from: the engine's modes as in a new process, and one seed for all properties.

Tests with the mark ``torch`` ask an installed PyTorch; they run with ``pytest --torch``.
"""

from __future__ import annotations

import importlib.util
import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", parent=settings.get_profile("ci"), derandomize=False, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--torch``."""
    parser.addoption("--torch", action="store_true", help="also run the tests that ask an installed PyTorch")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what asks PyTorch where it is not wanted or not there."""
    why = None
    if not config.getoption("--torch"):
        why = "asks PyTorch: pytest --torch"
    elif importlib.util.find_spec("torch") is None:
        why = "PyTorch is not installed: pip install -e '.[test,torch]'"
    for item in items:
        if why and item.get_closest_marker("torch"):
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(autouse=True)
def modes_of_a_new_process():
    """No listener, grad mode on, and the short loop allowed; put back afterwards, since hooks switch it off for good."""
    from autograd_cli.core.modes import modes

    before = (modes.grad_enabled, modes.new_counter, modes.instrument, modes.order_matters)
    modes.saved_hooks, modes.anomaly, modes.check_nan, modes.graph_task = (), False, True, None
    modes.grad_enabled, modes.new_counter, modes.instrument, modes.order_matters = True, None, None, False
    yield
    modes.grad_enabled, modes.new_counter, modes.instrument, modes.order_matters = before
