"""Stages of a direct implementation that share a read master; each gets the answers to its requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from loadstone.hardware.names import Names
from loadstone.rtl.conditions import any_of, one_hot_mux
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.module import Instance
from loadstone.rtl.types import Bits, address_width, bit, unsigned

ASKED = 64
"""How many elements can be on their way, where stages share the master."""


@dataclass(frozen=True, slots=True, eq=False)
class Client:
    """What a stage has to do with the master, all of it wires: it sets the first three, and is given the others.

    `request` asks for `element`, which happens when that is `granted`. Words come in the order of requests: `word` when
    `valid`, as long as the stage `accepts` it.
    """

    request: Signal
    element: Signal
    accepts: Signal
    granted: Signal
    valid: Signal
    word: Signal

    @property
    def arrives(self) -> Value:
        """Whether a word is taken."""
        return self.accepts & self.valid


def make_client(names: Names, title: str, element: Bits, word: Bits) -> Client:
    """New wires for a stage."""
    types = {"request": bit, "element": element, "accepts": bit, "granted": bit, "valid": bit, "word": word}
    return Client(*(names.module.wire(names.fresh(f"{title}_{name}"), type) for name, type in types.items()))


Attached = Callable[[Value, Value, Value], Instance]
"""Makes a master that is given requests, their elements, and whether words are accepted."""


def add_reader(names: Names, clients: Sequence[Client], attached: Attached) -> Instance:
    """The master to which stages are connected; where several ask at once, the last of them comes first."""
    if len(clients) == 1:
        return _connected(names, clients[0], attached(clients[0].request, clients[0].element, clients[0].accepts))
    return _shared(names, clients, attached)


def _connected(names: Names, client: Client, reader: Instance) -> Instance:
    m = names.module
    m.assign(client.granted, reader["request_ready"])
    m.assign(client.valid, reader["element_valid"])
    m.assign(client.word, reader["element_data"])
    return reader


def _shared(names: Names, clients: Sequence[Client], attached: Attached) -> Instance:
    """Connects several stages; a queue has the numbers of the stages of words in flight."""
    m, number = names.module, unsigned(address_width(len(clients)))
    asks, comes, room = (m.wire(names.fresh(wish), bit) for wish in ("asks_reader", "word_comes", "asker_room"))
    first = [
        names.wire(f"first_{k}", client.request & ~any_of(*(later.request for later in clients[k + 1 :])))
        for k, client in enumerate(clients)
    ]
    asker = one_hot_mux([(flag, const(k, number)) for k, flag in enumerate(first)])
    askers = names.queue("askers", ASKED, asks, asker, comes)
    m.assign(room, askers.room)
    turns = [names.wire(f"for_{k}", askers.valid & (askers.data == k)) for k, _ in enumerate(clients)]
    accepts = any_of(*(turn & client.accepts for turn, client in zip(turns, clients, strict=True)))
    element = one_hot_mux([(flag, client.element) for flag, client in zip(first, clients, strict=True)])
    reader = attached(any_of(*first) & room, element, accepts)
    m.assign(asks, any_of(*first) & room & reader["request_ready"])
    m.assign(comes, accepts & reader["element_valid"])
    for client, flag, turn in zip(clients, first, turns, strict=True):
        m.assign(client.granted, flag & room & reader["request_ready"])
        m.assign(client.valid, turn & reader["element_valid"])
        m.assign(client.word, reader["element_data"])
    return reader
