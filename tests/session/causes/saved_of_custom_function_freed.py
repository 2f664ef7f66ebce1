import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors  # fails: GraphFreed of y, at SquareBackward
        return 2 * x * grad


w = torch.tensor([1.0, 2.0], requires_grad=True)
y = Square.apply(w)  # saved by SquareBackward
loss = y.sum()
loss.backward()  # freed by SquareBackward
loss.backward()
