"""Samples of ``torch.linalg`` and its kin. See ``samples.py``."""

from __future__ import annotations

SMOOTH = """
torch.inverse(x); x.inverse(); torch.linalg.inv(b); torch.linalg.inv_ex(x); torch.linalg.det(x); x.det(); b.det()
torch.det(x[:1,:1]); torch.linalg.det(b[:,:2,:2]); torch.logdet(x@x.t()); torch.slogdet(x)[1]; torch.linalg.slogdet(b)[1]
x.slogdet().logabsdet; torch.linalg.solve(x,y); torch.linalg.solve(x,v); torch.linalg.solve(b,c); torch.linalg.solve(x,b)
torch.linalg.solve(b,x); torch.linalg.solve(x,y,left=False); torch.linalg.solve(b,x[:2]); torch.linalg.solve(x,y[:,:2])
torch.linalg.solve_ex(x,y); torch.linalg.solve_triangular(x,y,upper=True); torch.linalg.solve_triangular(x,y,upper=False)
torch.linalg.solve_triangular(x,y,upper=True,left=False); torch.linalg.solve_triangular(x*.1,y,upper=False,unitriangular=True)
torch.linalg.solve_triangular(b,x,upper=True); torch.linalg.cholesky(x@x.t()+3*torch.eye(3,dtype=x.dtype))
torch.linalg.cholesky(x@x.t()+3*torch.eye(3,dtype=x.dtype),upper=True); torch.cholesky(b@b.mT+torch.eye(3,dtype=x.dtype))
torch.linalg.cholesky_ex(x@x.t()+torch.eye(3,dtype=x.dtype)); torch.linalg.svdvals(x); torch.linalg.svdvals(b)
torch.linalg.svd(x)[1]; torch.linalg.svd(x)[0].abs(); torch.linalg.svd(x)[2]**2; torch.linalg.svd(x[:2],full_matrices=False)[2]**2
torch.linalg.svd(x[:,:2],full_matrices=False)[0]**2; torch.linalg.svd(x[:,:2])[2].abs(); x.svd()[1]; torch.svd(x)[2]**2
torch.svd(x,compute_uv=False)[1]; torch.linalg.qr(x)[0]; torch.linalg.qr(x)[1]; torch.linalg.qr(b)[1]; torch.linalg.qr(x[:,:2])[0]
torch.linalg.qr(x[:2])[1]; torch.linalg.qr(x[:2])[0]; torch.qr(x)[1]; torch.linalg.eigh(x+x.t())[0]
torch.linalg.eigh(x+x.t())[1]**2; torch.linalg.eigvalsh(x+x.t()); torch.linalg.eigvalsh(b+b.mT); torch.linalg.pinv(x)
torch.linalg.pinv(x[:2]); torch.linalg.pinv(x[:,:2]); x.pinverse(); torch.linalg.pinv(b)
torch.linalg.pinv(x+x.t(),hermitian=True); torch.linalg.matrix_power(x,2); torch.linalg.matrix_power(x,3); x.matrix_power(5)
torch.matrix_power(x,-2); torch.linalg.matrix_power(x,1); torch.matrix_power(x,-1); torch.matrix_power(b,6)
torch.linalg.multi_dot([x,y]); torch.linalg.multi_dot([x,y,z]); torch.linalg.multi_dot([v,x,w])
torch.linalg.multi_dot([x[:1],y,z,x[:,:2]]); torch.chain_matmul(x,y,z); torch.linalg.multi_dot([v,w])
torch.linalg.multi_dot([x,y[:,:1],z[:1],x]); torch.linalg.lstsq(x,y)[0]; torch.linalg.lstsq(x[:,:2],y)[0]
torch.linalg.lstsq(b,c).solution; torch.linalg.matrix_norm(x); torch.linalg.matrix_norm(x,"nuc"); torch.linalg.matrix_norm(x,1)
torch.linalg.matrix_norm(x,-1); torch.linalg.matrix_norm(x,2); torch.linalg.matrix_norm(x,-2)
torch.linalg.matrix_norm(b,float("inf")); torch.linalg.matrix_norm(b,1,(0,1),keepdim=True)
torch.linalg.matrix_norm(b,"nuc",(0,2),keepdim=True); torch.linalg.matrix_norm(b,2,(2,0))
torch.linalg.matrix_norm(x,float("-inf"),keepdim=True); torch.linalg.norm(x,"fro"); torch.linalg.norm(x,2)
torch.linalg.norm(b,1,(1,2)); torch.linalg.norm(v,3); torch.linalg.norm(b,dim=(0,1)); torch.linalg.norm(x,"nuc")
torch.linalg.norm(b); torch.linalg.norm(x,1); torch.linalg.cond(x); torch.linalg.cond(x,-2); torch.cross(x,y)
torch.linalg.cross(x,y); torch.linalg.cross(b,c,dim=1); torch.cross(v,w); x.cross(y,1); torch.linalg.cross(x,y[:1])
torch.linalg.vecdot(x,y); torch.linalg.vecdot(b,x,dim=1); torch.linalg.diagonal(b); torch.diag_embed(v); torch.diag_embed(x,1)
x.diag_embed(-1,0,2); torch.diag_embed(b,0,1,2)
"""

