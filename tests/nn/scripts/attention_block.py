import torch
from torch import nn

torch.manual_seed(3)


class Block(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(size, heads, batch_first=True)
        self.norm = nn.LayerNorm(size)
        self.feed = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))

    def forward(self, x):
        attended, weights = self.attention(x, x, x)
        x = self.norm(x + attended)
        return x + self.feed(x), weights


embedding = nn.Embedding(10, 8)
block = Block(8, 2)
head = nn.Linear(8, 10)
parameters = [*embedding.parameters(), *block.parameters(), *head.parameters()]
optimizer = torch.optim.AdamW(parameters, lr=0.01)
tokens = torch.randint(0, 10, (4, 6))
for step in range(20):
    hidden, weights = block(embedding(tokens))
    loss = nn.functional.cross_entropy(head(hidden).view(-1, 10), tokens.flip(1).reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 4:
        print(step + 1, f"{loss.item():.3f}")
print(weights.shape, weights.sum(-1).mean())
print(block)
