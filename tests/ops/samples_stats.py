"""Samples of statistics, distances and differences. See ``samples.py``."""

from __future__ import annotations

SMOOTH = """
torch.linalg.matrix_exp(x); torch.matrix_exp(b); torch.linalg.tensorinv(x[:,:,None],1); torch.linalg.tensorsolve(x,v)
x.matrix_exp(); torch.std_mean(x); torch.std_mean(x,1); torch.var_mean(b,(0,2),keepdim=True); torch.var_mean(x,0,correction=0)
x.nansum(); x.nansum(1); torch.nansum(b,(0,1),keepdim=True); torch.nanmean(x); x.nanmean(0); torch.dist(x,y); torch.dist(x,y,3)
x.dist(v,1); torch.diff(x); torch.diff(x,2); x.diff(dim=0); torch.diff(v,prepend=w[:1]); torch.diff(v,append=w)
torch.trapezoid(x); torch.trapezoid(x,dx=2); torch.trapezoid(v,w); torch.trapezoid(x,v,dim=0); torch.cumulative_trapezoid(x)
torch.kron(x,y); torch.kron(v,w); torch.kron(x,v); x.sum_to_size(1,3); b.sum_to_size(3,1); x.narrow_copy(1,0,2)
torch.narrow_copy(x,0,1,2)
"""

CORNERS = """
torch.logspace(0,2,3); torch.logspace(-1,1,5,base=2); torch.asarray([1,2]); torch.asarray(f,dtype=torch.float64)
torch.linalg.vander(f[0]); torch.linalg.vander(k[0],N=2); torch.linalg.matrix_exp(torch.zeros(2,2)); torch.matrix_exp(f[:,:2].double()*3)
torch.quantile(f,.5); torch.quantile(f,torch.tensor([.25,.5,1.])); torch.quantile(f,.3,dim=1)
torch.quantile(f,torch.tensor([.1,.9]),dim=0,keepdim=True); torch.quantile(f,.5,interpolation="lower")
torch.quantile(f,.3,interpolation="nearest"); torch.quantile(f,.3,interpolation="higher")
torch.quantile(f,.3,interpolation="midpoint"); torch.quantile(torch.tensor([1.,float("nan"),2.]),.5)
torch.nanquantile(torch.tensor([1.,float("nan"),2.,4.]),.5)
torch.nanquantile(torch.tensor([[1.,float("nan")],[float("nan")]*2]),.5,dim=1); f.quantile(.5,1,True)
torch.quantile(f,.5,keepdim=True); torch.nansum(torch.tensor([1.,float("nan"),2.]))
torch.nanmean(torch.tensor([1.,float("nan"),2.])); torch.nansum(k); k.nansum(0); torch.diff(k); torch.diff(u); torch.diff(k,5)
torch.kron(k,k); torch.trapezoid(k); torch.std_mean(f); torch.var_mean(f.sum()); torch.cov(f).round(decimals=5)
torch.cov(f[0]).round(decimals=5); torch.corrcoef(f).round(decimals=5); torch.cov(f,correction=0).round(decimals=5)
torch.cov(f,fweights=torch.tensor([1,2,1])).round(decimals=5); torch.cov(f,aweights=torch.tensor([1.,2.,1.])).round(decimals=5)
torch.corrcoef(f[0]); torch.cov(k).round(decimals=5)
"""

ERRORS = """
torch.linalg.matrix_exp(f); torch.linalg.tensorinv(f); torch.linalg.tensorinv(f,0); torch.linalg.tensorsolve(f,f)
torch.std_mean(k); torch.var_mean(f,2); torch.nanmean(k); torch.quantile(k,.5); torch.quantile(f,2.); torch.quantile(f,.5,2)
torch.quantile(f,.5,interpolation="bad"); torch.quantile(torch.zeros(0),.5); torch.diff(f.sum()); torch.diff(f,-1)
torch.diff(f,1,2); torch.dist(f,f[:,:2]); torch.trapezoid(f,f[0,:2]); torch.cov(f[None]); torch.cov(f,fweights=torch.tensor([1]))
f.sum_to_size(2,2); torch.kron(f,3); f.narrow_copy(0,5,1)
"""
