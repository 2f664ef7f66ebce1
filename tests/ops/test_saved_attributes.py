"""``grad_fn._saved_…``: names and values are PyTorch's, for the node of every sample."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from observe import evaluate, saved_by
from op_names import FUNCTIONAL, TORCH

GOLDENS: dict[str, Any] = json.loads((Path(__file__).parent / "saved.json").read_text(encoding="utf-8"))
for expression in ("s.sum(0)", "F.cosine_similarity(s,s,dim=0)"):
    del GOLDENS[expression]  # a 0-d tensor has no dimension 0, so that none is saved
del GOLDENS["F.cosine_similarity(b,x,dim=-1)"]  # the dimension inside is counted from the front

# Attributes that differ from PyTorch's, and why.
DIFFERENT = {
    "AsStrided'0": {"_saved_storage_offset"},  # it is computed where none is given
    "BinaryCrossEntropyWithLogits'0": {"_saved_pos_weight"},  # it is expanded before the node is recorded
    "LinalgSvd'0": {"_saved_S_sym_argsize_minus_1"},  # how many singular values there are
    "Polygamma'0": {"_saved_n", "_saved_order"},  # a compiled node has no room for an `n`
    # of what is put into a part, its sizes are kept here, and in PyTorch its options; an index is counted from the front
    "SelectScatter'0": {"_saved_src_sym_sizes", "_saved_index"},
    "SliceScatter'0": {"_saved_src_sym_sizes", "_saved_start", "_saved_end"},
    "DiagonalScatter'0": {"_saved_src_sym_sizes"},
    "BlockDiag'0": {"_saved_dim"},
    "Embedding'0": {"_saved_weight_sym_sizes", "_saved_weight_sym_argsize_0", "_saved_sparse"},
    "Addbmm'0": {f"_saved_batch{i}_sym_argsize_{j}" for i, j in ((1, 0), (1, 1), (2, 2))},  # read off the tensors
    "IndexAdd'0": {"_saved_source_dim"},
    "IndexCopy'0": {"_saved_source_dim"},
}
# Layers whose windows and weights are worked out before the node is recorded: it saves those, not the options they come from.
IN_OTHER_FORM = re.compile(r"Upsample|\w*Pool|Im2Col|Pixel")
PLAIN = {
    "weight",
    "pos_weight",
    "min",
    "max",
}  # kept as arrays here, or not at all where there is none: no tensor to register hooks on


@pytest.mark.parametrize("expression", GOLDENS)
def test_saved_attributes_are_pytorchs(expression: str) -> None:
    expected = GOLDENS[expression]
    got = saved_by(TORCH, evaluate(TORCH, FUNCTIONAL, expression)[0])
    assert got is not None
    assert got["node"] == expected["node"]
    if IN_OTHER_FORM.match(expected["node"]):
        assert got["saved"].get("_saved_self") == expected["saved"].get("_saved_self")
        return
    apart = DIFFERENT.get(expected["node"], set())
    assert {k: v for k, v in got["saved"].items() if k not in apart} == {
        k: v for k, v in expected["saved"].items() if k not in apart
    }
    assert set(expected["raw"]) - set(got["raw"]) <= {f"_raw_saved_{name}" for name in PLAIN}
    assert set(got["raw"]) <= set(expected["raw"])
