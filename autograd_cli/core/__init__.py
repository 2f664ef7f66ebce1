"""The autograd engine: arrays in, arrays out; no input or output at all."""
