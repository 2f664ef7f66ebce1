import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    y = (w * w).sum()  # unreached: y
y.backward()  # fails: NoGraph of y
