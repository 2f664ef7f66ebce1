# ruff: noqa - written as tutorials are
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(1)
training_data = [
    ("the cat saw the bird".split(), ["D", "N", "V", "D", "N"]),
    ("every bird sings".split(), ["D", "N", "V"]),
]
word_to_ix, tag_to_ix = {}, {"D": 0, "N": 1, "V": 2}
for sentence, tags in training_data:
    for word in sentence:
        if word not in word_to_ix:
            word_to_ix[word] = len(word_to_ix)
print(word_to_ix)


class Tagger(nn.Module):
    def __init__(self, embedding_dim, hidden_dim, vocabulary, tags):
        super(Tagger, self).__init__()
        self.hidden_dim = hidden_dim
        self.word_embeddings = nn.Embedding(vocabulary, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim)
        self.hidden2tag = nn.Linear(hidden_dim, tags)

    def forward(self, sentence):
        embeds = self.word_embeddings(sentence)
        lstm_out, _ = self.lstm(embeds.view(len(sentence), 1, -1))
        return F.log_softmax(self.hidden2tag(lstm_out.view(len(sentence), -1)), dim=1)


def prepare(words, to_ix):
    return torch.tensor([to_ix[w] for w in words], dtype=torch.long)


model = Tagger(6, 6, len(word_to_ix), len(tag_to_ix))
loss_function = nn.NLLLoss()
optimizer = optim.SGD(model.parameters(), lr=0.1)
with torch.no_grad():
    print(model(prepare(training_data[0][0], word_to_ix)))
for epoch in range(60):
    for sentence, tags in training_data:
        model.zero_grad()
        loss = loss_function(model(prepare(sentence, word_to_ix)), prepare(tags, tag_to_ix))
        loss.backward()
        optimizer.step()
with torch.no_grad():
    scores = model(prepare(training_data[0][0], word_to_ix))
    print(scores)
    print(scores.argmax(1))
