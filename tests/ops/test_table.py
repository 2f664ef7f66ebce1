"""Properties of the table as a whole."""

from __future__ import annotations

import re
from typing import Any

import pytest
from observe import evaluate
from op_names import FUNCTIONAL, TORCH
from sampled import CORNERS, SMOOTH

from autograd_cli.core.op import OPS
from autograd_cli.core.tensor import Tensor

NODE_NAME = re.compile(r"[A-Z]\w*(Backward\w*|s)$|NotImplemented$")  # CopyBackwards is the one without a number


def names_in_graphs() -> set[str]:
    """The node names that the samples record."""
    found: set[str] = set()
    seen: set[Any] = set()
    for expression in SMOOTH + CORNERS:
        value, _ = evaluate(TORCH, FUNCTIONAL, expression)
        stack = [t.grad_fn for t in (value if isinstance(value, tuple) else [value]) if isinstance(t, Tensor)]
        while stack:
            node = stack.pop()
            if node is not None and node not in seen:
                seen.add(node)
                found.add(node.name())
                stack.extend(f for f, _ in node.next_functions)
    return found


@pytest.mark.parametrize("name", sorted(OPS))
def test_op_has_a_node_a_doc_and_a_formula_for_each_input(name: str) -> None:
    op = OPS[name]
    assert NODE_NAME.match(op.node_name), op.node_name
    assert op.doc.endswith("."), "the first thing a reader sees is a sentence"
    formulas = op.formulas()
    assert set(formulas) == set(op.inputs)
    assert all(text.strip() for text in formulas.values())


@pytest.mark.parametrize("name", sorted(OPS))
def test_op_compiles_to_source_that_can_be_shown(name: str) -> None:
    op = OPS[name]
    op.compile()
    assert op.source is not None
    assert f"def {name}(" in op.source
    assert op.node_class is not None
    assert op.node_class.__name__ == op.node_name


def test_most_nodes_of_the_table_are_sampled() -> None:
    in_forward = {
        op.node_name for op in OPS.values() if "BackwardBackward" not in op.node_name and "BackwardData" not in op.node_name
    }
    internal = {
        "MulBackward1",
        "AddBackward1",
        "SubBackward1",
        "DivBackward1",
        "SgnBackward0",
        "IndexPutImplBackward0",
        "CopyBackwards",
        # of nn: tests/nn/functions.py and layers.py
        "ConstantPadNdBackward0",
        "ConvolutionBackward0",
        "EmbeddingBackward0",
        "NativeBatchNormBackward0",
        "NativeGroupNormBackward0",
        "NativeLayerNormBackward0",
        "ReflectionPad1DBackward0",
        "ReflectionPad2DBackward0",
        "ReplicationPad1DBackward0",
        "ReplicationPad2DBackward0",
        "SafeSoftmaxBackward0",
        "ScaledDotProductFlashAttentionForCpuBackward0",
        "TransposeBackward1",
        "CdistBackward0",
        "CtcLossBackward0",
        "EmbeddingBagBackward0",
        "EuclideanDistBackward0",
        "GluBackward0",
        "HardsigmoidBackward0",
        "GridSampler2DBackward0",
        "MaxUnpool2DBackward0",
        "MultiMarginLossBackward0",
        "MultilabelMarginLossBackward0",
        "PdistBackward0",
        "RreluWithNoiseBackward0",
        "RreluWithNoiseBackward1",
        "SoftMarginLossBackward0",
        "HuberLossBackward0",
        "PreluKernelBackward0",
        "SmoothL1LossBackward0",
        # written into their input: tests/fidelity, programs activations_in_place*
        "CeluBackward1",
        "EluBackward1",
        "LeakyReluBackward1",
        "ThresholdBackward1",
        # numbers that are drawn: tests/fidelity, programs inplace_random*
        "BernoulliBackward1",
        "BernoulliBackward2",
        "ExponentialBackward0",
        "NormalBackward0",
        "NormalBackward1",
        "NormalBackward2",
        "NormalBackward3",
        "RandomBackward0",
        "RandomBackward1",
        "RandomBackward2",
        "UniformBackward0",
    }
    internal |= {"NotImplemented"}  # has no gradient to sample
    missing = in_forward - names_in_graphs() - internal
    assert not missing, f"write a sample for {sorted(missing)}"
