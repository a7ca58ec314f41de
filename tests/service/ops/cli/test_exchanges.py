"""Exchanges with the command line: the input, the exit code, and the output.

The table holds single cases, such as refusals and verdicts. Nothing in it changes the journal.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner
from redis import Redis

from service.ops.cli.commands import PLACES, main
from service.ops.process.valkey import Server
from service.record import record
from service.record.commit import Json
from service.store.keys.signer import Accepted
from tests import toy
from tests.attacks.forging import entries_of
from tests.service.ops.cli.conftest import runner
from tests.service.ops.cli.shelf import by_rules, forged, match_in, write_dump
from tests.service.ops.cli.site import KEY, receipt_for
from tests.service.toy_matches import new_context, opened, play_on, record_of, whole

UNKNOWN = "a" * 26
NO_SERVER = "http://127.0.0.1:1/v1/matches/x"

# The places of the input.
HERE = "beside a journal"
ALONE = "where no journal is at hand"
AWAY = "where the journal is away"

NO_JOURNAL = "there is no journal: GIORNALE_JOURNAL_URL is not set"
NO_AGE = "must be a number of hours or days, such as 36h or 30d\n"


class Exchange(NamedTuple):
    """Words of input at a place, the exit code, and a part of the output.

    Words in braces stand for values of the fixture `at_hand`.
    """

    where: str
    words: str
    exit_code: int
    said: str


here = partial(Exchange, HERE)
alone = partial(Exchange, ALONE)
away = partial(Exchange, AWAY)

EXCHANGES = [
    # `verify` of one record: 0 right, 3 right as far as checked, 1 wrong, 2 cannot be read.
    alone("verify {whole}", 0, "right: match"),
    alone("verify --strict {whole}", 0, "right: match"),
    here("verify {match}", 0, "right: match"),
    alone("verify {half}", 3, "right as far as checked: match"),
    alone("verify {half}", 3, "not checked: the end"),
    alone("verify --json {half}", 3, '"verdict": "partly_checked"'),
    alone("verify --strict {half}", 1, "not checked: the end"),
    alone(
        "verify {tomorrow}",
        3,
        "not checked: the play: this program does not know the rules firenze/2",
    ),
    alone("verify --strict {tomorrow}", 1, "does not know the rules firenze/2"),
    alone("verify {wrong}", 1, "wrong: commit 4: commit 5 is in the place of commit 4"),
    alone("verify {spoilt}", 1, "wrong: commit 2: "),
    alone("verify {empty}", 2, "is not a record"),
    alone("verify {text}", 2, "is not a record"),
    alone("verify {bytes}", 2, "is not a record"),
    alone("verify {list}", 2, "is not a record"),
    alone("verify {other-event}", 2, "is not a record"),
    alone("verify nosuchfile", 2, "Error: there is no file nosuchfile\n"),
    here("verify nosuchfile", 2, "Error: there is no file nosuchfile\n"),
    here("verify /", 2, "Error: "),
    alone("verify {unknown}", 2, f"there is no file {UNKNOWN}, and {NO_JOURNAL}"),
    here("verify {unknown}", 2, f"{UNKNOWN}, and no such match in the journal\n"),
    away("verify {unknown}", 2, f"{UNKNOWN}, and the journal cannot be read"),
    # `verify` of several: wrong before unreadable, unreadable before partly checked.
    alone("verify {whole} {gzipped}", 0, "2 records are right"),
    alone("verify --strict {whole} {gzipped}", 0, "2 records are right"),
    alone("verify {whole} {half}", 3, "1 records are right, 1 are not or not wholly"),
    alone("verify --strict {whole} {half}", 1, "1 records are right, 1 are not"),
    alone("verify {half} {missing}", 2, ", and 1 files cannot be read"),
    alone("verify --strict {half} {missing}", 2, ", and 1 files cannot be read"),
    alone("verify {cut} {whole}", 2, ", and 1 files cannot be read"),
    alone("verify {half} {missing} {wrong}", 1, ", and 1 files cannot be read"),
    alone("verify {missing} {dump}", 1, ", and 1 files cannot be read"),
    alone("verify {whole} -", 2, "-: cannot be read: - is not a file. Check it alone"),
    alone(f"verify {{whole}} {NO_SERVER}", 2, f"{NO_SERVER} is not a file"),
    alone("verify {whole} {whole} --receipt x", 2, "receipts, bases and proofs are checked"),
    alone("verify {whole} {whole} --keys x", 2, "receipts, bases and proofs are checked"),
    alone("verify {dump} --receipt x", 2, "receipts, bases and proofs are checked"),
    alone("verify {half} --receipt {whole}", 2, "give --keys FILE or URL"),
    alone("verify --jobs 0 {whole}", 2, "--jobs"),
    alone("verify --jobs 257 {whole}", 2, "--jobs"),
    alone("verify --jobs many {whole}", 2, "--jobs"),
    # `verify` of kept receipts: commits that they vouch for, and receipts that prove nothing.
    alone("verify {whole} --receipt {of-last} --keys {keys}", 0, "right: match"),
    alone(
        "verify {whole} --receipt {of-fourth} --keys {keys}",
        0,
        "note: no receipt vouches for the commits after 4",
    ),
    alone(
        "verify {two-lines} --receipt {of-fourth} --keys {keys}",
        1,
        "wrong: commit 2: the record ends here, but receipt 1 vouches for commit 4\n",
    ),
    alone(
        "verify {whole} --receipt {of-another} --keys {keys}",
        1,
        "wrong: commit 4: its hash differs from the one in receipt 1\n",
    ),
    alone("verify {whole} --receipt {not-signed} --keys {keys}", 1, "its signature is wrong"),
    *(
        alone(
            f"verify {{whole}} --receipt {{of-last}} --keys {{{no_keys}}}",
            2,
            "does not list public keys",
        )
        for no_keys in ("object", "keys-of-an-object", "keys-of-a-number", "keys-of-a-part")
    ),
    # `story` and `view`.
    alone("story {wrong}", 1, "the record is wrong: commit 4"),
    alone("story {half}", 2, "are missing here"),
    alone("story {object}", 2, "is not a record"),
    alone("story {unknown}", 2, f"there is no file {UNKNOWN}, and {NO_JOURNAL}"),
    here("story {unknown}", 1, "there is no match"),
    alone("view {whole}", 0, "<!doctype html>"),
    alone("view {wrong}", 1, "wrong: commit 4:"),
    alone("view {missing}", 2, "missing"),
    alone("view {object}", 2, "is not a record"),
    alone("view {later}", 2, "does not know the rules toy/9"),
    # Commands on the journal.
    here("import {changed}", 1, "commit 4: the commit does not fit its hash"),
    here("export", 2, "give a MATCH, or --all DIRECTORY"),
    here("export {unknown} --all x", 2, "give a MATCH, or --all DIRECTORY"),
    here("match show {unknown}", 1, f"Error: there is no match {UNKNOWN}\n"),
    here("match delete {unknown}", 1, f"Error: there is no match {UNKNOWN}\n"),
    here("match delete --yes {unknown}", 1, f"Error: there is no match {UNKNOWN}\n"),
    here("match list --idle long", 2, f"Invalid value for --idle: {NO_AGE}"),
    here("archive run --older-than long", 2, NO_AGE),
    here("archive restore", 2, "give a MATCH, or --all"),
    here("archive restore x --all", 2, "give a MATCH, or --all"),
    here("archive restore {unknown}", 1, f"there is no archived match {UNKNOWN}"),
    here("pending retry", 2, "give a MATCH, or --all"),
    here("pending retry {unknown} --all", 2, "give a MATCH, or --all"),
    here("journal --help", 0, "has gone back"),
    here("journal accept", 0, "there is nothing to accept"),
    away("journal accept", 1, "Error: the journal cannot be written: "),
    here("dump --from yesterday -o {new}", 2, "such as 2026-01-31"),
    here("dump --to yesterday -o {new}", 2, "Invalid value for --to"),
    *(
        here(f"dump {span} -o {{new}}", 2, "--to: must be a later time than --from")
        for span in (
            "--from 2026-02-01 --to 2026-01-01",
            "--from 2026-01-01 --to 2026-01-01",
            "--from 2026-01-01T12:00:00Z --to 2026-01-01T13:00:00+01:00",
        )
    ),
    # Processes without a journal end, and print no password.
    *(
        Exchange(where, words, 1, text)
        for words in ("web", "worker bots", "scheduler")
        for where, text in (
            (ALONE, "GIORNALE_JOURNAL_URL is needed"),
            (AWAY, "redis://:***@127.0.0.1:1"),
        )
    ),
    alone("serve --host no-such.invalid", 1, "cannot listen on no-such.invalid: "),
    # Boards.
    alone("board show --game chess", 2, "firenze"),
    alone("board check {board}", 0, "good board"),
    alone("board check {missing}", 2, "missing"),
    alone("board check {empty}", 2, "cannot be read"),
    alone("board check {spoilt}", 2, "cannot be read"),
    alone("board check {bytes}", 2, "cannot be read"),
]


@pytest.fixture(scope="module", autouse=True)
def _toy_game() -> Iterator[None]:
    """The toy is registered."""
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch)
        yield


@pytest.fixture(scope="module")
def at_hand(_toy_game: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The values of the words in braces: files by content, and ids."""
    directory = tmp_path_factory.mktemp("at-hand")
    lines = whole(new_context())
    whole_bytes = b"".join(lines)
    ctx = new_context()
    match = opened(ctx)
    play_on(ctx, match, until=4)

    entries = entries_of(lines)
    fourth = Accepted.of(entries[3])
    two_lines = [record.line(record.redact(stored, [])) for stored in entries[:2]]

    contents = {
        "whole": whole_bytes,
        "two-lines": b"".join(two_lines),
        "of-last": as_bytes(receipt_for(Accepted.of(entries[-1]))),
        "of-fourth": as_bytes({"version": 4, "receipt": receipt_for(fourth)}),
        "of-another": as_bytes(receipt_for(replace(fourth, hash="0" * 64))),
        "not-signed": as_bytes({**receipt_for(fourth), "version": 2}),
        "keys": as_bytes({"keys": [KEY]}),
        "keys-of-an-object": b'{"keys":{}}',
        "keys-of-a-number": b'{"keys":[1]}',
        "keys-of-a-part": b'{"keys":[{"id":"a"}]}',
        "gzipped": gzip.compress(whole_bytes),
        "half": b"".join(record_of(ctx, match)),
        "wrong": forged(whole_bytes),
        "changed": whole_bytes.replace(b'"heads":', b'"head":'),
        "spoilt": lines[0] + b"hello\n",
        "tomorrow": by_rules(new_context(), "firenze/2"),
        "later": by_rules(new_context(), "toy/9"),
        "empty": b"",
        "text": b"# Giornale\n\nAn event-sourced game log.\n",
        "bytes": b"\xff\xfe\x00",
        "list": b"[1]\n",
        "object": b"{}\n",
        "other-event": b'{"type":"something.else","specversion":"1.0"}\n',
        "board": CliRunner().invoke(main, ["board", "show"]).stdout_bytes,
    }
    for name, content in contents.items():
        (directory / name).write_bytes(content)
    write_dump(directory / "dump", [whole_bytes, forged(whole_bytes)])
    (directory / "cut").write_bytes((directory / "dump").read_bytes()[:-20])

    files = {name: str(directory / name) for name in (*contents, "dump", "cut", "missing", "new")}
    return {**files, "match": match_in(directory / "whole"), "unknown": UNKNOWN}


