"""Results kept by the text of their arguments: what is the same of several arrays is found once.

Equal texts are equal relations, and lead to results that are written alike. The converse does not hold: equal relations
may have several texts, which costs no more than the time to find a result twice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")

MOST_KEPT = 64
"""The number of results that a function keeps, the last ones."""


def kept_by_text(function: Callable[P, Result]) -> Callable[P, Result]:
    """The function, which looks its result up where the text of all arguments is known.

    >>> kept_by_text(abs)(-3)
    3
    """
    results: dict[str, Result] = {}

    @wraps(function)
    def found(*args: P.args, **kwargs: P.kwargs) -> Result:
        text = str((*map(str, args), *((name, str(value)) for name, value in kwargs.items())))
        if text not in results:
            result = function(*args, **kwargs)
            if len(results) >= MOST_KEPT:
                del results[next(iter(results))]
            results[text] = result
        return results[text]

    return found
