"""Samples of einsum, sorting and selection. See ``samples.py``."""

from __future__ import annotations

SMOOTH = """
torch.einsum("ij,jk->ik",x,y); torch.einsum("ij,jk",x,y); torch.einsum("ij->ji",x); torch.einsum("ij->",x)
torch.einsum("ij->i",x); torch.einsum("ii->i",x); torch.einsum("ii",x); torch.einsum("ij,ij->",x,y); torch.einsum("i,i->",v,w)
torch.einsum("i,j->ij",v,w); torch.einsum("bij,bjk->bik",b,c); torch.einsum("bij,bkj->bik",b,c)
torch.einsum("...ij,...jk->...ik",b,x); torch.einsum("...j->...",q); torch.einsum("bij,j->bi",b,v)
torch.einsum("bij,i,j->b",b,v,w); torch.einsum("i,ij,j->",v,x,w); torch.einsum("ij,jk,kl->il",x,y,z)
torch.einsum("b...,b...->...",b,c); torch.einsum("ba",x); torch.einsum("bii->b",b); torch.einsum("ij,j->ij",x,v)
torch.einsum("bhqd,bhkd->bhqk",q,q); torch.einsum(" i j , j k -> i k ",x,y); torch.einsum("aij,bij->ab",b,c)
torch.einsum("ij,kl->",x,y); torch.einsum(x,[0,1],y,[1,2],[0,2]); torch.einsum(x,[0,1],v,[1]); torch.einsum("i,->i",v,s)
torch.einsum("...,...->...",x,v); torch.einsum("bijk,bakj->bia",q,q); torch.einsum("ij,jk->ik",[x,y]); torch.einsum("i...->...",b)
torch.einsum("Aa,aB->AB",x,y); torch.tensordot(x,y); torch.tensordot(x,y,1); torch.tensordot(b,c,([0,2],[0,1]))
torch.tensordot(v,w,0); torch.tensordot(b,x,dims=([2],[0])); torch.tensordot(x,y,dims=([0],[1])); torch.inner(v,w)
torch.inner(x,y); torch.inner(b,v); torch.inner(s,x); x.sort(); x.sort(0); x.sort(descending=True); b.sort(1,True)
x.sort(stable=True); torch.sort(x,dim=0,stable=True,descending=True); s.sort(); torch.msort(x); x.topk(2); x.topk(1,0)
x.topk(2,largest=False); b.topk(2,1,sorted=True); x.topk(3); s.topk(1); x.median(); x.median(0); x.median(1,keepdim=True)
x.nanmedian(); x.nanmedian(1); s.median(); s.median(0); x.kthvalue(2); x.kthvalue(1,0); b.kthvalue(3,1,True); x.mode(); x.mode(0)
x.cummax(0); x.cummin(1); n.cummax(1); s.cummax(0); b.cummin(-1)
"""

