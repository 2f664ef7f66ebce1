"""What layers do on many shapes and options, as plain data: in PyTorch (``record_layer_cases.py``) and here. No torch in this file."""

from __future__ import annotations

import hashlib
import math
from typing import Any

# constructor | inputs: ``a`` is (3, 4, 6), ``i`` (2, 4, 7, 6), ``m`` (4, 5), ``s`` (4, 2, 3), ``q k v`` (3, 2, 4), ``h c`` (1, 2, 2).
CASES = """
nn.Linear(5, 3) | m
nn.Linear(6, 2, bias=False) | a
nn.Identity() | m
nn.Flatten() | a
nn.Unflatten(1, (2, 2)) | a
nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1)) | m
nn.PReLU(4) | a
nn.Embedding(5, 3) | n
nn.Embedding(5, 3, padding_idx=0) | n
nn.Embedding(5, 3, max_norm=1.0) | n
nn.LayerNorm(6) | a
nn.LayerNorm([4, 6]) | a
nn.LayerNorm(6, elementwise_affine=False) | a
nn.LayerNorm(6, bias=False) | a
nn.RMSNorm(6) | a
nn.GroupNorm(2, 4) | i
nn.GroupNorm(4, 4, affine=False) | a
nn.BatchNorm1d(5) | m
nn.BatchNorm1d(4) | a
nn.BatchNorm2d(4) | i
nn.BatchNorm2d(4, affine=False) | i
nn.BatchNorm2d(4, momentum=None) | i
nn.BatchNorm2d(4, track_running_stats=False) | i
nn.BatchNorm2d(4).eval() | i
nn.InstanceNorm2d(4, affine=True) | i
nn.InstanceNorm1d(4, track_running_stats=True) | a
nn.Conv1d(4, 3, 3) | a
nn.Conv1d(4, 6, 2, stride=2, padding=1, dilation=2, groups=2) | a
nn.Conv2d(4, 3, 3) | i
nn.Conv2d(4, 2, (2, 3), stride=(2, 1), padding=(1, 2), bias=False) | i
nn.Conv2d(4, 4, 3, groups=4, padding=1) | i
nn.Conv2d(4, 3, 1) | i
nn.Conv2d(4, 3, 3, padding="same") | i
nn.Conv2d(4, 3, 2, padding="same") | i
nn.Conv2d(4, 5, 3, stride=3) | i
nn.Conv2d(4, 9, 5, padding=(0, 1), stride=9) | i
nn.Conv2d(4, 3, 3, padding=1, padding_mode="reflect") | i
nn.Conv1d(4, 3, 3, padding=2, padding_mode="replicate") | a
nn.Conv2d(4, 3, 3) | i0
nn.Conv3d(2, 3, 2) | d
nn.ConvTranspose2d(4, 3, 3) | i
nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2) | i
nn.ConvTranspose1d(4, 2, 3, dilation=2) | a
nn.MaxPool2d(2) | i
nn.MaxPool2d(3, stride=2, padding=1) | i
nn.MaxPool2d(2, ceil_mode=True) | i
nn.MaxPool2d(2, dilation=2, stride=1) | i
nn.MaxPool2d(2) | i0
nn.MaxPool2d(2, return_indices=True) | i
nn.MaxPool1d(2) | a
nn.MaxPool3d(2, stride=1) | d
nn.AvgPool3d(2, stride=1, padding=1) | d
nn.AdaptiveMaxPool2d((2, None)) | i
nn.AdaptiveMaxPool1d(4) | a
nn.LPPool2d(2, 2) | i
nn.LPPool1d(4, 2, stride=1) | a
nn.LocalResponseNorm(3) | i
nn.LocalResponseNorm(2, alpha=0.1, beta=0.5, k=2.0) | a
nn.Bilinear(6, 6, 3) | a a
nn.Bilinear(5, 5, 2, bias=False) | m m
nn.EmbeddingBag(5, 3) | n
nn.EmbeddingBag(5, 3, mode="sum", padding_idx=0) | n
nn.Upsample(scale_factor=2) | i
nn.Upsample(size=(3, 9), mode="bilinear", align_corners=True) | i
nn.Upsample(scale_factor=1.5, mode="linear") | a
nn.UpsamplingBilinear2d(scale_factor=2) | i
nn.UpsamplingNearest2d(size=5) | i
nn.PixelShuffle(2) | i
nn.PixelUnshuffle(2) | i6
nn.Unfold(3, padding=1, stride=2) | i
nn.Fold((4, 3), 2) | f
nn.ConstantPad1d((1, 2), 3.5) | a
nn.ConstantPad2d(1, 0.5) | i
nn.ZeroPad2d((1, 0, 2, 1)) | i
nn.ReflectionPad1d(2) | a
nn.ReflectionPad2d((1, 2, 0, 1)) | i
nn.ReplicationPad1d(2) | a
nn.ReplicationPad2d(1) | i
nn.CircularPad2d(1) | i
nn.Hardshrink() | a
nn.Softshrink(0.3) | a
nn.RReLU().eval() | a
nn.RReLU(0.1, 0.3, inplace=True).eval() | m2
nn.Softmax2d() | i
nn.AlphaDropout(0.3) | a
nn.FeatureAlphaDropout(0.3) | i
nn.LeakyReLU(0.2, inplace=True) | m2
nn.ELU(inplace=True) | m2
nn.CELU(0.5, inplace=True) | m2
nn.Threshold(0.1, 2.0, inplace=True) | m2
nn.SoftMarginLoss() | m p
nn.MultiLabelMarginLoss() | m kk
nn.MultiLabelSoftMarginLoss() | m b
nn.MultiMarginLoss(margin=0.5) | m cc
nn.HingeEmbeddingLoss(0.5) | m p
nn.CosineEmbeddingLoss(0.1) | m m2 p1
nn.MarginRankingLoss(0.2) | m m2 p
nn.TripletMarginLoss(swap=True) | m m2 p
nn.TripletMarginWithDistanceLoss(margin=2.0) | m m2 p
nn.PoissonNLLLoss() | m b
nn.GaussianNLLLoss() | m b b1
nn.PairwiseDistance(keepdim=True) | m m2
nn.CosineSimilarity(dim=0) | m m2
nn.AvgPool2d(2) | i
nn.AvgPool2d(3, 2, 1) | i
nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False) | i
nn.AvgPool2d(2, divisor_override=3) | i
nn.AvgPool1d(2) | a
nn.AdaptiveAvgPool2d(1) | i
nn.AdaptiveAvgPool2d((3, 4)) | i
nn.AdaptiveAvgPool2d((None, 2)) | i
nn.AdaptiveAvgPool1d(4) | a
nn.Dropout(0.3) | a
nn.Dropout(0.3) | at
nn.Dropout(0.3).eval() | a
nn.Dropout2d(0.5) | i
nn.RNN(3, 2) | s
nn.RNN(3, 2, nonlinearity="relu") | s
nn.RNN(3, 2, batch_first=True) | s
nn.RNN(3, 2) | s0
nn.LSTM(3, 2) | s
nn.LSTM(3, 2, batch_first=True) | s
nn.LSTM(3, 2, bias=False, bidirectional=True) | s
nn.LSTM(3, 2, num_layers=2, dropout=0.5) | s
nn.LSTM(3, 2) | s (h,c)
nn.GRU(3, 2) | s
nn.GRU(3, 2) | s h
nn.GRU(3, 2, num_layers=2, bidirectional=True) | s
nn.RNNCell(3, 2) | s0
nn.RNNCell(3, 2, bias=False, nonlinearity="relu") | s0
nn.GRUCell(3, 2) | s0
nn.LSTMCell(3, 2) | s0
nn.MultiheadAttention(4, 2) | q k v
nn.MultiheadAttention(4, 2) | q q q
nn.MultiheadAttention(4, 2) | q k k
nn.MultiheadAttention(4, 2, batch_first=True) | q q q
nn.MultiheadAttention(4, 2, bias=False) | q k v
nn.MultiheadAttention(4, 2, dropout=0.3) | q k v
nn.MultiheadAttention(4, 2, kdim=3, vdim=4) | q s3 v
nn.TransformerEncoderLayer(4, 2, 8) | q
nn.TransformerEncoderLayer(4, 2, 8, batch_first=True) | q
nn.TransformerEncoderLayer(4, 2, 8, norm_first=True, activation="gelu") | q
nn.TransformerDecoderLayer(4, 2, 8) | q k
nn.TransformerDecoderLayer(4, 2, 8, norm_first=True, dropout=0.0, batch_first=True) | q k
nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0), 2, nn.LayerNorm(4)) | q k
nn.Transformer(4, 2, 1, 2, 8, dropout=0.0) | q k
nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2, nn.LayerNorm(4)) | q
"""


