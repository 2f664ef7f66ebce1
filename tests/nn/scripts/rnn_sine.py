# ruff: noqa - written as tutorials are
import math

import torch
from torch import nn

torch.manual_seed(1)
wave = torch.tensor([math.sin(0.3 * t) for t in range(60)])
inputs = torch.stack([wave[i : i + 10] for i in range(40)]).unsqueeze(-1)
targets = torch.stack([wave[i + 10] for i in range(40)]).unsqueeze(-1)


class Forecast(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.rnn = nn.RNN(1, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, 1)

    def forward(self, x):
        states, last = self.rnn(x)
        return self.out(states[:, -1])


model = Forecast(8)
print(model)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(30):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if epoch % 10 == 9:
        print(epoch + 1, f"{loss.item():.4f}", f"{norm:.3f}")
