# ruff: noqa - written as tutorials are
import math

import torch
from torch import Tensor, nn

torch.manual_seed(0)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, max_len: int = 50):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(x + self.pe[: x.size(0)])


class TransformerModel(nn.Module):
    def __init__(self, ntoken: int, d_model: int, nhead: int, d_hid: int, nlayers: int):
        super().__init__()
        self.pos_encoder = PositionalEncoding(d_model)
        layers = nn.TransformerEncoderLayer(d_model, nhead, d_hid, 0.1)
        self.transformer_encoder = nn.TransformerEncoder(layers, nlayers, enable_nested_tensor=False)
        self.embedding = nn.Embedding(ntoken, d_model)
        self.d_model = d_model
        self.linear = nn.Linear(d_model, ntoken)
        self.init_weights()

    def init_weights(self) -> None:
        self.embedding.weight.data.uniform_(-0.1, 0.1)
        self.linear.bias.data.zero_()
        self.linear.weight.data.uniform_(-0.1, 0.1)

    def forward(self, src: Tensor, src_mask: Tensor = None) -> Tensor:
        src = self.pos_encoder(self.embedding(src) * math.sqrt(self.d_model))
        if src_mask is None:
            src_mask = nn.Transformer.generate_square_subsequent_mask(len(src))
        return self.linear(self.transformer_encoder(src, src_mask))


def batchify(data: Tensor, bsz: int) -> Tensor:
    seq_len = data.size(0) // bsz
    return data[: seq_len * bsz].view(bsz, seq_len).t().contiguous()


text = torch.arange(400).remainder(7) + torch.randint(0, 2, (400,))
data = batchify(text, 8)
model = TransformerModel(8, 16, 2, 32, 2)
print(sum(p.numel() for p in model.parameters()), data.shape)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.95)
for epoch in range(3):
    model.train()
    total = 0.0
    for i in range(0, data.size(0) - 1, 10):
        seq_len = min(10, len(data) - 1 - i)
        source, goal = data[i : i + seq_len], data[i + 1 : i + 1 + seq_len].reshape(-1)
        loss = criterion(model(source).view(-1, 8), goal)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        total += loss.item()
    print(f"| epoch {epoch} | lr {scheduler.get_last_lr()[0]:02.2f} | loss {total:5.2f} | ppl {math.exp(total / 5):8.2f}")
    scheduler.step()
