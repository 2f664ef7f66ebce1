"""Samples of masks, places, searches, grids and random draws. See ``samples.py``."""

from __future__ import annotations

SMOOTH = """
x.masked_select(x>1); torch.masked_select(x,torch.tensor([True,False,True])); torch.masked_select(v,x>1)
torch.masked_scatter(x,x>1,y); x.masked_scatter(x>1,y.flatten()); torch.masked_scatter(v,x>1,y); (x*1).masked_scatter_(x>1,y)
torch.take(x,t); x.take(torch.tensor([[0,-1],[4,4]])); torch.put(x,t,v); (x*1).put_(t,v,accumulate=True); (x*1).put_(t,w)
x.put(torch.tensor([0,0]),v[:2],accumulate=True); torch.repeat_interleave(x,2); x.repeat_interleave(2,0)
x.repeat_interleave(torch.tensor([1,0,2]),1); torch.repeat_interleave(x,torch.tensor([2]),dim=0); b.repeat_interleave(3,dim=-1)
torch.select_scatter(x,v,0,1); x.select_scatter(w,1,-1); torch.slice_scatter(x,y[:2],0,1); torch.slice_scatter(x,y[:,:2],1,0,3,2)
torch.diagonal_scatter(x,v); x.diagonal_scatter(v[:2],1); (x*1).fill_diagonal_(2.); (x[:2]*1).fill_diagonal_(1.)
x.scatter_reduce(0,t[None].expand(3,3),y,"sum"); x.scatter_reduce(0,t[None],y[:1],"mean")
torch.scatter_reduce(x,1,t[:,None],y[:,:1],"amax"); x.scatter_reduce(0,t[None].expand(3,3)*0,y,"amin")
x.scatter_reduce(0,t[None],y[:1],"prod"); x.scatter_reduce(0,t[None],y[:1],"sum",include_self=False)
v.scatter_reduce(0,torch.tensor([0,0,2]),w,"mean",include_self=False)
v.scatter_reduce(0,torch.tensor([0,0,2]),w,"amax",include_self=False); (v*1).scatter_reduce_(0,t,w,"prod"); torch.meshgrid(v,w)
torch.meshgrid(v,w,indexing="xy"); torch.meshgrid([v,w,v],indexing="ij")[1]; torch.meshgrid(v,s)[0]; torch.cartesian_prod(v,w)
torch.cartesian_prod(v); torch.combinations(v); torch.combinations(v,2,True); torch.combinations(v,3)
torch.broadcast_tensors(x,v); torch.broadcast_tensors(v,x)[0]; torch.atleast_1d(s); torch.atleast_2d(v); torch.atleast_3d(x)
torch.atleast_2d(s,v); torch.atleast_3d(v); torch.column_stack([v,w]); torch.column_stack([v,x]); torch.dstack([x,y])
torch.dstack([v,w]); x.rot90(); torch.rot90(x,2); torch.rot90(b,-1,[1,2]); x.fliplr(); x.flipud(); torch.diagflat(v)
torch.diagflat(x[:,:1]); torch.diagflat(v,1); torch.block_diag(x,v,s); torch.block_diag(x,y); torch.cosine_similarity(x,y)
torch.pairwise_distance(x,y); torch.celu(n); torch.threshold(n,.1,.5); torch.positive(x)*1; torch.embedding(x,t)
torch.binary_cross_entropy_with_logits(x,y,None,None,2); torch.dropout(x,.5,False)
"""

