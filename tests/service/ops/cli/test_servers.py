"""`giornale verify URL` and its like: servers' pages, redirects and failures."""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.matches import lifecycle, moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.ops.cli import sources
from service.record.commit import Json
from service.record.verify.audit import verify_record
from service.record.verify.files import MOST_BYTES, Unreadable
from service.store.keys.signer import Accepted
from tests.attacks.forging import entries_of
from tests.running import no_threads
from tests.service.ops.cli.conftest import Run
from tests.service.ops.cli.site import (
    Pages,
    host_of,
    receipt_for,
    served_pages,
    show,
    tokens_sent_to,
)
from tests.service.toy_matches import opened, play_on, record_of, whole

pytestmark = pytest.mark.usefixtures("toy_game")

HUMANS = [{"kind": "human"}] * 2
UNKNOWN = "a" * 26
HINT = ". The address of a match ends in /v1/matches/ID"
PYTHONS_OWN_WORDS = "HTTP Error|urlopen|Errno"


@pytest.mark.parametrize("path", ["", "/record"])
def test_a_url_is_verified_against_the_server(
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
    """The server has just named its last commit, so the end of the record counts as checked."""
    result = run_alone("verify", site + show(pages, half))
    assert result.exit_code == 3
    assert "the end" not in result.stdout


def test_a_kept_receipt_vouches_for_the_end_or_convicts_a_server(
    run: Run, served: Context, url: str, tmp_path: Path
) -> None:
    """A kept receipt proves the end of a record. It convicts a server with another history."""
    match = opened(served)
    play_on(served, match, until=2)
    submission = Submission(match.loaded.id, match.tokens["seat:1"])
    answer = moves.move(served, submission, {"type": "keep"})
    assert answer.receipt is not None
    receipt_path = tmp_path / "receipt.json"
    receipt_path.write_text(json.dumps({"version": 3, "receipt": answer.receipt}))
    address = f"{url}/v1/matches/{match.loaded.id}"

    at_hand = b"".join(record_of(served, match))
    for result in (
        run("verify", address, "--receipt", receipt_path),
        run("verify", "-", "--receipt", receipt_path, "--keys", url, input=at_hand),
    ):
        assert result.exit_code == 3
        assert "not checked: the end" not in result.stdout
        assert "note:" not in result.stdout

    receipt: Json = dict(answer.receipt)
    accepted = Accepted(**{name: receipt[name] for name in Accepted.__slots__})
    assert served.signer is not None
    another = served.signer.sign(replace(accepted, hash="0" * 64))
    receipt_path.write_text(json.dumps(dict(another)))
    lied = run("verify", address, "--receipt", receipt_path)
    assert lied.exit_code == 1
    assert lied.stdout == "wrong: commit 3: its hash differs from the one in receipt 1\n"


# ---- redirects, and where a token goes -----------------------------------------------------------


@pytest.fixture
def elsewhere(pages: Pages) -> Iterator[str]:
    """The same pages on another port: another origin."""
    yield from served_pages(pages)


def test_a_redirect_to_another_server_takes_no_token_along(
    run_alone: Run, half: list[bytes], pages: Pages, site: str, elsewhere: str
) -> None:
    """A redirect to another server is refused with a token, and followed without one."""
    path = show(pages, half)
    pages[host_of(site)] = {**pages, path: elsewhere + path}

    refused = run_alone("verify", site + path, "--token", "gio_secret")
    assert refused.exit_code == 2
    assert "The token is not sent there" in refused.stderr
    assert tokens_sent_to(pages, elsewhere) == []

    assert run_alone("verify", site + path).exit_code == 3
    assert tokens_sent_to(pages, elsewhere) == [None]


def test_a_token_goes_along_on_the_same_server(
    run_alone: Run, half: list[bytes], pages: Pages, site: str
) -> None:
    """A redirect within the origin is followed with the token."""
    path = show(pages, half)
    pages["/moved"] = path
    pages["/moved/record"] = f"{path}/record"
    assert run_alone("verify", f"{site}/moved", "--token", "gio_secret").exit_code == 3
    tokens_at_path = [token for _, asked_path, token in pages["asked"] if asked_path == path]
    assert "Bearer gio_secret" in tokens_at_path


# ---- what a server shows beside the record -------------------------------------------------------

Shown = Callable[[Accepted], Any]


NOTHING = "the server's receipt proves nothing"
IN_RECEIPT = "differs from the one in the server's receipt"
LATER = "2031-01-01T00:00:00.000Z"
SHOWN: dict[str, tuple[Shown, int, str]] = {
    "right": (receipt_for, 0, "right: match"),
    "none-as-of-the-first-release": (lambda _one: None, 0, "right: match"),
    "not-signed": (lambda one: {**receipt_for(one), "version": 3}, 1, f"{NOTHING}: its signature"),
    "another-history": (
        lambda one: receipt_for(replace(one, hash="0" * 64)),
        1,
        f"hash {IN_RECEIPT}",
    ),
    "another-time": (
        lambda one: receipt_for(replace(one, time=LATER)),
        1,
        f"time {IN_RECEIPT}",
    ),
    "no-receipt": (lambda _one: "signed", 1, NOTHING),
}


@pytest.mark.parametrize(("receipt_shown", "exit_code", "words"), SHOWN.values(), ids=SHOWN)
def test_a_receipt_that_the_server_shows_is_checked(
    run_alone: Run,
    ctx: Context,
    pages: Pages,
    site: str,
    receipt_shown: Shown,
    exit_code: int,
    words: str,
) -> None:
    """A shown receipt must be signed by the server's keys, and name the commit in the record."""
    lines = whole(ctx)
    receipt = receipt_shown(Accepted.of(entries_of(lines)[-1]))
    outcome = verify_record(lines).report.outcome

    result = run_alone("verify", site + show(pages, lines, receipt=receipt, outcome=outcome))

    assert result.exit_code == exit_code
    assert words in result.stdout


def test_another_outcome_than_the_one_worked_out_is_found(
    run_alone: Run, ctx: Context, pages: Pages, site: str
) -> None:
    """A server may not show another winner than its record has."""
    lines = whole(ctx)
    outcome = verify_record(lines).report.outcome
    assert outcome is not None
    swapped = {**outcome, "points": outcome["points"][::-1]}

    result = run_alone("verify", site + show(pages, lines, outcome=swapped))

    assert result.exit_code == 1
    assert "the server shows another outcome than the computed one" in result.stdout


# ---- answers without a match ---------------------------------------------------------------------


@pytest.fixture
def addresses(served: Context, url: str) -> dict[str, str]:
    """Addresses at a service that show no match, by kind."""
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
def test_an_address_without_a_match_is_explained(
    run_alone: Run, addresses: dict[str, str], command: str
) -> None:
    """The error is one sentence of this project, not of Python's library."""
    no_match = "not found. A private match needs a token"
    texts = {
        "unknown": no_match,
        "private": no_match,
        "deleted": "the match was deleted by its operator\n",
        "list": f"{HINT}\n",
        "page": f"does not answer with JSON{HINT}\n",
        "root": f"does not answer with JSON{HINT}\n",
    }
    if command != "verify":
        del texts["list"]  # it is JSON, but it has no record

    for name, words in texts.items():
        result = run_alone(command, addresses[name])
        assert result.exit_code == 2, name
        assert result.stderr.startswith(f"Error: {addresses[name]}"), name
        assert words in result.stderr, name
        assert result.stderr.count("\n") == 1, name
        assert not re.search(PYTHONS_OWN_WORDS, result.stderr), name


@pytest.mark.parametrize(
    ("body", "words"),
    [
        # A server cannot make the command read a file or speak another protocol.
        ("ftp://127.0.0.1/x", "not a web address"),
        # Nor move a cursor with its answer.
        (b'["\x1b[2J', "does not answer with JSON"),
    ],
    ids=["other-protocol", "escapes"],
)
def test_a_servers_wrong_answer_is_shown_in_one_line(
    run_alone: Run, pages: Pages, site: str, body: Any, words: str
) -> None:
    """Control characters of a wrong answer are not printed."""
    pages["/v1/matches/x"] = body
    result = run_alone("verify", f"{site}/v1/matches/x")
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize("name", ["", "/record", "/v1/keys"])
def test_an_answer_too_large_is_not_read(
    run_alone: Run,
    half: list[bytes],
    pages: Pages,
    site: str,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    """A server cannot fill the memory, neither with a record nor with anything else."""
    assert MOST_BYTES == 256 * 2**20
    assert sources._MOST_ANSWER == 2**20

    path = show(pages, half)
    address = name if name.startswith("/v1") else path + name
    most = max(len(page) for page in pages.values() if isinstance(page, bytes))
    monkeypatch.setattr("service.ops.cli.sources._MOST_ANSWER", most)
    monkeypatch.setattr("service.ops.cli.sources.MOST_BYTES", most)
    assert run_alone("verify", site + path).exit_code == 3

    pages[address] += b" " * (most + 1 - len(pages[address]))
    result = run_alone("verify", site + path)

    assert result.exit_code == 2
    assert f"{address}: its answer has more than {most} bytes" in result.stderr


# ---- connections ---------------------------------------------------------------------------------

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n"


@contextmanager
def answering(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server for one connection. Yield the address of a match there."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _address = server.accept()
            with connection, suppress(OSError):
                connection.recv(65536)
                answer(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1/matches/x"
        thread.join()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"220 mail ready\r\n", "the server does not speak HTTP"),
        (HEAD + b"\r\n{}", "its answer was cut short by 99998 bytes"),
    ],
    ids=["no-http", "cut-short"],
)
def test_an_answer_that_is_none_is_explained(run_alone: Run, answer: bytes, words: str) -> None:
    """An answer that is not HTTP, or that is cut short, is explained."""
    with answering(lambda connection: connection.sendall(answer)) as address:
        result = run_alone("verify", address)

    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.parametrize("head", [HEAD + b"X-More: ", HEAD + b"\r\n"], ids=["head", "body"])
def test_an_answer_that_never_ends_is_not_waited_for(
    run_alone: Run, head: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each byte comes in time, but the whole answer has a deadline."""
    monkeypatch.setattr("service.ops.cli.sources._MOST_SECONDS", 0.2)
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(head)
        while not over.wait(0.01):
            connection.sendall(b"x")

    with answering(drip) as address:
        result = run_alone("verify", address)
        over.set()

    assert result.exit_code == 2
    assert "its answer was not complete within 0.2 seconds" in result.stderr


# Addresses without a server. URL is that of a server without TLS.
NOWHERE = {
    "http://127.0.0.1:1": "no server answers there",
    "http://no-such-host.invalid": "no such host",
    "http://127.0.0.1:door": "it is not an address: nonnumeric port: 'door'",
    "https://URL": "the server does not speak TLS. Try http:// in place of https://",
}


@pytest.mark.parametrize(("address", "words"), NOWHERE.items(), ids=NOWHERE)
def test_an_address_without_a_server_is_explained(
    run_alone: Run, url: str, address: str, words: str
) -> None:
    """The error names the fault of the address, without an error number of the system."""
    origin = address.replace("URL", host_of(url))
    result = run_alone("verify", f"{origin}/v1/matches/{UNKNOWN}")
    assert result.exit_code == 2
    assert words in result.stderr
    assert not re.search(PYTHONS_OWN_WORDS, result.stderr)


def test_a_fetch_without_a_thread_says_so() -> None:
    """A fetch without a free thread raises Unreadable with the reason."""
    with no_threads(), pytest.raises(Unreadable, match="can't start new thread"):
        sources.document_of(f"http://127.0.0.1/v1/matches/{UNKNOWN}", None)
