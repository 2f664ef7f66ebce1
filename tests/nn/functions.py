"""Functions of nn whose second-order graphs are not PyTorch's node for node: values and first gradients are compared."""

FUNCTIONS = [
    "F.celu(x)", "F.celu(x, 0.5)", "F.glu(x, 0)", "F.hardsigmoid(x * 4)", "F.hardswish(x * 4)", "F.mish(x)", "F.prelu(x, w)",
    "F.threshold(x, 0.1, 2.0)", "F.smooth_l1_loss(x, y)", "F.smooth_l1_loss(x, y, beta=0.3, reduction='none')", "F.huber_loss(x, y)",
    "F.huber_loss(x, y, delta=0.4, reduction='sum')", "F.kl_div(x, y.softmax(1))", "F.kl_div(x, y.softmax(1), reduction='batchmean')",
    "F.soft_margin_loss(x, y.sign())", "F.soft_margin_loss(x, y.sign(), reduction='none')", "F.multi_margin_loss(x, c)",
    "F.multi_margin_loss(x, c, p=2, margin=0.5, reduction='sum')", "F.multi_margin_loss(x, c, weight=y[1], reduction='none')",
    "F.multi_margin_loss(x[1], c[0])", "F.multilabel_margin_loss(x, k)", "F.multilabel_margin_loss(x, k, reduction='none')",
    "F.multilabel_margin_loss(x[0], k[0], reduction='sum')", "F.poisson_nll_loss(x, y.exp(), full=True)",
    "F.ctc_loss(l, u, (5, 5, 4), (2, 3, 1))", "F.ctc_loss(l, u, (5, 3, 4), (2, 0, 1), reduction='sum')",
    "F.ctc_loss(l, torch.tensor([1, 2, 2, 2, 3, 1]), torch.tensor([5, 5, 2]), torch.tensor([2, 3, 1]), reduction='none')",
    "F.ctc_loss(l, u, (5, 1, 4), (2, 3, 1), zero_infinity=True)", "F.ctc_loss(l[:, 0], u[0][:2], (5,), (2,), blank=3)",
    "F.grid_sample(g, f)", "F.grid_sample(g, f, align_corners=True)", "F.grid_sample(g, f, mode='nearest')",
    "F.grid_sample(g, f * 2, padding_mode='border')", "F.grid_sample(g, f * 3, padding_mode='reflection')",
    "F.grid_sample(g, f * 3, padding_mode='reflection', align_corners=True)", "F.grid_sample(y[None, None], f)",
    "F.grid_sample(g, F.affine_grid(torch.tensor([[[0.7, 0.2, 0.1], [-0.3, 0.9, 0.2]]], dtype=torch.float64), (1, 1, 3, 3)))",
    "F.embedding_bag(e, x.reshape(4, 2))", "F.embedding_bag(e, x.reshape(4, 2), mode='max')",
    "F.embedding_bag(e, x.reshape(4, 2), mode='sum', padding_idx=1)", "F.embedding_bag(e, x.reshape(4, 2), mode='mean', padding_idx=1)",
    "F.embedding_bag(e.reshape(6), y.reshape(4, 2), torch.tensor([0, 1, 4]), mode='sum', per_sample_weights=x.reshape(8)[:6])",
    "F.embedding_bag(e.reshape(6), x.reshape(4, 2), torch.tensor([0, 4, 6]), mode='mean', include_last_offset=True)",
    "F.max_unpool2d(x[None], torch.tensor([[[0, 3, 5, 7], [10, 12, 15, 31]]]), 2)",
    "torch.cdist(x, y)", "torch.cdist(y, x, p=1.0)", "torch.cdist(x, y, p=3.0)", "torch.cdist(x, y, p=0.5)", "torch.cdist(x, x, p=2)",
    "torch.cdist(x, y, p=float('inf'))", "torch.cdist(x[None], y.reshape(2, 1, 4))", "torch.cdist(x.repeat(13, 1), y * 2)",
    "torch.cdist(x, y, compute_mode='use_mm_for_euclid_dist')", "F.pdist(x.reshape(4, 2))", "F.pdist(x.reshape(4, 2), p=1.5)",
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
    names |= {"c": torch.tensor([2, 0]), "k": torch.tensor([[3, 0, -1, 1], [1, -1, 0, 2]])}
    names["l"] = (
        torch.cat([x, x * 2, y, x + y, y - x, x.flip(0), y * x, x.sin()]).reshape(16, 4)[:15].reshape(5, 3, 4).log_softmax(2)
    )
    names |= {"u": torch.tensor([[1, 2, 0], [2, 2, 3], [1, 1, 1]]), "g": x[None, None], "e": torch.tensor([[0, 1, 1], [3, 1, 0]])}
    names["f"] = x[:, :3].detach().sin().repeat(1, 2).reshape(1, 2, 3, 2) * 0.9 + x.mean() * 0.1
    result = eval(expression, names)
    (result * torch.arange(1.0, 1.0 + result.numel(), dtype=torch.float64).reshape(result.shape)).sum().backward()
    return [result.detach().tolist(), x.grad.tolist(), result.grad_fn.name()]
