import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(2)


class XOR(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.fc1 = nn.Linear(2, hidden)
        self.fc2 = nn.Linear(hidden, 1)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        return torch.sigmoid(self.fc2(x))


X = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
Y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
net = XOR()
print(net)
opt = torch.optim.Adam(net.parameters(), lr=0.05)
loss_fn = nn.BCELoss()
for step in range(301):
    opt.zero_grad()
    loss = loss_fn(net(X), Y)
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(step, round(loss.item(), 4))
with torch.no_grad():
    print((net(X) > 0.5).float().squeeze())
