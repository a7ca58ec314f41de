"""Before anything starts: a journal that may lose matches is refused, with the reason."""

import random
import socket
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from redis import Redis
from redis.exceptions import BusyLoadingError, RedisError, ResponseError

from service.base.config import Config
from service.ops.process import preflight
from service.ops.process.preflight import CHOSEN_PORTS, PortTaken
from service.ops.process.valkey import Server
from service.record.tlog.checkpoint import COSIGNATURE, Verifier
from service.store.journal.errors import TooFewReplicas
from service.store.journal.keys import LAYOUT
from service.store.journal.redis import open_journal, server as module
from service.store.journal.redis.connection import translates_errors
from service.store.journal.redis.server import RedisServer, unusable
from service.store.journal.redis.topology import Node
from tests.service.store.journal.entries import entry

PARTITIONS = 256


def settings(url: str, **more: str) -> Config:
    """Return the settings with a journal's URL."""
    return Config.load({"GIORNALE_JOURNAL_URL": url, **more})


@pytest.fixture
def unsafe_url(tmp_path: Path) -> Iterator[str]:
    """The URL of a server that may forget acknowledged moves and evict matches."""
    with Server(tmp_path) as server:
        with Redis.from_url(server.url) as client:
            client.config_set("appendfsync", "everysec")
            client.config_set("maxmemory-policy", "allkeys-lru")
        yield server.url


def test_an_unsafe_journal_is_refused_unless_it_is_allowed(unsafe_url: str) -> None:
    """The refusal names both unsafe settings, and the setting that overrules it."""
    message = refusal(unsafe_url)
    for word in ("appendfsync", "maxmemory-policy", "GIORNALE_UNSAFE_JOURNAL"):
        assert word in message

    preflight.check(settings(unsafe_url, GIORNALE_UNSAFE_JOURNAL="yes"))


def test_the_operators_word_stands_for_hidden_settings(
    own_server: Server,
) -> None:
    """A managed server may hide its settings. Visible ones are checked despite the declaration."""
    with Redis.from_url(own_server.url) as client:
        client.execute_command("ACL SETUSER managed on >word ~* &* +@all -config")
        managed = own_server.url.replace("unix://", "unix://managed:word@")
        assert "GIORNALE_DURABLE_JOURNAL" in refusal(managed)
        preflight.check(settings(managed, GIORNALE_DURABLE_JOURNAL="1"))

        client.config_set("appendfsync", "everysec")
        assert "appendfsync" in refusal(own_server.url, GIORNALE_DURABLE_JOURNAL="1")


KEY = Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key()
WITNESS = Verifier("example.org/w", COSIGNATURE, KEY.public_bytes_raw())


@pytest.mark.parametrize(
    ("policy", "complaint"),
    [
        (None, "No such file"),
        ("quorum none", "no witness has a URL"),
        (f"witness w {WITNESS}\nquorum w", "no witness has a URL"),
        (f"witness w {WITNESS} ftp://example.org\nquorum w", "the URL of w must be http"),
        (f"witness w {WITNESS} http://example.org?x\nquorum w", "the URL of w must be http"),
        (f"witness w {WITNESS} http://example.org", "no line: quorum"),
        ("witness w x http://example.org\nquorum w", "line 1 of the policy"),
    ],
)
def test_witnesses_that_cannot_be_asked_are_named(
    redis_url: str, tmp_path: Path, policy: str | None, complaint: str
) -> None:
    """A missing file, a malformed one, or one without addresses is refused before the start."""
    file = tmp_path / "policy"
    if policy is not None:
        file.write_text(policy)
    with pytest.raises(preflight.Unsafe, match=complaint) as raised:
        preflight.check(settings(redis_url, GIORNALE_LOG_POLICY=str(file)))
    assert "GIORNALE_LOG_POLICY" in str(raised.value)

    for url in ("https://example.org", "http://127.0.0.1:8100/w", "http://[::1]:8100"):
        file.write_text(f"witness w {WITNESS} {url}\nquorum w\n")
        preflight.check(settings(redis_url, GIORNALE_LOG_POLICY=str(file)))


def test_journal_of_the_first_release_is_brought_up_to_date(redis_url: str) -> None:
    """The check puts matches of the first release into the newer indexes."""
    journal = open_journal(redis_url, PARTITIONS)
    journal.events.append(entry(status="open"))
    remove_newer_indexes(redis_url)
    assert journal.index.listing("", None, 9, "calimala") == []

    preflight.check(settings(redis_url))

    assert journal.index.listing("open", None, 9, "calimala") == [(1_000, "m")]
    assert journal.index.idle(10**9, 9) == ["m"]
    journal.close()


def test_full_journal_can_still_be_served(tmp_path: Path) -> None:
    """A journal without room for the newer indexes passes the check."""
    with Server(tmp_path) as server, Redis.from_url(server.url) as client:
        config = settings(server.url)
        preflight.check(config)

        client.delete(LAYOUT)
        client.config_set("maxmemory", "1mb")
        preflight.check(config)


def remove_newer_indexes(url: str) -> None:
    """Leave a journal only the indexes of the first release."""
    with Redis.from_url(url) as client:
        for listing in client.keys("*:listing"):
            client.zremrangebylex(listing, "[@", "(A")
        client.delete(LAYOUT, *client.keys("*:idle"))


