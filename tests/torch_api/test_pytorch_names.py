"""The list of PyTorch's names (recorded by tests/goldens/record_pytorch_names.py)."""

from __future__ import annotations

import re

import pytest

from autograd_cli.torch_api.pytorch_names import known, namespaces

# From PyTorch's documentation of each namespace.
WELL_KNOWN = {
    "torch": "tensor zeros randn add matmul float32 no_grad nn optim linalg Tensor Size inf pi manual_seed vmap compile bincount",
    "torch.Tensor": "add add_ backward grad grad_fn requires_grad requires_grad_ T mT is_leaf view retain_grad data map_ sinc",
    "torch.nn": "Module Linear Conv2d Transformer Parameter functional init utils CTCLoss",
    "torch.nn.Module": "forward parameters state_dict training register_buffer named_modules compile",
    "torch.nn.functional": "relu softmax cross_entropy conv2d dropout scaled_dot_product_attention ctc_loss grid_sample pad",
    "torch.nn.init": "kaiming_uniform_ xavier_normal_ trunc_normal_ calculate_gain sparse_",
    "torch.nn.utils": "clip_grad_norm_ parameters_to_vector rnn",
    "torch.optim": "SGD Adam AdamW LBFGS Rprop lr_scheduler",
    "torch.optim.lr_scheduler": "StepLR OneCycleLR ReduceLROnPlateau",
    "torch.linalg": "inv norm svd eigh cholesky lstsq",
    "torch.autograd": "grad backward Function gradcheck functional graph set_detect_anomaly forward_ad",
    "torch.autograd.Function": "apply forward backward setup_context vmap",
    "torch.autograd.functional": "jacobian hessian vhp",
    "torch.autograd.graph": "saved_tensors_hooks save_on_cpu Node GradientEdge increment_version",
    "torch.func": "grad vmap jacrev functional_call",
    "torch.utils": "data checkpoint",
    "torch.utils.data": "DataLoader Dataset TensorDataset random_split WeightedRandomSampler",
    "torch.utils.checkpoint": "checkpoint checkpoint_sequential",
    "torch.distributed": "rpc autograd init_process_group all_reduce barrier optim",
    "torch.distributed.rpc": "init_rpc rpc_sync rpc_async remote RRef shutdown get_worker_info",
    "torch.distributed.autograd": "context backward get_gradients",
    "torch.distributed.optim": "DistributedOptimizer",
    "torch.futures": "Future wait_all collect_all",
    "torch.fft": "fft rfft ifftn",
    "torch.special": "erf gammaln expit",
    "torch.cuda": "is_available device_count synchronize Stream",
    "torch.backends.cudnn": "deterministic benchmark enabled",
    "torch.random": "manual_seed fork_rng get_rng_state",
    "torch.multiprocessing": "spawn Process Queue",
    "torch.testing": "assert_close make_tensor",
}


@pytest.mark.parametrize("namespace", WELL_KNOWN)
def test_well_known_names_are_there(namespace):
    assert set(WELL_KNOWN[namespace].split()) - known(namespace) == set()


def test_nonsense_is_not_there():
    for namespace in namespaces():
        assert not {"tensr", "Lineer", "requires_gradient", "grads", "cosh2", "numpy_"} & known(namespace)
    assert known("torch.nonsense") == frozenset()
    assert "relu6" not in known("torch")


def test_names_are_public_identifiers_without_other_libraries():
    for namespace in namespaces():
        names = known(namespace)
        assert names, namespace
        assert all(re.fullmatch(r"[A-Za-z]\w*", name) for name in names)
    for namespace in ("torch", "torch.nn.functional", "torch.optim.lr_scheduler", "torch.utils.data", "torch.distributed.rpc"):
        assert not {"sys", "os", "math", "warnings", "Any", "Optional", "TYPE_CHECKING", "partial", "annotations"} & known(
            namespace
        )
