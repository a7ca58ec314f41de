"""The servers of a journal: found by their URL, and asked once each."""

import traceback
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from redis.exceptions import ConnectionError as Unreachable
from redis.sentinel import SentinelManagedSSLConnection

from service.journal.errors import JournalUnavailable
from service.journal.keys import Keys
from service.journal.redis import open_journal
from service.journal.redis import servers as module
from service.journal.redis.servers import Cluster, open_servers, options_of
from service.journal.redis.store import Store
from service.redis_urls import read_many
from tests.running import until
from tests.service.journal.entries import PARTITIONS

# ---- URLs ----------------------------------------------------------------------------------------


def test_a_clusters_nodes_are_reached_as_the_url_says() -> None:
    """User, password and TLS hold for every node, and no database is chosen."""
    options = options_of(read_many("rediss+cluster://ada:p%40w@a:1,b:2?ssl_ca_certs=/ca.pem"))

    assert options["ssl"] is True
    assert options["ssl_ca_certs"] == "/ca.pem"
    assert (options["username"], options["password"]) == ("ada", "p@w")
    assert {"host", "port", "db", "connection_class"} & set(options) == set()


def test_sentinels_have_passwords_of_their_own() -> None:
    """The server's password is not told to the Sentinels, and theirs not to the server."""
    servers: Any = open_servers("rediss+sentinel://:ours@a:1/s/2?sentinel_password=theirs")
    pool = servers.client.connection_pool
    [sentinel] = servers._sentinel.sentinels
    to_sentinel = sentinel.connection_pool.connection_kwargs

    assert pool.connection_class is SentinelManagedSSLConnection
    assert (pool.connection_kwargs["password"], pool.connection_kwargs["db"]) == ("ours", 2)
    assert to_sentinel["password"] == "theirs"


def test_sentinels_that_are_away_are_named_and_no_password_is() -> None:
    """The error says whom was asked, and for what; no option of a connection is in it."""
    places = "127.0.0.1:1,127.0.0.1:2"
    journal = open_journal(f"redis+sentinel://u:hush@{places}/s?sentinel_password=hush", 2)

    with pytest.raises(JournalUnavailable) as refused:
        journal.server.ping()

    asked = places.replace(",", ", ")
    expected = f"Redis cannot be reached: none of the Sentinels {asked} knows a master of s: Error"
    assert str(refused.value).startswith(expected)
    assert "hush" not in "".join(traceback.format_exception(refused.value))


# ---- a cluster that is away ----------------------------------------------------------------------


THREADS = 6


def test_threads_do_not_try_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """All who came while the first one tried are answered with it; whoever comes later tries."""
    moments = count(1)
    looks: list[int] = []  # at the clock: each thread begins with one
    tries: list[int] = []

    def monotonic() -> float:
        looks.append(next(moments))
        return looks[-1]

    def fail_when_all_wait(_cluster: Cluster) -> Any:
        tries.append(len(tries))
        until(lambda: len(looks) >= THREADS, "all threads to ask")
        raise Unreachable("nobody is there")

    monkeypatch.setattr(module, "monotonic", monotonic, raising=False)
    monkeypatch.setattr(Cluster, "_connect", fail_when_all_wait)
    cluster = Cluster(read_many("redis+cluster://127.0.0.1:7000"))

    def error(_number: int) -> str:
        with pytest.raises(Unreachable) as raised:
            _ = cluster.client
        return str(raised.value)

    with ThreadPoolExecutor(THREADS) as threads:
        errors = list(threads.map(error, range(THREADS)))
    assert len(tries) == 1
    assert errors.count("nobody is there") == 1

    error(0)
    assert len(tries) == 2


# ---- questions to all of them --------------------------------------------------------------------


# Returns each key with what it holds, and the argument after the keys.
ECHO = """#!lua flags=no-writes,allow-cross-slot-keys
local found = {}
local count = tonumber(ARGV[1])
for number = 2, count + 1 do
  table.insert(found, { ARGV[number], redis.call('GET', ARGV[number]) })
end
return { ARGV[count + 2], found }
"""


@pytest.mark.parametrize(("kind", "servers"), [("single", 1), ("cluster", 3)])
def test_a_script_over_partitions_sees_each_of_them_once(
    request: pytest.FixtureRequest, kind: str, servers: int
) -> None:
    """Each server is asked once, and all answers together tell every partition's key."""
    url = {
        "single": lambda: request.getfixturevalue("redis_url"),
        "cluster": lambda: request.getfixturevalue("redis_cluster").url,
    }[kind]()
    store = Store(open_servers(url), PARTITIONS)
    keys = Keys(PARTITIONS).pending
    for key in keys:
        store.client.set(key, f"held by {key}")

    script: Any = store.client.register_script(ECHO)
    answers = store.query_partitions(script, keys, ["word"])
    store.servers.close()

    assert [argument for argument, _found in answers] == [b"word"] * servers
    told = dict(pair for _argument, found in answers for pair in found)
    assert told == {key.encode(): f"held by {key}".encode() for key in keys}
