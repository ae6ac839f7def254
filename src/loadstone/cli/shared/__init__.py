"""What commands share: options read from words, kernels and compilations made from them, the terminal."""
