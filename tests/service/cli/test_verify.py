"""Exit codes and words of `giornale verify` for records, servers and names that are not right."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from werkzeug import Request, Response
from werkzeug.serving import make_server

from service.cli.commands import main
from service.cli.printing import LONGEST, printable
from service.ledger.canonical import Json
from service.ledger.receipts import Accepted, sign_receipt
from service.matches.desk import Desk
from service.verify.audit import verify_record
from tests.attacks.forging import DIGESTS, cut, entries_of, mended, opening_messages
from tests.service.toy_matches import opened, play_on, record_of, whole

Run = Callable[..., Result]
ShownWith = Callable[[Callable[[Accepted], Any]], str]
Pages = dict[str, Any]
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = {"id": "k", "public": PRIVATE.public_key().public_bytes_raw().hex(), "until": None}

pytestmark = pytest.mark.usefixtures("toy_game")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the command where no journal is at hand."""
    environ = {"GIORNALE_DATA": str(tmp_path / "var"), "GIORNALE_JOURNAL_URL": ""}
    return lambda *arguments, **more: CliRunner().invoke(
        main, [*map(str, arguments)], env=environ, **more
    )


@pytest.fixture
def half(desk: Desk) -> list[bytes]:
    """The public record of a match that is on."""
    match = opened(desk)
    play_on(desk, match, until=4)
    return record_of(desk, match)


def test_right_as_far_as_checked_ends_with_3(run: Run, half: list[bytes]) -> None:
    """A redacted record is not wrong, but not checked to the last either.

    The exit code tells that, and so do the words.
    """
    content = b"".join(half)
    result = run("verify", "-", input=content)
    assert result.exit_code == 3
    assert result.stdout.startswith("right as far as checked: match ")
    assert "not checked: the end" in result.stdout

    report = json.loads(run("verify", "--json", "-", input=content).stdout)
    assert report["ok"] is True
    assert report["verdict"] == "partly_checked"


def test_strict_fails_unless_all_was_checked(run: Run, half: list[bytes]) -> None:
    """With --strict a script need not know of the third outcome."""
    assert run("verify", "--strict", "-", input=b"".join(half)).exit_code == 1


def test_strict_passes_when_all_was_checked(run: Run, desk: Desk) -> None:
    """A whole record leaves nothing unchecked."""
    assert run("verify", "--strict", "-", input=b"".join(whole(desk))).exit_code == 0


def by_rules(desk: Desk, rules: str) -> bytes:
    """Return a whole record that says it was played by these rules."""
    entries = entries_of(whole(desk))
    for message in opening_messages(entries):
        message["rules"] = rules
    return b"".join(mended(entries))


def test_unknown_rules_are_not_right(run: Run, desk: Desk) -> None:
    """A record that names rules of tomorrow was not played: 3, and 1 if that is not enough."""
    content = by_rules(desk, "firenze/2")
    assert run("verify", "-", input=content).exit_code == 3
    assert run("verify", "--strict", "-", input=content).exit_code == 1


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"# Giornale\n\nAn event-sourced game log.\n", id="a-readme"),
        pytest.param(b"\xff\xfe\x00", id="bytes"),
        pytest.param(b"[1]\n", id="a-list"),
        pytest.param(b'{"type":"something.else","specversion":"1.0"}\n', id="another-event"),
    ],
)
def test_what_is_no_record_cannot_be_read(run: Run, content: bytes) -> None:
    """Something else handed in by mistake is no forgery: 2, and words that say so."""
    result = run("verify", "-", input=content)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is no record" in result.stderr


def test_a_record_with_a_bad_later_line_is_wrong(run: Run, desk: Desk) -> None:
    """What begins as a record and does not go on as one has been tampered with."""
    lines = whole(desk)
    assert run("verify", "-", input=b"".join([lines[0], b"hello\n"])).exit_code == 1


def test_a_name_of_nothing_is_told_so(run: Run) -> None:
    """Without a journal at hand only files are spoken of."""
    result = run("verify", "nosuchfile")
    assert (result.exit_code, result.stderr) == (2, "Error: there is no file nosuchfile\n")


def test_with_a_journal_at_hand_matches_are_spoken_of(run: Run, redis_url: str) -> None:
    """With one it is asked, and so is said to have no such match."""
    environ = {"GIORNALE_JOURNAL_URL": redis_url}
    result = CliRunner().invoke(main, ["verify", "nosuchfile"], env=environ)
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: there is no file nosuchfile, and no match of that name in the journal\n"
    )


EVIL = "toy/1\nright: match x\x1b[2J\x9b1A\u202e\u200b\u2028\U000e0041\u3164"
HARMLESS = r"toy/1\u000aright: match x\u001b[2J\u009b1A\u202e\u200b\u2028\U000e0041\u3164"


