"""What is made of the URL of several servers: TLS, passwords, and errors without them."""

import traceback
from typing import Any

import pytest
from redis.sentinel import SentinelManagedSSLConnection

from service.journal.errors import JournalUnavailable
from service.journal.redis import open_journal
from service.journal.redis.servers import open_servers, options_of
from service.redis_urls import read_many


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
