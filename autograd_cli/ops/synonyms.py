"""The second names that PyTorch has for operations: of functions, of methods and of their forms in place alike."""

from __future__ import annotations

SYNONYMS = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh",
    "arctan2": "atan2", "divide": "div", "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "multiply": "mul",
    "negative": "neg", "not_equal": "ne", "subtract": "sub", "clip": "clamp", "fix": "trunc", "row_stack": "vstack", "concat": "cat",
    "concatenate": "cat", "swapaxes": "transpose", "swapdims": "transpose", "moveaxis": "movedim", "trapz": "trapezoid",
    "split_with_sizes": "split",
}  # fmt: skip
