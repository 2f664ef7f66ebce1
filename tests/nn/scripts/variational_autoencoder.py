# ruff: noqa - written as tutorials are
import torch
import torch.nn.functional as F
from torch import nn, optim

torch.manual_seed(2)
images = torch.rand(64, 16).round()


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(16, 12)
        self.fc21 = nn.Linear(12, 3)
        self.fc22 = nn.Linear(12, 3)
        self.fc3 = nn.Linear(3, 12)
        self.fc4 = nn.Linear(12, 16)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc21(h), self.fc22(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 16))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(guess, x, mu, logvar):
    bce = F.binary_cross_entropy(guess, x.view(-1, 16), reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld


model = VAE()
optimizer = optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(1, 9):
    model.train()
    total = 0
    for batch in images.split(16):
        optimizer.zero_grad()
        guess, mu, logvar = model(batch)
        loss = loss_function(guess, batch, mu, logvar)
        loss.backward()
        total += loss.item()
        optimizer.step()
    print(f"epoch {epoch}: average loss {total / len(images):.4f}")
with torch.no_grad():
    sample = model.decode(torch.randn(2, 3))
print(sample.shape, sample.mean())
