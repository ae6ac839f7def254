"""The version, which generated files name."""

VERSION = "0.1.0"
