import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
shared = torch.exp(w)  # saved by ExpBackward0: shared, version 0
left = shared.sum()
right = shared.mean()
left.backward()  # freed by ExpBackward0
right.backward()  # fails: GraphFreed of shared, at ExpBackward0