def as_bytes(value: Json) -> bytes:
    """Return a value as JSON."""
    return json.dumps(value).encode()


@pytest.fixture(scope="module")
def journal_url(server: Server, at_hand: dict[str, str]) -> str:
    """The URL of a journal with one match, in a database that no other test uses."""
    url = f"{server.url}?db=7"
    with Redis.from_url(url) as client:
        client.flushdb()
    imported = runner({"GIORNALE_JOURNAL_URL": url})("import", at_hand["whole"])
    assert imported.exit_code == 0
    return url


@pytest.mark.parametrize("exchange", EXCHANGES, ids=lambda one: f"{one.words} ({one.where})")
def test_an_exchange(
    exchange: Exchange, at_hand: dict[str, str], journal_url: str, tmp_path: Path
) -> None:
    """Exit code and output are those of the table, without a traceback or a password."""
    urls = {HERE: journal_url, ALONE: "", AWAY: "redis://:pw@127.0.0.1:1"}
    data = tmp_path / "data"
    run = runner({"GIORNALE_JOURNAL_URL": urls[exchange.where], "GIORNALE_DATA": str(data)})

    result = run(*exchange.words.format_map(at_hand).split())

    assert result.exit_code == exchange.exit_code, result.output
    assert exchange.said in result.stdout + result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "pw@" not in result.output
    assert not Path(at_hand["new"]).exists()