CORNERS = """
torch.searchsorted(torch.tensor([1,2]),torch.tensor([1.5])); torch.layer_norm(f,(3,))
(torch.manual_seed(2),torch.normal(x,2.))[1]; (torch.manual_seed(2),torch.normal(2.,x))[1]; torch.masked_select(f,f>0)
f.masked_select(torch.tensor(True)); k.masked_select(k>100); torch.nonzero(f); f.nonzero(); torch.nonzero(f,as_tuple=True)
torch.nonzero(f.sum()); torch.nonzero(torch.tensor(0)); torch.nonzero(u); torch.argwhere(k>2); torch.argwhere(f.sum())
torch.where(u); torch.nonzero(torch.zeros(0)); torch.nonzero(torch.zeros(2,0)); torch.count_nonzero(f); torch.count_nonzero(f,0)
f.count_nonzero(dim=(0,1)); torch.count_nonzero(u); torch.is_nonzero(torch.tensor([1.])); torch.tensor(0).is_nonzero()
torch.nonzero(x>1); torch.nonzero(x); torch.take(k,torch.tensor([0,-1])); torch.take(f,torch.zeros(0,dtype=torch.long))
torch.repeat_interleave(torch.tensor([2,0,1])); k.repeat_interleave(0); torch.repeat_interleave(k,torch.tensor([1,2]),dim=0)
torch.zeros(3,3).fill_diagonal_(1); torch.zeros(5,2).fill_diagonal_(1,wrap=True); torch.zeros(5,2).fill_diagonal_(1)
torch.zeros(2,2,2,dtype=torch.long).fill_diagonal_(3)
torch.zeros(3).scatter_reduce(0,torch.tensor([0,0,2]),torch.tensor([1.,2.,3.]),"mean")
torch.zeros(3,dtype=torch.long).scatter_reduce(0,torch.tensor([0,0,2]),torch.tensor([1,2,3]),"amax",include_self=False)
torch.searchsorted(torch.tensor([1,3,5,7]),torch.tensor([0,3,8,5]))
torch.searchsorted(torch.tensor([1,3,5,7]),torch.tensor([3,5]),right=True); torch.searchsorted(torch.tensor([1.,3.]),2.)
torch.searchsorted(torch.tensor([[1,3],[2,4]]),torch.tensor([[2],[2]]))
torch.searchsorted(torch.tensor([1.,3.]),torch.tensor([[1.,3.]]),side="right",out_int32=True)
torch.bucketize(f,torch.tensor([-1.,0.,2.])); torch.bucketize(torch.tensor([3,6]),torch.tensor([1,3,5]),right=True)
torch.bucketize(3,torch.tensor([1,3,5])); torch.searchsorted(torch.tensor([3,1,2]),torch.tensor([2]),sorter=torch.tensor([1,2,0]))
torch.unique(k); torch.unique(torch.tensor([3,1,1,2]),return_inverse=True,return_counts=True); torch.unique(f)
torch.unique(torch.tensor([[1,2],[1,2],[0,1]]),dim=0); torch.unique(torch.tensor([[1,2],[1,2],[0,1]]),dim=0,return_inverse=True)
torch.unique(torch.tensor([1.,float("nan"),float("nan")])); u.unique(); torch.zeros(0).unique()
torch.unique_consecutive(torch.tensor([1,1,2,2,1]))
torch.unique_consecutive(torch.tensor([1,1,2,2,1]),return_inverse=True,return_counts=True)
torch.unique_consecutive(torch.tensor([[1,1],[1,1],[2,3]]),dim=0); torch.unique(k.t(),return_counts=True)
torch.isin(k,torch.tensor([1,5])); torch.isin(k,3); torch.isin(3,k); torch.isin(f,f[0],invert=True)
torch.bincount(torch.tensor([0,1,1,3])); torch.bincount(torch.tensor([0,1,1,3]),minlength=6)
torch.bincount(torch.tensor([0,1,1]),weights=torch.tensor([.5,1.,2.])); torch.bincount(torch.zeros(0,dtype=torch.long))
torch.bincount(torch.tensor([1,1]),torch.tensor([1,2])); torch.histc(f,4); torch.histc(f,3,-2,2)
torch.histc(f,bins=2,min=0,max=4); torch.histc(torch.zeros(3),2); torch.histc(f); torch.meshgrid(k[0],k[1])
torch.cartesian_prod(k[0],k[1]); torch.combinations(k[0],2); torch.broadcast_shapes((2,1),(3,)); torch.broadcast_tensors(k,k[:1])
torch.atleast_1d(torch.tensor(3)); torch.block_diag(k,k[0]); torch.block_diag(); torch.tril_indices(3,3)
torch.triu_indices(3,4,1); torch.tril_indices(2,3,-1); torch.triu_indices(0,2); torch.tril_indices(3,2,dtype=torch.int32)
torch.vander(k[0]); torch.vander(f[0],2); torch.vander(f[0],4,increasing=True); torch.vander(u); torch.rot90(k)
torch.rot90(k,3,(0,1)); torch.diagflat(k); torch.dstack([k,k]); torch.column_stack([k[0],k[1]]); torch.fliplr(k)
torch.flipud(k[0]); (torch.manual_seed(0),torch.normal(0.,1.,(3,)))[1]; (torch.manual_seed(0),torch.normal(2,.5,(20,)))[1]
(torch.manual_seed(1),torch.normal(f,f.abs()))[1]; (torch.manual_seed(1),torch.normal(f,2.))[1]
(torch.manual_seed(1),torch.normal(1.,f.abs()))[1]; (torch.manual_seed(2),torch.bernoulli(x*.5))[1]
(torch.manual_seed(2),torch.bernoulli(f.abs()/5))[1]; (torch.manual_seed(2),torch.bernoulli(f,.3))[1]
(torch.manual_seed(2),(x*.5).bernoulli())[1]; (torch.manual_seed(2),torch.normal(x,y))[1]
(torch.manual_seed(3),torch.multinomial(torch.tensor([.1,.2,.7]),2))[1]
(torch.manual_seed(3),torch.tensor([[.1,.2,.7],[1.,1.,0.]]).multinomial(4,replacement=True))[1]
(torch.manual_seed(3),torch.normal(f[0],torch.tensor(1.)))[1]; (torch.manual_seed(4),torch.get_rng_state(),torch.rand(2))[2]
torch.get_rng_state().shape; k.is_signed(); u.is_signed(); f.get_device(); torch.select_scatter(k,k[0]*0,0,1)
torch.slice_scatter(k,k[:1],0,1); torch.diagonal_scatter(k,torch.tensor([9,9])); torch.finfo(torch.float32).eps
torch.finfo(torch.float64).max; torch.finfo(torch.float16).tiny; torch.finfo().bits; torch.finfo(torch.float32)
torch.finfo(torch.float16); torch.finfo(torch.float64); torch.iinfo(torch.int32).max; torch.iinfo(torch.uint8)
torch.iinfo(torch.int8).min; torch.finfo(torch.float32).dtype; torch.finfo(torch.complex64).bits
torch.promote_types(torch.int32,torch.float16); torch.result_type(f,k); torch.result_type(k,1.5)
torch.result_type(k,torch.tensor(1.)); torch.result_type(torch.tensor(1),2.5); torch.result_type(3,2)
torch.result_type(h,f.sum()); torch.can_cast(torch.float32,torch.int32); torch.can_cast(torch.int32,torch.uint8)
torch.result_type(1,2.5); torch.typename(f); torch.typename(3)
"""

