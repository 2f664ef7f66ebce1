"""The names of ``torch.nn``, ``torch.nn.functional``, ``torch.nn.init`` and ``torch.nn.utils``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..nn import (
    activation,
    attention,
    batchnorm,
    clip_grad,
    container,
    conv,
    dropout,
    image,
    init,
    lazy,
    linear,
    loss,
    loss_more,
    module,
    normalization,
    padding,
    parameter,
    pooling,
    rnn,
    sequences,
    sparse,
    transformer,
)
from ..ops import (
    activation_more,
    bilinear,
    blocks,
    cdist,
    ctc,
    embedding,
    embedding_bag,
    grid,
    loss_density,
    loss_margin,
    loss_robust,
    norm_layers,
    pad,
    pool,
    pool_more,
    random_functional,
    resize,
    response_norm,
    similarity,
)
from ..ops import attention as attention_ops
from ..ops import conv as conv_ops
from ..ops import dropout as dropout_ops
from .pytorch_names import known

_MODULES: dict[Any, str] = {
    module: "Module",
    container: "Sequential ModuleList ModuleDict ParameterList ParameterDict",
    linear: "Identity Linear Bilinear Flatten Unflatten",
    activation: "ReLU ReLU6 LeakyReLU ELU CELU SELU GELU SiLU Mish Hardswish Hardsigmoid Hardtanh Threshold Tanh Sigmoid LogSigmoid "
    "Softsign Tanhshrink Softplus Softmax LogSoftmax Softmin GLU PReLU Hardshrink "
    "Softshrink RReLU Softmax2d",
    sparse: "Embedding EmbeddingBag",
    normalization: "LayerNorm RMSNorm GroupNorm LocalResponseNorm",
    batchnorm: "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    conv: "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    pooling: "MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool1d "
    "AdaptiveMaxPool2d LPPool1d LPPool2d MaxUnpool2d",
    rnn: "RNN LSTM GRU RNNCell LSTMCell GRUCell",
    attention: "MultiheadAttention",
    transformer: "TransformerEncoderLayer TransformerEncoder TransformerDecoderLayer TransformerDecoder Transformer",
    dropout: "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout",
    image: "Upsample UpsamplingNearest2d UpsamplingBilinear2d PixelShuffle PixelUnshuffle Fold Unfold",
    loss_more: "SoftMarginLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss HingeEmbeddingLoss CosineEmbeddingLoss "
    "MarginRankingLoss TripletMarginLoss TripletMarginWithDistanceLoss PoissonNLLLoss GaussianNLLLoss CTCLoss PairwiseDistance "
    "CosineSimilarity",
    loss: "MSELoss L1Loss SmoothL1Loss HuberLoss KLDivLoss NLLLoss CrossEntropyLoss BCELoss BCEWithLogitsLoss",
}
NN: dict[str, Any] = {name: getattr(home, name) for home, names in _MODULES.items() for name in names.split()}
NN |= padding.PADS
NN |= lazy.LAZY
NN["Parameter"] = parameter.Parameter
for _home, _names in _MODULES.items():
    for _name in _names.split():  # what type(layer) shows
        NN[_name].__module__ = f"torch.nn.modules.{_home.__name__.rpartition('.')[2]}"

_FUNCTIONAL: dict[Any, str] = {
    activation_more: "prelu glu softsign tanhshrink hardshrink softshrink",
    random_functional: "gumbel_softmax rrelu alpha_dropout feature_alpha_dropout",
    dropout_ops: "dropout dropout1d dropout2d dropout3d",
    loss_robust: "smooth_l1_loss huber_loss kl_div",
    loss_margin: "soft_margin_loss multilabel_soft_margin_loss multi_margin_loss multilabel_margin_loss",
    loss_density: "poisson_nll_loss gaussian_nll_loss",
    similarity: "pairwise_distance cosine_similarity normalize margin_ranking_loss hinge_embedding_loss cosine_embedding_loss "
    "triplet_margin_loss triplet_margin_with_distance_loss",
    embedding: "embedding",
    norm_layers: "layer_norm rms_norm group_norm batch_norm instance_norm",
    conv_ops: "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d",
    pool: "max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d",
    pad: "pad",
    resize: "interpolate upsample",
    blocks: "pixel_shuffle pixel_unshuffle fold unfold",
    embedding_bag: "embedding_bag",
    pool_more: "adaptive_max_pool1d adaptive_max_pool2d lp_pool1d lp_pool2d max_unpool2d",
    bilinear: "bilinear",
    response_norm: "local_response_norm",
    cdist: "pdist",
    ctc: "ctc_loss",
    grid: "affine_grid grid_sample",
    attention_ops: "scaled_dot_product_attention",
}
FUNCTIONAL: dict[str, Any] = {name: getattr(home, name) for home, names in _FUNCTIONAL.items() for name in names.split()}

_INIT = (
    "calculate_gain uniform_ normal_ trunc_normal_ constant_ ones_ zeros_ eye_ dirac_ xavier_uniform_ xavier_normal_ kaiming_uniform_ "
    "kaiming_normal_ orthogonal_ sparse_"
)
INIT: dict[str, Any] = {name: getattr(init, name) for name in _INIT.split()}

_UTILS = "clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm parameters_to_vector vector_to_parameters"
UTILS: dict[str, Any] = {name: getattr(clip_grad, name) for name in _UTILS.split()}

RNN_UTILS: dict[str, Any] = {name: getattr(sequences, name) for name in ("pad_sequence", "unpad_sequence")}

module.known_names = lambda: known("torch.nn.Module")


def make_nn(make: Callable[[str, dict[str, Any]], Any], functional: dict[str, Any]) -> Any:
    """``torch.nn`` with its submodules; `make` turns a name and a table into a namespace, `functional` is what the op table has."""
    below = {
        "functional": make("torch.nn.functional", {**functional, **FUNCTIONAL}),
        "init": make("torch.nn.init", INIT),
        "utils": make("torch.nn.utils", {**UTILS, "rnn": make("torch.nn.utils.rnn", RNN_UTILS)}),
        "parameter": make("torch.nn.parameter", {"Parameter": parameter.Parameter}),
    }
    return make("torch.nn", {**NN, **below})
