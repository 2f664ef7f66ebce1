"""Custom Functions beyond what the programs of ``fidelity/`` compare. Holds for PyTorch too: see under_test.py."""

from __future__ import annotations

import gc
import weakref

import pytest
from under_test import PYTORCH, leaf, numbers, torch

Function = torch.autograd.Function


class Exp(Function):
    """Saves its result."""

    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * result


class AddOne(Function):
    """Changes its input."""

    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


def test_the_context_is_the_node():
    class Keep(Function):
        @staticmethod
        def forward(ctx, x):
            Keep.seen = ctx
            ctx.color = "red"
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            assert ctx is Keep.seen
            return grad * 2

    y = Keep.apply(leaf(1, 2))
    assert y.grad_fn is Keep.seen
    assert y.grad_fn.color == "red"
    assert isinstance(y.grad_fn, torch.autograd.graph.Node)
    y.sum().backward()


def test_nothing_keeps_a_function_that_saved_its_result_alive():
    x = leaf(1, 2)
    gc.disable()
    try:
        y = Exp.apply(x)
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_mark_dirty_moves_the_version():
    y = leaf(1, 2) * 2
    AddOne.apply(y)
    assert y._version == 2  # add_ in the forward, and mark_dirty


def test_a_dirty_view_writes_the_history_of_its_base():
    x = leaf(1, 2, 3)
    y = x * 1
    AddOne.apply(y[1:])
    assert numbers(y) == [1, 3, 4]
    assert y.grad_fn.name() == "torch::autograd::CopySlices"
    (y * y).sum().backward()
    assert numbers(x.grad) == [2, 6, 8]


def test_a_second_derivative_of_what_is_differentiable_once_is_refused():
    from_module = torch.autograd.function.once_differentiable

    class Cube(Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a)
            return a**3 + b

        @staticmethod
        @from_module
        def backward(ctx, grad):
            (a,) = ctx.saved_tensors
            return 3 * a * a * grad, grad * 1

    a, b = leaf(1, 2), leaf(1, 2)
    y = Cube.apply(a, b)
    g, h = torch.autograd.grad((y * y).sum(), [a, b], create_graph=True)
    assert numbers(g) == [12, 240]
    assert g.grad_fn is h.grad_fn
    assert (g.grad_fn.name(), g.output_nr, h.output_nr) == ("torch::autograd::Error", 0, 1)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        (g.sum() + h.sum()).backward()


def test_needs_input_grad_is_known_under_no_grad_too():
    class Look(Function):
        @staticmethod
        def forward(ctx, x, y):
            Look.seen = ctx.needs_input_grad
            return x + y

    with torch.no_grad():
        Look.apply(leaf(1), torch.ones(1))
    assert Look.seen == (True, False)


def test_saved_tensors_of_a_function_that_recorded_nothing_are_empty():
    class Look(Function):
        @staticmethod
        def forward(ctx, x):
            assert ctx.saved_tensors == ()
            ctx.save_for_backward(x)
            Look.seen = ctx
            return x * 2

    Look.apply(torch.ones(1))
    assert Look.seen.saved_tensors == ()


@pytest.mark.parametrize(("arguments", "keywords"), [((), {}), ((1, 2, 3), {}), ((1,), {"z": 2})])
def test_arguments_that_the_forward_does_not_take_are_a_type_error(arguments, keywords):
    class Two(Function):
        @staticmethod
        def forward(ctx, a, b=2):
            return a

    with pytest.raises(TypeError):
        Two.apply(*arguments, **keywords)


def test_a_backward_that_returns_a_list_is_refused():
    class Bad(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return [grad]

    with pytest.raises(RuntimeError, match="list"):
        Bad.apply(leaf(1, 2)).sum().backward()


def test_backward_and_vjp_together_are_refused():
    class Both(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

        vjp = backward

    with pytest.raises(RuntimeError, match="vjp"):
        Both.apply(leaf(1)).sum().backward()


def test_a_subclass_inherits_and_has_a_node_of_its_own_name():
    class Other(Exp):
        @staticmethod
        def backward(ctx, grad):
            return grad * 5

    x = leaf(0)
    y = Other.apply(x)
    y.sum().backward()
    assert (y.grad_fn.name(), numbers(x.grad)) == ("OtherBackward", 5)


def test_deep_chains_of_functions_need_no_recursion():
    class Add(Function):
        @staticmethod
        def forward(ctx, x):
            return x + 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = leaf(1)
    y = x
    for _ in range(20_000):
        y = Add.apply(y)
    y.sum().backward()
    assert (numbers(y), numbers(x.grad)) == (20_001, 1)


@pytest.mark.skipif(PYTORCH, reason="PyTorch's contexts keep the user's names apart from the node's")
@pytest.mark.parametrize("name", ["function", "saved", "hooks", "fits", "apply", "edge0", "sequence_nr"])
def test_names_of_the_node_itself_cannot_be_set_on_the_context(name):
    class Set(Function):
        @staticmethod
        def forward(ctx, x):
            setattr(ctx, name, 1)
            return x * 1

    with pytest.raises(RuntimeError, match=name):
        Set.apply(leaf(1))
