"""The judge: scenarios under an installed PyTorch, its graphs as Traces, and what differs from ours. The only home of ``import torch``."""
