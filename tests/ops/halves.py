"""What operations do with float16 and bfloat16, as plain data: in PyTorch (``record_halves.py``) and here. No torch in this file.

Every sample of the op table is taken, and the expressions below, with the float64 tensors in a 2-byte dtype. ``B`` is 5x40: long enough
for PyTorch's vector code.
"""

from __future__ import annotations

import math
from typing import Any

from observe import builtin_type, evaluate, tensors
from sampled import FAMILIES, block
from samples import expressions

DTYPES = ("float16", "bfloat16")
MORE = """
F.multi_margin_loss(x,t); F.multi_margin_loss(x,t,weight=d); F.multilabel_margin_loss(x,t[None].expand(3,3)); F.pdist(x)
F.cross_entropy(x,t,weight=v.detach()); torch.cdist(x,y+5,compute_mode="use_mm_for_euclid_dist").detach(); torch.cdist(x,y)
F.ctc_loss(b.log_softmax(2),torch.tensor([[1],[2],[1]]),(2,2,2),(1,1,1))
B.sum(); B.mean(); B.sum(0); B.mean(1); B.cumsum(1); B.softmax(-1); B.log_softmax(1); B.logsumexp(1); B.var()
B.std(1); B.norm(); B.norm(1); B.prod(1); B@B.t(); F.linear(B,B); torch.mm(B,B.t()); F.gelu(B); F.silu(B); B.tanh()
B.sigmoid(); B.exp(); B*0.1; B+0.1; B-0.1; B/0.1; 0.1/B; 0.1-B; torch.add(B,B,alpha=0.3); B**0.3; B**2; B**3
F.layer_norm(B,(40,)); F.layer_norm(B,(40,),B[0],B[1]); F.batch_norm(B,None,None,training=True)
F.batch_norm(B,B[0].detach().clone(),B[1].detach().abs(),B[2],B[3],training=True)
F.batch_norm(B,B[0].detach().clone(),B[1].detach().abs(),B[2],B[3]); F.mse_loss(B,B*2)
F.cross_entropy(B,torch.arange(5)); F.nll_loss(B,torch.arange(5)); F.l1_loss(B,B*B); F.smooth_l1_loss(B,B*3)
F.huber_loss(B,B*3); F.binary_cross_entropy_with_logits(B,B.sigmoid().detach())
F.binary_cross_entropy(B.sigmoid(),B.sigmoid().detach()); F.kl_div(B,B.softmax(1)); F.mse_loss(B,B*2,reduction='none')
F.conv2d(q,q[:,:,:2,:2]); F.conv2d(q,q[:,:,:2,:2],v[:1].expand(4)); F.conv1d(b,c)
F.conv_transpose2d(q,q[:2].permute(1,0,2,3).repeat(1,1,1,1)); F.scaled_dot_product_attention(b,c,b); F.max_pool2d(q,2)
F.avg_pool2d(q,2); F.adaptive_avg_pool2d(q,2); F.interpolate(q,scale_factor=2,mode='bilinear')
F.interpolate(q,scale_factor=2); F.interpolate(q,size=5,mode='bicubic'); F.embedding(torch.tensor([0,1,1,2]),B)
B.index_add(0,torch.tensor([0,0,0,1]),B[:4]); B.scatter_add(0,torch.zeros(5,40,dtype=torch.long),B); F.group_norm(q,2)
F.instance_norm(q); torch.bmm(b,c); torch.baddbmm(b,b,c); torch.addmm(x,y,z,beta=0.3,alpha=0.7)
torch.einsum('ij,kj->ik',B,B); F.rms_norm(B,(40,)); F.normalize(B); F.cosine_similarity(B,B*B+1); torch.cdist(x,y)
F.softplus(B); F.elu(B); F.selu(B); F.mish(B); F.hardswish(B); F.logsigmoid(B); F.leaky_relu(B,0.1); B.clamp(-0.3,0.3)
torch.lerp(B,B*2,0.3); torch.addcmul(B,B,B,value=0.3); torch.addcdiv(B,B,B+5,value=0.3); B.float()+B
B*torch.tensor(0.1); B+B.double(); B.sum(dtype=torch.float32); B.sum(1,dtype=torch.float32)
B.softmax(1,dtype=torch.float32); B.mean(dtype=torch.float64); B.cumprod(1); torch.var_mean(B,1); B.median()
B.sort(1)[0]; B.topk(3)[0]; B.erf(); B.log1p(); (B.abs()+0.1).rsqrt(); (B.abs()+0.1).lgamma()
B.detach().clone().mul_(0.1); B.detach().clone().add_(0.1); B.detach().clone().add_(B,alpha=0.3)
B.detach().clone().sub_(B*B,alpha=0.3); B.detach().clone().div_(0.3); B.detach().clone().addcmul_(B,B,value=0.1)
B.detach().clone().lerp_(B*B,0.1); B.detach().clone().pow_(3); B.clone().mul_(0.1); repr(B.sum()); repr(B[0,:3])
str(B[0,0].item()); torch.finfo(B.dtype); torch.finfo(B.dtype).eps; (v*0.1).sum(); s*0.1; s+0.1; torch.nextafter(v,w)
torch.nan_to_num(B/0); torch.linspace(0,1,7,dtype=B.dtype); torch.arange(0,1,0.1,dtype=B.dtype)
torch.full((3,),0.1,dtype=B.dtype); B.expand(3,5,40).sum(0); B.mean((0,1)); (B*B).mean().sqrt(); B.dist(B*2)
torch.dot(v,w); torch.mv(x,v); torch.outer(v,w); B.round(decimals=2); F.dropout(B,0.0); F.glu(B); torch.linalg.norm(B)
B.cov(); torch.trapezoid(B); B.diff(); B.sum().item(); B.var(0); B.cumsum(0); B.all(); B.argmax()
torch.cumulative_trapezoid(B); F.nll_loss(B.log_softmax(1),torch.arange(5),weight=B[0].abs().detach())
F.cross_entropy(B,torch.arange(5),label_smoothing=0.1); F.cross_entropy(B,B.softmax(1).detach())
"""