def test_no_text_of_a_record_forges_what_is_printed(run: Run, desk: Desk) -> None:
    """Line ends, escapes and invisible signs of a record are shown by number, also in JSON."""
    content = by_rules(desk, EVIL)
    printed = run("verify", "-", input=content).stdout
    printed_json = run("verify", "--json", "-", input=content).stdout

    telling_lines = [line for line in printed.splitlines() if "right: match x" in line]
    assert telling_lines != []
    assert all(HARMLESS in line for line in telling_lines)
    for output in (printed, printed_json):
        assert all(character == "\n" or printable(character) == character for character in output)
    assert json.loads(printed_json)["rules"] == EVIL


def test_no_wrong_record_forges_what_is_printed(run: Run, desk: Desk) -> None:
    """Nor does one that is wrong: what it calls an audience is in the finding."""
    entries = entries_of(whole(desk))
    entries[1]["secrets"]["x\nright: all\x1b[1A"] = {"salt": ""}
    content = b"".join(mended(entries, [DIGESTS]))
    assert run("verify", "-", input=content).stdout.count("\n") == 1


def test_letters_of_all_languages_are_printed_and_long_lines_cut() -> None:
    """What people write is shown as it is; a line of a million signs is not."""
    for text in ("Firenze, città", "漢字", "שלום", "😀", "a\\b"):
        assert printable(text) == text

    too_long = "x" * (LONGEST + 1)
    assert printable(too_long) == "x" * LONGEST + f"... ({LONGEST + 1} characters)"


@pytest.fixture
def pages() -> Pages:
    """What the server below shows, by path; "" at a path redirects to what `moved` says."""
    return {"asked": []}


@pytest.fixture
def site(pages: Pages) -> Iterator[str]:
    """Where a server is that shows the pages, and keeps which tokens it was sent."""
    yield from _served(pages)


@pytest.fixture
def elsewhere(pages: Pages) -> Iterator[str]:
    """The same pages on another port: another origin."""
    yield from _served(pages)


def _served(pages: Pages) -> Iterator[str]:
    @Request.application
    def application(request: Request) -> Response:
        pages["asked"].append((request.host, request.path, request.headers.get("Authorization")))
        page = pages.get(request.host, pages).get(request.path)
        if isinstance(page, str):
            return Response(status=302, headers={"Location": page})
        return Response(page, status=200 if page is not None else 404)

    running = make_server("127.0.0.1", 0, application, threaded=True)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.port}"
    running.shutdown()
    thread.join()
    running.server_close()


def show(pages: Pages, lines: list[bytes], **more: Any) -> str:
    """Let the server show a match.

    Return its path. more: further fields of its document, or other values.
    """
    last = entries_of(lines)[-1]
    content = last["commit"]
    document = {
        "version": content["version"],
        "hash": last["hash"],
        "outcome": None,
        **more,
    }

    path = f"/v1/matches/{content['match']}"
    pages[path] = json.dumps(document).encode()
    pages[f"{path}/record"] = b"".join(lines)
    pages["/v1/keys"] = json.dumps({"keys": [KEY]}).encode()
    return path


def test_a_servers_head_checks_the_end(
    run: Run, half: list[bytes], pages: Pages, site: str
) -> None:
    """A server that was just asked has said where the match ends.

    Nothing is left to say of the end.
    """
    result = run("verify", site + show(pages, half))
    assert result.exit_code == 3
    assert "the end" not in result.stdout


@pytest.fixture
def moved(half: list[bytes], pages: Pages, site: str, elsewhere: str) -> str:
    """The address of a match that has moved to another origin."""
    path = show(pages, half)
    pages[host_of(site)] = {**pages, path: elsewhere + path}
    return site + path


def host_of(origin: str) -> str:
    """Return the host and port of an origin."""
    return origin.removeprefix("http://")


def tokens_sent_to(pages: Pages, origin: str) -> list[str | None]:
    """Return the tokens, or None, with which an origin was asked."""
    return [token for host, _, token in pages["asked"] if host == host_of(origin)]


def test_a_redirect_to_another_server_is_refused_with_a_token(
    run: Run, pages: Pages, moved: str, elsewhere: str
) -> None:
    """The token goes to no other server, and words say why."""
    result = run("verify", moved, "--token", "gio_secret")
    assert result.exit_code == 2
    assert "the token is not sent there" in result.stderr
    assert tokens_sent_to(pages, elsewhere) == []


def test_a_redirect_to_another_server_is_followed_without_a_token(
    run: Run, pages: Pages, moved: str, elsewhere: str
) -> None:
    """Where nothing can be given away the match is fetched from where it is."""
    assert run("verify", moved).exit_code == 3
    assert tokens_sent_to(pages, elsewhere) == [None]


