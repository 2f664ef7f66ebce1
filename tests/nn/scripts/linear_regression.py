import torch
from torch import nn

torch.manual_seed(0)
X = torch.linspace(0, 10, 50).unsqueeze(1)
y = 2 * X + 1 + torch.randn(50, 1)

model = nn.Linear(1, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

for epoch in range(100):
    optimizer.zero_grad()
    loss = criterion(model(X), y)
    loss.backward()
    optimizer.step()
    if (epoch + 1) % 20 == 0:
        print(f"Epoch [{epoch + 1}/100], Loss: {loss.item():.4f}")

print(model)
print(model.weight, model.bias)
print(optimizer)
