"""Fifty steps of every optimizer, as plain data: in PyTorch (``record.py``) and here. No torch in this file."""

from __future__ import annotations

from typing import Any

OPTIMIZERS = """
SGD(p, lr=0.05)
SGD(p, lr=0.05, momentum=0.9)
SGD(p, lr=0.05, momentum=0.9, dampening=0.1)
SGD(p, lr=0.02, momentum=0.9, nesterov=True, weight_decay=0.01)
SGD(p, lr=0.001, maximize=True, weight_decay=0.1)
SGD([{"params": p[:2], "lr": 0.1}, {"params": p[2:], "momentum": 0.5}], lr=0.01)
Adam(p, lr=0.01)
Adam(p, lr=0.01, betas=(0.8, 0.99), weight_decay=0.05)
Adam(p, lr=0.05, amsgrad=True)
Adam(p, lr=0.01, decoupled_weight_decay=True, weight_decay=0.1)
AdamW(p, lr=0.01)
AdamW(p, lr=0.01, amsgrad=True, weight_decay=0.2, maximize=True)
RMSprop(p)
RMSprop(p, lr=0.005, alpha=0.9, momentum=0.9, centered=True, weight_decay=0.01)
Adagrad(p, lr=0.1)
Adagrad(p, lr=0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.1)
Adamax(p, lr=0.01)
Adamax(p, lr=0.02, betas=(0.8, 0.99), weight_decay=0.05, maximize=True)
NAdam(p, lr=0.01)
NAdam(p, lr=0.01, weight_decay=0.1, momentum_decay=0.01)
NAdam(p, lr=0.01, weight_decay=0.1, decoupled_weight_decay=True)
RAdam(p, lr=0.01)
RAdam(p, lr=0.02, betas=(0.8, 0.9), weight_decay=0.1)
RAdam(p, lr=0.02, weight_decay=0.1, decoupled_weight_decay=True)
Adadelta(p)
Adadelta(p, lr=0.5, rho=0.8, weight_decay=0.01)
ASGD(p, lr=0.05)
ASGD(p, lr=0.05, lambd=0.01, alpha=0.5, t0=10, weight_decay=0.01)
Rprop(p)
Rprop(p, lr=0.02, etas=(0.4, 1.3), step_sizes=(1e-4, 0.05))
LBFGS(p, lr=0.1, max_iter=4)
LBFGS(p, max_iter=5, line_search_fn="strong_wolfe", history_size=4)
"""
SCHEDULERS = """
StepLR(o, 7, 0.5)
MultiStepLR(o, [5, 20, 20, 30], 0.3)
ExponentialLR(o, 0.95)
ConstantLR(o, 0.2, 7)
LinearLR(o, total_iters=10)
LinearLR(o, start_factor=1.0, end_factor=0.2, total_iters=20)
PolynomialLR(o, 30, 2.0)
CosineAnnealingLR(o, 20)
CosineAnnealingLR(o, 10, eta_min=0.001)
LambdaLR(o, lambda epoch: 0.9**epoch)
MultiplicativeLR(o, lambda epoch: 0.97)
CosineAnnealingWarmRestarts(o, 5, 2, 0.001)
OneCycleLR(o, 0.1, total_steps=60)
OneCycleLR(o, 0.1, epochs=6, steps_per_epoch=10, three_phase=True, anneal_strategy="linear")
CyclicLR(o, 0.01, 0.1, 5)
CyclicLR(o, 0.01, 0.1, 5, 8, mode="triangular2")
CyclicLR(o, [0.01, 0.02], 0.1, 4, mode="exp_range", gamma=0.95, base_momentum=0.7)
CyclicLR(o, 0.01, 0.1, 6, scale_fn=lambda x: 1 / x, cycle_momentum=False)
ChainedScheduler([S.ConstantLR(o, 0.1, 5), S.ExponentialLR(o, 0.9)])
SequentialLR(o, [S.ConstantLR(o, 0.1, 5), S.ExponentialLR(o, 0.9)], [8])
ReduceLROnPlateau(o, patience=1, threshold=0.05, cooldown=1)
ReduceLROnPlateau(o, "max", 0.5, 2, 0.1, "abs", min_lr=0.001)
"""
STEPS = 50


def lines(text: str) -> list[str]:
    """The lines of a block."""
    return text.strip().splitlines()


def problem(torch: Any, dtype: Any) -> tuple[list[Any], Any]:
    """Parameters of a small network, and the function that computes its loss; nothing is drawn."""
    torch_nn = torch.nn
    layers = torch_nn.Sequential(torch_nn.Linear(3, 4), torch_nn.Tanh(), torch_nn.Linear(4, 1))
    values = torch.sin(torch.arange(21, dtype=torch.float64) * 1.7)
    start = 0
    with torch.no_grad():
        for parameter in layers.parameters():
            count = parameter.numel()
            parameter.copy_(values[start : start + count].reshape(parameter.shape))
            start += count
    layers.to(dtype)
    scale = torch_nn.Parameter(torch.tensor(0.5, dtype=dtype))
    x = torch.cos(torch.arange(24, dtype=torch.float64) * 0.9).reshape(8, 3).to(dtype)
    y = (x * x).sum(1, keepdim=True)
    parameters = [*layers.parameters(), scale]

    def loss() -> Any:
        for parameter in parameters:
            parameter.grad = None
        value = ((layers(x) * scale - y) ** 2).mean()
        value.backward()
        return value

    return parameters, loss


def follow(torch: Any, constructor: str, dtype: str = "float64") -> dict[str, Any]:
    """The losses of fifty steps, the parameters and the optimizer at their end."""
    parameters, loss = problem(torch, getattr(torch, dtype))
    optimizer = eval(f"optim.{constructor}", {"optim": torch.optim, "p": parameters})
    losses = []
    for _ in range(10 if "LBFGS" in constructor else STEPS):
        if "LBFGS" in constructor:
            value = optimizer.step(loss)
        else:
            value = loss()
            optimizer.step()
        losses.append(value.item())
    state = optimizer.state_dict()
    record: dict[str, Any] = {"text": repr(optimizer), "losses": losses, "parameters": [flat(p) for p in parameters]}
    record["versions"] = [p._version for p in parameters]
    if "LBFGS" not in constructor:
        record["groups"] = repr(state["param_groups"])
        record["state"] = {
            str(n): {key: flat(value) if hasattr(value, "reshape") else value for key, value in own.items()}
            for n, own in state["state"].items()
        }
    return record


def rates(torch: Any, constructor: str) -> list[list[float]]:
    """The rate of each group, and a momentum, after each of fifty epochs."""
    parameters, loss = problem(torch, torch.float64)
    groups = [{"params": parameters[:2]}, {"params": parameters[2:], "lr": 0.01}]
    optimizer = torch.optim.SGD(groups, lr=0.05, momentum=0.9)
    schedulers = torch.optim.lr_scheduler
    scheduler = eval(f"S.{constructor}", {"S": schedulers, "o": optimizer})
    found = []
    for epoch in range(STEPS):
        loss()
        optimizer.step()
        if "Plateau" in constructor:
            scheduler.step([5.0, 4.0, 4.1, 3.99, 3.95, 3.0][epoch % 6] if epoch < 30 else 1.0)
        else:
            scheduler.step()
        found.append([*scheduler.get_last_lr(), optimizer.param_groups[0]["momentum"]])
    return found


def flat(tensor: Any) -> list[float]:
    """The elements in row order."""
    found: list[float] = tensor.detach().double().reshape(-1).tolist()
    return found
