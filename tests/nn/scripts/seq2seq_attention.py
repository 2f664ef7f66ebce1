# ruff: noqa - written as tutorials are
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim

torch.manual_seed(0)
SOS, EOS, LENGTH = 0, 1, 5


class Encoder(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.1):
        super().__init__()
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input):
        return self.gru(self.dropout(self.embedding(input)))


class Attention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1, bias=False)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        weights = F.softmax(scores.squeeze(2).unsqueeze(1), dim=-1)
        return torch.bmm(weights, keys), weights


class Decoder(nn.Module):
    def __init__(self, hidden_size, output_size):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = Attention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, encoded, hidden, target=None):
        token = torch.empty(encoded.size(0), 1, dtype=torch.long).fill_(SOS)
        outputs, attentions = [], []
        for i in range(LENGTH):
            context, weights = self.attention(hidden.permute(1, 0, 2), encoded)
            embedded = self.embedding(token)
            output, hidden = self.gru(torch.cat((embedded, context), dim=2), hidden)
            outputs.append(self.out(output))
            attentions.append(weights)
            if target is not None:
                token = target[:, i].unsqueeze(1)
            else:
                token = outputs[-1].topk(1)[1].squeeze(-1).detach()
        return F.log_softmax(torch.cat(outputs, dim=1), dim=-1), torch.cat(attentions, dim=1)


source = torch.randint(2, 9, (12, LENGTH))
target = source.flip(1)
encoder, decoder = Encoder(9, 16), Decoder(16, 9)
optimizers = [optim.Adam(part.parameters(), lr=0.01) for part in (encoder, decoder)]
criterion = nn.NLLLoss()
for epoch in range(1, 13):
    for optimizer in optimizers:
        optimizer.zero_grad()
    encoded, hidden = encoder(source)
    outputs, _ = decoder(encoded, hidden, target)
    loss = criterion(outputs.view(-1, outputs.size(-1)), target.reshape(-1))
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
    if epoch % 4 == 0:
        print(epoch, f"{loss.item():.3f}")
encoder.eval()
decoder.eval()
with torch.no_grad():
    outputs, attentions = decoder(*encoder(source[:2]))
print(attentions.shape, attentions.sum(-1).round(decimals=3)[0])
