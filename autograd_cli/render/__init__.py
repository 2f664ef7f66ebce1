"""Pictures of a Trace: DOT, SVG and PNG, the terminal drawing, tables, Mermaid. Pure functions of plain data."""
