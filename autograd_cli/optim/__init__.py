"""Optimizers and learning-rate schedulers. Each does what PyTorch's single-tensor implementation does, in its order of operations."""
