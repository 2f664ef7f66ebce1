"""Hooks of modules. The expectations are PyTorch's documentation and, for the graph, what PyTorch 2.13 records."""

from __future__ import annotations

from typing import Any

import pytest

from autograd_cli.torch_api.modules import modules

torch: Any = modules()["torch"]
nn: Any = torch.nn


def test_forward_hooks_see_and_replace() -> None:
    layer = nn.Linear(2, 2)
    calls: list[Any] = []
    layer.register_forward_pre_hook(lambda module, args: (args[0] * 0,))
    first = layer.register_forward_hook(lambda module, args, output: calls.append((args[0].tolist(), output.tolist())))
    second = layer.register_forward_hook(lambda module, args, output: output + 1)
    result = layer(torch.ones(2))
    assert calls == [([0, 0], layer.bias.tolist())]
    assert torch.equal(result, layer.bias + 1)
    first.remove()
    second.remove()
    layer(torch.ones(2))
    assert len(calls) == 1


def test_hooks_run_in_order_and_prepended_ones_first() -> None:
    layer, calls = nn.Identity(), []
    layer.register_forward_hook(lambda *_: calls.append("a"))
    layer.register_forward_hook(lambda *_: calls.append("b"))
    layer.register_forward_hook(lambda *_: calls.append("first"), prepend=True)
    layer(torch.ones(1))
    assert calls == ["first", "a", "b"]


def test_hooks_with_kwargs() -> None:
    class Scaled(nn.Module):  # type: ignore[misc]
        def forward(self, x: Any, factor: float = 1.0) -> Any:
            return x * factor

    layer, seen = Scaled(), []
    layer.register_forward_pre_hook(lambda module, args, kwargs: (args, {"factor": kwargs["factor"] + 1}), with_kwargs=True)
    layer.register_forward_hook(lambda module, args, kwargs, output: seen.append(kwargs), with_kwargs=True)
    assert layer(torch.ones(1), factor=2.0).item() == 3
    assert seen == [{"factor": 3.0}]


def test_full_backward_hook_shows_the_identity_in_the_graph() -> None:
    layer = nn.Linear(2, 1)
    layer.register_full_backward_hook(lambda *_: None)
    out = layer(torch.ones(3, 2, requires_grad=True))
    assert out.grad_fn.name() == "BackwardHookFunctionBackward"
    inner = out.grad_fn.next_functions[0][0]
    assert inner.name() == "AddmmBackward0"
    assert inner.next_functions[1][0].name() == "BackwardHookFunctionBackward"


def test_full_backward_hook_sees_and_replaces_gradients() -> None:
    layer, seen = nn.Linear(2, 1, bias=False), []

    def hook(module: Any, grad_input: Any, grad_output: Any) -> Any:
        seen.append((module is layer, grad_input[0].tolist(), grad_output[0].tolist()))
        return (grad_input[0] * 10,)

    handle = layer.register_full_backward_hook(hook)
    x = torch.ones(1, 2, requires_grad=True)
    layer(x).sum().backward()
    weight = layer.weight.tolist()[0]
    assert seen == [(True, [weight], [[1.0]])]
    assert x.grad.tolist() == [[pytest.approx(10 * w) for w in weight]]
    handle.remove()
    assert layer(x).grad_fn.name() == "MmBackward0"


def test_full_backward_hook_without_gradients_of_inputs() -> None:
    layer, seen = nn.Linear(2, 1), []
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append((grad_input, grad_output[0].tolist())))
    layer(torch.ones(1, 2)).sum().backward()
    assert seen == [((None,), [[1.0]])]


def test_backward_pre_hook_replaces_the_output_gradient() -> None:
    layer = nn.Linear(1, 1, bias=False)
    layer.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 3,))
    layer(torch.ones(1, 1)).sum().backward()
    assert layer.weight.grad.item() == 3


def test_a_hook_that_returns_too_much_is_told() -> None:
    layer = nn.Linear(1, 1)
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0], grad_input[0]))
    with pytest.raises(RuntimeError, match="2 gradients where 1"):
        layer(torch.ones(1, 1, requires_grad=True)).sum().backward()
