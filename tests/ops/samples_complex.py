"""Samples of complex numbers: a and e are 3x3, g and j vectors; see ``samples.py``. The real x and y stand beside them."""

from __future__ import annotations

SMOOTH = """
a+e; a+x; x+a; a+2; x+1j; a+(1-2j); torch.add(a,e,alpha=2j); torch.add(x,a,alpha=2); a-e; a-x; x-a; 1j-a; 1j-x; x-1j
torch.sub(a,e,alpha=2j); torch.rsub(a,e); a*e; a*x; x*a; a*1j; x*1j; 1j*x; a*2; a*g; a/e; a/x; x/a; a/2; 2/a; a/1j; x/1j; 1j/x
a**2; a**3; a**-1; a**.5; a**2.5; a**1j; a**e; a**x; x**a; 2**a; 1j**a; (1+1j)**a; x**1j; x**(1+1j); a.square(); a.reciprocal()
a.exp(); a.exp2(); a.expm1(); a.log(); a.log1p(); a.log2(); a.log10(); a.sqrt(); a.rsqrt(); a.sin(); a.cos(); a.tan(); a.asin()
a.acos(); a.atan(); a.sinh(); a.cosh(); a.asinh(); a.acosh(); a.atanh(); a.tanh(); a.sigmoid(); -a; abs(a); a.abs(); a.sgn()
a.angle(); x.angle(); a.conj(); a.conj()*e; a.conj().conj(); a.conj().real; a.conj().imag; a.conj().resolve_conj()
a.resolve_conj()*2; a.conj_physical(); x.conj()*2; a.real; a.imag; a.imag*a; x.real*2; torch.real(a)*torch.imag(e); a.H; a.mH
a.adjoint()*2; a.conj()[0]; a[0].conj().sum(); a.conj().imag.resolve_neg()*2; a.conj().imag*2; a.conj().imag+0
torch.view_as_real(a); torch.view_as_real(a)[...,0]*x; torch.view_as_complex(torch.stack([x,y],-1)); torch.complex(x,y)
torch.polar(x,y); torch.complex(x,x[0]); a.sum(); a.sum(0); a.mean(); a.mean(1,keepdim=True); a.prod(); a.prod(0); a.var()
a.var(0); a.std(); a.std(1); a.norm(); a.norm(1); a.norm(3); a.norm(1.5,0); torch.linalg.norm(a)
torch.linalg.vector_norm(a,dim=0); a.cumsum(0); a.cumprod(0); torch.logsumexp(a,0); a@e; a@g; g@a; g@j; torch.mm(a,e.t())
torch.mm(a.t(),e); torch.mv(a,g); torch.dot(g,j); torch.vdot(g,j); torch.vdot(x[0],y[0]); torch.outer(g,j); torch.outer(g,x[0])
torch.bmm(a[None],e[None]); torch.addmm(a,e,e); F.linear(a,e); F.linear(a,e,g); torch.addmm(g,a,e,beta=2j,alpha=1j)
torch.baddbmm(a[None],e[None],e[None],alpha=2j); a.tril(); a.diag(); torch.where(m,a,e); torch.where(m,x,1j); torch.where(m,a,0.)
a.masked_fill(m,1j); torch.lerp(a,e,.3); torch.lerp(a,e,.3j); torch.lerp(a,e,e); torch.addcmul(a,e,e,value=2j)
torch.addcmul(x,a,e); torch.addcdiv(a,e,g); torch.addcdiv(x,a,e); torch.cat([a,e]); torch.cat([a,x]); torch.stack([a,e],1)
torch.stack([a,x]); a[0]; a[i]; a[:,1:]; a.t(); a.permute(1,0); a.view(9); a.reshape(3,1,3); a.flatten(); a.flip(0); a.roll(1)
a.repeat(2,1); a.expand(2,3,3); a.unsqueeze(0); a.gather(0,torch.tensor([[0,1,2]])); a.index_select(0,i); a.unbind()
torch.split(a,2); a.diagonal(); a.clone(); x.to(torch.complex128); x.cdouble()*a; a.double(); a.detach()*x; (a*1).mul_(e)
(a*1).add_(x); (a*1).exp_(); (a*1).real.mul_(x); put(a*1,0,1j); put(a*1,0,x[0]); put(a*1,i,e[:2]); torch.square(a*x).real
torch.einsum("ij,jk->ik",a,e); torch.tensordot(a,e,1); torch.inner(a,e); a.index_add(0,i,e[:2]); a.index_fill(0,i,1j)
a.index_copy(0,i,e[:2]); torch.index_put(a,(i,),e[:2]); a.unfold(0,2,1); F.l1_loss(a,e); F.softsign(a); F.tanhshrink(a)
(a*a.conj()).real.sum(); (a.abs()**2).sum(); (a.real**2+a.imag**2).sqrt(); a.sum().abs()
torch.inverse(a); torch.linalg.inv(a@a); torch.linalg.det(a); (a[None]*1).det(); torch.linalg.solve(a,e); torch.linalg.solve(a,g)
torch.linalg.solve(a,e,left=False); torch.linalg.solve_triangular(a,e,upper=True); torch.linalg.solve_triangular(a,e,upper=False,left=False)
torch.linalg.cholesky(a@a.mH+3*torch.eye(3)); torch.linalg.cholesky(a@a.mH+3*torch.eye(3),upper=True); torch.linalg.cross(a,e)
torch.linalg.vecdot(a,e); torch.linalg.vecdot(g,j); torch.sinc(a); torch.matrix_power(a,-1); torch.matrix_power(a,3)
"""

