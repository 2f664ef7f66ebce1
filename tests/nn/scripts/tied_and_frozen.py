# ruff: noqa - written as tutorials are
import torch
from torch import nn

torch.manual_seed(4)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(6, 3)
        self.out = nn.Linear(3, 6, bias=False)
        self.out.weight = self.emb.weight
        self.register_buffer("scale", torch.tensor(0.5))

    def forward(self, x):
        return self.out(torch.tanh(self.emb(x)) * self.scale)


model = Tied()
print([name for name, _ in model.named_parameters()], list(model.state_dict()))
opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
tokens = torch.tensor([0, 1, 2, 3, 4, 5])
for step in range(15):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(model(tokens), (tokens + 1) % 6)
    loss.backward()
    opt.step()
print(f"{loss.item():.4f}", model.out.weight is model.emb.weight)

x = torch.tensor([-1.2, 1.0], requires_grad=True)
lbfgs = torch.optim.LBFGS([x], max_iter=10, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    value = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
    value.backward()
    return value


for _ in range(4):
    print(f"{lbfgs.step(closure).item():.3f}")
print(x.detach().round(decimals=2))
