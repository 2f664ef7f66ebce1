"""The op table: one declaration an operation."""
