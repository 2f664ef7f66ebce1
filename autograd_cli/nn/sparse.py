"""Embedding: a table of vectors looked up by number."""

from __future__ import annotations

from typing import Any

from ..errors import BadArgumentValue
from ..ops.embedding import embedding
from ..ops.embedding_bag import embedding_bag
from . import init
from .make import new_parameter
from .module import Module
from .module_text import unusual
from .parameter import parameter_of


class Embedding(Module):
    """Rows of a learned table.

    Parameters
    ----------
    num_embeddings, embedding_dim : int
        How many rows, and their size.
    padding_idx : int, optional
        A row of zeros that gets no gradient.
    max_norm : float, optional
        Rows that are used and longer than this are shortened first.
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Any = None, _freeze: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise BadArgumentValue(f"padding_idx {padding_idx} is outside of the {num_embeddings} rows")
            padding_idx %= num_embeddings
        self.padding_idx, self.max_norm, self.norm_type = padding_idx, max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is None:
            self.weight = new_parameter(num_embeddings, embedding_dim, device=device, dtype=dtype)
            self.weight.requires_grad_(not _freeze)
            self.reset_parameters()
        else:
            self.weight = parameter_of(_weight, not _freeze)

    @classmethod
    def from_pretrained(cls, embeddings: Any, freeze: bool = True, **options: Any) -> Embedding:
        """An Embedding with given rows."""
        rows, columns = embeddings._data.shape
        return cls(rows, columns, _weight=embeddings, _freeze=freeze, **options)

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight._storage()[self.padding_idx] = 0
            self.weight._written("fill_")

    def forward(self, input: Any) -> Any:
        """Numbers (*) → rows (*, embedding_dim)."""
        return embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        """Sizes and options."""
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}
        return f"{self.num_embeddings}, {self.embedding_dim}{unusual(self, usual)}" + (", sparse=True" if self.sparse else "")


class EmbeddingBag(Module):
    """Sums, means or maxima of rows of a learned table, bag by bag."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, _weight: Any = None,
        include_last_offset: bool = False, padding_idx: int | None = None, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.mode, self.sparse = num_embeddings, embedding_dim, mode, sparse
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.include_last_offset = include_last_offset
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise BadArgumentValue(f"padding_idx {padding_idx} is outside of the {num_embeddings} rows")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        if _weight is None:
            self.weight = new_parameter(num_embeddings, embedding_dim, device=device, dtype=dtype)
            self.reset_parameters()
        else:
            self.weight = parameter_of(_weight, True)

    @classmethod
    def from_pretrained(cls, embeddings: Any, freeze: bool = True, **options: Any) -> EmbeddingBag:
        """An EmbeddingBag with given rows."""
        rows, columns = embeddings._data.shape
        made = cls(rows, columns, _weight=embeddings, **options)
        made.weight.requires_grad_(not freeze)
        return made

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight._storage()[self.padding_idx] = 0
            self.weight._ensure_counter().version += 1

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        """Numbers (bags, n), or (n) with offsets → rows (bags, embedding_dim)."""
        return embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse,
            per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Sizes and options."""
        usual = {"max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}
        text = f"{self.num_embeddings}, {self.embedding_dim}{unusual(self, usual)}, mode={self.mode!r}"
        return text + ("" if self.padding_idx is None else f", padding_idx={self.padding_idx}")
