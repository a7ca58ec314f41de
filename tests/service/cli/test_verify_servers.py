"""`giornale verify URL`: what servers show, and where they redirect to."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from service.cli import sources
from service.ledger.record import Accepted
from service.matches.context import Context
from service.verify.audit import verify_record
from service.verify.files import MOST_BYTES
from tests.attacks.forging import entries_of
from tests.service.cli.conftest import Run
from tests.service.cli.site import Pages, host_of, receipt_for, served_pages, show, tokens_sent_to
from tests.service.toy_matches import opened, play_on, whole

ShownWith = Callable[[Callable[[Accepted], Any]], str]

pytestmark = pytest.mark.usefixtures("toy_game")


@pytest.fixture
def pages() -> Pages:
    """What the server below shows, by path; "" at a path redirects to what `moved` says."""
    return {"asked": []}


@pytest.fixture
def site(pages: Pages) -> Iterator[str]:
    """Where a server is that shows the pages, and keeps which tokens it was sent."""
    yield from served_pages(pages)


@pytest.fixture
def elsewhere(pages: Pages) -> Iterator[str]:
    """The same pages on another port: another origin."""
    yield from served_pages(pages)


@pytest.mark.parametrize("path", ["", "/record"])
def test_a_url_is_verified_against_what_the_server_shows(
    run: Run, served: Context, url: str, path: str
) -> None:
    """A server's match is fetched and checked, its head and outcome included."""
    match = opened(served)
    play_on(served, match)
    result = run("verify", f"{url}/v1/matches/{match.loaded.id}{path}")
    assert result.exit_code == 0
    assert result.stdout.startswith("right:")


def test_a_servers_head_checks_the_end(
    run_alone: Run, half: list[bytes], pages: Pages, site: str
) -> None:
    """A server that was just asked has said where the match ends: nothing is left to say of it."""
    result = run_alone("verify", site + show(pages, half))
    assert result.exit_code == 3
    assert "the end" not in result.stdout


@pytest.fixture
def moved(half: list[bytes], pages: Pages, site: str, elsewhere: str) -> str:
    """The address of a match that has moved to another origin."""
    path = show(pages, half)
    pages[host_of(site)] = {**pages, path: elsewhere + path}
    return site + path


def test_a_redirect_to_another_server_is_refused_with_a_token(
    run_alone: Run, pages: Pages, moved: str, elsewhere: str
) -> None:
    """The token goes to no other server, and words say why."""
    result = run_alone("verify", moved, "--token", "gio_secret")
    assert result.exit_code == 2
    assert "the token is not sent there" in result.stderr
    assert tokens_sent_to(pages, elsewhere) == []


def test_a_redirect_to_another_server_is_followed_without_a_token(
    run_alone: Run, pages: Pages, moved: str, elsewhere: str
) -> None:
    """Where nothing can be given away the match is fetched from where it is."""
    assert run_alone("verify", moved).exit_code == 3
    assert tokens_sent_to(pages, elsewhere) == [None]


def test_a_token_goes_along_on_the_same_server(
    run_alone: Run, half: list[bytes], pages: Pages, site: str
) -> None:
    """A redirect within the origin is followed as ever."""
    path = show(pages, half)
    pages["/moved"] = path
    pages["/moved/record"] = f"{path}/record"
    assert run_alone("verify", f"{site}/moved", "--token", "gio_secret").exit_code == 3
    tokens_at_path = [token for _, asked_path, token in pages["asked"] if asked_path == path]
    assert "Bearer gio_secret" in tokens_at_path


def test_a_redirect_to_no_web_address_is_refused(run_alone: Run, pages: Pages, site: str) -> None:
    """A server cannot make the command read a file or speak another protocol."""
    pages["/v1/matches/x"] = "ftp://127.0.0.1/x"
    result = run_alone("verify", f"{site}/v1/matches/x")
    assert result.exit_code == 2
    assert "no address on the web" in result.stderr


