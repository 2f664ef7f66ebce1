import torch
from torch import nn, optim

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
opt = optim.SGD(net.parameters(), lr=0.1)
x = torch.tensor([[1.0, 2.0]])
first = net(x).sum()
second = (net(x) ** 2).sum()  # saved by AddmmBackward0: net.2.weight, version 1
first.backward()
opt.step()  # changed: net.2.weight, version 2
second.backward()  # fails: InplaceModified of net.2.weight, at AddmmBackward0
