"""Functions of ``torch.nn.functional`` that ``torch`` has too, some with their arguments in another order."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..errors import BadArgument
from .pytorch_names import known

SAME = (
    "celu prelu rrelu threshold cosine_similarity pairwise_distance conv1d conv2d conv3d conv_transpose1d conv_transpose2d "
    "conv_transpose3d adaptive_avg_pool1d avg_pool1d max_pool1d max_pool2d bilinear pixel_shuffle group_norm rms_norm hardshrink "
    "celu_ selu_ threshold_ adaptive_max_pool1d alpha_dropout feature_alpha_dropout pixel_unshuffle max_pool3d"
)
METHODS = "detach get_device is_inference is_same_size is_signed"
REDUCTIONS = ("none", "mean", "sum")


def methods_too() -> dict[str, Any]:
    """The methods that ``torch`` has as functions: ``torch.exp_(x)``, ``torch.detach(x)``."""
    names = {name for name in known("torch") if name.endswith("_")} | set(METHODS.split())
    return {name: getattr(Tensor, name) for name in names if hasattr(Tensor, name)}


def aliases(functional: dict[str, Any]) -> dict[str, Any]:
    """The table of ``torch`` from that of ``torch.nn.functional``."""

    def dropout(input: Any, p: float, train: bool) -> Any:
        """Elements zeroed with probability p, the others scaled, where `train`."""
        return functional["dropout"](input, p, train)

    def embedding(
        weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
    ) -> Any:
        """The rows of weight at `indices`."""
        options = {"scale_grad_by_freq": scale_grad_by_freq, "sparse": sparse}
        return functional["embedding"](indices, weight, None if padding_idx < 0 else padding_idx, **options)

    def layer_norm(
        input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5, cudnn_enable: bool = True
    ) -> Any:
        """Input with mean 0 and deviation 1 over its last dimensions."""
        return functional["layer_norm"](input, normalized_shape, weight, bias, eps)

    def batch_norm(
        input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool, momentum: float, eps: float,
        cudnn_enabled: bool = True,
    ) -> Any:  # fmt: skip
        """Input with mean 0 and deviation 1 over each channel."""
        return functional["batch_norm"](input, running_mean, running_var, weight, bias, training, momentum, eps)

    def binary_cross_entropy_with_logits(
        input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1
    ) -> Any:
        """The binary cross entropy of logits; `reduction` is 0 for none, 1 for the mean, 2 for the sum."""
        if reduction not in (0, 1, 2):
            raise BadArgument(f"torch.binary_cross_entropy_with_logits() takes 0, 1 or 2 for `reduction`, not {reduction!r}")
        loss = functional["binary_cross_entropy_with_logits"]
        return loss(input, target, weight, reduction=REDUCTIONS[reduction], pos_weight=pos_weight)

    own = (dropout, embedding, layer_norm, batch_norm, binary_cross_entropy_with_logits)
    return {**{name: functional[name] for name in SAME.split() if name in functional}, **{f.__name__: f for f in own}}