CORNERS = """
k.sort(); k.sort(0,True); u.sort(); r.sort(); r.sort(descending=True); torch.tensor([3.,float("nan"),1.,float("nan")]).sort()
torch.tensor([3.,float("nan"),1.,float("nan")]).sort(descending=True); torch.tensor([1,1,0,1,0]).sort()
torch.tensor([1,1,0,1,0]).sort(descending=True); torch.zeros(0).sort(); torch.zeros(2,0).sort(0); torch.argsort(f)
f.argsort(0,descending=True); torch.argsort(f,dim=1,stable=True); torch.argsort(x); k.argsort(); torch.msort(k)
torch.tensor([1,1,0,1,0]).argsort(descending=True); torch.zeros(3,0).argsort(); r.topk(2); r.topk(2,largest=False); r.topk(3)
r.topk(1,0); torch.tensor([1,1,1,0,0,1,1]).topk(3); torch.tensor([1,1,1,0,0,1,1]).topk(3,largest=False)
(torch.arange(40)%3).topk(10); (torch.arange(40)%3).topk(25,largest=False); (torch.arange(200)%7).topk(2)
(torch.arange(300)%5).topk(4,largest=False); ((torch.arange(60)*37)%11).topk(30); ((torch.arange(64)*37)%11).topk(40,sorted=True)
torch.tensor([float("nan"),1.,2.,float("nan")]).topk(3); torch.tensor([float("nan"),1.,2.,float("nan")]).topk(3,largest=False)
x.topk(0); torch.zeros(2,0).topk(0); k.topk(2); r.median(); r.median(1); r.median(0); k.median(); k.median(0)
torch.tensor([1.,float("nan"),0.]).median(); torch.tensor([1.,float("nan"),0.]).median(0)
torch.tensor([1.,float("nan"),0.]).nanmedian(); torch.tensor([1.,float("nan"),0.]).nanmedian(0)
torch.tensor([float("nan")]*2).nanmedian(0); torch.tensor([1.,1.,2.,2.]).median(0); torch.tensor([2,1,2,1,1,2]).median(0)
torch.zeros(0).median(); torch.zeros(2,0).median(0); r.nanmedian(); r.kthvalue(2); r.kthvalue(1,0)
torch.tensor([2,1,2,1,1,2]).kthvalue(3); (torch.arange(20)%3).kthvalue(9); (torch.arange(20)%3).kthvalue(17)
((torch.arange(50)*37)%11).kthvalue(20); torch.tensor([1.,float("nan"),0.,float("nan")]).kthvalue(3); f.sum().kthvalue(1)
r.mode(); r.mode(0,True); k.mode(); torch.tensor([2,1,2,1,3]).mode(); u.mode(); torch.tensor([1.,2.,1.,2.]).mode(); f.sum().mode()
r.cummax(1); r.cummin(0); k.cummax(0); torch.tensor([1.,float("nan"),2.]).cummax(0); torch.tensor([1.,float("nan"),2.]).cummin(0)
torch.tensor([1,1,0,1]).cummax(0); torch.zeros(0).cummax(0); f.sum().cummin(0); torch.tensor([2,2,3,3]).cummin(0)
torch.einsum("ij,jk->ik",k,k.t()); torch.einsum("ij->ji",k); torch.einsum("i,j->ij",k[0],u)
torch.einsum("ij,jk->ik",torch.zeros(2,0),torch.zeros(0,3)); torch.einsum("ij,ij->ij",f,k); torch.einsum("...",f)
torch.einsum("i...,i...->i...",f,f); torch.einsum("ij,j->i",f,torch.ones(1)); torch.einsum("->",f.sum()); torch.tensordot(k,k)
torch.inner(k,k); torch.tensordot(f,torch.ones(3,4),1); torch.tensordot(f,f,([0],[0])); torch.tensordot(f,f[:1],([0],[0]))
"""

ERRORS = """
u.topk(2); f.sort(2); f.topk(4); f.topk(-1); f.topk(1,2); f.median(2); f.kthvalue(0); f.kthvalue(4); f.mode(2); f.cummax(2)
u.median(); f.argsort(5); torch.zeros(0).median(0); torch.zeros(0).mode(0); torch.zeros(0).kthvalue(1); torch.zeros(0).topk(1)
torch.sort(3); torch.topk(f,1.5); torch.einsum("ij,jk->ik",f,f); torch.einsum("ij,jk->ik",f); torch.einsum("ij->ik",f)
torch.einsum("i->i",f); torch.einsum("ij->iij",f); torch.einsum("i.j->ij",f); torch.einsum("i$->i",f); torch.einsum("ii->i",f)
torch.einsum("......->",f); torch.einsum("ij"); torch.einsum("ijk...->i",f); torch.einsum("ij,jk->ik",f,k.t()); torch.einsum(3,f)
torch.tensordot(f,f,1); torch.tensordot(f,f,3); torch.inner(f,f[:,:2]); torch.tensordot(f,f,([0],[0,1]))
"""