def cases() -> list[str]:
    """The lines."""
    return CASES.strip().splitlines()


def inputs(torch: Any) -> dict[str, Any]:
    """The tensors that the lines name; fixed numbers without a random stream."""

    def wave(*shape: int, phase: float) -> Any:
        values = torch.arange(math.prod(shape), dtype=torch.float64) * 0.7 + phase
        return (torch.sin(values) + torch.cos(values * values * 0.1)).reshape(shape).detach()

    shapes = {"a": (3, 4, 6), "i": (2, 4, 7, 6), "m": (4, 5), "s": (4, 2, 3), "q": (3, 2, 4), "k": (3, 2, 4), "v": (3, 2, 4)}
    shapes |= {"d": (1, 2, 4, 3, 3), "h": (1, 2, 2), "c": (1, 2, 2), "s3": (3, 2, 3)}
    found = {name: wave(*shape, phase=0.1 * (1 + place)) for place, (name, shape) in enumerate(shapes.items())}
    found |= {"i0": found["i"][0].clone(), "s0": found["s"][0].clone(), "at": wave(6, 4, 3, phase=1.2).permute(2, 1, 0)}
    found |= {"i6": wave(1, 2, 4, 6, phase=1.3), "f": wave(2, 8, 6, phase=1.4), "m2": wave(4, 5, phase=1.5)}
    found = {name: t.requires_grad_() if name != "at" else t for name, t in found.items()}
    found["m2"] = found["m2"] * 1  # may be changed in place
    found |= {"p": wave(4, 5, phase=1.6).sign(), "b": wave(4, 5, phase=1.7).abs(), "b1": wave(4, 5, phase=1.8).abs() + 0.1}
    found |= {"p1": found["p"][:, 0], "cc": torch.tensor([1, 0, 4, 2])}
    found["kk"] = torch.tensor([[0, 2, -1, 1, 1], [1, -1, 0, 0, 0], [-1, 0, 1, 2, 3], [4, 3, 2, 1, 0]])
    found["n"] = torch.tensor([[0, 1, 1], [3, 0, 2]])
    return found


