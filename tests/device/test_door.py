"""The door by which an array module comes in, and what stands before it when there is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
import strict_device
from scripts import run

from autograd_cli.core import array
from autograd_cli.core.array import module_of_device
from autograd_cli.core.op import OPS
from autograd_cli.errors import DeviceUnavailable


def test_the_strict_device_has_what_cupy_has_and_nothing_else() -> None:
    xp: Any = strict_device.strict
    for name in ("exp", "where", "put_along_axis", "einsum"):
        assert callable(getattr(xp, name))
    with pytest.raises(AttributeError):
        xp.nosuch()
    with pytest.raises(TypeError, match="no parameter"):
        xp.sum(xp.zeros(2), where=True)
    api = json.loads((strict_device.Path(strict_device.__file__).parent / "device" / "cupy_api.json").read_text(encoding="utf-8"))
    public = {n for n in vars(strict_device.ndarray) if not n.startswith("_")}
    assert public <= set(api["ndarray"])


def test_numpy_does_not_get_at_an_array_of_the_device() -> None:
    import numpy as np

    a = strict_device.strict.ones(2)
    for mix in (
        lambda: np.asarray(a),
        lambda: np.exp(a),
        lambda: a + np.ones(2),
        lambda: np.ones(2) + a,
        lambda: np.stack([a, a]),
    ):
        with pytest.raises(TypeError):
            mix()
    for mix in (lambda: a[[0, 1]], lambda: a[np.array([0])], lambda: range(a)):
        with pytest.raises(TypeError):
            mix()
    assert (a * np.float32(2) + 1).tolist() == [3.0, 3.0]
    with strict_device.Device(1), pytest.raises(ValueError, match="current"):
        a + a


def test_operations_are_written_for_devices_while_one_is_in_use() -> None:
    run("(torch.ones(2) * 3).sum()")
    source = OPS["mul"].source
    assert source is not None
    assert "_together" in source


@pytest.mark.parametrize(
    ("count", "device", "says"), [(0, "cuda", "no CUDA device"), (1, "cuda:1", "1 CUDA device"), (2, "cuda:7", "2 CUDA device")]
)
def test_a_device_that_is_not_there(monkeypatch: pytest.MonkeyPatch, count: int, device: str, says: str) -> None:
    monkeypatch.setattr(strict_device.Device, "count", count)
    with pytest.raises(DeviceUnavailable, match=says) as caught:
        module_of_device(device)
    assert caught.value.exit_code == 2
    assert run(f"torch.ones(2).to('{device}')")["error"]["kind"] == "DeviceUnavailable"


def test_a_driver_that_fails_is_a_device_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> int:
        raise RuntimeError("cudaErrorInsufficientDriver")

    monkeypatch.setattr(strict_device.strict.cuda.runtime, "getDeviceCount", fails)
    with pytest.raises(DeviceUnavailable, match="cudaErrorInsufficientDriver"):
        module_of_device("cuda")
    assert run("print(torch.cuda.is_available(), torch.cuda.device_count())", head="device: auto")["stdout"] == "False 0\n"


def test_without_cupy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    before = array.register(array._import_cupy, array._import_special)
    try:
        with pytest.raises(DeviceUnavailable, match="cupy") as caught:
            module_of_device("cuda")
        assert "agrad[cuda12]" in str(caught.value.hint)
    finally:
        array.register(*before)


def test_device_of_a_scenario_and_of_its_tensors() -> None:
    document = run(
        "y = a * b\nprint(y.device, torch.zeros(1).device)",
        head="device: auto\ntensors: {a: {ones: [2]}, b: {data: [1, 2], device: 'cuda:0'}}",
    )
    assert document["stdout"] == "cuda:0 cuda:0\n"
    assert document["scenario"]["device"] == "cuda"
    assert document["variables"]["y"]["device"] == "cuda:0"
