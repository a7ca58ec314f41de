"""The servers of a journal: their URLs and their unsafe settings."""

import traceback
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from redis.exceptions import ConnectionError as Unreachable
from redis.sentinel import Sentinel, SentinelManagedSSLConnection

from service.base.redis_urls import options_of, read_many
from service.ops.process.valkey import Server
from service.store.journal.errors import JournalUnavailable, JournalUnusable
from service.store.journal.ports import Journal
from service.store.journal.redis import open_journal, topology as module
from service.store.journal.redis.connection import OPTIONS
from service.store.journal.redis.topology import Cluster, open_servers
from tests.redis_cluster import RunningCluster
from tests.running import until
from tests.service.store.journal.entries import PARTITIONS

# ---- URLs ----------------------------------------------------------------------------------------


def test_servers_are_reached_as_the_url_says() -> None:
    """User, password and TLS hold for every node, and no database is chosen.

    The server's password is not sent to the Sentinels, nor the Sentinels' to the server.
    """
    options = options_of(
        read_many("rediss+cluster://ada:p%40w@a:1,b:2?ssl_ca_certs=/ca.pem"), OPTIONS
    )

    assert options["ssl"] is True
    assert options["ssl_ca_certs"] == "/ca.pem"
    assert (options["username"], options["password"]) == ("ada", "p@w")
    assert {"host", "port", "db", "connection_class"} & set(options) == set()

    servers: Any = open_servers("rediss+sentinel://:ours@a:1/s/2?sentinel_password=theirs")
    pool = servers.client.connection_pool
    [sentinel] = servers._sentinel.sentinels
    to_sentinel = sentinel.connection_pool.connection_kwargs

    assert pool.connection_class is SentinelManagedSSLConnection
    assert (pool.connection_kwargs["password"], pool.connection_kwargs["db"]) == ("ours", 2)
    assert to_sentinel["password"] == "theirs"


def test_sentinels_that_are_away_are_named_and_no_password_is() -> None:
    """The error names the Sentinels and the service. No password is in it or in its traceback."""
    places = "127.0.0.1:1,127.0.0.1:2"
    journal = open_journal(f"redis+sentinel://u:hush@{places}/s?sentinel_password=hush", 2)

    with pytest.raises(JournalUnavailable) as refused:
        journal.server.ping()

    addresses = places.replace(",", ", ")
    expected = (
        f"Redis cannot be reached: none of the Sentinels {addresses} knows a master of s: Error"
    )
    assert str(refused.value).startswith(expected)
    assert "hush" not in "".join(traceback.format_exception(refused.value))


# ---- settings ------------------------------------------------------------------------------------


def test_a_safe_journal_has_no_complaint(journal: Journal) -> None:
    """A store set up as the documentation asks for passes its own check and can be written."""
    journal.server.ping()
    assert journal.server.check() == []

    used, bound = journal.server.memory()
    assert used >= 0
    assert bound >= 0


@pytest.mark.parametrize(
    ("setting", "value", "mended"),
    [
        ("appendonly", "no", "yes"),
        ("appendfsync", "everysec", "always"),
        ("maxmemory-policy", "allkeys-lru", "noeviction"),
    ],
)
def test_check_names_unsafe_settings_and_their_remedy(
    spoiler: Any, own_journal: Journal, setting: str, value: str, mended: str
) -> None:
    """The complaint begins with the setting, and ends with the command that mends it."""
    spoiler.config_set(setting, value)
    [complaint] = own_journal.server.check()

    assert complaint.startswith(f"Redis has {setting} {value}: ")

    remedy = complaint.rpartition("Set it at once with: ")[2]
    assert remedy == f"CONFIG SET {setting} {mended}"

    spoiler.execute_command(*remedy.split())
    assert own_journal.server.check() == []

    # Until the append-only file is rewritten the server does not stop.
    while spoiler.info("persistence")["aof_rewrite_in_progress"]:
        pass


