"""Samples of elementwise and special functions. See ``samples.py``."""

from __future__ import annotations

SMOOTH = """
x.nan_to_num(); torch.logaddexp(x,y); torch.logaddexp(x,v); torch.logaddexp2(x,y); torch.copysign(x,n.detach())
torch.copysign(n,-1.); torch.ldexp(x,y); torch.ldexp(x,k[:1]); torch.float_power(x,2); torch.float_power(x,y); torch.deg2rad(x)
x.rad2deg(); torch.fmax(x,y); torch.fmin(x,y); torch.fix(x); torch.positive(x)*2; torch.float_power(2,x); torch.lgamma(x)
x.digamma(); torch.polygamma(1,x); x.polygamma(2); torch.polygamma(0,x); torch.mvlgamma(x+2,3); torch.erfinv(x*.5); torch.sinc(x)
torch.sinc(n); torch.xlogy(x,y); torch.xlogy(2,x); torch.xlogy(x,3.); torch.xlogy(x,v); x.xlogy(y); (x*1).lgamma_(); (x*1).sinc_()
(x*.5).erfinv_(); (x*1).nan_to_num_(); (x*1).xlogy_(y); (x*1).deg2rad_(); torch.lgamma(n); torch.digamma(n)
"""

CORNERS = """
torch.tensor([float("nan"),float("inf"),-float("inf"),1.]).nan_to_num()
torch.tensor([float("nan"),float("inf"),-float("inf"),1.]).nan_to_num(1.,2.,3.); k.nan_to_num()
torch.tensor([float("inf")],dtype=torch.float64).nan_to_num(); torch.nextafter(f,f+1); torch.nextafter(x,y)
torch.heaviside(f,torch.tensor(0.5)); torch.heaviside(k,torch.tensor(7)); torch.heaviside(f,f); torch.signbit(f); torch.signbit(k)
f.signbit(); torch.fmax(f,torch.tensor([float("nan"),0.,1.])); torch.fmin(f,torch.tensor([float("nan"),0.,1.])); torch.fmax(r,r*1)
torch.fmin(r,r*1); torch.copysign(k,f); torch.copysign(r,-2.); torch.copysign(f,-0.); torch.copysign(k,1); torch.deg2rad(k)
torch.rad2deg(torch.tensor(180)); torch.ldexp(k,k); torch.ldexp(f,k); torch.float_power(k,2); torch.float_power(f,k)
torch.positive(k); torch.fix(f*1.3); torch.fix(k)
torch.lgamma(torch.tensor([0.,-1.,-2.5,1e-5,100.,1e10,float("inf"),float("nan")]))
torch.digamma(torch.tensor([0.,-1.,-2.5,1e-5,100.,1e10,float("inf"),float("nan"),-0.]))
torch.polygamma(1,torch.tensor([.1,1.,10.,100.,1e5])); torch.polygamma(2,torch.tensor([.1,1.,10.,100.]))
torch.polygamma(3,torch.tensor([.5,2.,30.],dtype=torch.float64))
torch.erfinv(torch.tensor([0.,.5,-.9,.999999,1.,-1.,2.,float("nan"),1e-20]))
torch.erfinv(torch.tensor([0.1,.5,-.9,.9999999999,1e-300],dtype=torch.float64)); torch.sinc(torch.tensor([0.,.5,1.,2.5]))
torch.sinc(r); torch.sinc(k); torch.lgamma(k); torch.mvlgamma(torch.tensor([2.,3.5]),2); torch.digamma(torch.tensor(3))
torch.xlogy(f,f); torch.xlogy(r,r); torch.xlogy(torch.tensor([0.,0.,1.]),torch.tensor([0.,float("nan"),0.])); torch.xlogy(0,f)
torch.xlogy(k,k); torch.xlogy(r,0.); torch.xlogy(f,-1.); torch.logaddexp(f,f)
torch.logaddexp(torch.tensor(-float("inf")),torch.tensor(-float("inf"))); torch.lgamma(torch.linspace(.1,20,50))
torch.digamma(torch.linspace(-5.3,20,50,dtype=torch.float64)); torch.erfinv(torch.linspace(-.99,.99,50))
torch.lgamma(torch.zeros(0)); h.lgamma(); h.sinc(); torch.lgamma(torch.linspace(-9.7,-.2,30,dtype=torch.float64))
"""

ERRORS = """
torch.logaddexp(k,k); torch.heaviside(f,k); torch.nextafter(k,k); torch.positive(u); torch.polygamma(-1,f); torch.polygamma(f,1)
torch.mvlgamma(f,0); torch.xlogy(1,2); torch.float_power(2,3); torch.lgamma(3); torch.sinc("a"); k.lgamma_()
torch.heaviside(x,y).sum().backward(); torch.fmax(f,f[:,:2]); torch.copysign("a",f); k.deg2rad_()
"""
