"""The templates of the statements in random programs: changes in place, calls, loops, hooks.

Placeholders are those of ``fuzz_table``.
"""

from __future__ import annotations

IN_PLACE = """
{a}.{one:sin|cos|neg|square|atan|erf}_()
{o}.{one:tanh|sigmoid|exp|expm1}_()
{o}.tanh_().mul_({n})
{a} += {r}
{a} -= {r}
{a} *= {r}
{a} /= {r} ** 2 + 1
{a} += {n}
{a} *= {n}
{a}.add_({r}, alpha={n})
{a}.sub_({r})
{a}.mul_({r})
{a}.mul_({n})
{a}.div_({p})
{a}.copy_({r})
{a}.copy_({n} * {r})
{a}.addcmul_({r}, {z}, value={n})
{a}.addcdiv_({r}, {z} ** 2 + 1)
{a}.lerp_({e}, {p})
{a}.zero_()
{a}.fill_({n})
{a}.fill_({s:()})
{a}.pow_({one:2|3})
{a:1+}[{item}] = {n}
{a:1+}[{item}] = {s:()}
{a:1+}[{item}] += {n}
{a:1+}[{item}] *= {s:()}
{a:1+}[{item}].mul_({n})
{a:1+}[{item}].sin_()
{a:1+}[:1] = {a}[-1:] * 2
{a:1+}[0] = {a}[-1]
{a:1+}[{pick}] = {n}
{a:1+}[{pick}] = {s:()}
{a:1+}[{pick}] += {n}
{a:2+}[:, 0] = {s:(a.shape[0], *a.shape[2:])}
{a:1+}[0] += {s:a.shape[1:]}
{a:1+}.view(-1)[0] = {n}
{a}.view(-1).mul_({n})
{a:2+}.t()[0] = {n}
{a:2+}.transpose(0, 1).add_({n})
{a:2+}.diagonal().fill_({n})
{a:2}.diagonal().mul_({n})
{a}.masked_fill_({mask:a.shape}, {n})
{a:1+}.scatter_(0, {ints:(1, *a.shape[1:])|a.shape[0]}, {n})
{a:1+}.scatter_add_(0, {ints:a.shape|a.shape[0]}, {e})
{a:1+}.index_add_(0, {ints:(2,)|a.shape[0]}, {s:(2, *a.shape[1:])})
{a:2+}.{one:tril|triu}_()
{a:1+}.cumsum_({d})
{a:2}.addmm_({s:(a.shape[0], 2)}.clone(), {s:(2, a.shape[1])}.clone())
"""

IN_PLACE_CUTS = """
{a}.{one:relu|abs|floor|sign}_()
{a}.clamp_({one:-0.5, 0.5|min=0})
{x}.expand(2, *{x}.shape).{one:add_|mul_}({n})
{a}.data.mul_({n})
{a}.data += {n}
{a}.detach().mul_({n})
{a}[{a} > {n}] = {n}
{a}[{a} > {n}] *= {n}
{l}.data.add_({n})
{l}.data = {l}.data * {n}
{x} = ({x} * 1).detach_()
{a}.copy_({q})
{a} += {q}
{q} += 1
{q}.mul_(2)
{q}[{item}] = 1
"""

CALLS = """
{new} = Cube.apply({x})
{new}, {new} = Mixed.apply({x}, {e}, {n})
{new} = Result.apply({x})
{new} = Twice.apply({x} * 1)
{new}, {new}, {new} = Lazy.apply({x})
{new} = Straight.apply({x})
{new} = layer({x}, {b})
{new} = changing({x}, {r})
{new} = without({x})
{new} = recursive({x}, {one:1|2|3})
{new} = torch.utils.checkpoint.checkpoint(layer, {x}, {b}, use_reentrant=False)
{new} = torch.utils.checkpoint.checkpoint(changing, {x}, {r}, use_reentrant=False)
{new} = torch.utils.checkpoint.checkpoint(Cube.apply, {x}, use_reentrant=False)
"""

LOOPS = r"""
h = {x}\nfor _ in range({one:2|3}):\n    h = (h * {r}).tanh() + {n}\n{new} = h
h = {x} * 1\nfor i in range(3):\n    h += {r}\n    h = h.sin() if i else h * 2\n{new} = h.clone()
h = {x} + 0\nfor i in range(len(h)):\n    h[i] = h[i - 1] * {n} + 1\n{new} = h.clone()
h = torch.zeros_like({x})\nfor part in {x:1+}:\n    h += part.sum()\n{new} = h * {n}
rows = [row * {n} for row in {x:1+}]\n{new} = torch.stack(rows)
parts = [{x}]\nwhile len(parts) < 4:\n    parts.append(parts[-1].cos() * {r})\n{new} = sum(parts)
h = {x}.clone()\nview = h.view(-1)\nfor i in range(2):\n    view[i:i + 1] *= {n}\n    h = h + {r}\n{new} = h
"""

PROBES = """
print({x}.requires_grad, {x}.is_leaf, {x}._version, {x}.shape, {x}.dtype, {x}.output_nr, {x}.retains_grad)
print([s for s, n in zip({x}.stride(), {x}.shape) if n > 1], {x}.storage_offset(), {x}.is_contiguous())
print({x}.grad_fn and {x}.grad_fn.name())
print([f and (f.name(), i) for f, i in {g}.grad_fn.next_functions])
print({tidy})
print({x}.grad is None)
print(round({x}.sum().item(), 2) + 0.0, torch.is_grad_enabled())
print({held}.grad)
print(len({x:1+}), {x}.numel(), {x}.dim())
"""

HOOKS = r"""
{x}.register_hook(seen("hook"))
{g}.register_hook(lambda grad: grad * {n})
{l}.register_hook(lambda grad: grad + 1)
{x}.register_hook(lambda grad: None)
{g}.register_hook(lambda grad: grad.clamp(-1, 1))
{first}.retain_grad()
{first}.retain_grad()
{l}.register_post_accumulate_grad_hook(seen("accumulated"))
{l}.register_post_accumulate_grad_hook(lambda leaf: print("grad", round(leaf.grad.sum().item(), 2) + 0.0))
{g}.grad_fn.register_hook(seen("node"))
{g}.grad_fn.register_prehook(seen("before"))
{g}.grad_fn.register_prehook(lambda grads: tuple(g if g is None else g * {n} for g in grads))
{g}.grad_fn.register_hook(lambda got, given: tuple(g if g is None else g * {n} for g in got))
handle = {x}.register_hook(seen("removed"))\nhandle.remove()
"""

STATE = r"""
{x} = {x}.detach().clone().requires_grad_()
{x} = {x}.detach().requires_grad_(False)
{l}.grad = None
{l}.grad = torch.ones_like({l})
with torch.no_grad():\n    {l} -= 0.1
with torch.no_grad():\n    {l}[...] = {l} * {n}
with torch.no_grad():\n    {x}.mul_({n})
{l}.data.clamp_(-1, 1)
{x} = {x} * {n}
{x} = {x}.view(-1)
del {x}
{x} = {x}.detach().clone().requires_grad_()
{x}, {y} = {y}, {x}
"""
