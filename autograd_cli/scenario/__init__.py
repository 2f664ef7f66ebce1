"""From a YAML file, or pasted PyTorch, to a typed `Scenario` and a restricted, compiled script."""
