# ruff: noqa - written as tutorials are
import torch
from torch import nn

# Learning a start from which one step of descent is enough: the gradient goes through the step.
torch.manual_seed(3)


def net(x, params):
    w1, b1, w2, b2 = params
    return torch.relu(x @ w1 + b1) @ w2 + b2


def sample_task():
    height, shift = 0.5 + torch.rand(1), torch.rand(1) * 3
    x = torch.rand(10, 1) * 4 - 2
    return x, height * torch.sin(x + shift)


params = [torch.randn(1, 20) * 0.5, torch.zeros(20), torch.randn(20, 1) * 0.3, torch.zeros(1)]
for p in params:
    p.requires_grad_(True)
outer = torch.optim.Adam(params, lr=0.01)
for step in range(30):
    outer.zero_grad()
    total = 0.0
    for _ in range(3):
        x, y = sample_task()
        inner_loss = nn.functional.mse_loss(net(x[:5], params), y[:5])
        grads = torch.autograd.grad(inner_loss, params, create_graph=True)
        adapted = [p - 0.05 * g for p, g in zip(params, grads)]
        total = total + nn.functional.mse_loss(net(x[5:], adapted), y[5:])
    total.backward()
    outer.step()
    if step % 10 == 9:
        print(step + 1, f"{total.item() / 3:.4f}", total.grad_fn.name())
