import torch
from torch import nn, optim
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    MultiStepLR,
    OneCycleLR,
    ReduceLROnPlateau,
    StepLR,
)


def rates(make, steps=8):
    w = nn.Parameter(torch.tensor([1.0]))
    opt = optim.SGD([w], lr=0.1, momentum=0.9)
    scheduler = make(opt)
    found = []
    for _ in range(steps):
        opt.zero_grad()
        (w**2).sum().backward()
        opt.step()
        scheduler.step()
        found.append(round(opt.param_groups[0]["lr"], 6))
    return found


print("step", rates(lambda o: StepLR(o, 3)))
print("multi", rates(lambda o: MultiStepLR(o, milestones=[2, 5], gamma=0.3)))
print("exponential", rates(lambda o: ExponentialLR(o, gamma=0.9)))
print("cosine", rates(lambda o: CosineAnnealingLR(o, T_max=5, eta_min=0.001)))
print("lambda", rates(lambda o: LambdaLR(o, lr_lambda=lambda epoch: 0.95**epoch)))
print("one cycle", rates(lambda o: OneCycleLR(o, max_lr=0.1, total_steps=10)))

w = nn.Parameter(torch.zeros(1))
opt = optim.Adam([{"params": [w]}, {"params": [nn.Parameter(torch.ones(2))], "lr": 0.5}], lr=0.1)
plateau = ReduceLROnPlateau(opt, factor=0.5, patience=1)
for value in [1.0, 0.9, 0.9, 0.9, 0.9, 0.8, 0.8, 0.8]:
    plateau.step(value)
    print(value, [group["lr"] for group in opt.param_groups])
print(opt)
