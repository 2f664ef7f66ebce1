"""Optimizers as PyTorch's documentation describes them: groups, state, closures, hooks, refusals."""

from __future__ import annotations

from typing import Any

import pytest

from autograd_cli.core.instrument import Instrument
from autograd_cli.core.modes import modes
from autograd_cli.torch_api.modules import modules

torch: Any = modules()["torch"]
nn, optim = torch.nn, torch.optim


def parameter(*values: float) -> Any:
    return nn.Parameter(torch.tensor(values))


def step(opt: Any, p: Any, gradient: float = 1.0) -> None:
    p.grad = torch.full_like(p, gradient).detach()
    opt.step()


def closure_of(opt: Any, p: Any) -> Any:
    def closure() -> Any:
        opt.zero_grad()
        loss = (p**2).sum()
        loss.backward()
        return loss

    return closure


def test_groups_have_their_own_options() -> None:
    a, b = parameter(1.0), parameter(1.0)
    opt = optim.SGD([{"params": [a]}, {"params": b, "lr": 0.5}], lr=0.1)
    a.grad, b.grad = torch.ones(1), torch.ones(1)
    opt.step()
    assert (a.item(), b.item()) == (pytest.approx(0.9), 0.5)
    opt.add_param_group({"params": [parameter(0.0)], "momentum": 0.9})
    assert [g["lr"] for g in opt.param_groups] == [0.1, 0.5, 0.1]


def test_parameters_without_gradient_stay() -> None:
    p = parameter(1.0)
    opt = optim.Adam([p])
    opt.step()
    assert p.item() == 1
    assert not opt.state


def test_named_parameters_are_taken() -> None:
    net = nn.Linear(2, 1)
    opt = optim.SGD(net.named_parameters(), lr=0.1)
    assert opt.param_groups[0]["param_names"] == ["weight", "bias"]
    assert opt.param_groups[0]["params"][0] is net.weight


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: optim.SGD([], lr=0.1), ValueError),
        (lambda: optim.SGD(parameter(1.0), lr=0.1), TypeError),
        (lambda: optim.SGD([1.0], lr=0.1), TypeError),
        (lambda: optim.SGD([parameter(1.0)], lr=-1), ValueError),
        (lambda: optim.SGD([parameter(1.0)], lr=0.1, nesterov=True), ValueError),
        (lambda: optim.SGD([parameter(1.0) * 2], lr=0.1), ValueError),
        (lambda: optim.Adam([parameter(1.0)], betas=(1.0, 0.9)), ValueError),
        (lambda: optim.LBFGS([{"params": [parameter(1.0)]}, {"params": [parameter(1.0)]}]), ValueError),
        (lambda: optim.LBFGS([parameter(1.0)]).step(), TypeError),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        make()


def test_one_parameter_in_two_groups_is_refused() -> None:
    p = parameter(1.0)
    opt = optim.SGD([p], lr=0.1)
    with pytest.raises(ValueError, match="more than one"):
        opt.add_param_group({"params": [p]})


def test_zero_grad() -> None:
    p = parameter(1.0)
    opt = optim.SGD([p], lr=0.1)
    p.grad = torch.ones(1)
    opt.zero_grad(set_to_none=False)
    assert p.grad.item() == 0
    opt.zero_grad()
    assert p.grad is None


def test_a_closure_records_and_its_loss_is_returned() -> None:
    p = parameter(3.0)
    opt = optim.SGD([p], lr=0.1)
    with torch.no_grad():
        assert opt.step(closure_of(opt, p)).item() == 9
    assert p.item() == pytest.approx(2.4)


def test_state_goes_from_one_optimizer_to_another() -> None:
    p, q = parameter(1.0, 2.0), parameter(1.0, 2.0)
    first = optim.Adam([p], lr=0.1)
    step(first, p)
    with torch.no_grad():
        q.copy_(p)
    second = optim.Adam([q], lr=0.7)
    second.load_state_dict(first.state_dict())
    assert second.param_groups[0]["lr"] == 0.1
    step(first, p)
    step(second, q)
    assert q.tolist() == p.tolist()
    assert second.state[q]["exp_avg"] is not first.state[p]["exp_avg"]
    with pytest.raises(ValueError, match="groups"):
        second.load_state_dict(optim.SGD([{"params": [p]}, {"params": [q]}], lr=1).state_dict())


def test_steps_move_the_version_so_that_stale_graphs_are_found() -> None:
    p = parameter(1.0, 2.0)
    opt = optim.SGD([p], lr=0.1)
    loss = (p * p).sum()
    loss.backward(retain_graph=True)
    opt.step()
    with pytest.raises(RuntimeError, match="changed in place"):
        loss.backward()


