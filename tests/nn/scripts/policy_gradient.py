# ruff: noqa - written as tutorials are
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(3, 12)
        self.action_head = nn.Linear(12, 2)
        self.value_head = nn.Linear(12, 1)

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


model = Policy()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-2)
eps = torch.finfo(torch.float32).eps
for episode in range(6):
    log_probs, values, rewards = [], [], []
    state = torch.zeros(3)
    for t in range(10):
        probs, value = model(state)
        action = torch.multinomial(probs, 1)
        log_probs.append(torch.log(probs[action]))
        values.append(value)
        state = 0.8 * state + torch.randn(3) * 0.1 + (action.float() - 0.5)
        rewards.append(-state.abs().sum().item())
    R, returns = 0, []
    for r in rewards[::-1]:
        R = r + 0.9 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    policy_losses = [-lp * (R - v.item()) for lp, v, R in zip(log_probs, values, returns)]
    value_losses = [F.smooth_l1_loss(v, torch.tensor([R])) for v, R in zip(values, returns)]
    optimizer.zero_grad()
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    optimizer.step()
    print(f"Episode {episode}\tReward: {sum(rewards):.2f}\tLoss: {loss.item():.4f}")
