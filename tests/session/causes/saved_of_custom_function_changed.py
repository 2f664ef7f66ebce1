import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors  # fails: InplaceModified of x, at SquareBackward
        return 2 * x * grad


w = torch.tensor([1.0, 2.0], requires_grad=True)
x = w + 1
y = Square.apply(x)  # saved by SquareBackward: x, version 0
x.add_(1)  # changed by AddBackward0: x, version 1
y.sum().backward()
