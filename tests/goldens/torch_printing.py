"""Print the tensor of a recipe with real PyTorch (needs torch)."""

from __future__ import annotations

from typing import Any

import torch
from printing_cases import numbers


class ScaleByALongNamedConstant(torch.autograd.Function):
    """A custom function, for its node's name."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad


_GRADS = {
    "leaf": lambda x: x,
    "clone": torch.clone,
    "squeeze": lambda x: x.unsqueeze(0).squeeze(0),
    "view": lambda x: x.view(x.shape),
    "custom": ScaleByALongNamedConstant.apply,
}


def torch_text(recipe: dict[str, Any]) -> str:
    """``str`` of the recipe's tensor under its print options."""
    torch.set_default_dtype(getattr(torch, recipe.get("default_dtype", "float32")))
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**recipe.get("options", {}))
    tensor = torch.from_numpy(numbers(recipe)).to(getattr(torch, recipe["dtype"]))
    if "grad" in recipe:
        tensor = _GRADS[recipe["grad"]](tensor.requires_grad_())
    text = str(tensor)
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")
    return text
