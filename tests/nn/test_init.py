"""Initialisers and the constructors of layers draw PyTorch's numbers (tests/goldens/random_init.npz, recorded from PyTorch)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograd_cli.torch_api.modules import modules

TORCH: Any = modules()["torch"]
NN, INIT = TORCH.nn, TORCH.nn.init
GOLDENS = np.load(Path(__file__).parent.parent / "goldens" / "random_init.npz")

DRAWS: dict[str, Callable[[], Any]] = {
    "uniform_": lambda: INIT.uniform_(TORCH.empty(7, 5)),
    "normal_": lambda: INIT.normal_(TORCH.empty(7, 5), 1.0, 0.5),
    "kaiming_uniform_": lambda: INIT.kaiming_uniform_(TORCH.empty(7, 5)),
    "kaiming_uniform_ a": lambda: INIT.kaiming_uniform_(TORCH.empty(7, 5), a=5**0.5),
    "kaiming_uniform_ fan_out": lambda: INIT.kaiming_uniform_(TORCH.empty(7, 5), mode="fan_out"),
    "kaiming_normal_": lambda: INIT.kaiming_normal_(TORCH.empty(7, 5)),
    "xavier_uniform_": lambda: INIT.xavier_uniform_(TORCH.empty(7, 5)),
    "xavier_uniform_ tanh": lambda: INIT.xavier_uniform_(TORCH.empty(7, 5), gain=INIT.calculate_gain("tanh")),
    "xavier_normal_": lambda: INIT.xavier_normal_(TORCH.empty(7, 5)),
    "xavier_uniform_ conv": lambda: INIT.xavier_uniform_(TORCH.empty(4, 3, 2, 2)),
    "trunc_normal_": lambda: INIT.trunc_normal_(TORCH.empty(7, 5)),
    "trunc_normal_ narrow": lambda: INIT.trunc_normal_(TORCH.empty(7, 5), 0.5, 0.2, -0.1, 0.4),
    "orthogonal_": lambda: INIT.orthogonal_(TORCH.empty(7, 5)),
    "sparse_": lambda: INIT.sparse_(TORCH.empty(7, 5), 0.3),
}
LAYERS: dict[str, Callable[[], Any]] = {
    "Linear": lambda: NN.Linear(5, 7),
    "Linear no bias": lambda: NN.Linear(5, 7, bias=False),
    "Linear double": lambda: NN.Linear(5, 7, dtype=TORCH.float64),
    "Sequential": lambda: NN.Sequential(NN.Linear(4, 16), NN.ReLU(), NN.Linear(16, 3)),
    "Embedding": lambda: NN.Embedding(10, 4, padding_idx=2),
    "Conv1d": lambda: NN.Conv1d(3, 4, 3),
    "Conv2d": lambda: NN.Conv2d(3, 4, 3, groups=1),
    "Conv2d groups": lambda: NN.Conv2d(4, 4, 3, groups=2),
    "ConvTranspose2d": lambda: NN.ConvTranspose2d(3, 4, 2),
    "RNN": lambda: NN.RNN(3, 4, num_layers=2),
    "LSTM": lambda: NN.LSTM(3, 4, bidirectional=True),
    "GRUCell": lambda: NN.GRUCell(3, 4),
    "MultiheadAttention": lambda: NN.MultiheadAttention(8, 2),
    "TransformerEncoderLayer": lambda: NN.TransformerEncoderLayer(8, 2, 16),
}
ROUNDED = {"orthogonal_"}  # LAPACK's builds round in their own way


@pytest.mark.parametrize("seed", [0, 42])
@pytest.mark.parametrize("name", [*DRAWS, *LAYERS])
def test_numbers_are_pytorchs(name: str, seed: int) -> None:
    TORCH.manual_seed(seed)
    made = [DRAWS[name]()] if name in DRAWS else list(LAYERS[name]().parameters())
    assert f"{name}|{seed}|{len(made)}" not in GOLDENS
    for i, tensor in enumerate(made):
        expected = GOLDENS[f"{name}|{seed}|{i}"]
        got = tensor.detach().numpy()
        assert got.dtype == expected.dtype
        if name in ROUNDED:
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(got, expected)


def test_orthogonal_rows_are_orthonormal() -> None:
    matrix = INIT.orthogonal_(TORCH.empty(3, 8, dtype=TORCH.float64), gain=2).numpy()
    np.testing.assert_allclose(matrix @ matrix.T, 4 * np.eye(3), atol=1e-12)


def test_constants() -> None:
    assert INIT.constant_(TORCH.empty(2), 3).tolist() == [3, 3]
    assert INIT.eye_(TORCH.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert INIT.dirac_(TORCH.empty(2, 2, 3)).tolist() == [[[0, 1, 0], [0, 0, 0]], [[0, 0, 0], [0, 1, 0]]]
    assert INIT.zeros_(INIT.ones_(TORCH.empty(1))).tolist() == [0]


def test_gains() -> None:
    assert INIT.calculate_gain("relu") == 2**0.5
    assert INIT.calculate_gain("leaky_relu", 1) == 1
    with pytest.raises(ValueError, match="no gain"):
        INIT.calculate_gain("nosuch")


def test_a_vector_has_no_fans() -> None:
    with pytest.raises(ValueError, match="2 dimensions"):
        INIT.kaiming_uniform_(TORCH.empty(3))
