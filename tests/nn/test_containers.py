"""Containers: what they hold, how they are indexed, how they print (as PyTorch 2.13 prints them)."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

from autograd_cli.torch_api.modules import modules

torch: Any = modules()["torch"]
nn: Any = torch.nn


def test_sequential_by_place_name_and_slice() -> None:
    net = nn.Sequential(OrderedDict([("one", nn.Linear(2, 3)), ("act", nn.Tanh()), ("two", nn.Linear(3, 1))]))
    assert net.one is net[0]
    assert net[-1] is net.two
    assert [n for n, _ in net[1:].named_children()] == ["act", "two"]
    assert len(net) == 3
    assert torch.equal(net(torch.ones(2)), net.two(net.act(net.one(torch.ones(2)))))
    with pytest.raises(IndexError):
        net[3]


def test_sequential_changes() -> None:
    net = nn.Sequential(nn.ReLU())
    net.append(nn.Tanh()).extend([nn.Sigmoid()])
    net.insert(0, nn.Identity())
    assert [type(m).__name__ for m in net] == ["Identity", "ReLU", "Tanh", "Sigmoid"]
    net[1] = nn.GELU()
    del net[0]
    assert [name for name, _ in net.named_children()] == ["0", "1", "2"]
    assert type(net.pop(0)).__name__ == "GELU"
    assert len(net + nn.Sequential(nn.ReLU())) == 3


def test_module_list_counts_equal_neighbours() -> None:
    layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
    layers.append(nn.ReLU())
    layers += [nn.ReLU()]
    assert repr(layers) == ("ModuleList(\n  (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)\n  (3-4): 2 x ReLU()\n)")
    assert len(list(layers.parameters())) == 6
    assert len(layers[:2]) == 2
    assert repr(nn.ModuleList()) == "ModuleList()"


def test_module_dict() -> None:
    parts = nn.ModuleDict({"a": nn.Linear(1, 1)})
    parts["b"] = nn.ReLU()
    parts.update([("c", nn.Tanh())])
    assert list(parts) == ["a", "b", "c"]
    assert "b" in parts
    assert type(parts.pop("b")).__name__ == "ReLU"
    assert [n for n, _ in parts.named_parameters()] == ["a.weight", "a.bias"]
    assert repr(parts) == "ModuleDict(\n  (a): Linear(in_features=1, out_features=1, bias=True)\n  (c): Tanh()\n)"


def test_parameter_list_and_dict() -> None:
    values = nn.ParameterList([torch.zeros(2), nn.Parameter(torch.ones(2, 3))])
    values.append(torch.ones(1))
    assert all(isinstance(p, nn.Parameter) for p in values)
    assert [n for n, _ in values.named_parameters()] == ["0", "1", "2"]
    assert repr(values[:2]) == (
        "ParameterList(\n    (0): Parameter containing: [torch.float32 of size 2]\n"
        "    (1): Parameter containing: [torch.float32 of size 2x3]\n)"
    )
    named = nn.ParameterDict({"w": torch.zeros(2)})
    named["b"] = torch.zeros(1)
    assert [n for n, _ in named.named_parameters()] == ["w", "b"]
    assert list(named.keys()) == ["w", "b"]
    assert isinstance(named["w"], nn.Parameter)


def test_nested_text_is_indented() -> None:
    net = nn.Sequential(nn.Sequential(nn.Linear(1, 1), nn.Sequential()), nn.Dropout(0.5))
    assert repr(net) == (
        "Sequential(\n  (0): Sequential(\n    (0): Linear(in_features=1, out_features=1, bias=True)\n    (1): Sequential()\n  )\n"
        "  (1): Dropout(p=0.5, inplace=False)\n)"
    )
