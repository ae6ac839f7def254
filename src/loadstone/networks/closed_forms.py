"""Sizes of channels in closed form, for all parameters at once (barvinok)."""

from __future__ import annotations

import islpy as isl

from loadstone.counting.bounding import maximum
from loadstone.networks.contraction import comparable_dates
from loadstone.networks.model import Channel, Network
from loadstone.poly import coalesced
from loadstone.poly.isolated import isolated
from loadstone.poly.limits import LimitReached
from loadstone.poly.order import earlier, later

CLOSED_FORM_LIMIT, CLOSED_FORM_SECONDS = 2_000_000, 4
LONGEST_TEXT = 4_000


def closed_form(network: Network, channel: Channel) -> tuple[isl.PwQPolynomial, bool] | None:
    """The size of a channel in closed form, and whether it is exact or only an upper bound, maybe a fraction.

    The largest number, over all values, of values in the channel when that one has just been written: in between the
    number only falls. Outside of its domain it is 0. None where it takes too many operations, is too long to be of use,
    or is a maximum of polynomials that are not affine.
    """
    try:
        answer = isolated(lambda: _answer(network, channel), CLOSED_FORM_LIMIT, CLOSED_FORM_SECONDS)
    except LimitReached:
        return None
    kind, _, text = answer.partition(" ")
    if not text or len(text) > LONGEST_TEXT:
        return None
    return isl.PwQPolynomial.read_from_str(isl.DEFAULT_CONTEXT, text), kind == "exact"


def _answer(network: Network, channel: Channel) -> str:
    """`exact`, or `bound`, and the closed form; nothing if there is none."""
    found = maximum(_present(network, channel).card())
    if found is None:
        return ""
    polynomial, is_exact = found
    return f"{'exact' if is_exact else 'bound'} {polynomial.coalesce()}"


def _present(network: Network, channel: Channel) -> isl.Map:
    """Values of a channel to its live values, themselves included, right after they are written.

    Values are given by the dates at which they are written, and thus by their tiles, too: that keeps floors out of the
    numbers of values, and these numbers affine more often.
    """
    writing, reading = comparable_dates(network, channel)
    dated = coalesced(channel.relation.apply_domain(writing).apply_range(reading))
    written = coalesced(dated.domain())
    moments = written.get_space()
    before = earlier(moments).intersect_domain(written).intersect_range(written)
    unread = later(moments).intersect_domain(written).apply_range(dated.reverse())
    return coalesced(before.union(written.identity()).intersect(unread))
