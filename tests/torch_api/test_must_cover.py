"""Every name that the scenario language promises is there: of ``torch``, of tensors, of layers, losses, optimizers and data loaders."""

from __future__ import annotations

import pytest

from autograd_cli import torch

PROMISED = {
    "torch": """
        tensor zeros ones empty full rand randn randint randperm arange linspace eye zeros_like ones_like full_like rand_like randn_like
        manual_seed from_numpy float16 float32 float64 bfloat16 int32 int64 bool complex64 complex128 add sub mul div neg pow square sqrt
        rsqrt exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh sigmoid relu clamp abs sign floor ceil round
        reciprocal maximum minimum where lerp atan2 erf hypot addcmul addcdiv sum mean prod max min amax amin argmax argmin var std norm
        logsumexp cumsum cumprod any all median topk sort matmul mm bmm mv dot outer addmm baddbmm einsum t transpose permute trace diag
        tril triu reshape flatten squeeze unsqueeze cat stack split chunk unbind select narrow movedim flip roll gather scatter_add
        index_select masked_fill take_along_dim no_grad enable_grad set_grad_enabled inference_mode is_grad_enabled clone softmax
        log_softmax masked_select nonzero scatter index_add index_fill diagonal tile repeat_interleave meshgrid bucketize isnan isinf
        isfinite isclose allclose equal logical_and logical_or logical_not logical_xor real imag angle view_as_real view_as_complex polar
        conj set_printoptions set_default_dtype normal multinomial bernoulli finfo iinfo e pi inf nan Size dtype device Generator
        get_rng_state set_rng_state is_tensor is_floating_point
    """,
    "torch.Tensor": """
        view expand expand_as repeat index_put_ unfold requires_grad_ requires_grad is_leaf grad grad_fn retain_grad retains_grad
        register_hook register_post_accumulate_grad_hook backward detach detach_ item numpy tolist zero_ fill_ copy_ data shape dtype
        device T mT size dim numel to float double half long int bool cpu is_floating_point stride is_contiguous contiguous data_ptr
        storage_offset exponential_ random_ uniform_ normal_ bernoulli_ add_ sub_ mul_ div_ neg_ pow_ square_ sqrt_ rsqrt_ exp_ expm1_
        log_ log2_ log10_ log1p_ sin_ cos_ tan_ asin_ acos_ atan_ sinh_ cosh_ tanh_ sigmoid_ relu_ clamp_ abs_ sign_ floor_ ceil_ round_
        reciprocal_ lerp_ atan2_ erf_ hypot_ addcmul_ addcdiv_ addmm_ baddbmm_ cumsum_ cumprod_ t_ transpose_ tril_ triu_ squeeze_
        unsqueeze_ scatter_ scatter_add_ index_add_ index_fill_ index_copy_ masked_fill_ masked_scatter_ logical_not_ softmax
        log_softmax scatter masked_select nonzero where
    """,
    "torch.nn.functional": """
        leaky_relu elu gelu silu softplus hardtanh relu normalize pad one_hot cosine_similarity scaled_dot_product_attention linear conv1d
        conv2d batch_norm layer_norm dropout embedding max_pool2d avg_pool2d softmax log_softmax tanh sigmoid mse_loss l1_loss
        smooth_l1_loss huber_loss cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div group_norm
        instance_norm conv_transpose2d adaptive_avg_pool2d prelu relu6 hardswish
    """,
    "torch.nn": """
        Module Parameter Sequential ModuleList Linear Conv1d Conv2d BatchNorm1d BatchNorm2d LayerNorm Dropout Embedding MaxPool2d AvgPool2d
        Flatten ReLU LeakyReLU GELU SiLU Tanh Sigmoid Softmax LogSoftmax Identity RNN LSTM GRU MultiheadAttention MSELoss L1Loss
        SmoothL1Loss HuberLoss CrossEntropyLoss NLLLoss BCELoss BCEWithLogitsLoss KLDivLoss ModuleDict ParameterList GroupNorm
        InstanceNorm1d InstanceNorm2d InstanceNorm3d ConvTranspose2d AdaptiveAvgPool2d PReLU ELU Softplus ReLU6 Hardswish LSTMCell GRUCell
        RNNCell TransformerEncoderLayer
    """,
    "torch.nn.Module": """
        train eval parameters named_parameters state_dict zero_grad register_buffer buffers load_state_dict named_modules children apply
        register_forward_hook register_full_backward_hook
    """,
    "torch.nn.init": "uniform_ normal_ constant_ ones_ zeros_ eye_ xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ "
    "trunc_normal_ orthogonal_ sparse_ dirac_ calculate_gain",
    "torch.nn.utils": "clip_grad_norm_ clip_grad_value_",
    "torch.optim": "SGD Adam AdamW RMSprop Adagrad LBFGS",
    "torch.optim.lr_scheduler": "StepLR ExponentialLR CosineAnnealingLR LambdaLR",
    "torch.linalg": "norm inv det solve cholesky",
    "torch.autograd": "backward grad Function gradcheck gradgradcheck set_detect_anomaly functional graph",
    "torch.autograd.functional": "jacobian hessian vjp jvp hvp vhp",
    "torch.autograd.graph": "saved_tensors_hooks",
    "torch.autograd.function": "once_differentiable",
    "torch.func": "grad vjp jvp jacrev jacfwd hessian vmap",
    "torch.utils.checkpoint": "checkpoint",
    "torch.utils.data": "Dataset TensorDataset Subset random_split DataLoader",
}


@pytest.mark.parametrize("namespace", PROMISED)
def test_what_the_language_promises_is_there(namespace: str) -> None:
    found = torch
    for part in namespace.split(".")[1:]:
        found = getattr(found, part)
    names = set(dir(found)) if namespace != "torch.Tensor" else set(dir(torch.ones(2)))
    assert set(PROMISED[namespace].split()) - names == set()