CORNERS = """
torch.linalg.matrix_rank(f); torch.linalg.matrix_rank(torch.eye(3)); torch.linalg.matrix_rank(torch.zeros(2,3,4))
torch.linalg.matrix_rank(f,tol=10.); torch.linalg.matrix_rank(torch.eye(2),hermitian=True); torch.linalg.inv(torch.zeros(0,0))
torch.linalg.det(torch.zeros(0,0)); torch.linalg.det(torch.zeros(2,2)); torch.linalg.det(torch.zeros(0,2,2))
torch.slogdet(torch.zeros(2,2)); torch.logdet(torch.tensor([[0.,1.],[1.,0.]])); torch.linalg.inv_ex(torch.zeros(2,2))[1]
torch.linalg.solve(torch.eye(2),torch.ones(2)); torch.linalg.solve(torch.eye(2),torch.ones(2,0))
torch.linalg.cholesky_ex(torch.tensor([[1.,2.],[2.,1.]]))[1]; torch.linalg.svd(f)[1]; torch.linalg.svd(torch.zeros(2,0))[1]
torch.linalg.qr(f@f.t(),"r")[1].abs(); torch.linalg.eigvalsh(torch.eye(3))
torch.linalg.eigh(torch.diag(torch.tensor([3.,1.,2.])))[0]; torch.linalg.pinv(f); torch.linalg.pinv(torch.zeros(2,3))
torch.linalg.pinv(torch.zeros(0,3)); torch.linalg.matrix_power(torch.eye(2),0); torch.matrix_power(k.float()@k.float().t(),4)
torch.linalg.lstsq(f.t(),torch.ones(3,1)); torch.linalg.lstsq(f,torch.ones(2))
torch.cross(torch.tensor([1,0,0]),torch.tensor([0,1,0]),dim=0); torch.linalg.cross(torch.zeros(2,3),torch.ones(2,3))
torch.linalg.det(x[:2,:2]*0); torch.linalg.det(x*torch.tensor([1.,1.,0.],dtype=torch.float64))
torch.linalg.det(b*torch.tensor([1.,0.],dtype=torch.float64)[:,None,None]); torch.det(r[:,:2]); torch.linalg.matrix_norm(f)
torch.linalg.norm(f.sum()); torch.linalg.norm(r,1); torch.linalg.matrix_norm(r,"nuc"); torch.diag_embed(k); torch.diag_embed(u,1)
torch.linalg.slogdet(x)[0]; torch.linalg.qr(x,"complete")[1]; torch.linalg.matrix_norm(f,1,dtype=torch.float64)
torch.linalg.cond(torch.eye(3)); torch.linalg.cond(x,"fro").detach(); torch.linalg.cond(b.detach(),1)
torch.linalg.cond(torch.zeros(2,2),1); torch.linalg.cond(torch.zeros(2,2))
torch.linalg.solve(torch.zeros(0,2,2),torch.zeros(0,2,1)); torch.linalg.cholesky(torch.zeros(0,3,3))
"""

ERRORS = """
torch.linalg.cond(x,"fro").backward(); torch.linalg.inv(f); torch.linalg.inv(torch.zeros(2,2)); torch.linalg.inv(f[0])
torch.linalg.inv(torch.eye(2).long()); torch.linalg.inv(torch.eye(2).half()); torch.linalg.det(f)
torch.inverse(torch.ones(3,2,2)); torch.linalg.solve(torch.zeros(2,2),torch.ones(2)); torch.linalg.solve(f,f)
torch.linalg.solve(torch.eye(2),torch.ones(3)); torch.linalg.solve(torch.eye(2),torch.ones(2).double())
torch.linalg.solve(torch.eye(2),3); torch.linalg.cholesky(torch.tensor([[1.,2.],[2.,1.]])); torch.linalg.cholesky(f)
torch.linalg.cholesky(-torch.eye(3)); torch.cholesky(-torch.eye(3)); torch.linalg.svd(f[0]); torch.linalg.svd(k)
torch.linalg.qr(k); torch.linalg.qr(f,"bad"); torch.linalg.eigh(f); torch.linalg.eigh(torch.eye(2),"X")
torch.linalg.matrix_power(f,2); torch.linalg.matrix_power(torch.zeros(2,2),-1); torch.linalg.multi_dot([f])
torch.linalg.multi_dot([f,f]); torch.linalg.multi_dot([f,f[None],f]); torch.linalg.lstsq(f,torch.ones(3))
torch.linalg.matrix_norm(f[0]); torch.linalg.matrix_norm(f,3); torch.linalg.matrix_norm(f,"bad"); torch.linalg.norm(f,"bad")
torch.linalg.norm(f[None],1); torch.linalg.cond(f,1); torch.cross(f[:,:2],f[:,:2]); torch.linalg.cross(f[:,:2],f[:,:2])
torch.linalg.cross(f,f[0]); torch.linalg.cross(f,f,dim=2); torch.slogdet(f); torch.logdet(f)
torch.linalg.solve_triangular(torch.eye(2),torch.ones(3,1),upper=True); torch.linalg.matrix_norm(f,1,(0,0))
torch.diag_embed(f,0,0,0); torch.linalg.pinv(k); torch.linalg.matrix_norm(k,"nuc")
torch.linalg.inv_ex(torch.zeros(2,2),check_errors=True)
"""
