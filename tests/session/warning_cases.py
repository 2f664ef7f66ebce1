"""Scripts that PyTorch warns about, by the kind of our warning, and scripts that it does not warn about."""

from __future__ import annotations

HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
w = torch.tensor([1.0, 2.0], requires_grad=True)
p = nn.Parameter(torch.tensor([1.0, 2.0]))
"""
# Lines that begin with "warns:" are those that PyTorch has to warn about; in the others it must not.
CASES = {
    "NonLeafGrad": [
        "y = w * 2\ny.sum().backward()\nwarns: y.grad",
        "y = w * 2\ny.retain_grad()\ny.grad",
        "y = w.detach() * 2\ny.grad",
    ],
    "CreateGraphBackward": [
        "warns: (w * w).sum().backward(create_graph=True)",
        "warns: torch.autograd.backward((w * w).sum(), create_graph=True)",
        "torch.autograd.grad((w * w).sum(), w, create_graph=True)",
        "(w * w).sum().backward(retain_graph=True)",
    ],
    "ScalarOfGrad": ["warns: float(w.sum())", "int(w.sum())", "w.sum().item()", "float(w.sum().detach())"],
    "CopyOfTensor": [
        "warns: torch.tensor(w)",
        "warns: torch.tensor(w.detach(), requires_grad=True)",
        "warns: w.new_tensor(w)",
        "torch.tensor([w[0].item()])",
        "torch.as_tensor(w)",
    ],
    "AnomalyMode": ["warns: mode = torch.autograd.detect_anomaly()", "torch.autograd.set_detect_anomaly(True)"],
    "HookWithoutInputs": [
        "m = nn.Linear(2, 2)\nh = m.register_full_backward_hook(lambda *a: None)\ny = m(torch.ones(2)).sum()\nwarns: y.backward()",
        "m = nn.Linear(2, 2)\nh = m.register_full_backward_pre_hook(lambda *a: None)\ny = m(torch.ones(2)).sum()\nwarns: y.backward()",
        "m = nn.Linear(2, 2)\nh = m.register_full_backward_hook(lambda *a: None)\nm(w).sum().backward()",
    ],
    "CheckpointUseReentrant": ["warns: y = checkpoint(torch.exp, w)", "y = checkpoint(torch.exp, w, use_reentrant=False)"],
    "CheckpointWithoutGrad": [
        "warns: y = checkpoint(lambda x: x * w, torch.ones(2), use_reentrant=True)",
        "y = checkpoint(torch.exp, w, use_reentrant=True)",
    ],
    "GradcheckPrecision": [
        "warns: torch.autograd.gradcheck(lambda x: x * 2, w, eps=1e-2, atol=1e-1)",
        "torch.autograd.gradcheck(lambda x: x * 2, w.detach().double().requires_grad_())",
    ],
    "LossBroadcast": [
        *(
            f"warns: {f}(torch.ones(3, 1), torch.ones(3))"
            for f in ("F.mse_loss", "F.l1_loss", "F.smooth_l1_loss", "F.huber_loss")
        ),
        "loss = nn.MSELoss()\nwarns: loss(torch.ones(3, 1), torch.ones(3))",
        "F.mse_loss(torch.ones(3), torch.ones(3))",
    ],
    "ImplicitDim": [
        "warns: F.softmax(torch.ones(2, 2))",
        "warns: F.log_softmax(torch.ones(2, 2, 2))",
        "warns: F.softmin(torch.ones(2, 2))",
        "m = nn.Softmax()\nwarns: m(torch.ones(2, 2))",
        "F.softmax(torch.ones(2, 2), dim=1)",
    ],
    "MeanOfDivergence": [
        "warns: F.kl_div(torch.zeros(2, 2), torch.ones(2, 2))",
        "F.kl_div(torch.zeros(2, 2), torch.ones(2, 2), reduction='batchmean')",
        "F.kl_div(torch.zeros(2, 2), torch.ones(2, 2), reduction='sum')",
    ],
    "OldReduction": [
        "warns: F.mse_loss(torch.ones(3), torch.ones(3), size_average=False)",
        "warns: F.nll_loss(torch.ones(3, 2), torch.tensor([0, 1, 1]), reduce=False)",
        "F.mse_loss(torch.ones(3), torch.ones(3), reduction='sum')",
    ],
    "RecurrentDropout": [
        "warns: nn.RNN(2, 2, dropout=0.5)",
        "warns: nn.LSTM(2, 2, dropout=0.5)",
        "nn.GRU(2, 2, num_layers=2, dropout=0.5)",
    ],
    "SchedulerBeforeOptimizer": [
        "o = optim.SGD([p], lr=0.1)\ns = optim.lr_scheduler.StepLR(o, 1)\nwarns: s.step()",
        "o = optim.SGD([p], lr=0.1)\ns = optim.lr_scheduler.StepLR(o, 1)\no.step()\ns.step()",
    ],
    "SchedulerEpoch": ["o = optim.SGD([p], lr=0.1)\ns = optim.lr_scheduler.StepLR(o, 1)\no.step()\nwarns: s.step(2)"],
    "RepeatedParameter": ["warns: optim.SGD([p, p], lr=0.1)", "optim.SGD([p], lr=0.1)"],
    "ReversedDimensions": ["warns: torch.ones(2, 3, 4).T", "warns: w.T", "torch.ones(2, 3).T", "warns: torch.ones(()).T"],
    "NoDegreesOfFreedom": [
        "warns: torch.ones(1).std()",
        "warns: torch.ones(2, 1).var(dim=1)",
        "torch.ones(1).std(correction=0)",
        "torch.ones(2).std()",
    ],
    "ImaginaryDiscarded": [
        "warns: torch.ones(2, dtype=torch.complex64).float()",
        "torch.ones(2, dtype=torch.complex64).real",
        "torch.ones(2).to(torch.complex64)",
    ],
    "EmptyInit": ["warns: nn.init.kaiming_uniform_(torch.empty(0, 2))", "nn.init.kaiming_uniform_(torch.empty(2, 2))"],
}


def script_of(case: str) -> tuple[str, list[int]]:
    """A script, and the lines that are warned about."""
    lines = (HEAD + case).splitlines()
    return "\n".join(line.removeprefix("warns: ") for line in lines) + "\n", [
        n for n, line in enumerate(lines, 1) if line.startswith("warns: ")
    ]


def all_cases() -> list[tuple[str, str]]:
    """(kind, case), all of them."""
    return [(kind, case) for kind, cases in CASES.items() for case in cases]
