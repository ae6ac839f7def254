"""Jumps that depend on data, as flags and conditions.

    for (i = 0; i < n; i++) {          stop = 0;
      if (a[i] < 0) {                  for (i = 0; i < n; i++)
        b[i] = 0;                        if (!stop)
        break;                    ->       if (a[i] < 0) { b[i] = 0; stop = 1; }
      }                                    else { b[i] = a[i]; }
      b[i] = a[i];
    }

What follows a jump moves into the branch that does not jump; where neither branch always does, it stands under a flag.
Names are resolved here: a statement means the same in every block.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from loadstone.frontend import syntax
from loadstone.frontend.scopes import jumps, uses
from loadstone.model.types import INT

NewScalar = Callable[[str], syntax.Name]
"""A new scalar whose name begins with a word."""


def with_flags(loop: syntax.For, uncertain: Collection[syntax.Jump], new: NewScalar) -> syntax.Block:
    """The loop without some of its jumps; other jumps stay."""
    stop = new("stop") if any(jump.leaves_loop for jump in uncertain) else None
    skip = new("skip") if any(not jump.leaves_loop for jump in uncertain) else None
    body = _Rewriting(uncertain, stop, skip).rewritten(loop.body.items, flagged=False)
    begin = () if skip is None or not _uses(body, skip) else (_set(skip, 0, loop),)
    if stop is None:
        return syntax.Block((replace(loop, body=syntax.Block((*begin, *body))),))
    guarded = syntax.If(_unset(stop), syntax.Block((*begin, *body)), syntax.Block(()), loop.span)
    return syntax.Block((_set(stop, 0, loop), replace(loop, body=syntax.Block((guarded,)))))


@dataclass(frozen=True, slots=True)
class _Rewriting:
    """Takes jumps out of a loop; `stop` tells that the loop was left, `skip` that an iteration was."""

    uncertain: Collection[syntax.Jump]
    stop: syntax.Name | None
    skip: syntax.Name | None

    def rewritten(self, items: Sequence[syntax.Node], *, flagged: bool) -> tuple[syntax.Node, ...]:
        """The statements without the jumps; `flagged`: what follows them looks at the flags."""
        for position, item in enumerate(items):
            before, rest = tuple(items[:position]), tuple(items[position + 1 :])
            match item:
                case syntax.Jump() if item in self.uncertain:
                    return (*before, *self._flag(item, flagged))
                case syntax.If() if self._ends_in_jump(item.then):
                    return (*before, self._branch(item, item.then.items, (*item.otherwise.items, *rest), flagged))
                case syntax.If() if self._ends_in_jump(item.otherwise):
                    return (*before, self._branch(item, (*item.then.items, *rest), item.otherwise.items, flagged))
                case syntax.If() if flags := self._flags_of(syntax.Block((item,))):
                    changed = self._branch(item, item.then.items, item.otherwise.items, flagged=True)
                    return (*before, changed, *self._unless(flags, rest, item, flagged))
                case syntax.Block() if self._flags_of(item):
                    return (*before, *self.rewritten((*item.items, *rest), flagged=flagged))
                case _:
                    pass
        return tuple(items)

    def _branch(
        self, node: syntax.If, then: Sequence[syntax.Node], otherwise: Sequence[syntax.Node], flagged: bool
    ) -> syntax.If:
        chosen, other = (syntax.Block(self.rewritten(side, flagged=flagged)) for side in (then, otherwise))
        return syntax.If(node.condition, chosen, other, node.span)

    def _unless(
        self, flags: list[syntax.Name], rest: Sequence[syntax.Node], node: syntax.If, flagged: bool
    ) -> Iterator[syntax.Node]:
        """The statements behind a conditional, executed where none of the flags is set."""
        if not rest:
            return
        condition: syntax.Expr = _unset(flags[0])
        for flag in flags[1:]:
            condition = syntax.BinaryOp("&&", condition, _unset(flag), node.span)
        yield syntax.If(condition, syntax.Block(self.rewritten(rest, flagged=flagged)), syntax.Block(()), node.span)

    def _flag(self, jump: syntax.Jump, flagged: bool) -> Iterator[syntax.Node]:
        flag = self.stop if jump.leaves_loop else self.skip if flagged else None
        if flag is not None:
            yield _set(flag, 1, jump)

    def _ends_in_jump(self, block: syntax.Block) -> bool:
        return bool(block.items) and isinstance(last := block.items[-1], syntax.Jump) and last in self.uncertain

    def _flags_of(self, block: syntax.Block) -> list[syntax.Name]:
        """The flags that the jumps of a block set."""
        kinds = {jump.leaves_loop for jump in jumps(block) if jump in self.uncertain}
        return [flag for flag, kind in ((self.stop, True), (self.skip, False)) if flag is not None and kind in kinds]


def _set(flag: syntax.Name, value: int, node: syntax.For | syntax.Jump) -> syntax.Assign:
    return syntax.Assign(replace(flag, span=node.span), syntax.Literal(value, INT, str(value), node.span), node.span)


def _unset(flag: syntax.Name) -> syntax.Expr:
    return syntax.UnaryOp("!", flag, flag.span)


def _uses(items: Sequence[syntax.Node], name: syntax.Name) -> bool:
    return any(use == name for use in uses(syntax.Block(tuple(items))))
