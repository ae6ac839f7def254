"""Reading C: preprocessing (pcpp), parsing (pycparser), and lowering to our syntax tree."""
