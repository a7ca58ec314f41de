"""The scheduler notices a journal that goes back, and reports it until an operator accepts it."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from redis import Redis

from service.api.health import checks
from service.api.http.context import services_of
from service.app import create_app
from service.base.config import Config
from service.bootstrap import open_sequencer
from service.capabilities.log.rounds import Sequencing
from service.matches import journal_watch
from service.matches.context import Context
from service.matches.journal_watch import note_file, read_note
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load, load_version
from service.store.journal.errors import JournalUnavailable
from service.store.journal.values import Generation, GoneBack
from service.store.keys import tokens
from service.store.tlog.entries import LogEntry
from tests.service.store.journal.copies import copy_of_server, put_back_on_server
from workers import bots, journal_watch as watch_module
from workers.bots.players import TimeBudget
from workers.journal_watch import JournalWatch

BOT = {"kind": "bot", "level": "random"}
ONE_MOVE = TimeBudget(until=0.0, share=1.0, clock=lambda: 1.0)


@pytest.fixture(autouse=True)
def at_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the scheduler nor readiness waits between two looks at the journal."""
    monkeypatch.setattr(watch_module, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(checks, "KEPT_SECONDS", 0.0)


@pytest.fixture
def server_client(redis_url: str) -> Iterator[Any]:
    """A plain client of the journal's server."""
    with Redis.from_url(redis_url) as plain:
        yield plain


@pytest.fixture
def app(redis_url: str, tmp_path: Path) -> Flask:
    """The application of a web process on its own data directory."""
    environ = {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_DATA": str(tmp_path),
        "GIORNALE_PARTITIONS": "4",
    }
    return create_app(Config.load(environ))


@pytest.fixture
def ctx(app: Flask) -> Context:
    """The web process's context."""
    return services_of(app).ctx


@pytest.fixture
def match(ctx: Context) -> str:
    """A running match of bots."""
    return open_new(ctx, OpenRequest("calimala", [BOT] * 3)).loaded.id


@pytest.fixture
def watch(ctx: Context, match: str, tmp_path: Path) -> JournalWatch:
    """The watch of a scheduler on the same data directory, after its first look."""
    started = watch_of(ctx, tmp_path)
    started.look()
    return started


def watch_of(ctx: Context, directory: Path) -> JournalWatch:
    """Return the watch of a scheduler on a data directory at its start, with its own cache."""
    own = Context(ctx.journal, ctx.secret, ctx.clock, ctx.enqueue)
    return JournalWatch(own, note_file(directory))


def make_moves(ctx: Context, match: str, moves: int) -> None:
    """Let the match's bots make so many moves: each is a commit."""
    for _ in range(moves):
        bots.play_with(ctx, match, ONE_MOVE)


def epoch_of(ctx: Context) -> Generation:
    """Return the journal's epoch."""
    epoch = ctx.journal.lifecycle.generation()
    assert epoch is not None
    return epoch


def loss_of(ctx: Context) -> GoneBack:
    """Return the reported loss."""
    gone_back = epoch_of(ctx).gone_back
    assert gone_back is not None
    return gone_back


def warning_of(app: Flask) -> str:
    """Return readiness's warning of the epoch, "" for none."""
    answer = app.test_client().get("/readyz").get_json()
    warning: str = answer.get("warnings", {}).get("epoch", "")
    return warning


def test_a_journal_that_goes_on_has_one_epoch(
    app: Flask, ctx: Context, match: str, watch: JournalWatch, tmp_path: Path
) -> None:
    """The epoch is made once. Every scheduler, also one that starts later, finds it right.

    The content of the journal is noted in a file for its own user alone.
    """
    first = epoch_of(ctx)
    for _ in range(3):
        make_moves(ctx, match, 1)
        watch.look()
        watch_of(ctx, tmp_path).look()

    assert epoch_of(ctx) == first
    assert first.gone_back is None
    assert warning_of(app) == ""

    file = note_file(tmp_path)
    note = read_note(file)
    assert note is not None
    assert (note.generation, note.commits) == (first.id, 4)
    assert note.lines == ctx.journal.events.feed_ends({}).last
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("is_new", [False, True], ids=["same-scheduler", "new-scheduler"])
def test_an_older_copy_is_noticed_and_said(
    app: Flask,
    ctx: Context,
    match: str,
    watch: JournalWatch,
    server_client: Any,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    is_new: bool,
) -> None:
    """The log tells the loss. So do /readyz and the metrics until an operator accepts it.

    A scheduler on another data directory agrees with the first that notices.
    """
    before = epoch_of(ctx)
    older = copy_of_server(server_client)
    make_moves(ctx, match, 3)
    elsewhere = watch_of(ctx, tmp_path / "other")
    watch.look()
    elsewhere.look()

    put_back_on_server(server_client, older)
    ctx.cache.forget()
    make_moves(ctx, match, 1)
    watch = watch_of(ctx, tmp_path) if is_new else watch
    watch.look()

    now = epoch_of(ctx)
    assert now.id != before.id
    assert before.id in now.superseded
    assert (loss_of(ctx).had, loss_of(ctx).has) == (4, 2)
    [line] = [record for record in caplog.records if record.levelno >= logging.ERROR]
    sentence = "the journal has gone back: it had 4 commits at 20"
    assert line.getMessage().startswith(sentence)

    warning = warning_of(app)
    assert warning.startswith(sentence)
    assert "giornale journal accept" in warning
    assert "giornale_journal_gone_back 1.0" in app.test_client().get("/metrics").text

    for other in (watch, watch_of(ctx, tmp_path), elsewhere, watch_of(ctx, tmp_path / "other")):
        other.look()
    assert epoch_of(ctx) == now

    assert journal_watch.accept(ctx.journal) == now.gone_back
    assert warning_of(app) == ""
    assert epoch_of(ctx).id == now.id
    assert journal_watch.accept(ctx.journal) is None


def test_an_emptied_journal_is_noticed(
    app: Flask, ctx: Context, watch: JournalWatch, server_client: Any
) -> None:
    """A journal is empty after FLUSHALL, or if a server starts without its files."""
    assert warning_of(app) == ""
    server_client.flushall()
    assert "has no generation" in warning_of(app)
    watch.look()

    assert (loss_of(ctx).had, loss_of(ctx).has) == (1, 0)
    assert "it had 1 commits" in warning_of(app)


def test_a_second_loss_keeps_the_greater_one(
    ctx: Context, match: str, watch: JournalWatch, server_client: Any
) -> None:
    """Until it is accepted, the report tells the most that the journal ever had."""
    older = copy_of_server(server_client)
    make_moves(ctx, match, 3)
    watch.look()
    put_back_on_server(server_client, older)
    watch.look()

    ctx.cache.forget()
    make_moves(ctx, match, 1)
    watch.look()
    after_first_loss = copy_of_server(server_client)
    make_moves(ctx, match, 1)
    watch.look()
    put_back_on_server(server_client, after_first_loss)
    watch.look()

    assert (loss_of(ctx).had, loss_of(ctx).has) == (4, 2)


def test_a_process_drops_its_caches_of_another_epoch(
    app: Flask, ctx: Context, watch: JournalWatch, server_client: Any
) -> None:
    """The caches hold states at the head, past states and holders of tokens."""
    opened = open_new(ctx, OpenRequest("calimala", [BOT] * 3))
    match, token = opened.loaded.id, opened.tokens["owner"]
    older = copy_of_server(server_client)
    make_moves(ctx, match, 1)
    warning_of(app)

    ctx.cache.checkpoints.put((match, 50), load_version(ctx, match, 1))
    assert load(ctx, match).version == 2
    headers = {"Authorization": f"Bearer {token}"}
    assert app.test_client().get(f"/v1/matches/{match}", headers=headers).status_code == 200
    assert ctx.cache.holders.get(tokens.field(token)) == "owner"

    watch.look()
    put_back_on_server(server_client, older)
    watch.look()
    warning_of(app)

    assert ctx.cache.heads.get(match) is None
    assert ctx.cache.checkpoints.get((match, 50)) is None
    assert ctx.cache.holders.get(tokens.field(token)) is None


def test_a_journal_of_the_release_before_gets_an_epoch(
    app: Flask, ctx: Context, watch: JournalWatch, server_client: Any
) -> None:
    """A journal with a lost epoch and all commits gets one, too: nothing was lost."""
    first = epoch_of(ctx)
    server_client.delete("giornale:epoch")
    watch.look()

    assert epoch_of(ctx).id != first.id
    assert epoch_of(ctx).gone_back is None
    assert warning_of(app) == ""


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"epoch": 1, "lines": []}', b"\xff"])
def test_a_note_that_cannot_be_read_is_made_anew(
    app: Flask, ctx: Context, tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """The scheduler says so, and goes on. The draft of a killed scheduler is removed."""
    file = note_file(tmp_path)
    file.write_bytes(content)
    draft = file.with_name(f".{file.name}.77.0123abcd")
    draft.write_bytes(b"a half")

    watch_of(ctx, tmp_path).look()

    assert "could not be read" in caplog.text
    assert read_note(file) is not None
    assert warning_of(app) == ""
    assert "draft removed: left by a killed process" in caplog.text
    assert not draft.exists()


def test_a_disk_that_takes_no_note_is_said_once(
    ctx: Context, match: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The scheduler goes on with its own memory, and writes the note when it can."""
    not_a_directory = tmp_path / "file"
    not_a_directory.write_bytes(b"")
    watch = watch_of(ctx, not_a_directory)
    caplog.clear()

    watch.look()
    make_moves(ctx, match, 1)
    watch.look()
    logged = [line.msg for line in caplog.records if line.name == "workers.journal_watch"]
    assert logged == ["note of the journal could not be written"]

    not_a_directory.unlink()
    watch.look()
    assert read_note(note_file(not_a_directory)) is not None


def test_a_journal_that_is_away_is_looked_at_later(
    app: Flask, ctx: Context, watch: JournalWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler lives on. Readiness does not guess."""

    def away() -> None:
        raise JournalUnavailable("away")

    with monkeypatch.context() as patched:
        patched.setattr(ctx.journal.lifecycle, "generation", away)
        watch.look()
        assert warning_of(app) == "unknown"

    watch.look()
    assert epoch_of(ctx).gone_back is None


# ---- the log -------------------------------------------------------------------------------------


def sequencing_of(ctx: Context, directory: Path) -> Sequencing:
    """Return the sequencing of a scheduler on a data directory."""
    environ = {"GIORNALE_JOURNAL_URL": "redis://unused", "GIORNALE_DATA": str(directory)}
    return Sequencing(ctx, open_sequencer(Config.load(environ), ctx))


def seal(sequencing: Sequencing, ctx: Context) -> list[LogEntry]:
    """Make some rounds, and return all that the log holds."""
    for _ in range(3):
        sequencing.attempt()
    assert ctx.log is not None
    return ctx.log.entries(0, 10_000)


def test_the_log_stands_still_until_a_loss_is_accepted(
    app: Flask, ctx: Context, match: str, watch: JournalWatch, server_client: Any, tmp_path: Path
) -> None:
    """The log has commits between two notes of the journal. Lost commits keep their positions.

    An entry says that the journal had gone back. Later commits follow that entry.
    """
    sequencing = sequencing_of(ctx, tmp_path)
    make_moves(ctx, match, 3)
    watch.look()
    backup = copy_of_server(server_client)
    make_moves(ctx, match, 2)
    sealed = seal(sequencing, ctx)
    assert len(sealed) == ctx.journal.events.commit_count()

    put_back_on_server(server_client, backup)
    assert seal(sequencing, ctx) == sealed
    watch.look()
    assert "gone back" in warning_of(app)
    assert "gone back" in ctx.journal.order.state().stopped
    warnings = app.test_client().get("/readyz").get_json()["warnings"]
    assert warnings["log"].startswith("the log has stopped")

    assert journal_watch.accept(ctx.journal) is not None
    make_moves(ctx, match, 4)
    now = seal(sequencing, ctx)
    assert now[: len(sealed)] == sealed
    loss, *new = now[len(sealed) :]
    assert (loss.hash, loss.match) == ("", "")
    assert epoch_of(ctx).id.encode() in loss.leaf
    assert [entry.match for entry in new] == [match] * 4
    assert new[-1].version == load(ctx, match).version
    assert "warnings" not in app.test_client().get("/readyz").get_json()
