# ruff: noqa - written as tutorials are
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, vjp, vmap

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))
data, targets = torch.randn(6, 4), torch.randint(0, 3, (6,))
params = {k: v.detach() for k, v in model.named_parameters()}


def compute_loss(params, sample, target):
    predictions = functional_call(model, params, (sample.unsqueeze(0),))
    return F.cross_entropy(predictions, target.unsqueeze(0))


per_sample = vmap(grad(compute_loss), in_dims=(None, 0, 0))(params, data, targets)
for name, g in per_sample.items():
    print(name, g.shape, f"{g.norm():.4f}")

one_by_one = []
for i in range(6):
    loss = F.cross_entropy(model(data[i : i + 1]), targets[i : i + 1])
    one_by_one.append(torch.autograd.grad(loss, list(model.parameters())))
for shards, g in zip(zip(*one_by_one), per_sample.values()):
    print(torch.allclose(torch.stack(shards), g, atol=1e-5))


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


weight, bias, x = torch.randn(3, 4) * 0.2, torch.zeros(3), torch.randn(4)
reverse = jacrev(predict, argnums=2)(weight, bias, x)
print(reverse)
print(torch.allclose(reverse, jacfwd(predict, argnums=2)(weight, bias, x)))
print(hessian(lambda v: (v**3).sum())(torch.tensor([1.0, 2.0])))
out, pull = vjp(lambda v: v.sin(), x)
print(pull(torch.ones(4))[0] - x.cos())
