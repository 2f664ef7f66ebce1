import torch


def step(w):
    hidden = torch.exp(w)  # saved by ExpBackward0: hidden, version 0
    hidden *= 2  # changed by MulBackward0: hidden, version 1
    total = hidden.sum()
    total.backward()  # fails: InplaceModified of hidden, at ExpBackward0


step(torch.tensor([1.0, 2.0], requires_grad=True))
