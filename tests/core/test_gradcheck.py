"""gradcheck and gradgradcheck find what is wrong. Holds for PyTorch too: see under_test.py."""

from __future__ import annotations

import pytest
from under_test import PYTORCH, leaf, torch

gradcheck, gradgradcheck, Function = torch.autograd.gradcheck, torch.autograd.gradgradcheck, torch.autograd.Function
our_own = pytest.mark.skipif(PYTORCH, reason="our own words")


def product(factor=1.0, second=True):
    """A product whose formula for its second input is wrong by a factor, and maybe constant for a second derivative."""

    class Product(Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y, x + y

        @staticmethod
        def backward(ctx, g, h):
            x, y = ctx.saved_tensors
            if not second:
                x, y = x.detach(), y.detach()
            return g * y + h, g * x * factor + h

    return Product.apply


def inputs():
    return leaf(1, 2), leaf(3, 4)


def test_right_formulas_pass_both():
    assert gradcheck(product(), inputs())
    assert gradgradcheck(product(), inputs())


@pytest.mark.parametrize("factor", [3.0, 1.01, 0.0, -1.0])
def test_a_wrong_factor_is_found(factor):
    assert not gradcheck(product(factor), inputs(), raise_exception=False)
    with pytest.raises(RuntimeError):
        gradcheck(product(factor), inputs())


def test_tolerances_decide():
    assert gradcheck(product(1.01), inputs(), rtol=0.1)
    assert gradcheck(product(1.01), inputs(), atol=0.1)


def test_a_second_derivative_that_is_missing_is_found():
    assert gradcheck(product(second=False), inputs())
    with pytest.raises(RuntimeError):
        gradgradcheck(product(second=False), inputs())


@our_own
def test_the_error_says_which_and_both_numbers():
    with pytest.raises(RuntimeError) as caught:
        gradcheck(product(3.0), inputs())
    text = str(caught.value)
    assert (
        "output 0 (made by ProductBackward) with respect to input 1 is wrong: element 1 of the input and element 1 of the output"
        in text
    )
    assert "the backward says 6 and finite differences say 2" in text
    assert (caught.value.kind, caught.value.type) == ("BadArgument", "GradcheckError")


@our_own
def test_passes_inside_are_marked():
    from autograd_cli.trace.recorder import Recorder

    with Recorder() as recorder:
        gradgradcheck(lambda x: x.sin(), leaf(1, 2))
    assert {p.inside for p in recorder.passes} <= {"gradcheck"}


@our_own
def test_single_precision_is_warned_of():
    from autograd_cli.trace.recorder import Recorder

    with Recorder() as recorder:
        gradcheck(lambda x: x * 2, leaf(1, 2, dtype=torch.float32), raise_exception=False)
    assert [w.kind for w in recorder.warnings] == ["GradcheckPrecision"]


def test_inputs_are_left_as_they_were():
    x, y = inputs()
    gradcheck(product(), (x, y))
    assert (x.tolist(), y.tolist(), x.grad) == ([1, 2], [3, 4], None)


def test_arguments_that_are_no_tensors_and_zero_dimensions():
    assert gradcheck(lambda x, n, flag: x**n if flag else x, (leaf(2), 3, True))


def test_an_expanded_input_is_refused():
    with pytest.raises(RuntimeError):
        gradcheck(lambda x: x * 2, leaf(1, 2).expand(3, 2))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's word for the NaN
def test_a_nan_never_passes():
    assert not gradcheck(lambda x: x.sqrt() * 0, leaf(0, 1), raise_exception=False)


def test_a_function_without_results_has_nothing_wrong():
    assert torch.autograd.gradcheck(lambda x: (), (leaf(1.0, 2.0),))


# ---- complex numbers ----


def square(conjugated):
    """A square of complex numbers; its formula is wrong unless it conjugates."""

    class Square(Function):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, g):
            (z,) = ctx.saved_tensors
            return 2 * g * (z.conj() if conjugated else z)

    return Square.apply


def complex_leaf():
    return torch.tensor([0.5 + 1j, -1 + 0.25j], dtype=torch.complex128, requires_grad=True)


@pytest.mark.parametrize(
    "function",
    [
        square(True),
        lambda z: z.abs(),
        lambda z: (z.conj(), z.imag),
        lambda z: z * z.real,
        lambda z: torch.view_as_real(z).sin(),
        lambda z: z.sgn() + z.angle(),
    ],
    ids=["square", "abs", "two outputs", "real part", "pairs", "not holomorphic"],
)
def test_both_parts_of_complex_inputs_and_outputs_are_checked(function):
    assert gradcheck(function, (complex_leaf(),))
    assert gradgradcheck(function, (complex_leaf(),))


def test_a_conjugate_that_is_missing_is_found():
    assert not gradcheck(square(False), (complex_leaf(),), raise_exception=False)


def test_real_and_complex_inputs_stand_beside_each_other():
    assert gradcheck(lambda z, x: (z * x, torch.polar(x, x)), (complex_leaf(), leaf(1.0, 2.0)))


@our_own
def test_the_error_names_the_part_of_the_output():
    with pytest.raises(RuntimeError, match="the gradient of the real part of output 0"):
        gradcheck(lambda z: square(False)(z) * 1, (complex_leaf(),))