@pytest.mark.parametrize(
    ("user", "url"),
    [("", "unix:///"), (":wrong-password@", "unix://:***@/")],
    ids=["none", "bad"],
)
def test_a_wrong_password_is_named_and_masked(own_server: Server, user: str, url: str) -> None:
    """The error says that the server refuses user or password. No password is shown."""
    with Redis.from_url(own_server.url) as client:
        client.config_set("requirepass", "right-password")

    message = refusal(own_server.url.replace("unix://", f"unix://{user}"))
    assert message.startswith(f"the journal at {url}")
    assert message.endswith("refuses the user or the password in GIORNALE_JOURNAL_URL")
    assert "wrong-password" not in message


def test_a_replica_is_no_journal(own_server: Server) -> None:
    """A replica is refused, because it takes no moves. The refusal names its master."""
    with Redis.from_url(own_server.url) as client:
        client.execute_command("REPLICAOF", "127.0.0.1", "1")

    message = refusal(own_server.url)
    assert message.startswith("Redis is a replica of 127.0.0.1:1 and takes no moves. ")
    assert "GIORNALE_UNSAFE_JOURNAL" not in message


@pytest.mark.parametrize(
    ("version", "complaints"),
    [
        ("6.2.14", ["Redis 6.2.14 is too old. Use Redis 7 or Valkey."]),
        ("7.2.4", []),
        ("10.0", []),
    ],
)
def test_an_old_server_is_named(version: str, complaints: list[str]) -> None:
    """Redis 6 does not know the first line of the scripts. The release is compared as a number."""
    info = {"redis_version": version, "role": "master"}
    client = SimpleNamespace(info=lambda: info)
    assert unusable(Node("", client, is_master=True)) == complaints


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (
            BusyLoadingError("Redis is loading the dataset in memory"),
            "is loading",
        ),
        (
            ResponseError("MISCONF Errors writing to the AOF file"),
            "cannot write to its disk",
        ),
    ],
    ids=["loading", "disk"],
)
def test_a_server_that_refuses_is_understood(
    monkeypatch: pytest.MonkeyPatch, error: RedisError, reason: str
) -> None:
    """A loading server, one that cannot write and an absent one have different errors."""

    @translates_errors
    def check(_server: RedisServer) -> list[str]:
        raise error

    monkeypatch.setattr(RedisServer, "check", check)
    assert reason in refusal("redis://127.0.0.1:1")


def test_no_setting_helps_if_nothing_could_be_written(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, later_layout: Callable[[str], None]
) -> None:
    """No setting overrules the refusal of an old server or of a later release's layout."""
    complaint = "Redis 6.2.14 is too old. Use Redis 7 or Valkey."
    with monkeypatch.context() as patch:
        patch.setattr(module, "unusable", lambda _node: [complaint])
        assert refusal(redis_url, GIORNALE_UNSAFE_JOURNAL="yes") == complaint

    later_layout("99")
    message = refusal(redis_url, GIORNALE_UNSAFE_JOURNAL="yes")
    assert message.startswith("The journal has the layout '99'")
    assert "GIORNALE_UNSAFE_JOURNAL" not in message


def test_a_journal_keeps_its_number_of_partitions(redis_url: str) -> None:
    """With another number, matches would be looked for elsewhere, so no setting allows it."""
    preflight.check(settings(redis_url, GIORNALE_PARTITIONS="16"))
    message = refusal(redis_url, GIORNALE_PARTITIONS="8", GIORNALE_UNSAFE_JOURNAL="yes")
    assert message == "The journal was begun with 16 partitions and is opened with 8: use 16."


def refusal(url: str, **more: str) -> str:
    """Return the reason for which a journal is refused."""
    with pytest.raises(preflight.Unsafe) as refused:
        preflight.check(settings(url, **more))
    return str(refused.value)


@pytest.mark.parametrize("lagging", [0, 3, 10**9], ids=["in step", "soon", "never"])
def test_replicas_that_are_not_in_step_are_waited_for(
    redis_url: str,
    lagging: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A start prints once that it waits, and goes on as soon as the replicas are in step."""
    looks = count()
    answer = RedisServer.check

    def check_later(server: RedisServer) -> list[str]:
        if next(looks) < lagging:
            raise TooFewReplicas("NOREPLICAS")
        return answer(server)

    monkeypatch.setattr(RedisServer, "check", check_later)
    monkeypatch.setattr(preflight, "_PAUSE_SECONDS", 0.001)
    config = Config.load({"GIORNALE_JOURNAL_URL": redis_url})
    if lagging > 3:
        with pytest.raises(preflight.Unsafe, match="Too few replicas of the journal are in step"):
            preflight.check(config, 0.05)
        with pytest.raises(preflight.Unsafe, match="Too few replicas"):
            preflight.check(config, 10**6, lambda: True)
    else:
        preflight.check(config, 60.0)
    assert capsys.readouterr().err.count("Waiting for them") == min(lagging, 1)


# ---- a free port ---------------------------------------------------------------------------------


def test_a_free_port_is_chosen_below_the_outgoing_ones() -> None:
    """A client that connects too early could get an outgoing port itself, and meet itself."""
    assert all(preflight.free_port("127.0.0.1", 0) in CHOSEN_PORTS for _ in range(20))


def test_no_chosen_port_is_an_outgoing_one() -> None:
    """Linux takes outgoing ports from 32768 upward (ip-sysctl), macOS from 49152 (RFC 6335)."""
    assert max(CHOSEN_PORTS) < 32_768


def test_a_taken_port_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    free = preflight.free_port("127.0.0.1", 0)
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        monkeypatch.setattr(random, "sample", lambda *_: [port, free])
        assert preflight.free_port("127.0.0.1", 0) == free
        with pytest.raises(PortTaken):
            preflight.free_port("127.0.0.1", port)