# Each setting of a cluster's nodes with an unsafe value and the safe one.
SETTINGS = {
    "appendonly": ("no", "yes"),
    "appendfsync": ("everysec", "always"),
    "cluster-require-full-coverage": ("no", "yes"),
    "cluster-allow-reads-when-down": ("yes", "no"),
}


@pytest.mark.parametrize("number", [0, -1], ids=["master", "replica"])
@pytest.mark.parametrize(("setting", "values"), SETTINGS.items(), ids=SETTINGS)
def test_an_unsafe_node_is_named(
    cluster_journal: Journal,
    redis_cluster: RunningCluster,
    setting: str,
    values: tuple[str, str],
    number: int,
) -> None:
    """One unsafe node among six is found, in any role, with the command that mends it."""
    unsafe, safe = values
    node = redis_cluster.nodes[number]
    node.ask("CONFIG", "SET", setting, unsafe)
    try:
        [complaint] = cluster_journal.server.check()
    finally:
        node.ask("CONFIG", "SET", setting, safe)

    assert complaint.startswith(f"Redis at {node.name} has {setting} {unsafe}: ")
    assert complaint.endswith(f"CONFIG SET {setting} {safe}")


def test_check_says_that_it_could_not(own_server: Server, spoiler: Any) -> None:
    """If CONFIG is forbidden, the check names the unchecked settings."""
    rights = ("~*", "&*", "+@all", "-config")
    spoiler.execute_command("ACL", "SETUSER", "guest", "on", ">word", *rights)

    journal = open_journal(own_server.url.replace("unix://", "unix://guest:word@"), PARTITIONS)
    [complaint] = journal.server.check()
    journal.close()
    settings = "appendonly, appendfsync, maxmemory-policy"

    assert complaint.startswith(f"The settings {settings} of Redis could not be checked: ")
    assert "word" not in complaint


def test_check_finds_another_number_of_partitions(url: str) -> None:
    """Another number of partitions is refused, since matches would be looked for elsewhere."""
    journal = open_journal(url, PARTITIONS)
    assert journal.server.check() == []
    journal.close()

    other = open_journal(url, 8)
    with pytest.raises(JournalUnusable) as refused:
        other.server.check()
    assert str(refused.value) == (
        "The journal was begun with 16 partitions and is opened with 8: use 16."
    )
    other.close()


# ---- connections ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["one server", "sentinels"])
def test_a_closed_listener_leaves_others_connected(
    redis_cluster: RunningCluster, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Closing a listener, as notifications do at each reconnect, closes no other connection."""
    node = redis_cluster.nodes[0]
    host, _, port = node.name.rpartition(":")
    monkeypatch.setattr(Sentinel, "discover_master", lambda *_names: (host, int(port)))
    urls = {"one server": f"redis://{node.name}/0", "sentinels": "redis+sentinel://127.0.0.1:1/s"}
    servers = open_servers(urls[kind])
    connection = servers.client.connection_pool.get_connection()
    connection.send_command("PING")

    with servers.listener("") as listener:
        assert listener.ping()

    assert connection.read_response() == b"PONG"
    servers.close()


# ---- all servers ---------------------------------------------------------------------------------


def test_all_masters_are_weighed_and_written(
    cluster_journal: Journal, redis_cluster: RunningCluster
) -> None:
    """Memory is that of all masters together, and ping leaves a key on each of them."""
    with redis_cluster.nodes[0].client() as first:
        used_by_one = first.info("memory")["used_memory"]
    memory = cluster_journal.server.memory()
    cluster_journal.server.ping()

    assert memory.used > 2 * used_by_one
    assert memory.bound == 0
    for master in redis_cluster.masters():
        assert [key for key in master.ask("KEYS", "*") if key.endswith(":probe")] != []


THREADS = 6


def test_threads_do_not_try_a_cluster_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads waiting during the first try share its failure. Later ones try again."""
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
