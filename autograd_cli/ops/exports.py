"""The names that ``torch``, ``torch.nn.functional`` and ``torch.linalg`` take from the op table."""

from __future__ import annotations

from typing import Any

from ..core.generator import Generator, default_generator
from ..errors import LinAlgError
from . import (
    activation,
    activation_functional,
    aminmax,
    arithmetic,
    cdist,
    cholesky,
    combine,
    compare,
    complex_numbers,
    creation,
    decompositions,
    determinants,
    draws,
    einsum,
    elementary,
    gather,
    grids,
    index_write,
    linalg,
    linalg_more,
    linalg_sums,
    lists,
    loss,
    loss_more,
    masks,
    matrices,
    methods,
    norms,
    part_scatter,
    parts,
    places,
    pointwise,
    power,
    rearrange,
    reduce,
    scan,
    scan_log,
    search,
    sections,
    shape,
    sizes,
    softmax,
    sorting,
    special,
    statistics,
    strided,
    tensor_equations,
)
from .synonyms import SYNONYMS

_SAME_NAME: dict[Any, str] = {
    arithmetic: "mul true_divide floor_divide remainder fmod neg reciprocal rsub",
    power: "pow square",
    pointwise: "abs sgn sign sqrt rsqrt exp exp2 expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh asinh acosh atanh atan2 "
    "hypot logit erf erfc floor ceil trunc round frac",
    combine: "lerp addcmul addcdiv",
    activation: "tanh sigmoid relu",
    activation_functional: "selu",
    compare: "eq ne lt le gt ge logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor bitwise_not "
    "bitwise_left_shift bitwise_right_shift isnan isinf "
    "isfinite isclose allclose equal where maximum minimum clamp clamp_min clamp_max",
    reduce: "sum mean max min amax amin argmax argmin any all",
    norms: "var std norm logsumexp",
    scan: "prod cumsum cumprod",
    scan_log: "logcumsumexp",
    aminmax: "aminmax",
    linalg_sums: "addmv addr addbmm",
    sorting: "sort argsort msort topk kthvalue median nanmedian mode cummax cummin",
    einsum: "einsum tensordot inner",
    complex_numbers: "real imag conj conj_physical resolve_conj resolve_neg adjoint angle isreal view_as_real view_as_complex "
    "complex polar is_neg",
    elementary: "nan_to_num logaddexp logaddexp2 heaviside nextafter copysign ldexp float_power deg2rad rad2deg fmax fmin positive "
    "signbit",
    special: "lgamma digamma polygamma mvlgamma erfinv sinc xlogy",
    masks: "masked_fill masked_select masked_scatter",
    places: "nonzero argwhere count_nonzero is_nonzero take put repeat_interleave",
    part_scatter: "select_scatter slice_scatter diagonal_scatter scatter_reduce",
    search: "searchsorted bucketize unique unique_consecutive isin bincount histc",
    grids: "broadcast_tensors meshgrid cartesian_prod combinations atleast_1d atleast_2d atleast_3d column_stack dstack rot90 fliplr "
    "flipud diagflat block_diag tril_indices triu_indices vander",
    draws: "normal bernoulli multinomial get_rng_state set_rng_state",
    statistics: "std_mean var_mean nansum nanmean quantile nanquantile dist diff trapezoid "
    "cumulative_trapezoid cov corrcoef kron narrow_copy",
    tensor_equations: "matrix_exp logspace asarray",
    matrices: "inverse",
    determinants: "det slogdet logdet",
    cholesky: "cholesky",
    decompositions: "svd qr",
    linalg_more: "cross matrix_power pinverse chain_matmul",
    softmax: "softmax log_softmax",
    linalg: "mm mv dot vdot bmm matmul addmm baddbmm outer ger tril triu diag diag_embed trace",
    shape: "t transpose permute movedim clone reshape flatten unflatten ravel numel",
    sizes: "unsqueeze squeeze",
    strided: "as_strided",
    parts: "select narrow diagonal",
    sections: "tensor_split hsplit vsplit dsplit",
    index_write: "index_put index_fill index_copy",
    rearrange: "tile flip roll",
    lists: "cat stack hstack vstack split chunk unbind",
    gather: "gather scatter scatter_add index_select index_add take_along_dim",
    creation: "tensor as_tensor from_numpy zeros ones empty full eye arange linspace rand randn randint randperm manual_seed zeros_like "
    "ones_like empty_like full_like rand_like randn_like randint_like",
}

