# ruff: noqa - written as tutorials are
import torch

x = torch.ones(5)
y = torch.zeros(3)
w = torch.full((5, 3), 0.25, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print(type(z.grad_fn).__name__, type(loss.grad_fn).__name__)
print(z.requires_grad, z.is_leaf, w.is_leaf, (w * 2).requires_grad)
loss.backward(retain_graph=True)
print(w.grad)
print(b.grad)
with torch.no_grad():
    z = torch.matmul(x, w) + b
print(z.requires_grad, z.detach().requires_grad)

inp = torch.eye(4, 5, requires_grad=True)
out = (inp + 1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"First call\n{inp.grad}")
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nSecond call\n{inp.grad}")
inp.grad.zero_()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nCall after zeroing gradients\n{inp.grad}")


def walk(fn, depth=0):
    if fn is None:
        return
    print("  " * depth + fn.name())
    for following, _ in fn.next_functions:
        walk(following, depth + 1)


walk(out.grad_fn)
a = torch.tensor([2.0, 3.0], requires_grad=True)
c = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - c**2
Q.backward(gradient=torch.tensor([1.0, 1.0]))
print(9 * a**2 == a.grad, -2 * c == c.grad)
s = a.detach().sin().requires_grad_()
h = []
s.register_hook(lambda g: h.append(g.clone()) or g * 2)
(s * torch.tensor([1.0, 2.0])).sum().backward()
print(h, s.grad)
