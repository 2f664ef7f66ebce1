# ruff: noqa - written as tutorials are
import torch
import torch.nn as nn

torch.manual_seed(9)


def weights_init(m):
    name = type(m).__name__
    if name.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.05)
    elif name.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


generator = nn.Sequential(
    nn.ConvTranspose2d(6, 8, 4, 1, 0, bias=False),
    nn.BatchNorm2d(8),
    nn.ReLU(True),
    nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False),
    nn.Tanh(),
)
critic = nn.Sequential(
    nn.Conv2d(1, 8, 4, 2, 1, bias=False),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(8, 1, 4, 1, 0, bias=False),
    nn.Sigmoid(),
)
generator.apply(weights_init)
critic.apply(weights_init)
print(generator)
criterion = nn.BCELoss()
optimizer_d = torch.optim.Adam(critic.parameters(), lr=0.002, betas=(0.5, 0.999))
optimizer_g = torch.optim.Adam(generator.parameters(), lr=0.002, betas=(0.5, 0.999))
real_images = torch.ones(8, 1, 8, 8) * torch.linspace(-1, 1, 8)
for i in range(6):
    critic.zero_grad()
    label = torch.full((8,), 1.0)
    output = critic(real_images).view(-1)
    loss_real = criterion(output, label)
    loss_real.backward()
    fake = generator(torch.randn(8, 6, 1, 1))
    label.fill_(0.0)
    output = critic(fake.detach()).view(-1)
    loss_fake = criterion(output, label)
    loss_fake.backward()
    optimizer_d.step()
    generator.zero_grad()
    label.fill_(1.0)
    output = critic(fake).view(-1)
    loss_g = criterion(output, label)
    loss_g.backward()
    optimizer_g.step()
    print(f"[{i}/6]\tLoss_D: {loss_real.item() + loss_fake.item():.4f}\tLoss_G: {loss_g.item():.4f}")
