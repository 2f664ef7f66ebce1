"""The samples of the op table: expressions that mean the same in PyTorch and here.

Adding a test is adding a line. ``SMOOTH`` expressions are differentiated and compared with PyTorch (values, gradients, second gradients,
graphs) and with finite differences; ``CORNERS`` are compared with PyTorch only: dtypes, ties, bounds, empty tensors
``ERRORS`` fail in
PyTorch and must fail here with its exception type. The tensors they use are made by ``observe.tensors``.
"""

from __future__ import annotations

SMOOTH = """
x+y; x+2; 2+x; x+v; v+x; s+x; torch.add(x,y,alpha=2); x-y; x-2; 2-x; torch.sub(x,y,alpha=3); torch.rsub(x,y); x*y; x*2.5; s*x
x*v
x/y; x/2; 2/x; x/v; torch.true_divide(x,y); torch.div(x,y,rounding_mode=None); -x; x**2; x**3; x**-1; x**-2; x**0.5; x**3.5
x**y; 2**x; s**x; torch.tensor(2.)**x
x.square()
x.reciprocal(); x%0.7; x%y; torch.remainder(x,0.7); torch.fmod(n,0.71); torch.fmod(n,y); abs(n); n.abs(); x.sqrt(); x.rsqrt()
x.exp(); x.expm1()
torch.exp2(x); x.log(); x.log1p(); x.log2(); x.log10(); x.sin(); x.cos(); x.tan(); (x*.5).asin(); (x*.5).acos(); x.atan()
x.sinh(); x.cosh()
x.asinh(); (x+1).acosh(); (x*.5).atanh(); torch.atan2(x,y); torch.hypot(x,y); x.erf(); x.erfc(); (x*.5).logit(); x.tanh()
x.sigmoid(); n.relu(); F.relu(n)
F.leaky_relu(n); F.leaky_relu(n,0.2); F.elu(n); F.elu(n,0.5); F.selu(n); F.gelu(n); F.gelu(n,approximate="tanh"); F.silu(n)
F.softplus(n)
F.softplus(n,2,1); F.hardtanh(n); F.hardtanh(n,-0.5,0.3); F.relu6(n); n.clamp(-0.5,0.5); n.clamp(min=0); n.clamp(max=0.1)
n.clamp(v*0,w); n.clamp(v*0); n.clamp(max=w*0.1); n.clamp_min(v*0); n.clamp_max(w*0.1)
n.clamp_min(0.1); n.clamp_max(0.1); torch.maximum(x,y); torch.minimum(x,y); torch.where(x>1,x,y); torch.where(x>1,x,0)
torch.where(x>1,0.,x)
torch.lerp(x,y,0.3); torch.lerp(x,y,0.7); torch.lerp(x,y,z); torch.addcmul(x,y,z,value=2); torch.addcdiv(x,y,z,value=2)
x.masked_fill(x>1,0.)
x.masked_fill(x>1,s); n.sign(); x.floor(); x.ceil(); x.round(); x.trunc(); x.frac(); torch.round(x,decimals=1)
x.sum(); x.sum(0); x.sum(-1); x.sum((0,1)); b.sum((0,2)); b.sum(1,keepdim=True); x.mean(); x.mean(1); b.mean((0,2),keepdim=True)
s.sum(0)
x.prod(); x.prod(0); b.prod(1,keepdim=True); x.max(); x.min(); x.max(0); x.min(1); x.max(0,keepdim=True); x.amax(); x.amax(0)
b.amin((0,2))
x.var(); x.var(0); x.std(); x.std(1); x.std(1,correction=0); x.var(0,unbiased=False,keepdim=True); x.norm(); n.norm(1)
x.norm(dim=0)
x.norm(3); n.norm(1.5,1); x.norm(float("inf")); torch.linalg.norm(x); torch.linalg.vector_norm(b,dim=(0,2))
torch.logsumexp(x,0)
torch.logsumexp(b,(0,2),keepdim=True); x.softmax(0); x.softmax(-1); b.log_softmax(1); x.log_softmax(0); F.softmax(x,dim=1)
F.softmin(x,0)
x.cumsum(0); b.cumsum(1); x.cumprod(0); b.cumprod(-1); F.logsigmoid(x)
x@y; x@v; v@x; v@w; b@c; b@x; x@b; b@v; v@b; q@c; c@q; torch.mm(x,y.t()); torch.mm(x.t(),y); torch.mv(x,v); torch.dot(v,w)
torch.bmm(b,c)
torch.addmm(x,y,z); torch.addmm(v,y,z); torch.addmm(v,y,z,beta=2,alpha=3); torch.baddbmm(b,b,c,alpha=2); torch.outer(v,w)
F.linear(x,y)
F.linear(x,y,v); F.linear(b,y,v); F.linear(b,y); F.linear(v,y,w); F.linear(v,y); torch.diag(v); torch.diag(v,1); torch.diag(x)
x.trace()
x.tril(); x.triu(1); x.t(); v.t(); x.T; b.permute(2,0,1); b.mT; b.transpose(0,2); b.movedim(0,2); x.view(9); x.view(-1,1)
x.reshape(9)
x.t().reshape(9); b.permute(2,0,1).flatten(1); x.flatten(); b.flatten(1); b.unflatten(2,(3,1)); x.ravel(); x.T.ravel()
x.view_as(y)
v[None].squeeze(); v[None].squeeze(0); v[None,None].squeeze((0,1)); x.squeeze(0); x.unsqueeze(1); x.unsqueeze(-1)
x.expand(2,3,3)
x.expand_as(b); v.expand(3,-1); x.expand(3,3); x.repeat(2,1); v.repeat(2,2); x.tile(2); torch.cat([x,y]); torch.cat([x,y,x],1)
torch.cat([b,b],-1)
torch.stack([x,y]); torch.stack([x,y],2); torch.hstack([x,y]); torch.vstack([v,w]); torch.split(x,2); x.split([1,2],1)
x.chunk(2)
x.unbind(); torch.unbind(x,1); x.select(0,1); x.narrow(1,1,2); x.flip(0); b.flip(0,2); x.roll(1,0); x.roll(1)
x.roll((1,2),(0,1)); x.clone()
x.t().contiguous(); x.contiguous()*2; x.diagonal(); b.diagonal(1,0,2); x.double()*2
x.as_strided((2,2),(1,2),1); torch.as_strided(x,(2,3),(0,1)); x.t().as_strided((3,),(2,))
x[0]; x[0,1]; x[-1]; x[1:3]; x[:]; x[:,1]; x[1:,1]; x[...]; x[...,0]; x[None]; x[:,None]; x[::2]; x[-3:]; x[False:,0:]
x[i]; x[[0,2]]; x[:,i]; x[i,i]
x[m]; x[m,0]
x[0,i]; x[i,0]; x[x>1]; x[True]; x[torch.tensor(1)]; x[0:1,[0,1]]; b[0,:,i]; b[:,i,None]; x[i[:,None],i]; q[0,:,:,1]
q[1:3,0,...,None]; x[[0,0,1]]
x.gather(0,t[None]); x.gather(1,t[:,None]); x.index_select(0,i); x.index_select(1,t); x.index_add(0,i,y[:2],alpha=2)
x.scatter(0,t[None],y[:1]); x.scatter(0,t[None],1.5); torch.take_along_dim(x,t[None],0); torch.take_along_dim(x,t)
torch.take_along_dim(x,i[None],1)
x.scatter_add(0,t[None].expand(3,3),y)
F.nll_loss(x,t); F.nll_loss(x,t,reduction="sum"); F.nll_loss(x,t,reduction="none"); F.nll_loss(x,t,weight=d)
F.nll_loss(x,t,ignore_index=1)
F.nll_loss(b,t[None].expand(2,3)); F.cross_entropy(x,t); F.cross_entropy(x,t,weight=d,label_smoothing=.1)
F.cross_entropy(x,y.softmax(1))
F.cross_entropy(v,torch.tensor(1)); F.cross_entropy(x,t,reduction="none")
F.cross_entropy(b,t[None].expand(2,3),reduction="sum")
F.mse_loss(x,y); F.mse_loss(x,y,reduction="sum"); F.mse_loss(x,y,reduction="none"); F.l1_loss(x,y)
F.mse_loss(x,v); F.mse_loss(v,x,reduction="none"); F.l1_loss(x,v)
F.mse_loss(x,y,size_average=False); F.l1_loss(x,y,size_average=False); F.nll_loss(x,t,reduce=False)
F.cross_entropy(x,t,size_average=False); F.binary_cross_entropy(x*.5,y*.5,reduce=False)
F.binary_cross_entropy_with_logits(x,y,size_average=False,reduce=True); F.mse_loss(x,y,reduction="sum",size_average=True)
F.mse_loss(x,y,weight=z); F.mse_loss(x,y,weight=z,reduction="sum"); F.mse_loss(x,v,weight=z,reduction="none")
F.binary_cross_entropy(x*.5,y*.5); F.binary_cross_entropy(x*.5,y*.5,weight=d,reduction="sum")
F.binary_cross_entropy_with_logits(x,y)
F.binary_cross_entropy_with_logits(x,y,pos_weight=d,reduction="none")
(x*1).add_(y); (x*1).add_(2); (x*1).sub_(y,alpha=2); (x*1).mul_(y); (x*1).mul_(x); (x*1).div_(y); (x*1).exp_(); (x*1).tanh_()
(x*1).relu_()
(x*1).neg_(); (x*1).pow_(2); (x*1).clamp_(0,1); (x*1).zero_(); (x*1).zero_()+x; (x*1).fill_(2); (x*1).fill_(2)+x
(x*1).fill_(s); (x*1).copy_(y)
(x*1).index_copy_(1,i,y[:,:2]); torch.index_copy(x,0,i,y[1:]); (x*1).index_fill_(0,i,2.); (x*1).index_fill_(0,i,x[0,0]); x.unfold(1,2,1)
x.unfold(0,2,2); x.index_put((i,),x[:1]*2); x.index_put((i,),x[:1]*2,accumulate=True)
(x*1).copy_(v); (x*1).masked_fill_(x>1,0.)
(x*1).addcmul_(y,z,value=2); torch.zeros(3,3,dtype=torch.float64).add_(x); put(x*1,i,0.); put(x*1,i,y[:2]); put(x*1,x>1,s)
"""

