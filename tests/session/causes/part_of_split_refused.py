import torch

w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = w * 2
left, right = y.split(2)
right.zero_()  # fails: ViewInplace of right
