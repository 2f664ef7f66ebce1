import torch
from torch import autograd, nn

torch.manual_seed(5)
generator = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
critic = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
g_opt = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.9))
d_opt = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))

for step in range(10):
    real = 3 + 0.5 * torch.randn(16, 1)
    fake = generator(torch.randn(16, 2)).detach()
    alpha = torch.rand(16, 1)
    between = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    grads = autograd.grad(critic(between).sum(), between, create_graph=True)[0]
    penalty = ((grads.norm(2, dim=1) - 1) ** 2).mean()
    d_loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()

    g_loss = -critic(generator(torch.randn(16, 2))).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
    if step % 3 == 0:
        print(f"{step}: D {d_loss.item():.3f} G {g_loss.item():.3f} penalty {penalty.item():.3f}")
