"""Loops as HLS compilers like them: long conditions under names, numbers of iterations told."""
