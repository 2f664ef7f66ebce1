import torch
from torch import nn
from torch.nn.parameter import Parameter


class Scale(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a = Parameter(torch.ones(n))
        self.layers = nn.ModuleList([nn.Linear(n, n) for _ in range(2)])
        for layer in self.layers:
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.relu(layer(x)) * self.a
        return x


torch.manual_seed(9)
model = Scale(3)
print(model)
x, y = torch.randn(5, 3), torch.randn(5, 3)
velocity = {name: torch.zeros_like(p) for name, p in model.named_parameters()}
for step in range(6):
    loss = nn.SmoothL1Loss()(model(x), y)
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for name, p in model.named_parameters():
            velocity[name] = 0.9 * velocity[name] + p.grad
            p -= 0.05 * velocity[name]
    print(step, f"{loss:.4f}")
print(model.a)
