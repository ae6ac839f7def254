"""What the five documents show, item by item: `benchmarks/papers.py` compares each with ours."""
