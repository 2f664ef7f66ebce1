import torch

torch.manual_seed(0)
cell = torch.nn.RNNCell(2, 3)
h = torch.zeros(1, 3)
for _step in range(3):
    x = torch.rand(1, 2)
    h = cell(x, h)  # saved by TanhBackward0: h, version 0
    loss = h.sum()
    loss.backward()  # freed by TanhBackward0 # fails: GraphFreed of h, at TanhBackward0
