import torch


def refuse(grad):
    raise ValueError("no")


w = torch.tensor([1.0, 2.0], requires_grad=True)
x = w * 2
x.register_hook(refuse)
y = torch.exp(x)  # saved by ExpBackward0: y, version 0
loss = y.sum()
try:
    loss.backward()  # freed by ExpBackward0
except ValueError:
    pass
loss.backward()  # fails: GraphFreed of y, at ExpBackward0
