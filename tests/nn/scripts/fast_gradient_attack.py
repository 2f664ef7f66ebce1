# ruff: noqa - written as tutorials are
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
inputs = torch.randn(120, 8)
labels = (inputs[:, 0] * inputs[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.25), nn.Linear(32, 2), nn.LogSoftmax(dim=1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for _ in range(60):
    optimizer.zero_grad()
    F.nll_loss(model(inputs), labels).backward()
    optimizer.step()
model.eval()


def attack(image, epsilon, data_grad):
    return image + epsilon * data_grad.sign()


for epsilon in [0, 0.1, 0.2, 0.4]:
    right = 0
    for image, label in zip(inputs.split(1), labels.split(1)):
        image = image.clone()
        image.requires_grad = True
        output = model(image)
        if output.max(1, keepdim=True)[1].item() != label.item():
            continue
        model.zero_grad()
        F.nll_loss(output, label).backward()
        moved = model(attack(image, epsilon, image.grad.data))
        right += int(moved.max(1, keepdim=True)[1].item() == label.item())
    print(f"Epsilon: {epsilon}\tAccuracy = {right} / {len(inputs)} = {right / len(inputs)}")
