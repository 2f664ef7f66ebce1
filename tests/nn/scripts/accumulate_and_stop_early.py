# ruff: noqa - written as tutorials are
import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
x = torch.randn(200, 5)
y = x @ torch.tensor([1.0, -2.0, 0.5, 0.0, 3.0]) + 0.3 * torch.randn(200)
train = DataLoader(TensorDataset(x[:160], y[:160]), batch_size=8, shuffle=True, drop_last=True)
model = nn.Sequential(nn.Linear(5, 16, bias=False), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
best, best_state, waited, accumulate = float("inf"), None, 0, 4
for epoch in range(12):
    model.train()
    optimizer.zero_grad()
    for i, (xb, yb) in enumerate(train):
        loss = nn.functional.mse_loss(model(xb).squeeze(-1), yb) / accumulate
        loss.backward()
        if (i + 1) % accumulate == 0:
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    model.eval()
    with torch.no_grad():
        held_out = nn.functional.mse_loss(model(x[160:]).squeeze(-1), y[160:]).item()
    scheduler.step(held_out)
    if held_out < best:
        best, best_state, waited = held_out, copy.deepcopy(model.state_dict()), 0
    else:
        waited += 1
        if waited == 3:
            print("stopped at epoch", epoch)
            break
    print(f"{epoch:2d} {held_out:.4f} lr {optimizer.param_groups[0]['lr']:.4f}")
model.load_state_dict(best_state)
print(list(best_state)[:4], best_state["1.num_batches_tracked"])