ERRORS = """
torch.masked_select(f,k); torch.masked_select(f,u[:2]); torch.masked_scatter(f,f>-9,f[:1]); torch.masked_scatter(f,f>0,k)
torch.take(f,torch.tensor([9])); torch.take(f,torch.tensor([0.])); torch.put(f,torch.tensor([0]),torch.ones(2))
f.repeat_interleave(-1); f.repeat_interleave(torch.tensor([1,2,3,4]),1); f.repeat_interleave(torch.tensor([-1]),1)
torch.repeat_interleave(f); torch.is_nonzero(f); torch.select_scatter(f,f,0,0); torch.select_scatter(f,f[0],0,5)
torch.slice_scatter(f,f,0,1); torch.diagonal_scatter(f,f); torch.zeros(3).fill_diagonal_(1); torch.zeros(2,3,2).fill_diagonal_(1)
f.scatter_reduce(0,torch.tensor([[0]]),f,"bad"); f.scatter_reduce(0,torch.tensor([[5]]),f,"sum"); f.count_nonzero(4)
torch.searchsorted(torch.tensor(1.),f); torch.bucketize(f,f)
torch.searchsorted(torch.tensor([1.,2.]),torch.tensor([1.]),right=True,side="left")
torch.searchsorted(torch.tensor([1.,2.]),torch.tensor([1.]),side="bad"); x.unique().sum().backward(); torch.unique(f,dim=2)
torch.bincount(f); torch.bincount(k); torch.bincount(torch.tensor([-1])); torch.bincount(torch.tensor([1]),torch.ones(2))
torch.bincount(torch.tensor([1]),minlength=-1); torch.histc(k); torch.histc(f,0); torch.histc(f,2,3,1); torch.meshgrid(f)
torch.meshgrid(k[0],f[0]); torch.meshgrid(v,w,indexing="bad"); torch.meshgrid(); torch.cartesian_prod(f); torch.combinations(f)
torch.combinations(f[0],-1); torch.block_diag(torch.zeros(2,2,2)); torch.tril_indices(-1,2); torch.vander(f); torch.rot90(f[0])
torch.rot90(f,1,(0,0)); torch.rot90(f,1,(0,5)); torch.fliplr(f[0]); torch.broadcast_tensors(f,f[:,:2])
torch.broadcast_shapes((2,),(3,)); torch.isin(1,2); torch.normal(f,-1.); torch.normal(f,f); torch.normal(k,k); torch.bernoulli(f)
torch.bernoulli(k); torch.bernoulli(f,2.); torch.multinomial(f,2); torch.multinomial(torch.tensor([1.,0.]),3)
torch.finfo(torch.int32); torch.iinfo(torch.float32); torch.promote_types(1,2); torch.column_stack([]); torch.dstack(f)
"""
