import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w**2).sum()  # saved by PowBackward0: w, version 0
loss.backward(retain_graph=True)
loss.backward()  # freed by PowBackward0
loss.backward()  # fails: GraphFreed of loss, at PowBackward0
