"""``nn.Module``: what may be assigned, in which order things are listed, what is said where something is wrong.

The right answers are those of PyTorch's documentation of nn.Module.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from autograd_cli.errors import Unsupported
from autograd_cli.torch_api.modules import modules

torch: Any = modules()["torch"]
nn: Any = torch.nn


class Net(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))
        self.first = nn.Linear(3, 2)
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(2, 1))
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("scratch", torch.zeros(1), persistent=False)

    def forward(self, x: Any) -> Any:
        return self.rest(self.first(x) * self.scale)


def test_order_of_names() -> None:
    net = Net()
    assert [n for n, _ in net.named_parameters()] == ["scale", "first.weight", "first.bias", "rest.1.weight", "rest.1.bias"]
    assert [n for n, _ in net.named_modules()] == ["", "first", "rest", "rest.0", "rest.1"]
    assert [n for n, _ in net.named_children()] == ["first", "rest"]
    assert [n for n, _ in net.named_buffers()] == ["count", "scratch"]
    assert list(net.state_dict()) == ["scale", "count", "first.weight", "first.bias", "rest.1.weight", "rest.1.bias"]


def test_a_parameter_is_a_tensor_with_a_mark() -> None:
    p = nn.Parameter(torch.ones(2))
    assert isinstance(p, nn.Parameter)
    assert isinstance(p, torch.Tensor)
    assert not isinstance(torch.ones(2, requires_grad=True), nn.Parameter)
    assert not isinstance(p * 1, nn.Parameter)
    assert p.requires_grad
    assert not nn.Parameter(torch.ones(1), requires_grad=False).requires_grad
    assert repr(p) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"


def test_a_parameter_shares_the_storage_of_its_data() -> None:
    data = torch.zeros(2)
    p = nn.Parameter(data)
    data[0] = 5
    assert p.tolist() == [5, 0]


def test_shared_modules_and_parameters_are_listed_once() -> None:
    linear = nn.Linear(2, 2)
    net = nn.Sequential(linear, linear)
    assert len(list(net.parameters())) == 2
    assert len(list(net.children())) == 1
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert len(list(net.named_parameters(remove_duplicate=False))) == 4


def test_without_super_init_the_error_says_what_to_do() -> None:
    class Forgetful(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            self.layer = nn.Linear(1, 1)

    with pytest.raises(AttributeError, match=r"super\(\)\.__init__\(\)"):
        Forgetful()

    class Empty(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

    with pytest.raises(AttributeError, match=r"super\(\)\.__init__\(\)"):
        Empty()(1)


def test_only_parameters_take_the_place_of_parameters() -> None:
    layer = nn.Linear(1, 1)
    with pytest.raises(TypeError, match=r"nn\.Parameter"):
        layer.weight = torch.ones(1, 1)
    layer.weight = nn.Parameter(torch.full((1, 1), 2.0))
    layer.bias = None
    assert layer(torch.ones(1, 1)).item() == 2
    assert layer.bias is None
    with pytest.raises(TypeError):
        Net().first = 3
    with pytest.raises(TypeError):
        Net().count = 3


def test_registering_checks_names() -> None:
    net = Net()
    with pytest.raises(KeyError, match="dot"):
        net.register_buffer("a.b", torch.ones(1))
    with pytest.raises(KeyError, match="exists"):
        net.register_parameter("forward", nn.Parameter(torch.ones(1)))
    with pytest.raises(TypeError):
        net.add_module("x", 3)
    with pytest.raises(ValueError, match="leaf"):
        net.register_parameter("y", _marked_result())


def _marked_result() -> Any:
    result = torch.ones(1, requires_grad=True) * 2
    result._ensure_meta().is_parameter = True
    return result


def test_attributes_move_between_tables() -> None:
    net = Net()
    net.first = nn.Parameter(torch.ones(1))
    assert "first" not in dict(net.named_children())
    assert "first" in dict(net.named_parameters())
    del net.first
    assert not hasattr(net, "first")
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'first'"):
        net.first  # noqa: B018


def test_names_of_pytorch_that_are_missing_are_unsupported() -> None:
    with pytest.raises(Unsupported):
        Net().share_memory()


def test_train_and_eval_reach_everything() -> None:
    net = Net().eval()
    assert not any(m.training for m in net.modules())
    assert all(m.training for m in net.train().modules())
    with pytest.raises(ValueError, match="True or False"):
        net.train("yes")


def test_apply_goes_from_the_leaves_up() -> None:
    seen: list[str] = []
    Net().apply(lambda m: seen.append(type(m).__name__))
    assert seen == ["Linear", "ReLU", "Linear", "Sequential", "Net"]


def test_zero_grad_drops_or_fills() -> None:
    net = Net()
    net(torch.ones(1, 3)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert net.scale.grad.tolist() == [0, 0]
    net.zero_grad()
    assert net.scale.grad is None


def test_conversion_keeps_the_parameters() -> None:
    net = Net()
    weight = net.first.weight
    net(torch.ones(1, 3)).sum().backward()
    assert net.double() is net
    assert net.first.weight is weight
    assert weight.dtype is torch.float64
    assert weight.grad.dtype is torch.float64
    assert net.count.dtype is torch.float64
    net(torch.ones(1, 3, dtype=torch.float64)).sum().backward()
    assert net.to(torch.float32).first.weight.dtype is torch.float32
    with pytest.raises(TypeError):
        net.to(torch.int64)


def test_of_a_state_that_does_not_fit_what_fits_is_copied() -> None:
    """PyTorch 2.13 copies key by key and complains at the end, `strict` or not (tests/fidelity has the whole record)."""
    net = Net()
    bias = net.rest[1].bias.tolist()
    state = {**net.state_dict(), "first.weight": torch.zeros(2, 3), "rest.1.bias": torch.zeros(5)}
    for strict in (True, False):
        state["first.weight"] = torch.full(net.first.weight.shape, float(strict))
        with pytest.raises(RuntimeError, match=r"rest\.1\.bias has shape \[5\]"):
            net.load_state_dict(state, strict=strict)
        assert (net.first.weight == float(strict)).all()
        assert net.rest[1].bias.tolist() == bias
    with pytest.raises(RuntimeError, match="missing: scale"):
        net.load_state_dict({})
    found = net.load_state_dict({"scale": torch.zeros(2), "nosuch": torch.zeros(1)}, strict=False)
    assert found.unexpected_keys == ["nosuch"]
    assert "first.weight" in found.missing_keys
    assert net.scale.tolist() == [0, 0]


def test_loading_moves_the_version_and_keeps_the_object() -> None:
    net = Net()
    scale, version = net.scale, net.scale._version
    assert repr(net.load_state_dict(net.state_dict())) == "<All keys matched successfully>"
    assert net.scale is scale
    assert scale._version == version + 1


def test_deepcopy_copies_everything_once() -> None:
    net = Net()
    net.rest[1].weight.grad = torch.ones(1, 2)
    twin = copy.deepcopy(net)
    assert isinstance(twin.scale, nn.Parameter)
    assert twin.scale is not net.scale
    assert twin.rest[1].weight.grad is None  # as in PyTorch: a Parameter is copied without its gradient
    assert twin.count.tolist() == [0]
    with torch.no_grad():
        twin.scale.add_(1)
    assert net.scale.tolist() == [1, 1]
    tied = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    tied[1].weight = tied[0].weight
    copied = copy.deepcopy(tied)
    assert copied[0].weight is copied[1].weight
    with pytest.raises(RuntimeError, match="leaf"):
        copy.deepcopy(torch.ones(1, requires_grad=True) * 2)


def test_by_dotted_name() -> None:
    net = Net()
    assert net.get_parameter("rest.1.weight") is net.rest[1].weight
    assert net.get_submodule("rest.0") is net.rest[0]
    assert net.get_buffer("count") is net.count
    with pytest.raises(AttributeError):
        net.get_parameter("rest.7.weight")


def test_unknown_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'sizes'"):
        nn.Module(sizes=3)
    with pytest.raises(TypeError):
        nn.ReLU(3, 4)


def test_forward_is_asked_for() -> None:
    with pytest.raises(NotImplementedError, match="forward"):
        nn.Module()(1)
