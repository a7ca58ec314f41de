"""A journal that takes no writes can be read: writes of readers only save time."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis import Redis

from service.base.metadata_fields import SEATS
from service.matches import listing
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.repository import SNAPSHOT_EVERY, load, load_version
from service.ops.process.valkey import Server
from service.store.journal.ports import Journal
from service.store.journal.redis import open_journal
from tests.service.matches.conftest import bots, context_over, humans, play_on

PARTITIONS = 4

Client = Any

# Reasons for which a server refuses writes.
REFUSALS: dict[str, Callable[[Client], object]] = {
    "full": lambda client: client.config_set("maxmemory", 1),
    "a replica": lambda client: client.replicaof("127.0.0.1", 1),
    "without replicas": lambda client: client.config_set("min-replicas-to-write", 1),
    "not allowed": lambda client: allow(client, "-set", "-hset", "-hsetnx"),
}


def allow(client: Client, *commands: str) -> None:
    """Change the rights of the default user. It may still connect."""
    client.acl_setuser("default", enabled=True, commands=commands)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server the tests of this file may spoil."""
    with Server(tmp_path_factory.mktemp("unwritable")) as own:
        yield own


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[Client]:
    """A plain client of the server."""
    with Redis.from_url(server.url) as plain:
        yield plain


@pytest.fixture(scope="module")
def journal(server: Server) -> Iterator[Journal]:
    """The journal on the server."""
    opened_journal = open_journal(server.url, PARTITIONS)
    yield opened_journal
    opened_journal.close()


@pytest.fixture(scope="module")
def long_match(journal: Journal) -> NewMatch:
    """A public match of more commits than are replayed without writing a snapshot."""
    ctx = context_over(journal)
    match = open_new(ctx, OpenRequest("calimala", [*humans(2), *bots(1)], seed="unwritable"))
    play_on(ctx, match, until=SNAPSHOT_EVERY + 10)
    return match


@pytest.fixture(params=REFUSALS, autouse=True)
def refusal(
    request: pytest.FixtureRequest, client: Client, journal: Journal, long_match: NewMatch
) -> Iterator[None]:
    """The server refuses writes, in each way in turn. It has no snapshot and no stored seats."""
    journal.metadata.put(long_match.loaded.id, {SEATS: None})
    for snapshot in client.keys("*:snapshot"):
        client.delete(snapshot)

    REFUSALS[request.param](client)
    yield

    allow(client, "+@all")
    client.replicaof("NO", "ONE")
    client.config_set("maxmemory", 0)
    client.config_set("min-replicas-to-write", 0)


def test_a_long_match_is_read_and_listed(journal: Journal, long_match: NewMatch) -> None:
    """A long match is read at its head and at an earlier version. No snapshot is written.

    A match without stored seats is listed. Its seats are computed and not stored.
    """
    match = long_match.loaded.id

    loaded = load(context_over(journal), match)
    before = load_version(context_over(journal), match, SNAPSHOT_EVERY)

    assert loaded.version >= SNAPSHOT_EVERY + 10
    assert before.version == SNAPSHOT_EVERY
    assert journal.metadata.snapshot(match) is None

    page = listing.public(context_over(journal), "", None, None, 50)

    [overview] = page.matches
    assert overview["match"] == long_match.loaded.id
    assert [seat["kind"] for seat in overview["seats"]] == ["human", "human", "bot"]
    assert SEATS not in journal.metadata.fields(long_match.loaded.id)
