"""The direct baseline: a kernel that works on external memory without local memories."""
