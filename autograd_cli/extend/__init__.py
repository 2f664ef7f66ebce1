"""What PyTorch builds from passes of the engine: Jacobians and Hessians, ``torch.func``, gradcheck."""
