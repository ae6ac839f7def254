"""External memory of generated programs: elements by position, and structures of the user."""
