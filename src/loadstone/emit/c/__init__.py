"""C and HLS C++."""
