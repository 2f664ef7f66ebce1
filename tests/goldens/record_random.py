"""Record PyTorch's random stream (needs torch, x86-64 with AVX2 or newer).

``random.json``: a hash of each draw of many sizes. ``random_values.npz``: values of smaller draws, as ``NAME|SEED|INDEX``.
``random_init.npz``: what initialisers and modules draw. In every file the draws of a name follow one ``manual_seed``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

HERE = Path(__file__).parent
SEEDS = (0, 42, 2**32 + 5, -1)
SIZES = (*range(1, 41), 100, 1000, 10_000)
DTYPES = ("float32", "float64", "float16", "bfloat16")
LIMITS = (2, 10, 1000, 2**27, 2**28 - 1, 2**28, 2**31, 2**33, 2**62)


def array(tensor: torch.Tensor) -> np.ndarray:
    """The tensor's values; bfloat16 as float32."""
    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def sized_draws() -> dict[str, Callable[[int], torch.Tensor]]:
    """Draws of n numbers."""
    draws: dict[str, Callable[[int], torch.Tensor]] = {}
    for name in DTYPES:
        dtype = getattr(torch, name)
        draws[f"rand {name}"] = lambda n, dtype=dtype: torch.rand(n, dtype=dtype)
        draws[f"randn {name}"] = lambda n, dtype=dtype: torch.randn(n, dtype=dtype)
        draws[f"uniform {name}"] = lambda n, dtype=dtype: torch.empty(n, dtype=dtype).uniform_(-0.7, 2.1)
        draws[f"normal {name}"] = lambda n, dtype=dtype: torch.empty(n, dtype=dtype).normal_(1.5, 0.3)
        draws[f"exponential {name}"] = lambda n, dtype=dtype: torch.empty(n, dtype=dtype).exponential_(1.7)
    for limit in LIMITS:
        draws[f"randint {limit}"] = lambda n, limit=limit: torch.randint(0, limit, (n,))
    draws["randperm"] = torch.randperm
    draws["bernoulli 0.3"] = lambda n: torch.empty(n).bernoulli_(0.3)
    draws["bernoulli float32"] = lambda n: torch.bernoulli(torch.linspace(0, 1, n))
    draws["bernoulli float64"] = lambda n: torch.bernoulli(torch.linspace(0, 1, n, dtype=torch.float64))
    draws["dropout 0.3"] = lambda n: nn.functional.dropout(torch.ones(n), 0.3)
    return draws


def value_draws() -> dict[str, Callable[[], Any]]:
    """Draws that are kept as values."""
    weights = torch.tensor([0.1, 0.2, 0.3, 0.4, 0.0, 3.0])
    table = torch.arange(1.0, 13).reshape(3, 4)
    draws: dict[str, Callable[[], Any]] = {}
    for name in ("float32", "float64"):
        dtype = getattr(torch, name)
        draws[f"rand {name}"] = lambda dtype=dtype: torch.cat([torch.rand(n, dtype=dtype) for n in range(1, 41)])
        draws[f"randn {name}"] = lambda dtype=dtype: torch.cat([torch.randn(n, dtype=dtype) for n in range(1, 41)])
    for name in ("complex64", "complex128"):
        dtype = getattr(torch, name)
        draws[f"rand {name}"] = lambda dtype=dtype: [torch.rand(n, dtype=dtype) for n in (1, 9, 30)]
        draws[f"randn {name}"] = lambda dtype=dtype: [torch.randn(n, dtype=dtype) for n in (1, 7, 8, 9, 30)]
    draws["mixed"] = lambda: [
        torch.randn(1),
        torch.rand(2, dtype=torch.float64),
        torch.randn(1),
        torch.randn(20),
        torch.randperm(5),
        torch.randn(3),
        torch.randint(0, 10, (4,)),
        torch.randn(2, dtype=torch.float64),
        torch.rand(700),
        torch.rand(1),
    ]
    draws["not contiguous"] = lambda: [torch.empty(8, 6).t().normal_(), torch.randn(2)]
    draws["after large"] = lambda: [torch.rand(100_000)[-3:], torch.rand(5), torch.randn(60_001)[-20:], torch.rand(3)]
    for name in ("int64", "int32", "int16", "int8", "uint8", "bool", *DTYPES):
        draws[f"random {name}"] = lambda name=name: torch.empty(9, dtype=getattr(torch, name)).random_()
    for name, low, high in (
        ("int32", -5, 7),
        ("int64", -(2**63), 2**63 - 1),
        ("uint8", 0, 256),
        ("bool", 0, 2),
        ("float32", -(2**24), 2**24),
        ("float32", 0, 2**30 + 3),
        ("float32", -(2**40) - 5, 2**33 + 1),
        ("float16", -3000, 5001),
        ("float64", -(2**60) - 7, 2**61 + 5),
    ):
        draws[f"randint {name} {low} {high}"] = lambda d=name, a=low, b=high: torch.empty(20, dtype=getattr(torch, d)).random_(
            a, b
        )
    draws["tiny uniform"] = lambda: torch.empty(40).uniform_(0, 1e-39)
    draws["tiny normal"] = lambda: torch.empty(64).normal_(1e-40, 3e-39)
    draws["huge normal"] = lambda: torch.empty(64).normal_(0, 2e38)
    draws["exponential 1"] = lambda: [torch.empty(50).exponential_(), torch.empty(3).exponential_(float("inf"))]
    draws["multinomial 3"] = lambda: [torch.multinomial(weights, 3), torch.rand(2)]
    draws["multinomial 1"] = lambda: [torch.multinomial(weights, 1, replacement=True), torch.rand(2)]
    draws["multinomial replaced"] = lambda: [torch.multinomial(weights, 40, replacement=True), torch.rand(2)]
    draws["multinomial double"] = lambda: [
        torch.multinomial(weights.double(), n, replacement=r) for n, r in ((4, False), (20, True))
    ]
    draws["multinomial half"] = lambda: torch.multinomial(torch.linspace(0.01, 1, 50).half(), 200, replacement=True)
    draws["multinomial rows"] = lambda: [torch.multinomial(table, 2), torch.multinomial(table, 9, replacement=True)]
    return draws


