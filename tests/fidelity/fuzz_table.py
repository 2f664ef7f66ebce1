"""The templates of the expressions in random programs: one line for what the op table has, guards of its domain included.

``{x}`` is any floating tensor, ``{x:2}`` one of two dimensions, ``{x:1+}`` one of at least one; ``{y}`` another; ``{b}`` broadcasts with
the first operand, ``{r}`` and ``{z}`` broadcast to its shape, ``{e}`` has its shape, ``{s:EXPRESSION}`` a computed one; ``{d}`` is a
dimension of the first operand, ``{at:EXPRESSION}`` an index below, ``{ints:SHAPE|BOUND}`` an index tensor, ``{n}`` a number,
``{p}`` a positive one. The others are the methods of ``Placeholders`` with their names.

Where PyTorch lays a result out in memory otherwise (attention and its gradient, activations of what is not contiguous), the template asks
for ``contiguous()`` or is not there: only ``stride()`` and ``view()`` can tell.
"""

from __future__ import annotations


def templates(text: str) -> list[str]:
    """The templates of a block, one a line; a backslash and an n stand for a new line in the program."""
    return [line.strip().replace("\\n", "\n") for line in text.strip().splitlines()]


ELEMENTWISE = """
torch.exp({x}.tanh())
torch.exp2({x}.sin())
{x}.sin().expm1()
torch.log({x}.abs() + 0.5)
({x} ** 2 + 1).{one:log|log2|log10|log1p|sqrt|rsqrt|reciprocal}()
torch.{one:sin|cos|tanh|sigmoid|atan|asinh|erf|erfc|square|neg|sinh|cosh}({x}.tanh())
{x}.{one:sin|cos|tanh|sigmoid|atan|asinh|erf|neg|square}()
({x}.tanh() * 0.9).{one:asin|acos|atanh|tan}()
({x} ** 2 + 1.5).acosh()
({x}.sigmoid() * 0.8 + 0.1).logit()
-{x}
{x} * {n}
{n} * {x}
{x} + {n}
{n} - {x}
{x} / {p}
{n} / ({x} ** 2 + 1)
{x}.cos() ** {one:2|3|0|1|2.0}
({x}.abs() + 0.5) ** {one:0.5|-1|-0.5|1.5|-2}
{p} ** {x}.tanh()
torch.pow({x}.sigmoid() + 0.2, {b})
F.{one:gelu|silu|softplus|mish|logsigmoid|tanhshrink|softsign}({x}.contiguous())
F.gelu({x}.contiguous(), approximate="tanh")
F.softplus({x}, beta={p}, threshold=30)
F.{one:elu|celu|selu}({x})
F.glu({s:(2, 4)}, {one:0|1|-1})
{x}.clone()
{x}.contiguous()
{x}.double()
"""

BINARY = """
{x} + {b}
{x} - {b}
{x} * {b}.sin()
{x} / ({b} ** 2 + 1)
torch.add({x}, {b}, alpha={n})
torch.sub({x}, {b}, alpha={n})
torch.rsub({x}, {b})
torch.mul({x}, {b}.tanh())
torch.div({x}, {b}.cosh().clamp(max=30))
torch.atan2({x}, {b} ** 2 + 0.5)
torch.hypot({x}, {b})
torch.lerp({x}, {e}, {p})
torch.lerp({x}, {e}, {z}.sigmoid())
torch.addcmul({x}, {r}.sin(), {z}, value={n})
torch.addcdiv({x}, {r}, {z} ** 2 + 1, value={n})
{x} * {x}
{x} + {x}
{x} * {s:()}
{x} * torch.tensor({like:x.shape})
torch.tensor({n}) + {x}
{x} * {y}.sum()
{x} - {y}.mean()
"""