ANSWERS = ["", "/record", "/v1/keys"]


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_too_large_is_not_read(
    run_alone: Run,
    half: list[bytes],
    pages: Pages,
    site: str,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    """A server cannot fill the memory, neither with a record nor with anything else."""
    path = show(pages, half)
    asked = name if name.startswith("/v1") else path + name
    most = max(len(page) for page in pages.values() if isinstance(page, bytes))
    monkeypatch.setattr("service.cli.sources._MOST_ANSWER", most)
    monkeypatch.setattr("service.cli.sources.MOST_BYTES", most)
    assert run_alone("verify", site + path).exit_code == 3

    pages[asked] += b" " * (most + 1 - len(pages[asked]))
    result = run_alone("verify", site + path)

    assert result.exit_code == 2
    assert f"{asked}: it answers with more than {most} bytes" in result.stderr


def test_what_a_server_may_answer() -> None:
    """A record may have 256 MiB, as one in a file, and all else 1 MiB."""
    assert MOST_BYTES == 256 * 2**20
    assert sources._MOST_ANSWER == 2**20


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n"


@pytest.fixture(params=[HEAD + b"X-More: ", HEAD + b"\r\n"], ids=["head", "body"])
def dripping(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server whose answers come a byte at a time, and never to their end."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _address = server.accept()
            with connection, suppress(OSError):
                connection.sendall(request.param)
                while not over.wait(0.01):
                    connection.sendall(b"x")

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        over.set()
        thread.join()


def test_an_answer_that_never_ends_is_not_waited_for(
    run_alone: Run, dripping: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each byte comes in time, and yet there is an end to the patience with all of them."""
    monkeypatch.setattr("service.cli.sources._MOST_SECONDS", 0.2)

    result = run_alone("verify", f"{dripping}/v1/matches/x")

    assert result.exit_code == 2
    assert "it did not answer to the end within 0.2 seconds" in result.stderr


def test_an_answer_cut_short_is_not_taken_for_a_whole_one(run_alone: Run) -> None:
    """What is missing of it is said."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _address = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(HEAD + b"\r\n{}")

        thread = threading.Thread(target=answer)
        thread.start()
        result = run_alone("verify", f"http://127.0.0.1:{server.getsockname()[1]}/v1/matches/x")
        thread.join()

    assert result.exit_code == 2
    assert "its answer was cut short by 99998 bytes" in result.stderr


def test_a_servers_words_forge_nothing_either(run_alone: Run, pages: Pages, site: str) -> None:
    """What a server answers instead of a match is shown in one line."""
    pages["/v1/matches/x"] = b'["\x1b[2J'
    result = run_alone("verify", f"{site}/v1/matches/x")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "\x1b" not in result.stderr


# Which receipt the server shows for the last commit, and what is said of it.
BAD_RECEIPTS: list[Any] = [
    pytest.param(
        lambda accepted: {**receipt_for(accepted), "version": 3},
        "the server's receipt proves nothing: its signature",
        id="not-signed",
    ),
    pytest.param(
        lambda accepted: receipt_for(replace(accepted, hash="0" * 64)),
        "another hash than the server's receipt vouches for",
        id="another-history",
    ),
    pytest.param(
        lambda accepted: receipt_for(replace(accepted, time="2023-01-01T00:00:00.000Z")),
        "another time than the server's receipt vouches for",
        id="another-time",
    ),
    pytest.param(
        lambda _accepted: "signed", "the server's receipt proves nothing", id="no-receipt"
    ),
]


@pytest.mark.parametrize(("receipt_shown", "words"), BAD_RECEIPTS)
def test_a_bad_receipt_that_the_server_shows_is_found(
    run_alone: Run, shown_with: ShownWith, receipt_shown: Callable[[Accepted], Any], words: str
) -> None:
    """It must be signed by the server's keys, and be of the commit that the record has."""
    result = run_alone("verify", shown_with(receipt_shown))
    assert result.exit_code == 1
    assert words in result.stdout


@pytest.mark.parametrize("receipt_shown", [receipt_for, lambda _: None], ids=["right", "null"])
def test_a_good_receipt_or_none_is_right(
    run_alone: Run, shown_with: ShownWith, receipt_shown: Callable[[Accepted], Any]
) -> None:
    """Servers of the first release show no receipt."""
    result = run_alone("verify", shown_with(receipt_shown))
    assert result.exit_code == 0
    assert "right: match" in result.stdout


@pytest.fixture
def shown_with(ctx: Context, pages: Pages, site: str) -> ShownWith:
    """Let the server show a whole match with a receipt of its last commit; return the address."""

    def show_with(receipt_shown: Callable[[Accepted], Any]) -> str:
        lines = whole(ctx)
        receipt = receipt_shown(Accepted.of(entries_of(lines)[-1]))
        outcome = verify_record(lines).report.outcome
        return site + show(pages, lines, receipt=receipt, outcome=outcome)

    return show_with
