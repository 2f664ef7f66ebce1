# ruff: noqa - written as tutorials are
import torch

torch.manual_seed(0)
t = torch.linspace(0, 3, 30, dtype=torch.float64)
seen = 2.5 * torch.exp(-1.3 * t) + 0.4 + 0.01 * torch.randn(30, dtype=torch.float64)
params = torch.tensor([1.0, 1.0, 0.0], dtype=torch.float64, requires_grad=True)


def model(p):
    return p[0] * torch.exp(-p[1] * t) + p[2]


optimizer = torch.optim.LBFGS([params], lr=0.5, max_iter=10, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = ((model(params) - seen) ** 2).mean()
    loss.backward()
    return loss


for i in range(4):
    loss = optimizer.step(closure)
    print(i, f"{loss.item():.8f}")
print(params.detach())
H = torch.autograd.functional.hessian(lambda p: ((model(p) - seen) ** 2).mean(), params.detach())
J = torch.autograd.functional.jacobian(model, params.detach())
print(torch.linalg.eigvalsh(H) > 0, J.shape)
print(torch.linalg.inv(J.T @ J).diagonal().sqrt())
