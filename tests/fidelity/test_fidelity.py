"""Every program of ``programs/`` does here what it did under PyTorch 2.13, as ``goldens/`` recorded it.

The oracle is PyTorch: values, gradients, versions, the nodes' names, edges and saved tensors, the order of evaluation, the
dependency counts, what was printed, and where and with what type a run failed. Adding a test = adding a program and running
``record.py``.
"""

from __future__ import annotations

from functools import cache

import pytest
from golden import HERE, NAMES, Strict, golden

from autograd_cli.pytorch.comparison import compare_traces
from autograd_cli.scenario.load import load_scenario
from autograd_cli.session.local import run_scenario
from autograd_cli.trace.compare_model import DifferenceRecord
from autograd_cli.trace.model import Trace

# OUTPUT.md's word for each failure: PyTorch has only the type.
KINDS = {
    "error_add": "ShapeMismatch",
    "error_argument": "BadArgument",
    "error_assert": "ScriptRaised",
    "error_attribute": "ScriptRaised",
    "error_bool": "BadArgument",
    "error_cat": "ShapeMismatch",
    "views_recurrent": "InplaceModified",
    "views_rows": "InplaceModified",
    "requires_grad_rules": "GraphFreed",
    "views_second_order_exp": "InplaceModified",
    "error_cross_entropy": "IndexOutOfRange",
    "error_dim": "IndexOutOfRange",
    "error_dot": "ShapeMismatch",
    "error_dtype_int_grad": "NotDifferentiable",
    "error_dtype_matmul": "DtypeMismatch",
    "error_expand": "ShapeMismatch",
    "error_grad_of_constant": "NoGraph",
    "error_grad_set_by_hand": "GradShapeMismatch",
    "error_grad_shape": "GradShapeMismatch",
    "error_hook_shape": "GradShapeMismatch",
    "error_in_comprehension": "ShapeMismatch",
    "error_in_hook_function": "ShapeMismatch",
    "error_in_loop": "ShapeMismatch",
    "error_index": "IndexOutOfRange",
    "error_int_backward": "NoGraph",
    "error_item": "BadArgument",
    "error_key": "ScriptRaised",
    "error_mean_int": "DtypeMismatch",
    "error_mm": "ShapeMismatch",
    "error_name": "NameNotDefined",
    "error_no_graph": "NoGraph",
    "error_no_graph_key": "NoGraph",
    "error_non_scalar": "NonScalarRoot",
    "error_python": "ScriptRaised",
    "error_raised": "ScriptRaised",
    "error_retain_grad": "BadArgument",
    "error_stack": "ShapeMismatch",
    "error_too_many_indices": "IndexOutOfRange",
    "error_view": "ShapeMismatch",
    "grad_unused": "UnusedInput",
    "hook_raises": "ScriptRaised",
    "inplace_expanded_recorded": "BadArgument",
    "inplace_freed": "GraphFreed",
    "inplace_leaf": "LeafInplace",
    "inplace_result_saved": "InplaceModified",
    "inplace_saved": "InplaceModified",
    "inplace_through_detach": "InplaceModified",
    "index_saved": "InplaceModified",
    "passed_over_is_freed": "GraphFreed",
    "passed_over_is_looked_at": "InplaceModified",
    "second_backward_freed": "GraphFreed",
    "shared_part_freed": "GraphFreed",
    "function_dirty_leaf": "LeafInplace",
    "function_dirty_not_returned": "BadArgument",
    "function_dirty_view_two_outputs": "ViewInplace",
    "function_freed": "GraphFreed",
    "function_gradient_for_number": "BadArgument",
    "function_instance": "BadArgument",
    "function_no_backward": "NotDifferentiable",
    "function_once": "NoGraph",
    "function_raises_backward": "ScriptRaised",
    "function_raises_forward": "ScriptRaised",
    "function_returns_view": "ViewInplace",
    "function_returns_views": "ViewInplace",
    "function_save_number": "BadArgument",
    "function_saved_changed": "InplaceModified",
    "function_too_few": "BadArgument",
    "function_wrong_shape": "GradShapeMismatch",
    "function_wrong_type": "BadArgument",
    "saved_attributes": "ScriptRaised",
    "saved_hooks_disabled": "BadArgument",
    "saved_hooks_no_tensor": "BadArgument",
    "saved_hooks_pack_changes": "BadArgument",
    "saved_hooks_retained": "GraphFreed",
    "anomaly_custom": "AnomalyDetected",
    "anomaly_nan": "AnomalyDetected",
    "checkpoint_arguments": "BadArgument",
    "checkpoint_differs": "BadArgument",
    "checkpoint_grad_of_reentrant": "BadArgument",
    "checkpoint_kept": "GraphFreed",
    "graph_edges": "InplaceModified",
    "functional_hvp": "BadArgument",
    "functional_jvp": "BadArgument",
    "functional_strict": "BadArgument",
    "functional_vjp": "BadArgument",
    "functional_wrong_output": "BadArgument",
    "functional_wrong_vector": "BadArgument",
    "func_grad_not_scalar": "BadArgument",
    "func_vmap_sizes": "BadArgument",
    "complex_function_wrong": "DtypeMismatch",
    "complex_functional": "BadArgument",
    "complex_inplace_refused": "BadArgument",
    "complex_no_imaginary_part": "DtypeMismatch",
    "complex_order": "DtypeMismatch",
    "complex_saved_changed": "InplaceModified",
    "gradcheck_constant": "BadArgument",
    "gradcheck_cut": "BadArgument",
    "gradcheck_nothing": "BadArgument",
    "gradcheck_random": "BadArgument",
    "gradcheck_undefined": "BadArgument",
    "gradcheck_wrong": "BadArgument",
    "edge_materialized": "BadArgument",
    "hook_on_a_constant": "BadArgument",
    "index_changed": "InplaceModified",
    "index_freed": "GraphFreed",
    "multi_hook_mode": "BadArgument",
    "post_accumulate_non_leaf": "BadArgument",
    "post_accumulate_returns": "BadArgument",
    "retained_twice_with_inplace": "GraphFreed",
    "checkpoint_fewer_saved": "BadArgument",
    "checkpoint_input_changed": "InplaceModified",
    "checkpoint_more_saved": "BadArgument",
    "checkpoint_no_grad_inside": "BadArgument",
    "checkpoint_other_shape": "BadArgument",
    "checkpoint_saved_seen_outside": "GraphFreed",
    "checkpoint_wrong_check": "BadArgument",
    "anomaly_and_inplace": "InplaceModified",
    "mutation_allowed_inside_only": "BadArgument",
    "mutation_allowed_once": "BadArgument",
    "activation_in_place_by_position": "InplaceModified",
    "backtrace_of_a_backward": "ScriptRaised",
    "detach_then_change": "InplaceModified",
    "no_grad_writes": "InplaceModified",
    "numpy_of_graph": "BadArgument",
    "views_of_a_leaf": "LeafInplace",
    "checkpoint_group_overlap": "BadArgument",
}


NO_DIFFERENCES: list[DifferenceRecord] = []


@cache
def ours(name: str) -> Trace:
    """What agrad does with it; those that fail are asked for twice."""
    return run_scenario(load_scenario(HERE / "programs" / f"{name}.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_program_runs_as_in_pytorch(name: str) -> None:
    assert compare_traces(ours(name), golden(name), Strict()).differences == NO_DIFFERENCES
    assert ours(name).stdout == golden(name).stdout


@pytest.mark.parametrize("name", sorted(KINDS))
def test_failure_has_its_kind(name: str) -> None:
    error = ours(name).error
    assert error is not None
    assert error.kind == KINDS[name]


def test_every_failing_program_has_a_kind() -> None:
    assert {name for name in NAMES if golden(name).error} == set(KINDS)


def test_every_golden_is_of_a_program() -> None:
    assert sorted(path.stem for path in (HERE / "goldens").glob("*.json")) == NAMES
