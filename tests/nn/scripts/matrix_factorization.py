# ruff: noqa - written as tutorials are
import torch
from torch import nn

torch.manual_seed(5)
users, films = 8, 6
taste, kind = torch.rand(users, 2), torch.rand(films, 2)
ratings = taste @ kind.T
who, what = torch.nonzero(torch.rand(users, films) < 0.7, as_tuple=True)
stars = ratings[who, what]


class Factors(nn.Module):
    def __init__(self, k=2):
        super().__init__()
        self.user = nn.Embedding(users, k)
        self.film = nn.Embedding(films, k)
        self.user_bias = nn.Embedding(users, 1)
        nn.init.normal_(self.user.weight, std=0.3)
        nn.init.normal_(self.film.weight, std=0.3)
        nn.init.zeros_(self.user_bias.weight)

    def forward(self, u, f):
        return (self.user(u) * self.film(f)).sum(1) + self.user_bias(u).squeeze(1)


model = Factors()
optimizer = torch.optim.AdamW(
    [
        {"params": [model.user.weight, model.film.weight], "weight_decay": 0.01},
        {"params": model.user_bias.parameters(), "lr": 0.05, "weight_decay": 0.0},
    ],
    lr=0.03,
)
for step in range(1, 101):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(who, what), stars)
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print(f"step {step:3d}: {loss.item():.5f}")
print([len(g["params"]) for g in optimizer.param_groups], len(who))
