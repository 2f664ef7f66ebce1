"""Samples of products that are added to something, running sums in logarithms, both extremes, and second names. See ``samples.py``."""

from __future__ import annotations

SMOOTH = """
torch.addmv(v,x,w); torch.addmv(v,x,w,beta=2,alpha=.5); v.addmv(x,w); torch.addmv(v[:1],x,w,beta=0); torch.addr(x,v,w)
torch.addr(x,v,w,beta=3,alpha=2); x.addr(v,w); torch.addr(v,v,w); torch.addbmm(x,b,b.mT); torch.addbmm(x,b,b.mT,beta=.5,alpha=2)
x.addbmm(b,b.mT); x.logcumsumexp(0); torch.logcumsumexp(x,1); torch.logcumsumexp(b,-1); v.logcumsumexp(0); torch.aminmax(x)
torch.aminmax(x,dim=1); torch.aminmax(b,dim=0,keepdim=True); x.aminmax(dim=0).max; x.aminmax().min; torch.arctan2(x,y)
torch.absolute(x); x.subtract(y)
torch.row_stack([v,w]); torch.trapz(x); x.split_with_sizes([1,2])
F.leaky_relu_(x*1); F.elu_(x*1,.5); F.hardtanh_(x*1,-.1,.1); F.selu_(x*1); F.relu_(x*1)
"""

CORNERS = """
torch.aminmax(torch.tensor([[1.,1.],[0.,0.]])*x[0,0],dim=1); torch.aminmax(x[0,0]); (x*0).aminmax(); (x*0-800).logcumsumexp(1)
(x*400).logcumsumexp(0); x[0,0].logcumsumexp(0); torch.logcumsumexp(x[:0],1); torch.addmv(v/0,x,w,beta=0)
torch.greater(x,y); x.less_equal(y); torch.not_equal(x,y)
"""

ERRORS = """
torch.addmv(v,x,w[:2]); torch.addmv(v,v,w); torch.addr(x,x,w); torch.addbmm(x,b,b[:1]); torch.addmv(w[:2],x,w)
torch.logcumsumexp(x,5); torch.logcumsumexp(x); torch.aminmax(x[:0]); torch.aminmax(x,dim=3); torch.aminmax(x,0)
torch.logcumsumexp(x.long(),0); torch.greater(x)
"""