def test_a_token_goes_along_on_the_same_server(
    run: Run, half: list[bytes], pages: Pages, site: str
) -> None:
    """A redirect within the origin is followed as ever."""
    path = show(pages, half)
    pages["/moved"] = path
    pages["/moved/record"] = f"{path}/record"
    assert run("verify", f"{site}/moved", "--token", "gio_secret").exit_code == 3
    tokens_at_path = [token for _, asked_path, token in pages["asked"] if asked_path == path]
    assert "Bearer gio_secret" in tokens_at_path


def test_a_redirect_to_no_web_address_is_refused(run: Run, pages: Pages, site: str) -> None:
    """A server cannot make the command read a file or speak another protocol."""
    pages["/v1/matches/x"] = "ftp://127.0.0.1/x"
    result = run("verify", f"{site}/v1/matches/x")
    assert result.exit_code == 2
    assert "no address on the web" in result.stderr


def test_a_servers_words_forge_nothing_either(run: Run, pages: Pages, site: str) -> None:
    """What a server answers instead of a match is shown in one line."""
    pages["/v1/matches/x"] = b'["\x1b[2J'
    result = run("verify", f"{site}/v1/matches/x")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "\x1b" not in result.stderr


def receipt_for(accepted: Accepted) -> Json:
    """Return the receipt of the server whose keys are listed."""
    return sign_receipt(accepted, "k", PRIVATE)


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
    run: Run, shown_with: ShownWith, receipt_shown: Callable[[Accepted], Any], words: str
) -> None:
    """It must be signed by the server's keys, and be of the commit that the record has."""
    result = run("verify", shown_with(receipt_shown))
    assert result.exit_code == 1
    assert words in result.stdout


@pytest.mark.parametrize("receipt_shown", [receipt_for, lambda _: None], ids=["right", "null"])
def test_a_good_receipt_or_none_is_right(
    run: Run, shown_with: ShownWith, receipt_shown: Callable[[Accepted], Any]
) -> None:
    """Servers of the first release show no receipt."""
    result = run("verify", shown_with(receipt_shown))
    assert result.exit_code == 0
    assert "right: match" in result.stdout


@pytest.fixture
def shown_with(desk: Desk, pages: Pages, site: str) -> ShownWith:
    """Let the server show a whole match with a receipt that is made of its last commit.

    Return the address.
    """

    def show_with(receipt_shown: Callable[[Accepted], Any]) -> str:
        lines = whole(desk)
        receipt = receipt_shown(Accepted.of(entries_of(lines)[-1]))
        outcome = verify_record(lines).report.outcome
        return site + show(pages, lines, receipt=receipt, outcome=outcome)

    return show_with


def with_receipt(directory: Path, lines: list[bytes], version: int) -> list[Any]:
    """Return the arguments that name the receipt for a version of a match, and the keys."""
    receipt_path = directory / "receipt.json"
    keys_path = directory / "keys.json"
    accepted = Accepted.of(entries_of(lines)[version - 1])
    receipt_path.write_text(json.dumps(receipt_for(accepted)))
    keys_path.write_text(json.dumps({"keys": [KEY]}))
    return ["--receipt", receipt_path, "--keys", keys_path]


def test_a_receipt_for_the_last_commit_leaves_no_note(run: Run, desk: Desk, tmp_path: Path) -> None:
    """Then nothing rests on anybody's word."""
    lines = whole(desk)
    arguments = with_receipt(tmp_path, lines, len(lines))
    result = run("verify", "-", *arguments, input=b"".join(lines))
    assert result.exit_code == 0
    assert "note:" not in result.stdout


def test_a_receipt_for_an_earlier_commit_leaves_a_note(
    run: Run, desk: Desk, tmp_path: Path
) -> None:
    """What came after it rests on the word of whoever tells the match."""
    lines = whole(desk)
    arguments = with_receipt(tmp_path, lines, 4)
    result = run("verify", "-", *arguments, input=b"".join(lines))
    assert result.exit_code == 0
    assert "note: no receipt vouches for the commits after 4" in result.stdout


def test_a_finished_match_told_as_aborted_has_a_note_and_is_found_with_a_receipt(
    run: Run, desk: Desk, tmp_path: Path
) -> None:
    """The verdict of the record alone is right, with a note that says what that means.

    The receipt convicts.
    """
    lines = whole(desk)
    content = b"".join(mended(cut(entries_of(lines), 4)))

    alone = run("verify", "-", input=content)
    assert alone.exit_code == 0
    assert "note: no receipt from earlier was given" in alone.stdout

    arguments = with_receipt(tmp_path, lines, 5)
    assert run("verify", "-", *arguments, input=content).exit_code == 1