CORNERS = """
f+k; f*2; k*2.5; k/2; k/k; k//2; k%3; k**2; k**2.0; 2**k; f//0.; f%0.; f**0; f**0.5; f**-1; f*h[0]; h+1.5; h*f[0,:2]; u+u; u*2
u+1.5; u&u; k|1; ~k
k^3; f==k; f>0; 0<f; k<2.5; f!=f; f==None; f.log(); f.sqrt(); f.exp(); k.exp(); k.sum(); u.sum(); u.any(); u.all(0)
k.float().mean(); k.prod()
f.max(0); f.max(1,keepdim=True); k.max(); f.argmax(); f.argmax(0); f.argmin(1,keepdim=True); f.sum(axis=0)
f.sum(dtype=torch.float64)
k.sum(dtype=torch.float32); torch.zeros(0).sum(); torch.zeros(0).mean(); torch.zeros(0,3).sum(0); torch.zeros(0,3).max(1)
torch.tensor([1.,float("nan"),2.]).max(); torch.tensor([1.,float("nan"),2.]).max(0); torch.tensor([3.,3.,2.]).max(0); f.var()
torch.tensor([1.]).std()
k.clamp(0,2); k.clamp(0.5,2); torch.where(f>0,f,k); torch.where(f>0,1,0); torch.where(f>0,1.,0); torch.where(f>0); f.softmax(0)
f[0,0].item()
k.tolist(); float(f[0,0]); int(f[0,1]); len(f); bool(f[0,2]); torch.tensor([1,2]); torch.tensor([1,2.])
torch.tensor([True,False]); torch.tensor([1,True])
torch.tensor(1+2j).dtype; torch.tensor([]); torch.tensor([[]]); torch.zeros(2,3,dtype=torch.int64); torch.zeros((2,3))
torch.zeros([2])
torch.zeros(size=(2,)); torch.full((2,),3); torch.full((2,),3.); torch.full((2,),True); torch.arange(5); torch.arange(1,2,.25)
torch.arange(5.)
torch.arange(5,1,-1); torch.linspace(0,1,5); torch.linspace(0,1,1); torch.linspace(-3,7,11,dtype=torch.float64); torch.eye(2,3)
torch.zeros_like(k)
torch.full_like(f,2); f.to(torch.int64); f.long(); f.bool(); f.double(); f.type(); k.to(f); f.is_floating_point(); f.dim()
f.numel(); f.size(1); f.stride()
f.t().is_contiguous(); f.element_size(); k.masked_fill(k>0,9.5); torch.isnan(f/0); torch.isinf(f/0); torch.isfinite(f/0)
torch.isclose(f,f)
torch.allclose(f,f+1e-9); torch.equal(f,f); torch.equal(f,f[0]); f.sign(); k.sign(); f.round(); k.floor()
torch.div(f,2,rounding_mode="floor")
torch.div(k,2); torch.div(k,2,rounding_mode="trunc"); torch.add(k,1.5,alpha=2); k.relu(); k.sigmoid(); u.tanh(); h.sum()
h.softmax(0); f.norm(1,dim=1)
u.cumsum(0); torch.maximum(f,k); torch.minimum(k,k); f.contiguous() is f; f.flatten() is f; torch.tensor(3.)+torch.tensor(2)
torch.tensor(3)*torch.tensor(2.5,dtype=torch.float64); torch.tensor([3])*torch.tensor(2.5,dtype=torch.float64)
torch.tensor([3.])*torch.tensor(2.5,dtype=torch.float64); torch.tensor([3],dtype=torch.int8)+torch.tensor([3],dtype=torch.uint8)
torch.tensor([3],dtype=torch.int8)+300; torch.tensor([3],dtype=torch.uint8)-4; torch.atan2(f,k); 3 in k; f.sum().max(0)
f.sum()[None]
f.sum().sum(0,dtype=torch.float64); f.sum().any(0); f.sum().all(-1,keepdim=True); torch.logsumexp(f.sum(),0); f.sum().norm(dim=-1)
f.sum().mean(0,keepdim=True); f.sum().amax(-1,keepdim=True); f.sum(keepdim=True,dim=None); u.sum().any()
f.sum().softmax(0); f.sum().cumsum(0); f.sum().argmax(0); f.sum().prod(); f.sum().amax(0); f.sum().var(); f.sum().expand(3)
f.sum().flatten()
torch.cat([k,u[None]]); torch.cat([f,torch.zeros(0)]); torch.zeros(2,0).softmax(1)
torch.zeros(2,0)@torch.zeros(0,3); torch.zeros(2,0).norm(); torch.zeros(2,0).view(3,0,5); f[0:0]; f[:,u]; f[5:]
F.one_hot(torch.tensor([0,2]))
F.cross_entropy(f,torch.tensor([0,-100])); F.cross_entropy(f,torch.tensor([-100,-100]))
r.max(); r.min(); r.max(0); r.amax(0); r.amax(); r.amin(1); r.clamp(0,1); r.clamp(min=0); r.clamp_max(1); r.abs(); r.relu()
F.hardtanh(r)
F.leaky_relu(r); F.elu(r); torch.maximum(r,r*1); torch.minimum(r,r*0); r**0; r**1; r**2; r.sqrt(); r.prod(); r.prod(1)
r.cumprod(1); r.norm()
(r*0).norm(); (r*0).norm(1); r.norm(float("inf")); (r*0).std(); r.sign(); r.log(); torch.atan2(r*0,r*0); r.softmax(1)
torch.where(r>0,r,0)
torch.pow(r,torch.tensor([[0.,1.,2.],[2.,1.,0.]],dtype=torch.float64)); r.max(1); r.min(0); torch.hypot(r,r*2+1)
x*k[:1]; torch.div(x,y,rounding_mode="floor"); torch.div(n,y,rounding_mode="trunc"); (x*h[0]).sum(); x.float()*y
x.sum(dtype=torch.float32); x.half().sum(); (x+k[0]).sum(); x.to(torch.float32); x.argmax(); x>1; x.detach()
torch.zeros(3).add_(1); torch.ones(2,2).mul_(3).sub_(1); torch.zeros(3,dtype=torch.long).add_(2); put(torch.zeros(3),1,5)
put(torch.zeros(2,3),(slice(None),1),7)
put(torch.zeros(3),torch.tensor([True,False,True]),4); put(torch.zeros(2,3),1,torch.ones(3)); torch.zeros(2,3).t().fill_(1)
torch.arange(6).view(2,3).t().add_(1)
"""