KINKS = """
torch.{one:relu|abs|sign|floor|ceil|round|trunc|frac}({x})
F.{one:relu|leaky_relu|hardtanh|relu6|hardsigmoid|hardswish}({x})
F.threshold({x}, 0.1, {n})
{x}.clamp({one:-0.5, 0.5|min=0|max=0.3|0.2, 0.1})
{x}.clamp_min({n})
{x}.clamp({r}, {r} + 1)
torch.{one:maximum|minimum}({x}, {b})
torch.where({x} > {b}, {x}, {b})
torch.where({x} > {n}, {x}, {n})
{x}.masked_fill({x} > {n}, {n})
{x}.masked_fill({mask:x.shape}, {s:()})
{x}.{one:max|min|amax|amin}()
{x}.{one:max|min}({d}, keepdim={flag})
{x}.{one:amax|amin}({d}, keepdim={flag})
{x}.norm(float("inf"))
{x}.norm(1, {d})
{x} % {p}
torch.{one:remainder|fmod}({x}, {r}.abs() + 0.5)
torch.div({x}, {p}, rounding_mode={one:"floor"|"trunc"|None})
torch.round({x}.contiguous(), decimals=1)
F.prelu({x:2}, {s:(x.shape[1],)})
F.max_pool1d({s:(2, 2, 5)}, {one:2|3|2, 1|2, stride=2, padding=1})
F.max_pool2d({s:(1, 2, 4, 4)}, {one:2|3|2, stride=1|(2, 1)})
F.{one:l1_loss|smooth_l1_loss}({x}, {e}, reduction={one:"mean"|"sum"|"none"})
F.huber_loss({x}.double(), {e}.double(), reduction={one:"mean"|"sum"|"none"})
"""

REDUCTIONS = """
{x}.{one:sum|mean}()
{x}.{one:sum|mean}({d}, keepdim={flag})
torch.sum({x:2+}, (0, {one:1|-1}), keepdim={flag})
{x:3}.mean((0, 2))
{x}.tanh().prod()
{x}.tanh().prod({d}, keepdim={flag})
({x} * 2).{one:var|std}()
({x:1+} + 1).var({d}, correction={one:0|1}, keepdim={flag})
{x}.logsumexp({d}, keepdim={flag})
torch.logsumexp({x:2+}, (0, 1))
{x}.norm()
{x}.norm({one:2|3|1.5}, {d})
torch.linalg.{one:norm|vector_norm}({x})
torch.linalg.vector_norm({x:2+}, dim=(0, {one:1|-1}), keepdim={flag})
{x}.{one:softmax|cumsum}({d})
(0.7 * {x}).log_softmax({d})
{x}.tanh().cumprod({d})
F.softmin({x}, {d})
{x}.sum({d}, dtype=torch.float64)
"""

PRODUCTS = """
0.3 * ({x:2} @ {s:(x.shape[1], 2)})
0.3 * ({x:1+} @ {s:(x.shape[-1],)})
0.3 * ({x:2+} @ {s:(*x.shape[:-2], x.shape[-1], 2)})
0.3 * torch.matmul({x:1}, {s:(2, x.shape[0], 3)})
torch.mm({x:2}, {x}.t()).tanh()
torch.mm({x:2}.t(), {x}) * 0.2
torch.mv({x:2}, {s:(x.shape[1],)}) * 0.5
torch.dot({x:1}, {s:(x.shape[0],)})
torch.bmm({x:3}, {s:(x.shape[0], x.shape[2], 2)}) * 0.3
torch.addmm({s:(2,)}, {x:2}, {s:(x.shape[1], 2)}, beta={p}, alpha={p})
torch.baddbmm({s:(1, 1, 2)}, {x:3}, {s:(x.shape[0], x.shape[2], 2)}, alpha={p})
torch.outer({x:1}, {y:1})
F.linear({x:1+}.cos(), {s:(2, x.shape[-1])})
F.linear({x:1+}, {s:(3, x.shape[-1])}, {s:(3,)})
torch.diag({x:1}, {one:0|1|-1})
torch.diag({x:2}, {one:0|1})
{x:2}.trace()
{x:2+}.{one:tril|triu}({one:|1|-1})
"""

