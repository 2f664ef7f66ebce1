"""Transformer encoders and decoders (Vaswani et al. 2017)."""

from __future__ import annotations

import copy
from typing import Any

from ..errors import BadArgument
from ..ops import activation as activations
from ..ops import creation, linalg
from . import init
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm


def _activation(name: Any) -> Any:
    if not isinstance(name, str):
        return name
    if name not in ("relu", "gelu"):
        raise BadArgument(f"activation is 'relu', 'gelu' or a function, not {name!r}")
    return activations.relu if name == "relu" else activations.gelu


class _Layer(Module):
    """Attentions and a small network for each place, each with a way around it and a LayerNorm."""

    attentions: tuple[str, ...] = ()

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = activations.relu,
        layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        made: dict[str, Any] = {"device": device, "dtype": dtype}
        for name in self.attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **made))
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **made)
        self.norm_first = norm_first
        parts = range(1, len(self.attentions) + 2)
        for i in parts:
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **made))
        for i in parts:
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = _activation(activation)

    def _pass(self, x: Any, *attend: Any) -> Any:
        """Through each attention in turn, given as a function, and then through the network."""

        def network(x: Any) -> Any:
            return self.linear2(self.dropout(self.activation(self.linear1(x))))

        for i, part in enumerate((*attend, network), 1):
            norm, drop = getattr(self, f"norm{i}"), getattr(self, f"dropout{i}")
            x = x + drop(part(norm(x))) if self.norm_first else norm(x + drop(part(x)))
        return x


class TransformerEncoderLayer(_Layer):
    """Self-attention and a small network for each place, each with a way around it and a LayerNorm."""

    attentions = ("self_attn",)

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """A sequence → a sequence of the same shape."""

        def itself(x: Any) -> Any:
            masks = {"attn_mask": src_mask, "key_padding_mask": src_key_padding_mask, "is_causal": is_causal}
            return self.self_attn(x, x, x, need_weights=False, **masks)[0]

        return self._pass(src, itself)


class TransformerEncoder(Module):
    """Copies of one encoder layer, one after another."""

    def __init__(
        self, encoder_layer: Any, num_layers: int, norm: Any = None, enable_nested_tensor: bool = True, mask_check: bool = True
    ) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None) -> Any:
        """A sequence → a sequence of the same shape."""
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=bool(is_causal))
        return output if self.norm is None else self.norm(output)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to what an encoder made, and a small network, each with a way around it and a LayerNorm."""

    attentions = ("self_attn", "multihead_attn")

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None, tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """A target sequence and an encoder's output → a sequence of the target's shape."""

        def itself(x: Any) -> Any:
            masks = {"attn_mask": tgt_mask, "key_padding_mask": tgt_key_padding_mask, "is_causal": tgt_is_causal}
            return self.self_attn(x, x, x, need_weights=False, **masks)[0]

        def source(x: Any) -> Any:
            masks = {"attn_mask": memory_mask, "key_padding_mask": memory_key_padding_mask, "is_causal": memory_is_causal}
            return self.multihead_attn(x, memory, memory, need_weights=False, **masks)[0]

        return self._pass(tgt, itself, source)


class TransformerDecoder(Module):
    """Copies of one decoder layer, one after another."""

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """A target sequence and an encoder's output → a sequence of the target's shape."""
        output = tgt
        for layer in self.layers:
            output = layer(
                output, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, bool(tgt_is_causal),
                memory_is_causal,
            )  # fmt: skip
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder and a decoder.

    Parameters
    ----------
    d_model : int
        Features of the sequences.
    nhead : int
        How many attentions side by side.
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = activations.relu, custom_encoder: Any = None,
        custom_decoder: Any = None, layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        made: dict[str, Any] = {"device": device, "dtype": dtype}
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **made)

        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            layer: Module = TransformerEncoderLayer(*options, **made)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            layer = TransformerDecoderLayer(*options, **made)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, norm())
        for parameter in self.parameters():
            if parameter._data.ndim > 1:
                init.xavier_uniform_(parameter)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None,
        src_key_padding_mask: Any = None, tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """A source and a target sequence → a sequence of the target's shape."""
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise BadArgument(f"the source has {src.size(batch)} sequences and the target {tgt.size(batch)}")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise BadArgument(f"source and target have {self.d_model} features, not {src.size(-1)} and {tgt.size(-1)}")
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal, memory_is_causal
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """A mask (sz, sz): 0 up to a place itself, minus infinity after it."""
        return linalg.triu(creation.full((sz, sz), float("-inf"), device=device, dtype=dtype), 1)
