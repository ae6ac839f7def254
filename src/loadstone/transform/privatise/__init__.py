"""Privatisation: values of temporaries get places of their own, so that no false dependence forbids a tiling."""