def flat(value: Any) -> list[Any]:
    """The tensors in a result, from left to right."""
    if isinstance(value, (tuple, list)):
        return [t for item in value for t in flat(item)]
    return [] if value is None else [value]


def make(torch: Any, case: str) -> Any:
    """The layer, with float64 weights drawn after ``manual_seed(0)``."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        torch.manual_seed(0)
        return eval(case.partition(" | ")[0], {"nn": torch.nn})
    finally:
        torch.set_default_dtype(before)


def call(torch: Any, layer: Any, case: str) -> tuple[list[Any], list[Any]]:
    """(results, leaves) of a layer on the inputs of a line."""
    known = inputs(torch)
    words = case.partition(" | ")[2].split()
    args = [tuple(known[n] for n in word[1:-1].split(",")) if word[0] == "(" else known[word] for word in words]
    leaves = list(dict.fromkeys(t for t in flat(args) if t.requires_grad))
    return flat(layer(*args)), leaves + [p for p in layer.parameters() if p.requires_grad]


def total(torch: Any, results: list[Any]) -> Any:
    """A number that depends on each element of the results in its own way."""
    floating = [r for r in results if r.is_floating_point()]
    weights = [torch.linspace(0.5, 1.5, r.numel(), dtype=torch.float64).reshape(r.shape) for r in floating]
    return sum(((r * w) ** 2).sum() for r, w in zip(floating, weights, strict=True))


def observe(torch: Any, case: str) -> dict[str, Any]:
    """Text, weights, results, graphs, gradients once and twice, and buffers of a layer."""
    layer = make(torch, case)
    record: dict[str, Any] = {"text": repr(layer), "state": {name: rounded(t) for name, t in layer.state_dict().items()}}
    results, leaves = call(torch, layer, case)
    record["results"] = [rounded(r) for r in results]
    record["layout"] = [list(r.stride()) for r in results]
    graphs = [nodes(r.grad_fn) for r in results if r.grad_fn is not None]
    record["graphs"] = [hashlib.sha256(" ".join(graph).encode()).hexdigest()[:16] for graph in graphs]
    record["nodes"] = " ".join(graphs[0]) if graphs and len(graphs[0]) < 40 else None
    record["buffers"] = {name: rounded(b) for name, b in layer.named_buffers()}
    if graphs:
        record |= gradients(torch, results, leaves)
    return record


def gradients(torch: Any, results: list[Any], leaves: list[Any]) -> dict[str, Any]:
    """The gradients of ``total``, and those of the sum of their squares."""
    first = torch.autograd.grad(total(torch, results), leaves, create_graph=True, allow_unused=True)
    squares = [(g**2).sum() for g in first if g is not None and g.requires_grad]
    record = {"grads": [None if g is None else rounded(g) for g in first]}
    if squares:
        try:
            second = torch.autograd.grad(sum(squares), leaves, allow_unused=True)
        except RuntimeError:  # where PyTorch has no second derivative
            return record | {"second": None}
        record["second"] = [None if g is None else rounded(g) for g in second]
    return record


def rounded(tensor: Any) -> list[Any]:
    """The elements in row order; of many, some numbers that no permutation and no sign leaves alone."""
    values = tensor.detach().double().reshape(-1).tolist()
    if len(values) > 16:
        sums = [sum(values), sum(map(abs, values)), sum(v * math.sin(1 + i) for i, v in enumerate(values)), values[0], values[-1]]
        values = [float(len(values)), *sums]
    return [float(f"{v:.9g}") for v in values]


def nodes(root: Any) -> list[str]:
    """The nodes of a graph in the order in which they were recorded, each with its edges; leaves are stars."""
    seen: dict[Any, None] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            stack.extend(f for f, _ in node.next_functions if f is not None)
    functions = sorted((n for n in seen if "AccumulateGrad" not in n.name()), key=lambda n: n._sequence_nr())
    place = {node: i for i, node in enumerate(functions)}

    def edge(function: Any, number: int) -> str:
        return "-" if function is None else f"{place.get(function, '*')}{f':{number}' if number else ''}"

    return [
        f"{n.name().rpartition('::')[2].replace('Backward', '')}({','.join(edge(*e) for e in n.next_functions)})"
        for n in functions
    ]
