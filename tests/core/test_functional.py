"""``torch.autograd.functional`` and ``torch.func``. Holds for PyTorch too: see under_test.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from under_test import PYTORCH, leaf, numbers, torch

functional, func = torch.autograd.functional, torch.func
our_own = pytest.mark.skipif(PYTORCH, reason="our own structure")


def vector(*values):
    return torch.tensor(values, dtype=torch.float64)


def cube(x):
    return (x**3).sum()


# ---- functional ----

FUNCTIONS = {
    "polynomial": lambda x: x**3 - 2 * x,
    "mixed": lambda x: (x.sin() * x.flip(0), x.exp().sum()),
    "matrix": lambda x: torch.outer(x, x) @ x,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@given(st.lists(st.floats(-2, 2), min_size=3, max_size=3), st.lists(st.floats(-2, 2), min_size=3, max_size=3))
def test_vjp_and_jvp_are_products_with_the_jacobian(name, point, along):
    x, v = vector(*point), vector(*along)
    function = FUNCTIONS[name]

    def flat(x):
        out = function(x)
        return torch.cat([o.reshape(-1) for o in (out if isinstance(out, tuple) else (out,))])

    J = functional.jacobian(flat, x)
    _, forward = functional.jvp(flat, x, v)
    assert torch.allclose(forward, J @ v)
    w = torch.ones(J.shape[0], dtype=torch.float64)
    _, backward = functional.vjp(flat, x, w)
    assert torch.allclose(backward, w @ J)


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=2), st.lists(st.floats(-2, 2), min_size=2, max_size=2))
def test_hvp_and_vhp_are_products_with_the_hessian(point, along):
    x, v = vector(*point), vector(*along)

    def function(x):
        return (x[0] * x[1]).sin() + cube(x)

    H = functional.hessian(function, x)
    assert torch.allclose(H, H.T)
    assert torch.allclose(functional.hvp(function, x, v)[1], H @ v)
    assert torch.allclose(functional.vhp(function, x, v)[1], v @ H)


def test_there_is_no_jacobian_of_nothing():
    with pytest.raises(RuntimeError):
        functional.jacobian(lambda x: x[:0] * 2, vector(1, 2))


def test_the_jacobian_counts_the_argument_only_not_the_same_tensor_from_outside():
    x = leaf(1, 2)
    assert numbers(functional.jacobian(lambda y: y * x, x)) == [[1, 0], [0, 2]]
    assert x.grad is None


@pytest.mark.parametrize("options", [{"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}])
def test_other_ways_give_the_same_jacobian(options):
    x = vector(1, 2)
    assert torch.allclose(
        functional.jacobian(FUNCTIONS["polynomial"], x, **options), functional.jacobian(FUNCTIONS["polynomial"], x)
    )


def test_an_unknown_strategy():
    with pytest.raises(AssertionError):
        functional.jacobian(cube, vector(1), strategy="sideways")


def test_a_hessian_needs_a_scalar():
    with pytest.raises(RuntimeError):
        functional.hessian(lambda x: x * 2, vector(1, 2))
    with pytest.raises(RuntimeError):
        functional.hessian(lambda x: (cube(x),), vector(1, 2))


def test_strict_mode_wants_a_hessian_that_depends():
    with pytest.raises(RuntimeError, match="strict"):
        functional.hessian(lambda x: x.sum(), vector(1, 2), strict=True)
    assert numbers(functional.hessian(lambda x: x.sum(), vector(1, 2))) == [[0, 0], [0, 0]]


@our_own
def test_passes_inside_are_marked():
    from autograd_cli.trace.recorder import Recorder

    with Recorder() as recorder:
        functional.hessian(cube, vector(1, 2))
        func.grad(cube)(vector(1, 2))
        cube(leaf(1, 2)).backward()
    kinds = [p.inside for p in recorder.passes]
    assert kinds == ["autograd.functional"] * 3 + ["func", None]  # one for the gradient, two for its rows


# ---- func ----


def test_derivatives_can_be_nested():
    x = vector(2)
    first = func.grad(cube)
    second = func.grad(lambda x: first(x).sum())
    third = func.grad(lambda x: second(x).sum())
    assert [numbers(f(x)) for f in (first, second, third)] == [[12], [12], [6]]


def test_results_have_no_history_unless_the_arguments_have():
    assert not func.grad(cube)(vector(1, 2)).requires_grad
    x = leaf(1, 2)
    g = func.grad(cube)(x)
    assert g.requires_grad
    g.sum().backward()
    assert numbers(x.grad) == [6, 12]


def test_argnums_auxiliary_results_and_trees():
    a, b = vector(1, 2), vector(3, 4)
    assert numbers(func.grad(lambda a, b: (a * b**2).sum(), argnums=1)(a, b)) == [6, 16]
    assert [numbers(g) for g in func.grad(lambda a, b: (a * b).sum(), argnums=(0, -1))(a, b)] == [[3, 4], [1, 2]]
    gradient, (value, aux) = func.grad_and_value(lambda a: (cube(a), {"twice": a * 2}), has_aux=True)(a)
    assert (numbers(gradient), numbers(value), numbers(aux["twice"])) == ([3, 12], 9, [2, 4])
    gradient = func.grad(lambda p: (p["w"] * p["b"][0]).sum())({"w": a, "b": [b]})
    assert (numbers(gradient["w"]), numbers(gradient["b"][0])) == ([3, 4], [1, 2])


def test_vjp_and_jvp():
    x = vector(1, 2)
    out, back = func.vjp(lambda x: x**2, x)
    assert (numbers(out), numbers(back(vector(1, 10))[0])) == ([1, 4], [2, 40])
    out, change = func.jvp(lambda x: x**2, (x,), (vector(1, 10),))
    assert (numbers(out), numbers(change)) == ([1, 4], [2, 40])


def test_jacobians_and_hessians():
    x = vector(1, 2)
    assert numbers(func.jacrev(lambda x: x**2)(x)) == numbers(func.jacfwd(lambda x: x**2)(x)) == [[2, 0], [0, 4]]
    assert numbers(func.hessian(cube)(x)) == [[6, 0], [0, 12]]
    both = func.jacrev(lambda x: (x * 2, {"sum": x.sum()}))(x)
    assert (numbers(both[0]), numbers(both[1]["sum"])) == ([[2, 0], [0, 2]], [1, 1])


def test_vmap():
    rows = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
    v = vector(1, 10)
    assert numbers(func.vmap(cube)(rows)) == [9, 91]
    assert numbers(func.vmap(func.grad(cube))(rows)) == [[3, 12], [27, 48]]
    assert numbers(func.vmap(lambda a, b: a @ b, in_dims=(0, None))(rows, v)) == [21, 43]
    assert numbers(func.vmap(lambda a: a * 2, in_dims=1, out_dims=1)(rows)) == [[2, 4], [6, 8]]
    out, total = func.vmap(lambda a: (a, a.sum()), out_dims=(1, 0))(rows)
    assert (numbers(out), numbers(total)) == ([[1, 3], [2, 4]], [3, 7])
    assert func.vmap(func.vmap(lambda a, b: a * b))(rows, rows).shape == (2, 2)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: func.grad(lambda x: x * 2)(vector(1, 2)), RuntimeError),
        (lambda: func.grad(cube, argnums=3)(vector(1, 2)), RuntimeError),
        (lambda: func.vmap(lambda a, b: a + b)(vector(1, 2), vector(1, 2, 3)), ValueError),
        (lambda: func.vmap(cube, in_dims=5)(vector(1, 2)), ValueError),
        (lambda: func.vmap(cube, in_dims=None)(vector(1, 2)), ValueError),
        (lambda: func.vmap(lambda a: 3)(vector(1, 2)), ValueError),
    ],
)
def test_mistakes_have_pytorchs_type(call, kind):
    with pytest.raises(kind):
        call()
