"""The random stream, against what PyTorch drew (tests/goldens/random*, recorded by record_random.py)."""

from __future__ import annotations

import hashlib
import json
import math
import platform
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograd_cli.core.generator import DEFAULT_SEED, Generator
from autograd_cli.core.multinomial import multinomial
from autograd_cli.errors import BadArgument, BadArgumentType, BadArgumentValue, DtypeMismatch, ShapeMismatch

GOLDENS = Path(__file__).parents[1] / "goldens"
HASHES = json.loads((GOLDENS / "random.json").read_text(encoding="utf-8"))
SIZES, SEEDS = HASHES["sizes"], HASHES["seeds"]

# The C library's logarithm, sine and cosine decide the last digit of some draws: PyTorch's digits are glibc's on x86-64.
same_c_library = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the recorded last digits are those of glibc on x86-64"
)


def numpy_dtype(name: str) -> Any:
    if name == "bfloat16":
        return np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    return np.dtype(name)


def comparable(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


# ---- draws of every size, by their hashes ----


def sized_draw(name: str) -> Callable[[Generator, int], np.ndarray]:
    """The draw that record_random.py records under a name."""
    what, _, argument = name.partition(" ")
    dtype = numpy_dtype(argument) if what in ("rand", "randn", "uniform", "normal", "exponential") else None
    return {
        "rand": lambda g, n: g.uniform(n, dtype=dtype),
        "randn": lambda g, n: g.normal(n, dtype=dtype),
        "uniform": lambda g, n: g.uniform(n, -0.7, 2.1, dtype),
        "normal": lambda g, n: g.normal(n, 1.5, 0.3, dtype),
        "exponential": lambda g, n: g.exponential(n, 1.7, dtype),
        "randint": lambda g, n: g.randint(0, int(argument), n),
        "randperm": lambda g, n: g.randperm(n),
        "bernoulli": lambda g, n: bernoulli(g, n, argument),
        "dropout": lambda g, n: g.bernoulli(n, 0.7).astype(np.float32) / np.float32(0.7),
    }[what]


def bernoulli(generator: Generator, n: int, argument: str) -> np.ndarray:
    if argument == "0.3":
        return generator.bernoulli(n, 0.3).astype(np.float32)
    return generator.bernoulli(n, linspace(n, np.dtype(argument))).astype(argument)


def linspace(n: int, dtype: np.dtype) -> np.ndarray:
    """``torch.linspace(0, 1, n)``: counted from both ends to the middle."""
    if n == 1:
        return np.zeros(1, dtype)
    step = dtype.type(1) / dtype.type(n - 1)
    i = np.arange(n)
    from_start, from_end = step * i.astype(dtype), dtype.type(1) - step * (n - 1 - i).astype(dtype)
    return np.where(i < n // 2, from_start, from_end).astype(dtype)


@same_c_library
@pytest.mark.parametrize("name", sorted({key.split("|")[0] for key in HASHES["hashes"]}))
def test_every_size_equals_pytorch(name):
    draw = sized_draw(name)
    for seed in SEEDS:
        generator = Generator(seed)
        expected = HASHES["hashes"][f"{name}|{seed}"]
        for i, n in enumerate(SIZES):
            digest = hashlib.sha256(np.ascontiguousarray(comparable(draw(generator, n))).tobytes()).hexdigest()[:12]
            assert digest == expected[12 * i : 12 * i + 12], f"seed {seed}, {n} numbers"


# ---- values ----


def recorded(file: str) -> dict[tuple[str, int], list[np.ndarray]]:
    """Arrays of an archive, by name and seed, in order."""
    draws: dict[tuple[str, int], list[np.ndarray]] = defaultdict(list)
    with np.load(GOLDENS / file) as archive:
        for key in archive.files:
            name, seed, _ = key.split("|")
            draws[name, int(seed)].append(archive[key])
    return draws


VALUES = recorded("random_values.npz")
WEIGHTS = np.array([0.1, 0.2, 0.3, 0.4, 0.0, 3.0], np.float32)
HALF_WEIGHTS = np.linspace(0.01, 1, 50, dtype=np.float32).astype(np.float16)
TABLE = np.arange(1, 13, dtype=np.float32).reshape(3, 4)


def mixed(g: Generator) -> list[np.ndarray]:
    return [
        g.normal(1),
        g.uniform(2, dtype=np.float64),
        g.normal(1),
        g.normal(20),
        g.randperm(5),
        g.normal(3),
        g.randint(0, 10, 4),
        g.normal(2, dtype=np.float64),
        g.uniform(700),
        g.uniform(1),
    ]


def not_contiguous(g: Generator) -> list[np.ndarray]:
    # PyTorch fills in the order of the memory: the transposed tensor's rows are the columns
    return [g.normal(48, contiguous=False).reshape(8, 6).T, g.normal(2)]


def state_after(g: Generator, words: int, normals: int) -> list[np.ndarray]:
    g.uniform(words)
    g.normal(normals)
    return [g.get_state(), g.uniform(3), g.normal(2)]


DRAWS: dict[str, Callable[[Generator], list[np.ndarray]]] = {
    "rand float32": lambda g: [np.concatenate([g.uniform(n) for n in range(1, 41)])],
    "randn float32": lambda g: [np.concatenate([g.normal(n) for n in range(1, 41)])],
    "rand float64": lambda g: [np.concatenate([g.uniform(n, dtype=np.float64) for n in range(1, 41)])],
    "randn float64": lambda g: [np.concatenate([g.normal(n, dtype=np.float64) for n in range(1, 41)])],
    "rand complex64": lambda g: [g.uniform(n, dtype=np.complex64) for n in (1, 9, 30)],
    "rand complex128": lambda g: [g.uniform(n, dtype=np.complex128) for n in (1, 9, 30)],
    "randn complex64": lambda g: [g.normal(n, dtype=np.complex64) for n in (1, 7, 8, 9, 30)],
    "randn complex128": lambda g: [g.normal(n, dtype=np.complex128) for n in (1, 7, 8, 9, 30)],
    "mixed": mixed,
    "not contiguous": not_contiguous,
    "after large": lambda g: [g.uniform(100_000)[-3:], g.uniform(5), g.normal(60_001)[-20:], g.uniform(3)],
    "tiny uniform": lambda g: [g.uniform(40, 0, 1e-39)],
    "tiny normal": lambda g: [g.normal(64, 1e-40, 3e-39)],
    "huge normal": lambda g: [g.normal(64, 0, 2e38)],
    "exponential 1": lambda g: [g.exponential(50), g.exponential(3, math.inf)],
    "multinomial 3": lambda g: [multinomial(g, WEIGHTS, 3), g.uniform(2)],
    "multinomial 1": lambda g: [multinomial(g, WEIGHTS, 1, replacement=True), g.uniform(2)],
    "multinomial replaced": lambda g: [multinomial(g, WEIGHTS, 40, replacement=True), g.uniform(2)],
    "multinomial double": lambda g: [
        multinomial(g, WEIGHTS.astype(np.float64), n, replacement=r) for n, r in ((4, False), (20, True))
    ],
    "multinomial half": lambda g: [multinomial(g, HALF_WEIGHTS, 200, replacement=True)],
    "multinomial rows": lambda g: [multinomial(g, TABLE, 2), multinomial(g, TABLE, 9, replacement=True)],
    "state fresh": lambda g: state_after(g, 0, 0),
    "state within": lambda g: state_after(g, 10, 0),
    "state last": lambda g: state_after(g, 623, 0),
    "state end": lambda g: state_after(g, 624, 0),
    "state after": lambda g: state_after(g, 625, 0),
    "state half a pair": lambda g: state_after(g, 5, 1),
}


def value_draw(name: str) -> Callable[[Generator], list[np.ndarray]]:
    what, *arguments = name.split()
    if what == "random":
        return lambda g: [g.random(9, numpy_dtype(arguments[0]))]
    if what == "randint":
        dtype, low, high = arguments
        return lambda g: [g.randint(int(low), int(high), 20, dtype)]
    return DRAWS[name]


@same_c_library
@pytest.mark.parametrize("name", sorted({name for name, _ in VALUES}))
def test_values_equal_pytorchs(name):
    for seed in (0, -1):
        for i, (got, expected) in enumerate(zip(value_draw(name)(Generator(seed)), VALUES[name, seed], strict=True)):
            message = f"seed {seed}, array {i}"
            if expected.dtype != np.float32 or got.dtype.name != "bfloat16":
                assert got.dtype == expected.dtype, message
            np.testing.assert_array_equal(comparable(got), expected, err_msg=message)


# ---- what initialisers draw ----

INIT = recorded("random_init.npz")


def within(bound: float, *shape: int) -> Callable[[Generator], np.ndarray]:
    return lambda g: g.uniform(math.prod(shape), -bound, bound).reshape(shape)


def spread(std: float, *shape: int, mean: float = 0.0) -> Callable[[Generator], np.ndarray]:
    return lambda g: g.normal(math.prod(shape), mean, std).reshape(shape)


def truncated(g: Generator) -> np.ndarray:
    """``trunc_normal_``: numbers outside [-2, 2] are replaced from a draw of the whole tensor, until there is none."""
    values = g.normal(35)
    while (outside := abs(values) > 2).any():
        values = np.where(outside, g.normal(35), values)
    return values.reshape(7, 5)


# fan_in is 5 and fan_out 7 for a matrix of 7 rows and 5 columns; the formulas are those of torch.nn.init's documentation
INITIALISERS = {
    "uniform_": [lambda g: g.uniform(35).reshape(7, 5)],
    "normal_": [spread(0.5, 7, 5, mean=1.0)],
    "kaiming_uniform_": [within(math.sqrt(3) * (math.sqrt(2) / math.sqrt(5)), 7, 5)],
    "kaiming_uniform_ a": [within(math.sqrt(3) * (math.sqrt(2 / 6) / math.sqrt(5)), 7, 5)],
    "kaiming_uniform_ fan_out": [within(math.sqrt(3) * (math.sqrt(2) / math.sqrt(7)), 7, 5)],
    "kaiming_normal_": [spread(math.sqrt(2) / math.sqrt(5), 7, 5)],
    "xavier_uniform_": [within(math.sqrt(3) * math.sqrt(2 / 12), 7, 5)],
    "xavier_uniform_ tanh": [within(math.sqrt(3) * (5 / 3 * math.sqrt(2 / 12)), 7, 5)],
    "xavier_normal_": [spread(math.sqrt(2 / 12), 7, 5)],
    "xavier_uniform_ conv": [within(math.sqrt(3) * math.sqrt(2 / (12 + 16)), 4, 3, 2, 2)],
    "trunc_normal_": [truncated],
    "Linear": [within(math.sqrt(3) * (math.sqrt(2 / 6) / math.sqrt(5)), 7, 5), within(1 / math.sqrt(5), 7)],
    "Linear no bias": [within(math.sqrt(3) * (math.sqrt(2 / 6) / math.sqrt(5)), 7, 5)],
    "Sequential": [within(1 / 2, 16, 4), within(1 / 2, 16), within(1 / 4, 3, 16), within(1 / 4, 3)],
    "Conv1d": [within(math.sqrt(3) * (math.sqrt(2 / 6) / 3), 4, 3, 3), within(1 / 3, 4)],
}


@same_c_library
@pytest.mark.parametrize("name", sorted(INITIALISERS))
def test_initialisers_use_the_stream_as_pytorch_does(name):
    for seed in (0, 42):
        generator = Generator(seed)
        for draw, expected in zip(INITIALISERS[name], INIT[name, seed], strict=True):
            np.testing.assert_array_equal(draw(generator), expected)


# ---- seeds and states ----


@pytest.mark.parametrize(("seed", "same"), [(2**32 + 5, 5), (-1, 2**32 - 1), (2**64 - 1, -1), (-(2**63), 0), (np.int64(7), 7)])
def test_only_the_low_32_bits_of_a_seed_matter(seed, same):
    np.testing.assert_array_equal(Generator(seed).uniform(50), Generator(same).uniform(50))


def test_initial_seed_is_unsigned():
    assert Generator().initial_seed() == DEFAULT_SEED == 67280421310721
    assert Generator(-1).initial_seed() == 2**64 - 1
    assert Generator(0).manual_seed(12).initial_seed() == 12


@pytest.mark.parametrize(
    ("seed", "error"),
    [
        (2**64, BadArgumentValue),
        (-(2**63) - 1, BadArgumentValue),
        (1.5, BadArgumentType),
        (True, BadArgumentType),
        ("3", BadArgumentType),
    ],
)
def test_a_seed_that_is_no_64_bit_integer_is_refused_and_changes_nothing(seed, error):
    generator = Generator(3)
    with pytest.raises(error):
        generator.manual_seed(seed)
    np.testing.assert_array_equal(generator.uniform(5), Generator(3).uniform(5))


def test_manual_seed_forgets_half_a_pair_of_normal_numbers():
    generator = Generator(3)
    generator.normal(1)
    np.testing.assert_array_equal(generator.manual_seed(3).normal(3), Generator(3).normal(3))


def test_seed_draws_a_new_seed():
    generator = Generator(0)
    first, second = generator.seed(), generator.seed()
    assert first != second
    assert generator.initial_seed() == second
    np.testing.assert_array_equal(generator.uniform(5), Generator(second).uniform(5))


def test_a_draw_of_nothing_changes_nothing():
    generator = Generator(1)
    generator.normal(1)
    before = generator.get_state()
    for draw in (generator.uniform, generator.normal, generator.randperm, generator.exponential):
        assert draw(0).shape == (0,)
    np.testing.assert_array_equal(generator.get_state(), before)


def test_a_state_continues_in_another_generator():
    generator = Generator(8)
    generator.uniform(1000)
    generator.normal(3)
    state = generator.get_state()
    after = generator.normal(5), generator.uniform(1500), generator.normal(40)
    other = Generator(1)
    other.set_state(state)
    for again, expected in zip((other.normal(5), other.uniform(1500), other.normal(40)), after, strict=True):
        np.testing.assert_array_equal(again, expected)
    assert other.initial_seed() == 8


@same_c_library
@pytest.mark.parametrize("name", sorted(name for name, _ in VALUES if name.startswith("state")))
def test_a_state_that_pytorch_saved_continues_here(name):
    state, uniform, normal = VALUES[name, 0]
    generator = Generator(99)
    generator.set_state(state)
    np.testing.assert_array_equal(generator.get_state(), state)
    np.testing.assert_array_equal(generator.uniform(3), uniform)
    np.testing.assert_array_equal(generator.normal(2), normal)


@pytest.mark.parametrize(
    ("state", "error"),
    [
        (np.zeros(5056, np.uint8), BadArgument),
        (np.zeros(5055, np.uint8), BadArgument),
        (np.zeros(5056, np.float32), BadArgumentType),
        (3, BadArgumentType),
    ],
)
def test_what_is_no_state_is_refused(state, error):
    with pytest.raises(error):
        Generator(0).set_state(state)


def test_draws_do_not_share_memory():
    generator = Generator(0)
    first = generator.uniform(4)
    kept = first.copy()
    first += 1
    np.testing.assert_array_equal(Generator(0).uniform(4), kept)
    assert not np.array_equal(generator.uniform(4), kept)


# ---- arguments ----


@pytest.mark.parametrize(
    ("draw", "error"),
    [
        (lambda g: g.uniform(3, 2, 1), BadArgument),
        (lambda g: g.uniform(3, math.nan, 1), BadArgument),
        (lambda g: g.uniform(3, -3e38, 3e38), BadArgument),
        (lambda g: g.uniform(3, 0, 70_000, np.float16), BadArgument),
        (lambda g: g.uniform(3, dtype=np.int64), DtypeMismatch),
        (lambda g: g.normal(3, 0, -1), BadArgument),
        (lambda g: g.normal(20, dtype=np.int64), DtypeMismatch),
        (lambda g: g.exponential(3, 0), BadArgument),
        (lambda g: g.exponential(3, math.nan), BadArgument),
        (lambda g: g.exponential(3, dtype=np.int64), DtypeMismatch),
        (lambda g: g.bernoulli(3, 1.2), BadArgument),
        (lambda g: g.bernoulli(2, np.array([0.5, math.nan])), BadArgument),
        (lambda g: g.randint(3, 3, 2), BadArgument),
        (lambda g: g.randint(0, 300, 2, np.uint8), BadArgument),
        (lambda g: g.randint(0, 2, 2, np.complex64), DtypeMismatch),
        (lambda g: g.randperm(-1), BadArgument),
        (lambda g: multinomial(g, np.zeros(2), 1), BadArgument),
        (lambda g: multinomial(g, np.array([1.0, -1.0]), 1), BadArgument),
        (lambda g: multinomial(g, np.array([1.0, math.nan]), 1), BadArgument),
        (lambda g: multinomial(g, np.ones(2), 3), BadArgument),
        (lambda g: multinomial(g, np.ones(2), 0), BadArgument),
        (lambda g: multinomial(g, np.ones(2, np.int64), 1), DtypeMismatch),
        (lambda g: multinomial(g, np.ones((2, 2, 2)), 1), ShapeMismatch),
    ],
)
def test_impossible_draws_are_refused_before_a_number_is_drawn(draw, error):
    generator = Generator(5)
    with pytest.raises(error):
        draw(generator)
    np.testing.assert_array_equal(generator.uniform(3), Generator(5).uniform(3))