def test_zero_dimensional_parameters() -> None:
    for make in (optim.SGD, optim.Adam, optim.RMSprop, optim.Adagrad):
        p = nn.Parameter(torch.tensor(1.0))
        opt = make([p], lr=0.1, maximize=True)
        (p * 2).backward()
        opt.step()
        assert p.item() > 1


def test_hooks_around_steps() -> None:
    p, seen = parameter(1.0), []
    opt = optim.SGD([p], lr=0.1)
    opt.register_step_pre_hook(lambda o, args, kwargs: seen.append("before"))
    handle = opt.register_step_post_hook(lambda o, args, kwargs: seen.append("after"))
    step(opt, p)
    handle.remove()
    step(opt, p)
    assert seen == ["before", "after", "before"]


class SignSGD(optim.Optimizer):  # type: ignore[misc]
    def __init__(self, params: Any, lr: float = 0.1) -> None:
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad.sign(), alpha=-group["lr"])


class Loud(optim.SGD):  # type: ignore[misc]
    def step(self, closure: Any = None) -> Any:
        return super().step(closure)


@pytest.mark.parametrize("make", [optim.SGD, optim.LBFGS, Loud])
def test_hooks_get_what_step_got(make: Any) -> None:
    p, seen = parameter(1.0), []
    opt = make([p], lr=0.1)
    closure = closure_of(opt, p)
    opt.register_step_pre_hook(lambda o, args, kwargs: seen.append((o, args, kwargs)))
    opt.register_step_post_hook(lambda o, args, kwargs: seen.append((o, args, kwargs)))
    opt.step(closure)
    opt.step(closure=closure)
    assert seen == [(opt, (opt, closure), {})] * 2 + [(opt, (opt,), {"closure": closure})] * 2


class Listener(Instrument):
    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, kind: str, message: str, tensor: Any = None) -> None:
        self.warnings.append(kind)


def test_a_scheduler_before_the_first_step_warns() -> None:
    opt = optim.SGD([parameter(1.0)], lr=0.1)
    scheduler = optim.lr_scheduler.StepLR(opt, 1)
    modes.instrument = listener = Listener()
    scheduler.step()
    assert listener.warnings == ["SchedulerBeforeOptimizer"]


@pytest.mark.parametrize("make", [SignSGD, Loud, optim.LBFGS])
def test_a_scheduler_after_a_step_does_not_warn(make: Any) -> None:
    p = parameter(1.0)
    opt = make([p], lr=0.1)
    scheduler = optim.lr_scheduler.StepLR(opt, 1)
    p.grad = torch.ones(1)
    opt.step(*([] if make is SignSGD else [closure_of(opt, p)]))
    modes.instrument = listener = Listener()
    scheduler.step()
    assert listener.warnings == []


def test_an_optimizer_of_ones_own() -> None:
    p, seen = parameter(1.0), []
    opt = SignSGD([p], lr=0.25)
    opt.register_step_post_hook(lambda o, args, kwargs: seen.append(p.item()))
    step(opt, p, 7.0)
    assert p.item() == 0.75
    assert seen == [0.75]


def test_clipping() -> None:
    a, b = parameter(3.0, 0.0), parameter(4.0)
    a.grad, b.grad = torch.tensor([3.0, 0.0]), torch.tensor([4.0])
    assert nn.utils.clip_grad_norm_([a, b], 1.0).item() == 5
    assert a.grad.tolist() == [pytest.approx(0.6, abs=1e-6), 0]
    assert nn.utils.clip_grad_norm_([a, b], 10.0).item() == pytest.approx(1, abs=1e-6)
    nn.utils.clip_grad_value_([a, b], 0.5)
    assert (a.grad[0].item(), b.grad.item()) == (0.5, 0.5)
    a.grad[0] = float("nan")
    with pytest.raises(RuntimeError, match="nan"):
        nn.utils.clip_grad_norm_([a], 1.0, error_if_nonfinite=True)
    assert nn.utils.clip_grad_norm_([parameter(1.0)], 1.0).item() == 0


def test_parameters_as_one_vector() -> None:
    net = nn.Linear(2, 1)
    vector = nn.utils.parameters_to_vector(net.parameters())
    assert vector.shape == (3,)
    nn.utils.vector_to_parameters(vector.detach() * 0 + 1, net.parameters())
    assert net.weight.tolist() == [[1, 1]]
