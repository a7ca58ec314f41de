"""What `verify`, `view` and `story` say of an address at which no match can be read."""

import re
import socket
import threading
import urllib.error
from collections.abc import Iterator

import pytest

from service.cli import sources
from service.matches import lifecycle
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.verify.files import Unreadable
from tests.service.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("toy_game")

HUMANS = [{"kind": "human"}] * 2
UNKNOWN = "a" * 26
HINT = ". The address of a match ends in /v1/matches/ID"


@pytest.fixture
def addresses(served: Context, url: str) -> dict[str, str]:
    """Addresses of a service that lead to no match, by what they are."""
    private = open_new(served, OpenRequest("toy", HUMANS, visibility="private")).loaded.id
    deleted = open_new(served, OpenRequest("toy", HUMANS)).loaded.id
    lifecycle.delete(served, deleted, "eve")
    public = open_new(served, OpenRequest("toy", HUMANS)).loaded.id
    return {
        "unknown": f"{url}/v1/matches/{UNKNOWN}",
        "private": f"{url}/v1/matches/{private}",
        "deleted": f"{url}/v1/matches/{deleted}",
        "list": f"{url}/v1/matches",
        "page": f"{url}/matches/{public}",
        "root": url,
    }


@pytest.mark.parametrize("command", ["verify", "view", "story"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("unknown", "the server has no such match; a private one it shows to its tokens alone"),
        ("private", "the server has no such match; a private one it shows to its tokens alone"),
        ("deleted", "the match was deleted by its operator\n"),
        ("page", f"does not answer with JSON{HINT}\n"),
        ("root", f"does not answer with JSON{HINT}\n"),
    ],
)
def test_an_address_without_a_match_is_explained(
    run_alone: Run, addresses: dict[str, str], command: str, name: str, words: str
) -> None:
    """In one sentence of this project, not of Python's library."""
    result = run_alone(command, addresses[name])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {addresses[name]}")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert not re.search("HTTP Error|urlopen|Errno", result.stderr)


def test_the_list_of_matches_is_no_match(run_alone: Run, addresses: dict[str, str]) -> None:
    """It is JSON, but it has no record."""
    result = run_alone("verify", addresses["list"])
    assert result.exit_code == 2
    assert result.stderr.endswith(f"{HINT}\n")


@pytest.fixture
def babble() -> Iterator[str]:
    """The address of a server that speaks no HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"220 mail ready\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        thread.join()


def test_what_speaks_no_http_is_told(run_alone: Run, babble: str) -> None:
    """Such as a server of mail."""
    result = run_alone("verify", f"{babble}/v1/matches/{UNKNOWN}")
    assert result.exit_code == 2
    assert "what answers there does not speak HTTP" in result.stderr


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://127.0.0.1:1", "no server answers there"),
        ("http://no-such-host.invalid", "there is no host of this name"),
        ("http://127.0.0.1:door", "it is no address: nonnumeric port: 'door'"),
    ],
)
def test_an_address_without_a_server_is_explained(run_alone: Run, address: str, words: str) -> None:
    """What is wrong with it is told, without the number of an error."""
    result = run_alone("verify", f"{address}/v1/matches/{UNKNOWN}")
    assert result.exit_code == 2
    assert words in result.stderr
    assert not re.search("HTTP Error|urlopen|Errno", result.stderr)


def test_http_is_told_from_https(run_alone: Run, url: str) -> None:
    """Who begins to speak TLS with a plain server learns what to change."""
    address = url.replace("http://", "https://")
    result = run_alone("verify", f"{address}/v1/matches/{UNKNOWN}")
    assert result.exit_code == 2
    assert "what answers there does not speak TLS: is it http:// and not https://?" in result.stderr


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (TimeoutError("timed out"), "no answer came within 30 seconds"),
        (ConnectionResetError(104, "reset"), "the connection broke"),
        (OSError(113, "No route to host"), "No route to host"),
    ],
)
def test_what_befalls_a_connection_is_explained(
    monkeypatch: pytest.MonkeyPatch, error: OSError, words: str
) -> None:
    """Whether it happens while connecting, which urllib wraps, or while reading."""
    for raised in (error, urllib.error.URLError(error)):

        def fail(*_: object, raised: Exception = raised, **_more: object) -> None:
            raise raised

        monkeypatch.setattr(sources._OPENER, "open", fail)
        with pytest.raises(Unreadable, match=words):
            sources.document_of(f"http://127.0.0.1/v1/matches/{UNKNOWN}", None)
