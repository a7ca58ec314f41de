"""URLs of several servers: their parts and their faults."""

import pytest

from service.base import redis_urls
from service.base.redis_urls import HostPort, ServerGroup, read_many


def test_a_clusters_url_names_its_nodes() -> None:
    """A cluster's URL has user, password and options for all its nodes. A port may be left out."""
    url = "rediss+cluster://ada:p%40w@a:7000,[::1]:7001,c?ssl_ca_certs=/ca.pem"

    assert read_many(url) == ServerGroup(
        places=(HostPort("a", 7000), HostPort("::1", 7001), HostPort("c", 6379)),
        service="",
        url="rediss://ada:p%40w@localhost/?ssl_ca_certs=%2Fca.pem",
        sentinel_options={},
    )


def test_a_sentinels_url_names_the_service_and_the_database() -> None:
    """Options of a URL that begin with sentinel_ are for the Sentinels, not for the server."""
    url = "redis+sentinel://:pw@a,b:2/journal/3?sentinel_username=u&sentinel_password=s"

    assert read_many(url) == ServerGroup(
        places=(HostPort("a", 26379), HostPort("b", 2)),
        service="journal",
        url="redis://:pw@localhost/3",
        sentinel_options={"username": "u", "password": "s"},
    )


WRONG = {
    "http://h": "must begin with redis://, rediss://, unix://, redis+cluster://",
    "redis+ring://h": "must begin with redis://",
    "unix+cluster://h": "must begin with redis://",
    "redis+cluster://": "must name hosts and ports",
    "redis+cluster://a:1,,b:2": "must name hosts and ports",
    "redis+cluster://:hush@a:many": "must name hosts and ports",
    "redis://h:many": "must name host and port, such as redis://:password@10.0.0.1:6379/0",
    "redis://:pw:hush/x@h:1/0": "must name host and port",
    "redis://h/0?socket_timeout=hush": "must have another value for its option socket_timeout",
    "redis+cluster://h?db=hush": "must have another value for its option db",
    "redis+cluster://a:1/1": "must not name a database",
    "redis+sentinel://:hush@a:1": "must end with the service's name",
    "redis+sentinel://a:1/journal/two": "must name the database by its number",
}


@pytest.mark.parametrize(("url", "words"), WRONG.items(), ids=WRONG)
def test_a_wrong_url_is_refused_with_the_legal_form(url: str, words: str) -> None:
    """The error of a wrong URL names the expected form, and repeats no password."""
    with pytest.raises(ValueError, match="must ") as refused:
        redis_urls.check(url)

    assert str(refused.value).startswith(words)
    assert "hush" not in str(refused.value)
