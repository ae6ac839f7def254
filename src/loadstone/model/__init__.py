"""The kernel as an object: types, expressions, statements, arrays, and the way from expressions to isl."""