COPIES = """
{x:1+}.repeat({one:2, 1, 1|1, 2, 1, 1|2, 2, 1, 1})
{x}.tile({one:2|1, 2})
{x:1+}.flip({d})
{x:1+}.roll({one:1|-1|2}, {d})
{x}.roll(1)
torch.cat([{x:1+}, {e}], {d})
torch.cat([{x:1+}, {e}, {x}], {d})
torch.stack([{x}, {e}, {r}.expand_as({x})], {one:0|-1})
torch.{one:hstack|vstack}([{x}, {e}])
F.pad({x:1+}, {one:(1, 1)|(0, 2)|(-1, 1)}, value={n})
F.pad({x:2+}, (1, 0, 0, 1))
F.pad({x:3}, (1, 1), mode={one:"reflect"|"replicate"|"circular"})
"""

INDICES = """
{x:1+}[{pick}]
{x:1+}.gather({one:0}, {ints:(2, *x.shape[1:])|x.shape[0]})
{x:1+}.scatter(0, {ints:x.shape|x.shape[0]}, {e})
{x:1+}.scatter(0, {ints:(1, *x.shape[1:])|x.shape[0]}, {n})
{x:1+}.scatter_add(0, {ints:x.shape|x.shape[0]}, {e})
{x:1+}.index_select({one:0}, {ints:(3,)|x.shape[0]})
{x:1+}.index_add(0, {ints:(2,)|x.shape[0]}, {s:(2, *x.shape[1:])}, alpha={p})
torch.take_along_dim({x:1+}, {ints:(1, *x.shape[1:])|x.shape[0]}, 0)
torch.take_along_dim({x}, {ints:(3,)|x.numel()})
{x:1+}[{x} > {n}]
F.embedding({ints:(2, 2)|3}, {s:(3, 2)})
"""

LAYERS = """
F.conv1d({s:(2, 2, 5)}, {s:(3, 2, 2)}, {s:(3,)}, stride={one:1|2}, padding={one:0|1})
F.conv1d({s:(1, 2, 5)}, {s:(2, 1, 3)}, groups=2, dilation={one:1|2})
F.conv2d({s:(1, 2, 4, 4)}, {s:(2, 2, 2, 2)}, {s:(2,)}, padding={one:0|1})
F.conv2d({s:(1, 2, 4, 4)}, {s:(2, 2, 2, 2)}, padding="same")
F.conv2d({s:(2, 4, 3)}, {s:(1, 2, 2, 2)}, stride=(2, 1))
F.conv_transpose1d({s:(1, 2, 3)}, {s:(2, 2, 2)}, {s:(2,)}, stride={one:1|2})
F.conv_transpose2d({s:(1, 2, 2, 2)}, {s:(2, 1, 2, 2)}, stride={one:1|2})
F.avg_pool1d({s:(2, 2, 5)}, {one:2|3|2, 1|2, padding=1|2, padding=1, count_include_pad=False})
F.avg_pool2d({s:(1, 2, 4, 4)}, {one:2|3|2, stride=1|(2, 1)})
F.adaptive_avg_pool1d({s:(2, 2, 5)}, {one:1|2|3})
F.adaptive_avg_pool2d({s:(1, 2, 4, 4)}, {one:1|2|(1, 3)})
F.layer_norm({x:2+}, ({x}.shape[-1],))
F.layer_norm({s:(2, 3)}, (3,), {s:(3,)}, {s:(3,)})
F.batch_norm({s:(3, 2)}, None, None, {s:(2,)}, {s:(2,)}, training=True)
F.batch_norm({s:(3, 2)}, torch.zeros(2), torch.ones(2), training={flag})
F.group_norm({s:(2, 4, 2)}, 2, {s:(4,)}, {s:(4,)})
F.instance_norm({s:(2, 2, 4)})
F.rms_norm({x:2+}.contiguous(), ({x}.shape[-1],))
"""

