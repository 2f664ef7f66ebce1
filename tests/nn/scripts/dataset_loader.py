# ruff: noqa - written as tutorials are
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split

torch.manual_seed(4)


class Moons(Dataset):
    """Two half circles."""

    def __init__(self, count):
        angle = torch.rand(count) * torch.pi
        kind = torch.randint(0, 2, (count,))
        x = torch.cos(angle) * (1 - 2 * kind) + kind
        y = torch.sin(angle) * (1 - 2 * kind) + 0.5 * kind
        self.points = torch.stack([x, y], dim=1) + 0.1 * torch.randn(count, 2)
        self.kinds = kind

    def __len__(self):
        return len(self.points)

    def __getitem__(self, index):
        return self.points[index], self.kinds[index]


data = Moons(300)
train, test = random_split(data, [240, 60])
loader = DataLoader(train, batch_size=32, shuffle=True)
points, kinds = next(iter(loader))
print(len(train), len(test), len(loader), points.shape, kinds.dtype)

device = "cuda" if torch.cuda.is_available() else "cpu"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stack = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, x):
        return self.stack(x)


model = Net().to(device)
print(model)
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def train_loop(loader, model):
    model.train()
    size = len(loader.dataset)
    for batch, (X, y) in enumerate(loader):
        X, y = X.to(device), y.to(device)
        loss = loss_fn(model(X), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if batch % 4 == 0:
            print(f"loss: {loss.item():>7f}  [{(batch + 1) * len(X):>3d}/{size:>3d}]")


def test_loop(loader, model):
    model.eval()
    right, total = 0, 0.0
    with torch.no_grad():
        for X, y in loader:
            X, y = X.to(device), y.to(device)
            guess = model(X)
            total += loss_fn(guess, y).item() * len(X)
            right += (guess.argmax(1) == y).type(torch.float).sum().item()
    print(f"Accuracy: {100 * right / len(loader.dataset):>0.1f}%, Avg loss: {total / len(loader.dataset):>8f}")


for epoch in range(3):
    print(f"Epoch {epoch + 1}\n-------")
    train_loop(loader, model)
    test_loop(DataLoader(test, batch_size=64), model)
