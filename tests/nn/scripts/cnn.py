# ruff: noqa - written as tutorials are
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(4, 8, 3)
        self.fc = nn.Linear(8 * 2 * 2, 3)

    def forward(self, x):
        x = self.pool(F.relu(self.bn(self.conv1(x))))
        x = F.relu(self.conv2(x))
        x = torch.flatten(x, 1)
        return self.fc(x)


net = Net()
print(net)
print(sum(p.numel() for p in net.parameters() if p.requires_grad))
images = torch.zeros(30, 1, 8, 8)
labels = torch.arange(30) % 3
for i, label in enumerate(labels):
    images[i, 0, :, 2 * int(label) : 2 * int(label) + 2] = 1.0
images += 0.3 * torch.randn_like(images)

optimizer = torch.optim.RMSprop(net.parameters(), lr=0.003)
for epoch in range(4):
    total = 0.0
    for i in range(0, 30, 10):
        optimizer.zero_grad()
        output = net(images[i : i + 10])
        loss = F.cross_entropy(output, labels[i : i + 10])
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch + 1} loss {total / 3:.3f}")
net.eval()
print((net(images).argmax(dim=1) == labels).float().mean())
print(net.bn.running_var, net.bn.num_batches_tracked)  # the mean follows a bias whose gradient is zero but for rounding
print(loss.grad_fn.name(), net.conv1.weight.grad.shape)
