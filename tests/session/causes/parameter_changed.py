import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 2)
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
y = net(x)  # saved by AddmmBackward0: net.weight, version 1
with torch.no_grad():
    net.weight.clamp_(-0.1, 0.1)  # changed: net.weight, version 2
y.sum().backward()  # fails: InplaceModified of net.weight, at AddmmBackward0
