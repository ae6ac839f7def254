"""The compute process: bounds from data, and lanes."""
