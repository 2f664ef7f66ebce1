import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * w  # saved by MulBackward0: w, version 0
loss = y.sum()
loss.backward()  # freed by MulBackward0
loss.backward()  # fails: GraphFreed of y, at MulBackward0