CORNERS = """
a.to(torch.complex64)*2; (a*0).abs(); (a*0).sgn(); (a*0).angle(); (a*0).norm(); (a*0).norm(1); (a*0).prod(); (a*0).std(); (a*0)**2
(a*0)**0; (a*0).sqrt(); put(a*1,0,0).prod(); put(a*1,0,0).cumprod(0); put(a*1,0,0).prod(0); (a*0)**e; a.norm(float("inf"))
a.norm(0); a.norm(-1.); a.is_complex(); torch.is_complex(x); a.conj().is_conj(); a.conj().conj().is_conj(); (a.conj()*1).is_conj()
a.conj()[0].is_conj(); a.conj().t().is_conj(); a.conj().imag.is_neg(); a.conj().real.is_neg(); a.conj().clone().is_conj()
x.conj().is_conj(); a.detach().isreal(); a.real.dtype; a.dtype.to_real(); x.dtype.to_complex(); torch.float32.to_complex()
torch.float64.to_real(); a.detach()==a; a!=e; a==1j; torch.isclose(a,e); torch.allclose(a,a+1e-12)
torch.equal(a,a); a.isnan(); a.isfinite(); a.any(); complex(a[0,0]); bool(a[0,0]); a[0,0].item(); a.detach().tolist()
a.logical_not(); torch.tensor([1j,2]); torch.tensor(1j)+1; torch.tensor([1j],dtype=torch.complex128)*.1; torch.ones(2)*1j
torch.ones(2,dtype=torch.float64)*.1j; torch.arange(3)*1j; torch.ones(2,dtype=torch.complex64)*torch.ones(2,dtype=torch.float64)
torch.ones(2,dtype=torch.complex64)*2.5; torch.tensor(2.)*1j; torch.tensor(2.,dtype=torch.float64)*.1j; torch.tensor([True])*1j
torch.zeros(2,dtype=torch.cfloat); torch.ones(2,dtype=torch.cdouble).cfloat(); torch.complex(torch.ones(2),torch.zeros(2))
torch.polar(torch.ones(2),torch.zeros(2)); torch.eye(2)*1j@torch.ones(2,dtype=torch.complex64); torch.tensor([1.,-1.]).angle()
torch.tensor([1,-1]).angle(); a.H.is_conj(); a.detach().float(); a.numel(); a.element_size(); a.real._base is a
put(torch.zeros(2,dtype=torch.complex64),0,1j); torch.zeros(2,dtype=torch.complex64).fill_(1j)
torch.zeros(2).copy_(torch.tensor([1j,2])); torch.tensor([1+1j]).abs(); torch.tensor([3+4j]).norm(); torch.tensor([3+4j,1j]).var()
torch.tensor([1j]).sum(dtype=torch.complex128)
"""

ERRORS = """
a.relu(); F.leaky_relu(a); F.elu(a); F.selu(a); F.gelu(a); F.silu(a); F.softplus(a); F.hardtanh(a); F.relu6(a); F.logsigmoid(a)
a.softmax(0); a.log_softmax(0); F.hardswish(a); F.mish(a); F.celu(a); F.hardsigmoid(a); F.threshold(a,0,0); a.floor(); a.ceil()
a.round(); a.trunc(); a.frac(); a.sign(); a.erf(); a.erfc(); a.logit(); torch.atan2(a,e); torch.hypot(a,e); a.max(); a.min()
a.max(0); a.min(0); a.amax(); a.amin(0); a.argmax(); a.argmin(0); torch.maximum(a,e); torch.minimum(a,e); a.clamp(0,1)
a.clamp_min(0); a<e; a<=e; a>e; a>=e; a<1; a>1j; x<1j; a%2; a//2; torch.fmod(a,2); torch.remainder(a,e); a&e; ~a
x.masked_fill(m,1j); a@x; torch.dot(g,x[0]); x.imag; torch.add(x,x,alpha=1j); float(a[0,0]); int(a[0,0]); F.mse_loss(a,e)
F.smooth_l1_loss(a,e); F.huber_loss(a,e); F.cross_entropy(a,t); F.dropout(a,.5); a.detach().conj().numpy(); a.sum().backward()
a.backward(torch.ones(3,3)); x.backward(torch.ones(3,3)*1j); torch.where(m,a,x).real.sum().backward(); torch.view_as_real(x)
torch.view_as_real(a.conj()); torch.view_as_complex(x); torch.view_as_complex(torch.ones(2,2).t()); torch.complex(x,a)
torch.complex(x,x.float()); torch.polar(a,e); torch.zeros(2).add_(1j); put(torch.zeros(2),0,1j)
torch.zeros(2).mul_(torch.tensor([1j,1j])); torch.zeros(2).fill_(1j); a.real.mul_(2); a[0,0].item(1); a[None].H
F.layer_norm(a,(3,)); torch.full((2,),1j,dtype=torch.float32); torch.tensor(1j,dtype=torch.float32)
torch.tensor([1j],dtype=torch.int64); a.sort(); a.topk(1); a.median(); a.kthvalue(1,0); a.cummax(0); a.mode(0)
F.avg_pool2d(a[None,None],2); F.max_pool2d(a[None,None],2); F.binary_cross_entropy(a,e)
"""
