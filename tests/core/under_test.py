"""``torch``: agrad's; or PyTorch itself when AGRAD_TEST_PYTORCH is set, to see that a test states what PyTorch does.

``AGRAD_TEST_PYTORCH=1 pytest -p no:cacheprovider tests/core/test_leaves.py`` in an environment that has torch.
"""

from __future__ import annotations

import os
from typing import Any

if os.environ.get("AGRAD_TEST_PYTORCH"):
    import torch  # type: ignore[import-not-found]

    def name_of(node: Any) -> str:
        """A node's short name."""
        return node.name().rsplit("::", 1)[-1]
else:
    from autograd_cli import torch

    def name_of(node: Any) -> str:
        """A node's short name."""
        return type(node).__name__


PYTORCH = bool(os.environ.get("AGRAD_TEST_PYTORCH"))


def leaf(*values: float, dtype: Any = None) -> Any:
    """A leaf with these values, double precision unless said otherwise; one value alone makes a 0-d leaf."""
    data = list(values) if len(values) != 1 else values[0]
    return torch.tensor(data, dtype=dtype or torch.float64, requires_grad=True)


def numbers(tensor: Any) -> Any:
    """The values as nested lists, None for no tensor."""
    return None if tensor is None else tensor.tolist()


__all__ = ["PYTORCH", "leaf", "name_of", "numbers", "torch"]
