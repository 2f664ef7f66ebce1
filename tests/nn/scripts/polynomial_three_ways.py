# ruff: noqa - written as tutorials are
import math

import torch

x = torch.linspace(-math.pi, math.pi, 500)
y = torch.sin(x)

# By hand.
a, b, c, d = (torch.tensor(v) for v in (0.1, -0.2, 0.3, -0.1))
for step in range(200):
    guess = a + b * x + c * x**2 + d * x**3
    error = 2.0 * (guess - y)
    a -= 1e-6 * error.sum()
    b -= 1e-6 * (error * x).sum()
    c -= 1e-6 * (error * x**2).sum()
    d -= 1e-6 * (error * x**3).sum()
print(f"by hand: {a.item():.4f} + {b.item():.4f} x + {c.item():.4f} x^2 + {d.item():.4f} x^3")

# With autograd.
weights = [torch.full((), v, requires_grad=True) for v in (0.1, -0.2, 0.3, -0.1)]
for step in range(200):
    guess = sum(w * x**k for k, w in enumerate(weights))
    loss = (guess - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        for w in weights:
            w -= 1e-6 * w.grad
            w.grad = None
print("autograd:", [f"{w.item():.4f}" for w in weights])


class Legendre3(torch.autograd.Function):
    """Half of 5 x^3 - 3 x, with its own derivative."""

    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


p, q, r, s = (torch.full((), v, requires_grad=True) for v in (0.0, -1.0, 0.0, 0.3))
for step in range(300):
    guess = p + q * Legendre3.apply(r + s * x)
    loss = (guess - y).pow(2).sum()
    if step % 100 == 99:
        print(step + 1, f"{loss.item():.3f}")
    loss.backward()
    with torch.no_grad():
        for w in (p, q, r, s):
            w -= 5e-6 * w.grad
            w.grad.zero_()
print(guess.grad_fn.name(), [f"{w.item():.3f}" for w in (q, s)])

# With nn and optim.
features = x.unsqueeze(-1).pow(torch.tensor([1, 2, 3]))
model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
with torch.no_grad():
    model[0].weight.copy_(torch.tensor([[0.1, 0.2, -0.1]]))
    model[0].bias.zero_()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for step in range(300):
    loss = torch.nn.MSELoss(reduction="sum")(model(features), y)
    if step % 100 == 99:
        print(step + 1, f"{loss.item():.3f}")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model[0].weight.shape, f"{model[0].bias.item():.4f}")