def sampled() -> list[str]:
    """The expressions, each once."""
    found = [e for f in FAMILIES if f != "samples_complex" for name in ("SMOOTH", "CORNERS") for e in block(f, name)]
    return list(dict.fromkeys(found + expressions(MORE)))


def in_dtype(torch: Any, tensor: Any, dtype: Any) -> Any:
    """A tensor of the samples, if it is float64 in `dtype`."""
    if not isinstance(tensor, torch.Tensor) or tensor.dtype is not torch.float64:
        return tensor
    return tensor.detach().to(dtype).requires_grad_(tensor.requires_grad)


def names_of(torch: Any, dtype: Any) -> dict[str, Any]:
    """The tensors that the expressions use."""
    steps = torch.arange(200, dtype=torch.float64).reshape(5, 40)
    wave = (steps * 0.731).sin() * (steps * 0.0131).cos() * 1.7
    names = tensors(torch) | {"B": wave.requires_grad_()}
    return {name: in_dtype(torch, value, dtype) for name, value in names.items()}


def observe_half(torch: Any, functional: Any, expression: str, dtype: Any) -> dict[str, Any]:
    """Values, dtypes and gradients of an expression, or the type of its error."""
    names = names_of(torch, dtype)
    try:
        found, _ = evaluate(torch, functional, expression, names)
        results = found if isinstance(found, (tuple, list)) else [found]
        record: dict[str, Any] = {"results": [_result(torch, r) for r in results]}
        first = results[0] if len(results) else None
        if isinstance(first, torch.Tensor) and first.requires_grad and not first.is_complex():
            leaves = [t for t in names.values() if isinstance(t, torch.Tensor) and t.requires_grad]
            grads = torch.autograd.grad(first, leaves, torch.ones_like(first) * 0.7, allow_unused=True)
            record["grads"] = [_result(torch, g) for g in grads if g is not None]
    except Exception as error:
        return {"error": builtin_type(error)}
    return record


def _result(torch: Any, value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    if value.is_complex():
        return [repr(value.dtype), list(value.shape), []]
    flat = value.detach().double().reshape(-1).tolist()
    return [repr(value.dtype), list(value.shape), [float(f"{v:.7g}") if math.isfinite(v) else str(v) for v in flat]]
