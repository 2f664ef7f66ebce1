# ruff: noqa - written as tutorials are
import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.ReLU(), nn.Linear(2, 1))
for name, tensor in net.state_dict().items():
    print(name, tuple(tensor.shape), tensor)
other = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.ReLU(), nn.Linear(2, 1))
print(other.load_state_dict(net.state_dict()))
print(all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters())))
best = copy.deepcopy(net)
with torch.no_grad():
    for p in net.parameters():
        p.zero_()
print(best[0].weight.abs().sum() > 0, net[0].weight.abs().sum())


def hook(module, args, output):
    print("forward of", type(module).__name__, tuple(output.shape))


handle = best[3].register_forward_hook(hook)
best[0].register_full_backward_hook(
    lambda module, grad_input, grad_output: print("backward", len(grad_input), grad_output[0].shape)
)
best(torch.ones(4, 3)).sum().backward()
handle.remove()
best.eval()
print(best.training, best[1].training, best(torch.ones(1, 3)))
try:
    other.load_state_dict({"0.weight": torch.ones(2, 3)})
except RuntimeError as error:
    print("RuntimeError")
for parameter in best[:2].parameters():
    parameter.requires_grad = False
print([name for name, p in best.named_parameters() if p.requires_grad])
print(best.double()[0].weight.dtype)