TORCH: dict[str, Any] = {name: getattr(module, name) for module, names in _SAME_NAME.items() for name in names.split()}
TORCH |= {
    "cdist": cdist.cdist,
    "add": arithmetic.torch_add, "sub": arithmetic.torch_sub, "div": arithmetic.torch_div,
    "broadcast_to": sizes.expand,
    "is_floating_point": methods.SPECIAL["is_floating_point"], "is_complex": methods.SPECIAL["is_complex"],
    "is_conj": methods.SPECIAL["is_conj"],
    "broadcast_shapes": grids.torch_broadcast_shapes,
    "Generator": Generator, "default_generator": default_generator,
    "initial_seed": default_generator.initial_seed, "seed": default_generator.seed,
}  # fmt: skip

TORCH |= {name: TORCH[first] for name, first in SYNONYMS.items()}

FUNCTIONAL: dict[str, Any] = {
    "relu": activation_functional.functional_relu,
    **{name: getattr(activation_functional, name) for name in activation_functional.WRITING},
    **{name: activation_functional.ending(name) for name in activation_functional.ENDING},
    "gelu": activation.gelu, "softplus": activation.softplus, "tanh": activation.tanh,
    "sigmoid": activation.sigmoid, "logsigmoid": activation.logsigmoid,
    "softmax": softmax.functional_softmax, "log_softmax": softmax.functional_log_softmax, "softmin": softmax.softmin,
    "linear": linalg.linear, "nll_loss": loss.nll_loss, "cross_entropy": loss.cross_entropy, "mse_loss": loss.mse_loss,
    "l1_loss": loss.l1_loss, "one_hot": loss.one_hot, "binary_cross_entropy": loss_more.binary_cross_entropy,
    "binary_cross_entropy_with_logits": loss_more.binary_cross_entropy_with_logits,
}  # fmt: skip

LINALG: dict[str, Any] = {
    "matmul": linalg.matmul, "vector_norm": norms.vector_norm, "norm": linalg_more.linalg_norm, "cross": linalg_more.linalg_cross,
    "slogdet": determinants.linalg_slogdet, "det": determinants.det, "cholesky": cholesky.linalg_cholesky,
    "cholesky_ex": cholesky.cholesky_ex, "svd": decompositions.linalg_svd, "qr": decompositions.linalg_qr,
    "diagonal": linalg.last_diagonal, "LinAlgError": LinAlgError,
    "vander": tensor_equations.linalg_vander,
    **{n: getattr(tensor_equations, n) for n in ["tensorinv", "tensorsolve", "matrix_exp"]},
    **{n: getattr(matrices, n) for n in ["inv", "inv_ex", "solve", "solve_ex", "solve_triangular"]},
    **{n: getattr(decompositions, n) for n in ["svdvals", "eigh", "eigvalsh"]},
    **{n: getattr(linalg_more, n) for n in ["matrix_norm", "cond", "matrix_rank", "matrix_power", "multi_dot", "pinv", "lstsq", "vecdot"]},
}  # fmt: skip

_SPECIAL = "digamma erf erfc erfinv exp2 expm1 log1p log_softmax logit logsumexp polygamma round sinc softmax xlogy"
SPECIAL: dict[str, Any] = {
    **{name: TORCH[name] for name in _SPECIAL.split()},
    "expit": TORCH["sigmoid"], "gammaln": TORCH["lgamma"], "multigammaln": TORCH["mvlgamma"], "psi": TORCH["digamma"],
}  # fmt: skip
