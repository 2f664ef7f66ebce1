"""Putting the parts together: run a scenario, always stop it."""
