"""Benchmarks of agrad beside PyTorch, HIPS autograd, MyGrad, micrograd and NumPy by hand: ``python -m benchmarks --help``."""
