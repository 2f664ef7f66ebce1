"""Names that PyTorch has and agrad does not: an error that says why, and what to do."""

from __future__ import annotations

import pytest

from autograd_cli.missing import REASONS, SEE, missing
from autograd_cli.torch_api.modules import modules
from autograd_cli.torch_api.pytorch_names import known, namespaces


def full_names() -> set[str]:
    return {f"{space}.{name}" for space in namespaces() for name in known(space)} | set(namespaces())


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_is_about_names_that_pytorch_has(reason):
    assert any(name == reason or name.startswith((f"{reason}.", f"{reason}_")) for name in full_names())


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_is_not_about_what_is_there(reason):
    *path, last = reason.split(".")
    found = modules().get(".".join(path))
    assert found is None or reason == "torch.bfloat16" or last not in vars(found)


def test_the_reason_is_told_with_the_way_out():
    error = missing("torch.save")
    assert "not of agrad: scripts neither read nor write files" in error.message
    assert "tensors: key" in error.hint
    assert missing("torch.sparse_coo_tensor").message.endswith("agrad has dense tensors only")
    assert missing("torch.Tensor.to_sparse").message.startswith("Tensor.to_sparse is part of PyTorch")


def test_without_a_reason_it_is_not_there_yet():
    error = missing("torch.stft")
    assert (error.message, error.hint) == ("torch.stft is part of PyTorch, but agrad does not have it yet", SEE)


def test_save_is_no_save_gate():
    assert missing("torch.saved").hint == SEE
