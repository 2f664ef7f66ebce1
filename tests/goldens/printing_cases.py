"""Recipes of the tensors whose printed form is recorded from PyTorch: small, and the same numbers on every machine.

The numbers come from Python's ``random.Random``, whose ``random()`` is the same in all versions.
"""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8", "bool")
COMPLEX = ("complex64", "complex128")
KINDS = ("unit", "wide", "whole", "special", "sparse", "large", "small", "money", "zeros")
GRAD_FN_NAMES = {
    None: None,
    "leaf": None,
    "clone": "CloneBackward0",
    "squeeze": "SqueezeBackward1",
    "view": "ViewBackward0",
    "custom": "ScaleByALongNamedConstantBackward",
}


def numbers(recipe: dict[str, Any]) -> np.ndarray:
    """The float64 (complex128, int64) values of a recipe, before they are converted to its dtype."""
    stream = random.Random(recipe["seed"])
    count = math.prod(recipe["shape"])
    dtype = recipe["dtype"]
    if dtype in INTEGERS:
        span = {"int64": 10 ** stream.randrange(1, 18), "int32": 10**9, "int16": 3000, "int8": 100, "uint8": 0, "bool": 0}[dtype]
        top = {"uint8": 255, "bool": 1}.get(dtype, span)
        return np.array([int(-span + stream.random() * (top + span + 1)) for _ in range(count)], np.int64).reshape(
            recipe["shape"]
        )
    if dtype in COMPLEX:
        real = np.array([_number(recipe["kind"], stream) for _ in range(count)], np.float64)
        imag = np.array([_number(recipe["kind"], stream) for _ in range(count)], np.float64)
        values = np.empty(count, np.complex128)
        values.real, values.imag = real, imag
        return values.reshape(recipe["shape"])
    return np.array([_number(recipe["kind"], stream) for _ in range(count)], np.float64).reshape(recipe["shape"])


def _number(kind: str, stream: random.Random) -> float:
    u, v = stream.random(), stream.random()
    sign = -1.0 if u < 0.5 else 1.0
    if kind == "unit":
        return sign * v
    if kind == "wide":
        return sign * 10 ** (8 * v - 4)
    if kind == "whole":
        return sign * math.floor(v * 10 ** (1 + 6 * stream.random()))
    if kind == "special":
        return [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5, sign * v, sign * v][int(8 * stream.random())]
    if kind == "sparse":
        return 0.0 if stream.random() < 0.7 else sign * v
    if kind == "large":
        return sign * v * 10 ** (1 + int(11 * stream.random()))
    if kind == "small":
        return sign * v * 10 ** -(1 + 5 * stream.random())
    if kind == "money":
        return round(sign * v * 100, 2)
    return sign * 0.0


def recipes(seed: int, count: int) -> list[dict[str, Any]]:
    """Random recipes; all dtypes, 0 to 4 dimensions, print options now and then."""
    stream = random.Random(seed)
    return [_recipe(stream, seed * 100_000 + i) for i in range(count)]


def _recipe(stream: random.Random, seed: int) -> dict[str, Any]:
    def pick(options: Any) -> Any:
        return options[int(stream.random() * len(options))]

    dims = pick((0, 1, 1, 2, 2, 2, 3, 3, 4))
    largest = (0, 40, 9, 5, 3)[dims]
    shape = [int(stream.random() * (largest + 1)) if stream.random() < 0.97 else 0 for _ in range(dims)]
    if dims and stream.random() < 0.06:
        shape = pick(([1001], [2000], [40, 40], [500, 3], [3, 500], [12, 11, 10], [7, 6, 8, 5]))
    dtype = pick((*FLOATS, *FLOATS, "float32", "float32", *INTEGERS, *COMPLEX))
    recipe = {"seed": seed, "dtype": dtype, "shape": shape, "kind": pick(KINDS)}
    if dtype in FLOATS + COMPLEX and stream.random() < 0.4:
        recipe["grad"] = pick(("leaf", "clone", "squeeze", "view", "custom"))
    if stream.random() < 0.2:
        recipe["default_dtype"] = pick(("float64", "float16"))
    if stream.random() < 0.3:
        recipe["options"] = _print_options(stream, pick)
    return recipe


def _print_options(stream: random.Random, pick: Any) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if stream.random() < 0.3:
        options["profile"] = pick(("default", "short", "full"))
    for name, values in (
        ("precision", (0, 1, 2, 3, 6, 8, 12)),
        ("threshold", (0, 5, 20, 100)),
        ("edgeitems", (0, 1, 2, 4)),
        ("linewidth", (1, 20, 40, 60, 120)),
        ("sci_mode", (True, False)),
    ):
        if stream.random() < 0.35:
            options[name] = pick(values)
    return options


def numpy_dtype(name: str) -> Any:
    """NumPy's dtype of a torch dtype's name; None for bfloat16 where ml_dtypes is missing."""
    if name != "bfloat16":
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        return None
    return np.dtype(ml_dtypes.bfloat16)


def array_of(recipe: dict[str, Any]) -> np.ndarray | None:
    """The recipe's values in its dtype, or None where this machine has no such dtype."""
    dtype = numpy_dtype(recipe["dtype"])
    if dtype is None:
        return None
    values = numbers(recipe)
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype.name in ("float16", "bfloat16"):  # by way of float32, as PyTorch converts
            values = values.astype(np.float32)
        return values.astype(dtype)


def printed(recipe: dict[str, Any]) -> str | None:
    """What autograd_cli prints for a recipe."""
    from autograd_cli.core.print_options import printoptions
    from autograd_cli.core.printing import tensor_text

    array = array_of(recipe)
    if array is None:
        return None
    with printoptions(**{"profile": "default", **recipe.get("options", {})}):
        return tensor_text(
            array,
            requires_grad="grad" in recipe,
            grad_fn_name=GRAD_FN_NAMES[recipe.get("grad")],
            default_dtype=np.dtype(recipe.get("default_dtype", "float32")),
        )
