"""What C writes shortly, written out: lists of values, `switch`, steps in expressions, local pointers."""