ERRORS = """
k**-1; u-u; -u; f&f; ~f; k//0; k%0; k.mean(); f.max(2); f.sum(5); f.sum((0,0)); torch.zeros(0).max(); torch.zeros(0,3).max(0)
torch.zeros(2,0).argmax()
f@f; f@k.t(); torch.mm(f,f); torch.mv(f,f[0,:2]); torch.dot(f[0],f[0,:2]); torch.bmm(f,f); f.view(4); f.view(-1,4)
f.view(-1,-1); f.t().view(6)
f.squeeze(5); f.transpose(0,2); f.permute(0); f.permute(0,0); f.expand(-1,4); f.expand(4,2,2); f.unsqueeze(4)
torch.cat([f,f[:,:2]]); torch.cat([f,f[0]])
torch.cat([]); torch.stack([f,f[0]]); torch.cat(f); f[2]; f[0,3]; f[0,0,0]; f[::-1]; f[1.5]; f["a"]; f[[0,5]]; f[u]
f[torch.tensor([1.])]; f.sum()[0]
f.clamp(); torch.where(f,f,f); f.softmax(2); k.softmax(0); f.item(); bool(f); len(f[0,0]); x.numpy(); torch.tensor([[1,2],[3]])
torch.tensor("a")
torch.tensor([1,"a"]); torch.tensor([None]); torch.tensor(3,requires_grad=True); torch.zeros(-1); torch.zeros()
torch.ones(2,dtype=torch.int32,requires_grad=True)
torch.arange(5,1); torch.arange(0,1,0); f.size(5); f.nosuch; f.gather(1,torch.tensor([[0],[5]])); f.gather(1,torch.tensor([0]))
torch.take_along_dim(f,torch.tensor([0]),0); torch.take_along_dim(f.sum(),torch.tensor([0]),0)
torch.take_along_dim(f.sum(),torch.tensor(0),0); torch.take_along_dim(f,torch.tensor([9])); torch.take_along_dim(f,torch.tensor([0.]))
f.index_select(1,torch.tensor([7]))
F.cross_entropy(f,torch.tensor([0,3])); F.cross_entropy(f,torch.tensor([0,2,1])); F.cross_entropy(f,torch.tensor([0.,2.]))
F.cross_entropy(f,torch.tensor([0,2]),reduction="bad"); F.mse_loss(f,f[:,:2]); F.one_hot(torch.tensor([0,2]),2); F.one_hot(f)
F.linear(f,f[:,:2]); F.mse_loss(f,f,weight=f[0])
F.binary_cross_entropy(f,f); torch.add(k,k,alpha=1.5); f.repeat(2); f.flip(0,0); torch.maximum(f,f[:,:2]); f+"a"; f+None; f+[1]
torch.sum(3)
torch.sin(3); torch.randint(5,3,(2,)); f.diagonal(0,0,0); torch.tril(f[0]); torch.outer(f,f); f+f[:,:2]; x.add_(1); x[0].add_(1)
x.zero_(); x.copy_(y)
torch.zeros(3,dtype=torch.long).add_(1.5); torch.zeros(3).add_(torch.ones(2,3)); torch.zeros(1).expand(3).add_(1); put(x,0,1.)
put(torch.zeros(2,3),0,torch.ones(2))
put(torch.zeros(3),5,1); put(torch.zeros(3),torch.tensor([7]),1); k.norm(); torch.zeros(3).fill_(torch.ones(2))
torch.trace(f[0]); f.split(0); f.chunk(0)
f.sum().sum(1,dtype=torch.float64); f.sum().any(1); torch.logsumexp(f.sum(),-2); f.sum().norm(dim=1); f.sum().sum(1); f.sum().mean(-2)
f.unflatten(1,(2,2)); torch.full((2,),1)+torch.zeros(3); k.requires_grad_(); f.narrow(1,2,2); f.select(0,4)
f.as_strided((9,9),(9,1)); f.as_strided((2,),(-1,)); f.as_strided((2,),(1,1)); f.as_strided((-2,),(1,))
(x//2).sum().backward(); x.exp().add_("a")
"""


def expressions(text: str) -> list[str]:
    """The expressions of a block, one after another."""
    return [part.strip() for line in text.strip().splitlines() for part in line.split("; ")]
