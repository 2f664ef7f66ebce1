"""A model is trained on a device: nothing crosses the bus behind the script's back, and the numbers are those of the CPU."""

from __future__ import annotations

from typing import Any

import pytest
from scripts import printed

from autograd_cli.torch_api.modules import modules

torch: Any = modules()["torch"]
nn, F = torch.nn, torch.nn.functional

OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 1e-3},
    "Adam": {"lr": 0.1},
    "AdamW": {"lr": 0.1},
    "RMSprop": {"lr": 0.01, "momentum": 0.5, "centered": True},
    "Adagrad": {"lr": 0.1},
}


def step(net: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """One step of training."""
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    return loss


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_nothing_crosses_the_bus_in_a_training_step(name: str, transfers: Any) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)
    )
    x, y = torch.rand(4, 1, 4, 4), torch.tensor([0, 2, 1, 0])
    twin = __import__("copy").deepcopy(net)
    net, on_device = net.to("cuda"), (x.to("cuda"), y.to("cuda"))
    optimizer, other = (getattr(torch.optim, name)(n.parameters(), **OPTIMIZERS[name]) for n in (net, twin))
    losses = []
    for number in range(4):
        transfers.clear()
        loss = step(net, optimizer, *on_device)
        # The targets are looked at to refuse classes that do not exist: PyTorch does so on the device.
        assert {k: n for k, n in transfers.items() if k != "copies"} == {"reads": transfers["reads"]}, (number, transfers)
        assert transfers["reads"] <= 4
        losses.append((loss.item(), step(twin, other, x, y).item()))
    assert [a for a, _ in losses] == pytest.approx([b for _, b in losses], rel=1e-5)


def test_a_loop_without_class_targets_reads_nothing_at_all(transfers: Any) -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).to("cuda")
    optimizer = torch.optim.Adam(net.parameters())
    x, y = torch.rand(5, 3, device="cuda"), torch.rand(5, 1, device="cuda")
    transfers.clear()
    for _ in range(3):
        optimizer.zero_grad()
        ((net(x) - y) ** 2).mean().backward()
        optimizer.step()
    assert not +transfers


def test_a_pasted_tutorial_chooses_its_device() -> None:
    assert printed(
        """
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(0)
        model = nn.Linear(2, 1).to(device)
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        for x, y in [(torch.ones(4, 2), torch.zeros(4, 1))]:
            x, y = x.to(device), y.to(device)
            loss = F.mse_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(device, loss.device, next(model.parameters()).grad.device)
        """
    ) == ["cuda cuda:0 cuda:0"]
