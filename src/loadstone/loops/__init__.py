"""Loop trees: the order of execution as code, made by isl's AST generator and printed by the back ends."""

from loadstone.loops.generation import generate
from loadstone.loops.model import Block, For, If, Instance, Node

__all__ = ["Block", "For", "If", "Instance", "Node", "generate"]
