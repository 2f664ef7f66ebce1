"""Definitions that random programs may use: custom Functions, functions to call, contexts."""

from __future__ import annotations

PRELUDE = {
    "kind": """
def kind(error):
    kinds = (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError, AttributeError)
    return [kind.__name__ for kind in kinds if isinstance(error, kind)]
""",
    "seen": """
def seen(word):
    def hook(*grads):
        print(word, [None if g is None else (tuple(g.shape), round(g.sum().item(), 2) + 0.0) for g in flat(grads)])
    return hook

def flat(grads):
    return [g for part in grads for g in (flat(part) if isinstance(part, (tuple, list)) else [part])]
""",
    "Cube": """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.tanh() ** 3

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * 3 * x.tanh() ** 2 * (1 - x.tanh() ** 2)
""",
    "Mixed": """
class Mixed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, scale):
        ctx.save_for_backward(x, y)
        ctx.scale = scale
        return x * y * scale, x.sin()

    @staticmethod
    def backward(ctx, grad, other):
        x, y = ctx.saved_tensors
        first = grad * y * ctx.scale + other * x.cos() if ctx.needs_input_grad[0] else None
        return first, grad * x * ctx.scale if ctx.needs_input_grad[1] else None, None
""",
    "Result": """
class Result(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.sigmoid()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        y, = ctx.saved_tensors
        return grad * y * (1 - y)
""",
    "Twice": """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2
""",
    "Lazy": """
class Lazy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(counted := x.detach() > 0)
        return x * 2, x.cos(), counted

    @staticmethod
    def backward(ctx, grad, other, counted):
        return grad * 2 if grad is not None else None
""",
    "Straight": """
class Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.where(x.abs() > 1e-6, x.sign(), 0)

    @staticmethod
    def backward(ctx, grad):
        return grad.clamp(-1, 1)
""",
    "layer": """
def layer(x, y):
    hidden = torch.tanh(x * y)
    hidden = hidden * 2 + x.cos()
    return hidden.sin()
""",
    "changing": """
def changing(x, y):
    out = x.clone()
    out += y
    out[...] = out * 0.5
    return out.mul_(y.sin())
""",
    "without": """
@torch.no_grad()
def without(x):
    return x * 2 + 1
""",
    "recursive": """
def recursive(x, depth):
    return x.sin() if depth == 0 else recursive(x * 0.9, depth - 1) + x
""",
}
