"""Functions of nn whose second-order graphs are not PyTorch's node for node: values and first gradients are compared."""

FUNCTIONS = [
    "F.celu(x)", "F.celu(x, 0.5)", "F.glu(x, 0)", "F.hardsigmoid(x * 4)", "F.hardswish(x * 4)", "F.mish(x)", "F.prelu(x, w)",
    "F.threshold(x, 0.1, 2.0)", "F.smooth_l1_loss(x, y)", "F.smooth_l1_loss(x, y, beta=0.3, reduction='none')", "F.huber_loss(x, y)",
    "F.huber_loss(x, y, delta=0.4, reduction='sum')", "F.kl_div(x, y.softmax(1))", "F.kl_div(x, y.softmax(1), reduction='batchmean')",
    "F.softsign(x)", "F.tanhshrink(x)",
]  # fmt: skip


def observe(torch, functional, expression):
    """(values, gradient of x, name of the node) of `expression` on fixed numbers."""
    x = torch.tensor([[-1.5, -0.2, 0.05, 0.7], [2.5, -3.0, 0.3, 0.0]], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([[0.5, -0.1, 0.4, -0.7], [1.5, 0.2, 0.3, 0.1]], dtype=torch.float64)
    names = {"F": functional, "x": x, "y": y, "w": torch.tensor([0.25], dtype=torch.float64)}
    result = eval(expression, names)
    (result * torch.arange(1.0, 1.0 + result.numel(), dtype=torch.float64).reshape(result.shape)).sum().backward()
    return [result.detach().tolist(), x.grad.tolist(), result.grad_fn.name()]
