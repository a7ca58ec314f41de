"""A journal that goes back is noticed by the scheduler, said until accepted, and forgotten."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from service.api.app import create_app
from service.config import Config
from service.health import checks
from service.journal.errors import JournalUnavailable
from service.journal.values import Generation
from service.keys import tokens
from service.matches import journal_watch
from service.matches.context import Context
from service.matches.journal_watch import note_file, read_note
from service.matches.repository import at_version, load
from tests.service.api.conftest import Door, json, opened
from tests.service.journal.copies import copy_of_server, put_back_on_server
from workers import scheduler
from workers.scheduler import JournalWatch


@pytest.fixture(autouse=True)
def at_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """No look waits for its time, neither the scheduler's nor that of readiness."""
    monkeypatch.setattr(scheduler, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(checks, "KEPT_SECONDS", 0.0)


@pytest.fixture
def client(redis_url: str) -> Iterator[Any]:
    """A plain client of the journal's server."""
    with Redis.from_url(redis_url) as plain:
        yield plain


@pytest.fixture
def door(redis_url: str, tmp_path: Path) -> Door:
    """The door of a web process on a data directory of its own."""
    environ = {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_DATA": str(tmp_path),
        "GIORNALE_PARTITIONS": "4",
        "GIORNALE_ALLOW_SEED": "true",
    }
    app = create_app(Config.load(environ))
    return Door.of(app)


@pytest.fixture
def match(door: Door) -> Door:
    """A match that has begun."""
    return opened(door)


@pytest.fixture
def ctx(door: Door) -> Context:
    """The web process's context, which remembers what the door tells."""
    return door.ctx


def watch_of(ctx: Context, directory: Path) -> JournalWatch:
    """Return what a scheduler on a data directory has at its start, with a memory of its own."""
    own = Context(ctx.journal, ctx.secret, ctx.clock, ctx.wake)
    return JournalWatch(own, note_file(directory))


def epoch_of(ctx: Context) -> Generation:
    """Return the journal's epoch."""
    epoch = ctx.journal.lifecycle.generation()
    assert epoch is not None
    return epoch


def warning_of(door: Door) -> str:
    """Return what readiness warns of the epoch, "" for nothing."""
    answer = json(door.get("/readyz"))
    warning: str = answer.get("warnings", {}).get("epoch", "")
    return warning


def test_a_journal_that_goes_on_has_one_epoch(match: Door, ctx: Context, tmp_path: Path) -> None:
    """It is made once; every scheduler, also one that starts anew, finds it right."""
    watch = watch_of(ctx, tmp_path)
    watch.look()
    first = epoch_of(ctx)

    for seat in range(3):
        match.move(f"seat:{seat}")
        watch.look()
        watch_of(ctx, tmp_path).look()

    assert epoch_of(ctx) == first
    assert first.gone_back is None
    assert warning_of(match) == ""


def test_what_is_noted_is_what_the_journal_holds(match: Door, ctx: Context, tmp_path: Path) -> None:
    """The ends of its feeds, its epoch and its number of commits, for its own user alone."""
    match.move("seat:0")
    watch_of(ctx, tmp_path).look()

    file = note_file(tmp_path)
    note = read_note(file)
    assert note is not None
    assert note.epoch == epoch_of(ctx).id
    assert note.commits == 2
    assert note.lines == ctx.journal.events.feed_ends({}).last
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "same_scheduler", [True, False], ids=["the same scheduler", "a new scheduler"]
)
def test_an_older_copy_is_noticed_and_said(
    match: Door,
    ctx: Context,
    client: Any,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    same_scheduler: bool,
) -> None:
    """In the log, in /readyz and in the metrics, until an operator accepts it."""
    watch = watch_of(ctx, tmp_path)
    watch.look()
    before = epoch_of(ctx)
    older = copy_of_server(client)
    for seat in range(3):
        match.move(f"seat:{seat}")
    watch.look()

    put_back_on_server(client, older)
    match.move("seat:0", 1)
    watch = watch if same_scheduler else watch_of(ctx, tmp_path)
    watch.look()

    now = epoch_of(ctx)
    assert now.id != before.id
    assert before.id in now.superseded
    assert now.gone_back is not None
    assert (now.gone_back.had, now.gone_back.has) == (4, 2)
    [line] = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert line.getMessage().startswith("the journal has gone back: it had 4 commits at 20")

    warning = warning_of(match)
    assert warning.startswith("the journal has gone back: it had 4 commits at 20")
    assert "giornale journal accept" in warning
    assert "giornale_journal_gone_back 1.0" in match.get("/metrics").text

    watch.look()
    watch_of(ctx, tmp_path).look()
    assert epoch_of(ctx) == now

    accepted = journal_watch.accept(ctx.journal)
    assert accepted == now.gone_back
    assert warning_of(match) == ""
    assert epoch_of(ctx).id == now.id
    assert journal_watch.accept(ctx.journal) is None


def test_an_emptied_journal_is_noticed(
    match: Door, ctx: Context, client: Any, tmp_path: Path
) -> None:
    """FLUSHALL, or a server that starts without its files."""
    watch = watch_of(ctx, tmp_path)
    watch.look()
    assert warning_of(match) == ""

    client.flushall()
    assert "has no epoch any more" in warning_of(match)
    watch.look()

    gone_back = epoch_of(ctx).gone_back
    assert gone_back is not None
    assert (gone_back.had, gone_back.has) == (1, 0)
    assert "it had 1 commits" in warning_of(match)


