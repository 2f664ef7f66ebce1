# ruff: noqa - written as tutorials are
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(1)
images = torch.zeros(16, 1, 12, 12)
labels = torch.arange(16) % 2
for i in range(16):
    at = 2 + i % 5
    if labels[i]:
        images[i, 0, at, 2:10] = 1
    else:
        images[i, 0, 2:10, at] = 1
images += 0.05 * torch.rand_like(images)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 4, kernel_size=3)
        self.fc = nn.Linear(4 * 5 * 5, 2)
        self.localization = nn.Sequential(nn.Conv2d(1, 3, kernel_size=5), nn.MaxPool2d(2, stride=2), nn.ReLU(True))
        self.fc_loc = nn.Sequential(nn.Linear(3 * 4 * 4, 8), nn.ReLU(True), nn.Linear(8, 3 * 2))
        self.fc_loc[2].weight.data.zero_()
        self.fc_loc[2].bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0], dtype=torch.float))

    def stn(self, x):
        theta = self.fc_loc(self.localization(x).view(-1, 3 * 4 * 4)).view(-1, 2, 3)
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)

    def forward(self, x):
        x = self.stn(x)
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        return F.log_softmax(self.fc(x.view(-1, 100)), dim=1)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for epoch in range(10):
    optimizer.zero_grad()
    loss = F.nll_loss(model(images), labels)
    loss.backward()
    optimizer.step()
    if epoch % 3 == 0:
        print(epoch, f"{loss.item():.4f}")
print(model.fc_loc[2].bias.shape, model.stn(images).shape)