LOSSES = """
F.mse_loss({x}, {e}, reduction={one:"mean"|"sum"|"none"})
F.cross_entropy({x:2}, {ints:(x.shape[0],)|x.shape[1]}, reduction={one:"mean"|"sum"|"none"})
F.cross_entropy({x:2}, {e}.softmax(1), label_smoothing={one:0.0|0.1})
F.nll_loss({x:2}.log_softmax(1), {ints:(x.shape[0],)|x.shape[1]}, ignore_index={one:-100|0})
F.binary_cross_entropy({x}.sigmoid(), {e}.sigmoid(), reduction={one:"mean"|"sum"})
F.binary_cross_entropy_with_logits({x}.double(), {e}.sigmoid().double())
F.kl_div({x:2}.log_softmax(1), {f}.softmax(1), reduction={one:"batchmean"|"sum"|"none"})
"""

VIEWS = """
{x:1+}[{item}]
{x:1+}[{item}]
{x:1+}[{item}]
{x}.view({shape})
{x}.reshape({shape})
{x}.flatten()
{x:2+}.flatten({one:0, 1|1|-2})
{x:1+}.unflatten({one:0}, (1, -1))
{x}.unsqueeze({one:0|-1})
{x}.squeeze()
{x:1+}.squeeze({d})
{x:2+}.transpose({d}, {one:0|1|-1})
{x:2}.t()
{x}.T
{x:2+}.mT
{x}.permute({order})
{x:2+}.movedim({one:0, -1|1, 0|0, 0})
{x}.expand(2, *{x}.shape)
{x:1+}[:1].expand({x}.shape)
{x}.broadcast_to((2, *{x}.shape))
{x:1+}.select({d}, {one:0|-1})
{x:1+}.narrow({one:0}, 0, 1)
{x:2+}.diagonal({one:|1|-1|0, 0, 1|0, 1, 0})
{x:1+}.unbind({one:|0|-1})
{x:1+}.split({one:1|2}, {d})
{x:1+}.chunk(2, {d})
{x}.ravel()
{x}.view_as({e})
{x}.reshape_as({e})
{x:1+}[:]
{x:2+}[...]
{x:2+}.swapaxes(0, 1)
"""

CUTS = """
{x}.detach()
{x}.data
{x}.detach().clone()
{x}.detach().clone().requires_grad_()
{x}.detach().reshape({shape}).clone()
torch.tensor({x}.tolist())
torch.tensor({like:(2, 3)}, requires_grad={flag})
torch.{one:zeros|ones}_like({x})
torch.{one:rand|randn}_like({x}.contiguous())
{x}.new_zeros({one:3|(2, 3)|()})
{x}.new_tensor({like:x.shape})
torch.full({one:(2, 3)|()|(3,)}, {n}, requires_grad={flag})
torch.arange({one:3.|4, dtype=torch.float64|0, 3, 0.5})
"""

MIXED = """
torch.randint(0, 4, {one:(3,)|(2, 3)|()|(2, 1)})
torch.arange({one:3|4|2, 5})
{x} > {b}
{x} == {b}
torch.{one:logical_not|isnan|isfinite}({x})
{x}.{one:argmax|argmin}()
{x:1+}.argmax({d}, keepdim={flag})
{x}.long()
{x}.int()
{x}.bool()
{x}.float()
{x}.to(torch.float32)
{x}.float() * {p}
{x} + {q}
{q} * {x}
{x} * ({q} > 0)
{x} - {q}.double()
torch.where({q} > 0, {x}, {n})
{q} + 1
{q} * 2.5
{q} + {q}
{q}.sum()
{q}.float().mean()
{q} / 2
({q} > 0) & ({q} < 3)
{q}.cumsum({d})
{q:1+}[{item}]
{q}.view({shape})
{x}.type_as({y})
{x}.to({y})
({x} > 0).{one:any|all|sum}()
{x}.item() * {y}
F.one_hot({ints:(3,)|3}) * 1
torch.cat([{x:1+}, {e}.float()], {d})
torch.stack([{q}, {q}])
"""