def init_draws() -> dict[str, Callable[[], Any]]:
    """Initialisers and modules, for the layers above the generator."""
    init = nn.init
    draws: dict[str, Callable[[], Any]] = {
        "uniform_": lambda: init.uniform_(torch.empty(7, 5)),
        "normal_": lambda: init.normal_(torch.empty(7, 5), 1.0, 0.5),
        "kaiming_uniform_": lambda: init.kaiming_uniform_(torch.empty(7, 5)),
        "kaiming_uniform_ a": lambda: init.kaiming_uniform_(torch.empty(7, 5), a=5**0.5),
        "kaiming_uniform_ fan_out": lambda: init.kaiming_uniform_(torch.empty(7, 5), mode="fan_out"),
        "kaiming_normal_": lambda: init.kaiming_normal_(torch.empty(7, 5)),
        "xavier_uniform_": lambda: init.xavier_uniform_(torch.empty(7, 5)),
        "xavier_uniform_ tanh": lambda: init.xavier_uniform_(torch.empty(7, 5), gain=init.calculate_gain("tanh")),
        "xavier_normal_": lambda: init.xavier_normal_(torch.empty(7, 5)),
        "xavier_uniform_ conv": lambda: init.xavier_uniform_(torch.empty(4, 3, 2, 2)),
        "trunc_normal_": lambda: init.trunc_normal_(torch.empty(7, 5)),
        "trunc_normal_ narrow": lambda: init.trunc_normal_(torch.empty(7, 5), 0.5, 0.2, -0.1, 0.4),
        "orthogonal_": lambda: init.orthogonal_(torch.empty(7, 5)),
        "sparse_": lambda: init.sparse_(torch.empty(7, 5), 0.3),
        "normal tensor": lambda: torch.normal(torch.arange(20.0), torch.full((20,), 0.5)),
    }
    modules: dict[str, Callable[[], nn.Module]] = {
        "Linear": lambda: nn.Linear(5, 7),
        "Linear no bias": lambda: nn.Linear(5, 7, bias=False),
        "Linear double": lambda: nn.Linear(5, 7, dtype=torch.float64),
        "Sequential": lambda: nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)),
        "Embedding": lambda: nn.Embedding(10, 4, padding_idx=2),
        "Conv1d": lambda: nn.Conv1d(3, 4, 3),
        "Conv2d": lambda: nn.Conv2d(3, 4, 3, groups=1),
        "Conv2d groups": lambda: nn.Conv2d(4, 4, 3, groups=2),
        "ConvTranspose2d": lambda: nn.ConvTranspose2d(3, 4, 2),
        "RNN": lambda: nn.RNN(3, 4, num_layers=2),
        "LSTM": lambda: nn.LSTM(3, 4, bidirectional=True),
        "GRUCell": lambda: nn.GRUCell(3, 4),
        "Bilinear": lambda: nn.Bilinear(2, 3, 4),
        "MultiheadAttention": lambda: nn.MultiheadAttention(8, 2),
        "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(8, 2, 16),
    }
    for name, module in modules.items():
        draws[name] = lambda module=module: list(module().parameters())
    return draws


def drawn(draw: Callable[[], Any]) -> list[np.ndarray]:
    """The arrays of one draw."""
    result = draw()
    return [array(tensor) for tensor in (result if isinstance(result, list) else [result])]


def record_hashes() -> None:
    """Write random.json: for each draw and seed 12 hexadecimal digits of SHA-256 a size."""
    hashes: dict[str, list[str]] = {}
    for name, draw in sized_draws().items():
        for seed in SEEDS:
            torch.manual_seed(seed)
            digests = [hashlib.sha256(array(draw(n)).tobytes()).hexdigest()[:12] for n in SIZES]
            hashes[f"{name}|{seed}"] = "".join(digests)
    content = {"torch": torch.__version__, "sizes": SIZES, "seeds": SEEDS, "hashes": hashes}
    (HERE / "random.json").write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")


def record_values(file: str, draws: dict[str, Callable[[], Any]], seeds: tuple[int, ...]) -> None:
    """Write an archive of arrays."""
    arrays = {}
    for name, draw in draws.items():
        for seed in seeds:
            torch.manual_seed(seed)
            for i, values in enumerate(drawn(draw)):
                arrays[f"{name}|{seed}|{i}"] = values
    np.savez_compressed(HERE / file, **arrays)


def state_draws() -> dict[str, Callable[[], Any]]:
    """States as bytes: fresh, within a block, at its end, after it, and with half a pair of normal numbers kept."""
    words_first = {"fresh": 0, "within": 10, "last": 623, "end": 624, "after": 625}

    def state_after(words: int, normals: int) -> list[torch.Tensor]:
        torch.rand(words)
        torch.randn(normals)
        return [torch.get_rng_state(), torch.rand(3), torch.randn(2)]

    draws = {f"state {name}": lambda words=words: state_after(words, 0) for name, words in words_first.items()}
    draws["state half a pair"] = lambda: state_after(5, 1)
    return draws


def main() -> None:
    """Write the three files."""
    record_hashes()
    record_values("random_values.npz", value_draws() | state_draws(), (0, -1))
    record_values("random_init.npz", init_draws(), (0, 42))
    for path in sorted(HERE.glob("random*")):
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
