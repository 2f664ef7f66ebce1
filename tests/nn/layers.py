"""Layers with the parameters that a seed gives them: results, gradients and nodes."""

LAYERS = {
    "linear": ("nn.Linear(4, 3)", "torch.rand(2, 4)"),
    "conv1d": ("nn.Conv1d(2, 3, 3, padding=1)", "torch.rand(2, 2, 7)"),
    "conv2d": ("nn.Conv2d(2, 4, 3, stride=2, padding=1)", "torch.rand(2, 2, 6, 5)"),
    "conv2d groups": ("nn.Conv2d(4, 4, 3, groups=2, dilation=2, bias=False)", "torch.rand(1, 4, 7, 7)"),
    "conv_transpose2d": ("nn.ConvTranspose2d(2, 3, 3, stride=2)", "torch.rand(1, 2, 4, 4)"),
    "max_pool2d": ("nn.MaxPool2d(2)", "torch.rand(2, 2, 5, 6)"),
    "avg_pool2d": ("nn.AvgPool2d(3, stride=2, padding=1)", "torch.rand(1, 2, 6, 6)"),
    "adaptive_avg_pool2d": ("nn.AdaptiveAvgPool2d((2, 3))", "torch.rand(1, 2, 5, 7)"),
    "batch_norm1d": ("nn.BatchNorm1d(3)", "torch.rand(5, 3)"),
    "batch_norm2d": ("nn.BatchNorm2d(2)", "torch.rand(3, 2, 4, 4)"),
    "layer_norm": ("nn.LayerNorm(4)", "torch.rand(3, 4)"),
    "group_norm": ("nn.GroupNorm(2, 4)", "torch.rand(2, 4, 3)"),
    "rnn": ("nn.RNN(3, 4, batch_first=True)", "torch.rand(2, 5, 3)"),
    "lstm": ("nn.LSTM(3, 4, num_layers=2)", "torch.rand(5, 2, 3)"),
    "gru": ("nn.GRU(3, 4)", "torch.rand(5, 2, 3)"),
    "lstm cell": ("nn.LSTMCell(3, 4)", "torch.rand(2, 3)"),
    "transformer": ("nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, dropout=0.0)", "torch.rand(3, 2, 4)"),
    "mlp": ("nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3), nn.LogSoftmax(1))", "torch.rand(5, 4)"),
}


def observe(torch, nn, name):
    """(repr, result, sum of each gradient, gradient of the input, name of the last node)."""
    make, data = LAYERS[name]
    torch.manual_seed(3)
    names = {"torch": torch, "nn": nn}
    layer = eval(make, names).double()
    x = eval(data, names).double().requires_grad_()
    result = layer(x)
    while isinstance(result, tuple):
        result = result[0]
    (result * torch.arange(1.0, 1.0 + result.numel(), dtype=torch.float64).reshape(result.shape)).sum().backward()
    sums = [None if p.grad is None else p.grad.abs().sum().item() for p in layer.parameters()]
    return [repr(layer), result.detach().tolist(), sums, x.grad.tolist(), result.grad_fn.name()]