def test_a_process_forgets_what_it_remembers_of_another_epoch(
    match: Door, ctx: Context, client: Any, tmp_path: Path
) -> None:
    """States at the head, past states and whose tokens are."""
    watch = watch_of(ctx, tmp_path)
    watch.look()
    older = copy_of_server(client)
    match.move("seat:0")
    warning_of(match)
    ctx.cache.checkpoints.put((match.match, 50), at_version(ctx, match.match, 1))
    assert load(ctx, match.match).version == 2
    token_field = tokens.field(match.tokens["seat:0"])
    assert ctx.cache.holders.get(token_field) == "seat:0"

    watch.look()
    put_back_on_server(client, older)
    watch.look()
    warning_of(match)

    assert ctx.cache.heads.get(match.match) is None
    assert ctx.cache.checkpoints.get((match.match, 50)) is None
    assert ctx.cache.holders.get(token_field) is None


def test_schedulers_on_other_data_directories_agree(
    match: Door, ctx: Context, client: Any, tmp_path: Path
) -> None:
    """The first that notices gives the epoch; the other knows from it that its note is old."""
    first = watch_of(ctx, tmp_path)
    second = watch_of(ctx, tmp_path / "other")
    first.look()
    older = copy_of_server(client)
    match.move("seat:0")
    first.look()
    second.look()

    put_back_on_server(client, older)
    first.look()
    noticed = epoch_of(ctx)
    second.look()
    watch_of(ctx, tmp_path / "other").look()

    assert noticed.gone_back is not None
    assert epoch_of(ctx) == noticed


def test_a_journal_of_the_release_before_gets_an_epoch(
    match: Door, ctx: Context, client: Any, tmp_path: Path
) -> None:
    """Also one whose epoch was lost while its commits are there: nothing was lost with it."""
    watch = watch_of(ctx, tmp_path)
    watch.look()
    first = epoch_of(ctx)
    client.delete("giornale:epoch")

    watch.look()

    assert epoch_of(ctx).id != first.id
    assert epoch_of(ctx).gone_back is None
    assert warning_of(match) == ""


def test_a_second_loss_keeps_the_greater_one(
    match: Door, ctx: Context, client: Any, tmp_path: Path
) -> None:
    """Until it is accepted, what is said is the most that the journal ever had."""
    watch = watch_of(ctx, tmp_path)
    watch.look()
    older = copy_of_server(client)
    for seat in range(3):
        match.move(f"seat:{seat}")
    watch.look()
    put_back_on_server(client, older)
    watch.look()
    match.move("seat:0", 1)
    watch.look()
    after_first_loss = copy_of_server(client)
    match.move("seat:1", 1)
    watch.look()
    put_back_on_server(client, after_first_loss)
    watch.look()

    gone_back = epoch_of(ctx).gone_back
    assert gone_back is not None
    assert (gone_back.had, gone_back.has) == (4, 2)


def test_a_journal_begun_anew_on_purpose_has_not_gone_back(
    match: Door, ctx: Context, client: Any, tmp_path: Path
) -> None:
    """As `giornale restore` begins it: no scheduler complains, and processes forget."""
    watch = watch_of(ctx, tmp_path)
    match.move("seat:0")
    watch.look()
    noted = read_note(note_file(tmp_path))
    client.flushall()

    journal_watch.begin_anew(ctx.journal, noted, ctx.clock())
    watch.look()
    watch_of(ctx, tmp_path).look()

    assert epoch_of(ctx).gone_back is None
    assert warning_of(match) == ""


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"epoch": 1, "lines": []}', b"\xff"])
def test_a_note_that_cannot_be_read_is_made_anew(
    match: Door, ctx: Context, tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """The scheduler says so, and goes on."""
    file = note_file(tmp_path)
    file.write_bytes(content)

    watch_of(ctx, tmp_path).look()

    assert "cannot be read" in caplog.text
    assert read_note(file) is not None
    assert warning_of(match) == ""


def test_drafts_of_killed_schedulers_go(
    match: Door, ctx: Context, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The next scheduler says so."""
    file = note_file(tmp_path)
    draft = file.with_name(f".{file.name}.77.0123abcd")
    draft.write_bytes(b"a half")

    watch_of(ctx, tmp_path)
    assert not draft.exists()
    assert "a draft that a killed process had left" in caplog.text


def test_a_disk_that_takes_no_note_is_said_once(
    match: Door, ctx: Context, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The scheduler goes on with what it remembers, and writes the note when it can."""
    not_a_directory = tmp_path / "file"
    not_a_directory.write_bytes(b"")
    watch = watch_of(ctx, not_a_directory)
    caplog.clear()

    watch.look()
    match.move("seat:0")
    watch.look()
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert told == ["what the journal holds cannot be noted"]

    not_a_directory.unlink()
    watch.look()
    assert read_note(note_file(not_a_directory)) is not None


def test_a_journal_that_is_away_is_looked_at_later(
    match: Door, ctx: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler lives on; readiness does not guess."""

    def away() -> None:
        raise JournalUnavailable("away")

    watch = watch_of(ctx, tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(ctx.journal.lifecycle, "generation", away)
        watch.look()
        assert warning_of(match) == "unknown"

    watch.look()
    assert epoch_of(ctx).gone_back is None
