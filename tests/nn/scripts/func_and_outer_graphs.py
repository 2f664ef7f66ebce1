# ruff: noqa - written as tutorials are
import torch
from torch.func import grad, vjp, jacrev, jacfwd, hessian, vmap, jvp, grad_and_value, functional_call

x = torch.tensor([1.0, 2.0])
w = torch.tensor([3.0, 4.0], requires_grad=True)


def show(n, t):
    print(n, t)
    if isinstance(t, torch.Tensor) and t.requires_grad:
        print(" ", torch.autograd.grad(t.sum(), w, allow_unused=True, retain_graph=True))


show("g", grad(lambda a: (a * w).sum())(x))
show("g2", grad(lambda a: (a * a * w).sum())(x))
show("no", grad(lambda a: (a * a).sum())(x))
g, v = grad_and_value(lambda a: (a * w).sum())(x)
show("gv", g)
show("gv", v)
g, v = grad_and_value(lambda a: (a * a).sum() + w.detach().sum())(x)
show("gv", g)
show("gv", v)
out, f = vjp(lambda a: a.sin() * w, x)
show("vjp", out)
show("vjp", f(torch.ones(2))[0])
out, f = vjp(lambda a: a.sin() + w, x)
show("vjp+", out)
show("vjp+", f(torch.ones(2))[0])
show("jr", jacrev(lambda a: a.sin() * w)(x))
show("h", hessian(lambda a: (a**3 * w).sum())(x))
show("closure", grad(lambda a: grad(lambda b: (a * b * b).sum())(x).sum())(x))
show("closure2", grad(lambda a: (grad(lambda b: (b * b).sum())(x) * a).sum())(x))
show("arg", grad(lambda a, b: (a * b).sum())(x, w))
show("arg1", grad(lambda a, b: (a * b).sum(), argnums=1)(x, w))
show("arg0", grad(lambda a: (a * a * w).sum())(w))
