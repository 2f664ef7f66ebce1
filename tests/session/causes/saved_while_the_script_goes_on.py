import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.exp(w)  # saved by ExpBackward0: y, version 0
y.sum().backward()  # freed by ExpBackward0
print(y.grad_fn._saved_result)  # fails: GraphFreed of y, at ExpBackward0