@pytest.mark.parametrize("name", PLACES)
def test_each_command_stands_in_its_place(name: str) -> None:
    """Every name leads to the command of this name."""
    with click.Context(main) as context:
        command = main.get_command(context, name)

    assert command is not None
    assert command.name == name


def commands(command: click.Command, *above: str) -> Iterator[list[str]]:
    """Yield the words of a command and of all below it."""
    yield list(above)
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            names = command.list_commands(context)
            below = [command.get_command(context, name) for name in names]
        for name, one in zip(names, below, strict=True):
            assert one is not None
            yield from commands(one, *above, name)


def test_short_help_is_help() -> None:
    """`-h` is `--help` on every command."""
    for words in commands(main):
        short = CliRunner().invoke(main, [*words, "-h"])
        long = CliRunner().invoke(main, [*words, "--help"])

        assert short.exit_code == 0, words
        assert short.output == long.output, words
        assert "Usage: " in short.output, words


def test_every_error_of_a_board_is_told_at_its_entry(tmp_path: Path) -> None:
    """F4: two wrong entries, two lines, each with its JSON pointer."""
    board = json.loads(CliRunner().invoke(main, ["board", "show"]).output)
    board["balconies"][3]["numeral"] = "V"
    board["cards"]["flood"]["copies"] = "one"
    path = tmp_path / "board.json"
    path.write_text(json.dumps(board))

    result = CliRunner().invoke(main, ["board", "check", str(path)])

    pointers = {line.partition(":")[0] for line in result.output.splitlines()}
    assert result.exit_code == 1
    assert pointers == {"/cards/flood/copies", "/balconies/3/numeral"}
