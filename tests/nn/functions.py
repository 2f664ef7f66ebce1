"""Functions of nn whose second-order graphs are not PyTorch's node for node: values and first gradients are compared."""

FUNCTIONS = [
    "F.celu(x)", "F.celu(x, 0.5)", "F.glu(x, 0)", "F.hardsigmoid(x * 4)", "F.hardswish(x * 4)", "F.mish(x)", "F.prelu(x, w)",
    "F.threshold(x, 0.1, 2.0)", "F.smooth_l1_loss(x, y)", "F.smooth_l1_loss(x, y, beta=0.3, reduction='none')", "F.huber_loss(x, y)",
    "F.huber_loss(x, y, delta=0.4, reduction='sum')", "F.kl_div(x, y.softmax(1))", "F.kl_div(x, y.softmax(1), reduction='batchmean')",
    "F.softsign(x)", "F.tanhshrink(x)", "F.pad(x, (1, 2))", "F.pad(x, (-1, 1, 0, 2), value=3.0)", "F.pad(x, (2, 1), mode='reflect')",
    "F.pad(x[None], (1, 2), mode='replicate')", "F.pad(x[None, None], (1, 2, 1, 1), mode='reflect')",
    "F.pad(x[None, None], (1, 2, 3, 1), mode='replicate')",
    "F.scaled_dot_product_attention(x, y, y * 2)", "F.scaled_dot_product_attention(y, x, x, is_causal=True)",
    "F.scaled_dot_product_attention(x[None, None], y[None, None], x[None, None] * 2)",
    "F.scaled_dot_product_attention(x[None, None], x[None, None], y[None, None], is_causal=True, scale=0.3)",
    "F.scaled_dot_product_attention(x[None, None], x[None, None], y[None, None], attn_mask=y[:, :2] > 0)",
    "F.scaled_dot_product_attention(x, y, x, attn_mask=y[:, :2])",
]  # fmt: skip


def observe(torch, functional, expression):
    """(values, gradient of x, name of the node) of `expression` on fixed numbers."""
    x = torch.tensor([[-1.5, -0.2, 0.05, 0.7], [2.5, -3.0, 0.3, 0.0]], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([[0.5, -0.1, 0.4, -0.7], [1.5, 0.2, 0.3, 0.1]], dtype=torch.float64)
    names = {"F": functional, "torch": torch, "x": x, "y": y, "w": torch.tensor([0.25], dtype=torch.float64)}
    result = eval(expression, names)
    (result * torch.arange(1.0, 1.0 + result.numel(), dtype=torch.float64).reshape(result.shape)).sum().backward()
    return [result.detach().tolist(), x.grad.tolist(), result.grad_fn.name()]
