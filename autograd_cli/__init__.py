"""agrad: PyTorch's autograd, made visible."""
