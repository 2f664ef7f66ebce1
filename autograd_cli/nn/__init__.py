"""Modules: layers and losses with their parameters, containers, initialisers. Functional forms are in the op table."""
