"""The names that scripts see: `torch` and its submodules, as tables."""
