"""``torch.nn.utils.rnn``: sequences of different lengths side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.tensor import Tensor
from ..errors import BadArgument, BadArgumentType, BadArgumentValue
from ..ops import compare, creation, overwrite, parts


def pad_sequence(sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right") -> Tensor:
    """One tensor (T, N, *) of sequences (length, *), filled up to the longest.

    Parameters
    ----------
    batch_first : bool
        (N, T, *) instead.
    padding_side : str
        Where the padding goes: ``right`` or ``left``.
    """
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)  # type: ignore[attr-defined]
    if not isinstance(sequences, Sequence) or not all(isinstance(s, Tensor) for s in sequences):
        raise BadArgumentType("pad_sequence() takes a list or tuple of tensors")
    if not sequences:
        raise BadArgument("pad_sequence() got no sequences")
    if padding_side not in ("left", "right"):
        raise BadArgument(f"padding_side is 'left' or 'right', not {padding_side!r}")
    longest, trailing = max(len(s._data) for s in sequences), tuple(sequences[0].shape[1:])
    if any(tuple(s.shape[1:]) != trailing for s in sequences):
        raise BadArgument("the sequences of pad_sequence() differ in more than their length")
    shape = (len(sequences), longest, *trailing) if batch_first else (longest, len(sequences), *trailing)
    out = overwrite.fill_(creation.empty(shape, dtype=sequences[0].dtype, device=sequences[0].device), padding_value)
    for i, sequence in enumerate(sequences):
        start = 0 if padding_side == "right" else longest - len(sequence._data)
        row = parts.select(out, 0 if batch_first else 1, i)
        overwrite.copy_(parts.narrow(row, 0, start, len(sequence._data)), sequence)
    return out


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Tensor]:
    """The sequences of a padded tensor, without their padding."""
    sizes = [int(n) for n in lengths]
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    if len(sizes) != len(rows._data):
        raise BadArgumentValue(f"unpad_sequence() got {len(sizes)} lengths for {len(rows._data)} sequences")
    places = creation.arange(rows.shape[1], device=rows.device)
    return [row[compare.lt(places, n)] for row, n in zip(rows.unbind(0), sizes, strict=True)]
