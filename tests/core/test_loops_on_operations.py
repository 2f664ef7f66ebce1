"""Both loops on graphs that operations recorded: the same bits, no shared buffers, and the gradients of finite differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_cli import torch
from autograd_cli.core.modes import modes

SHAPES = [(), (1,), (3,), (2, 3), (2, 1)]

OPERATIONS = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a - b * 0.5,
    lambda a, b: a / (b * b + 1),
    lambda a, b: a.tanh(),
    lambda a, b: (a * 0.3).exp(),
    lambda a, b: a.sum() + b,
    lambda a, b: a.reshape(-1)[-1] * b,
    lambda a, b: torch.stack([a, a * 2, a.tanh()]).sum(0) * b,
    lambda a, b: sum(torch.stack([a, b.sum() * a]).unbind(0)),  # a node with two inputs
    lambda a, b: a.unsqueeze(0).expand(2, *a.shape).mean(0) + b,
    lambda a, b: a + a,
]

programs = st.tuples(
    st.lists(st.sampled_from(SHAPES), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, len(OPERATIONS) - 1), st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=10),
)


def leaves_of(shapes, offset=0.0, at=None):
    """Leaves with fixed values; the value at the place `at` (leaf, position) is moved by `offset`."""
    found = []
    for i, shape in enumerate(shapes):
        values = np.array([math.sin(1.7 * i + k) for k in range(math.prod(shape))])
        if at is not None and at[0] == i:
            values[at[1]] += offset
        found.append(torch.tensor(values.tolist(), dtype=torch.float64).reshape(shape).requires_grad_())
    return found


def root_of(leaves, steps):
    known = list(leaves)
    for number, i, j in steps:
        known.append(OPERATIONS[number](known[-1 - i % len(known)], known[-1 - j % len(known)]))
    return (known[-1] * 0.7).sum() + known[len(known) // 2].sum()


def run(shapes, steps, *, counted):
    leaves = leaves_of(shapes)
    root = root_of(leaves, steps)
    modes.order_matters = counted
    root.backward()
    modes.order_matters = False
    return leaves


@given(programs)
def test_both_loops_give_the_same_bits(program):
    plain, counted = run(*program, counted=False), run(*program, counted=True)
    for a, b in zip(plain, counted, strict=True):
        assert (a.grad is None) == (b.grad is None)
        assert a.grad is None or np.asarray(a.grad._data).tobytes() == np.asarray(b.grad._data).tobytes()


@given(programs, st.booleans())
def test_no_gradient_shares_memory_with_anything(program, counted):
    leaves = run(*program, counted=counted)
    grads = [t.grad._data for t in leaves if t.grad is not None]
    for one, other in itertools.combinations([*grads, *(t._data for t in leaves)], 2):
        assert not np.shares_memory(one, other)
    for t in leaves:
        assert t.grad is None or (t.grad.shape, t.grad.dtype) == (t.shape, t.dtype)
        assert t.grad is None or not isinstance(t.grad._data, np.ndarray) or t.grad._data.flags.writeable


@given(programs)
def test_gradients_equal_finite_differences(program):
    shapes, steps = program
    leaves = run(shapes, steps, counted=False)
    for i, t in enumerate(leaves):
        exact = [0.0] * math.prod(shapes[i]) if t.grad is None else t.grad.reshape(-1).tolist()
        for k, g in enumerate(exact):
            up, down = (root_of(leaves_of(shapes, h, (i, k)), steps).item() for h in (1e-5, -1e-5))
            scale = max(1.0, abs(up), abs(g))
            assert g == pytest.approx((up - down) / 2e-5, abs=3e-6 * scale, rel=1e-5)


@given(programs)
def test_a_second_pass_with_a_retained_graph_doubles_everything(program):
    shapes, steps = program
    leaves = leaves_of(shapes)
    root = root_of(leaves, steps)
    root.backward(retain_graph=True)
    first = [None if t.grad is None else t.grad.tolist() for t in leaves]
    root.backward()
    for t, before in zip(leaves, first, strict=True):
        assert before is None or np.array_equal(np.array(t.grad.tolist()), 2 * np.array(before))
