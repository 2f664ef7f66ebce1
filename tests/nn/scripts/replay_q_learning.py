# ruff: noqa - written as tutorials are
import random
from collections import deque, namedtuple
from itertools import count

import torch
import torch.nn as nn
import torch.optim as optim

random.seed(7)
torch.manual_seed(7)
Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(list(self.memory), batch_size)

    def __len__(self):
        return len(self.memory)


class Corridor:
    """Nine places in a row; the right end pays."""

    def reset(self):
        self.place = 4
        return self.seen()

    def seen(self):
        return torch.nn.functional.one_hot(torch.tensor(self.place), 9).float().unsqueeze(0)

    def step(self, action):
        self.place += 1 if action == 1 else -1
        done = self.place in (0, 8)
        return (None if done else self.seen()), (1.0 if self.place == 8 else -0.05), done


class DQN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(9, 24)
        self.layer2 = nn.Linear(24, 2)

    def forward(self, x):
        return self.layer2(torch.relu(self.layer1(x)))


policy, target = DQN(), DQN()
target.load_state_dict(policy.state_dict())
optimizer = optim.AdamW(policy.parameters(), lr=3e-3, amsgrad=True)
memory = ReplayMemory(500)
env = Corridor()


def optimize():
    if len(memory) < 32:
        return None
    batch = Transition(*zip(*memory.sample(32)))
    mask = torch.tensor(tuple(s is not None for s in batch.next_state), dtype=torch.bool)
    rest = torch.cat([s for s in batch.next_state if s is not None])
    values = policy(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
    following = torch.zeros(32)
    with torch.no_grad():
        following[mask] = target(rest).max(1).values
    expected = following * 0.9 + torch.cat(batch.reward)
    loss = nn.SmoothL1Loss()(values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy.parameters(), 100)
    optimizer.step()
    return loss.item()


lengths = []
for episode in range(25):
    state = env.reset()
    for t in count():
        if random.random() < 0.3:
            action = torch.tensor([[random.randrange(2)]], dtype=torch.long)
        else:
            with torch.no_grad():
                action = policy(state).max(1).indices.view(1, 1)
        following, reward, done = env.step(action.item())
        memory.push(state, action, following, torch.tensor([reward]))
        state = following
        loss = optimize()
        new, old = policy.state_dict(), target.state_dict()
        for key in new:
            old[key] = new[key] * 0.05 + old[key] * 0.95
        target.load_state_dict(old)
        if done or t > 60:
            lengths.append(t + 1)
            break
print(lengths)
print(f"{loss:.5f}")
print(policy(env.reset()))
