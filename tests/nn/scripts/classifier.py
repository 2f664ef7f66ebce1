import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(42)
centers = torch.tensor([[2.0, 2.0], [-2.0, 0.0], [0.0, -3.0]])
labels = torch.randint(0, 3, (120,))
points = centers[labels] + torch.randn(120, 2)
train, test = random_split(TensorDataset(points, labels), [90, 30])
loader = DataLoader(train, batch_size=16, shuffle=True)

model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-4)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)

for epoch in range(5):
    model.train()
    running = 0.0
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
        running += loss.item() * inputs.size(0)
    scheduler.step()
    print(f"epoch {epoch}: loss {running / len(train):.3f}, lr {scheduler.get_last_lr()[0]}")

model.eval()
correct = 0
with torch.no_grad():
    for inputs, targets in DataLoader(test, batch_size=10):
        correct += (model(inputs).argmax(1) == targets).sum().item()
print(f"accuracy: {100 * correct / len(test):.1f}%")
