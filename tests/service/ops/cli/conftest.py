"""Fixtures for tests of the commands about records: a journal, a service, the toy game."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask import Flask

from service.api.http.context import services_of
from service.app import create_app
from service.base.config import Config
from service.bootstrap import open_context, open_sequencer
from service.matches.context import Context
from service.ops.cli.commands import main
from service.store.tlog.sequencer import Sequencer
from tests import toy
from tests.service.ops.cli.shelf import Shelf
from tests.service.ops.cli.site import Pages, served_by, served_pages
from tests.service.store.tlog.conftest import run_out
from tests.service.toy_matches import new_context, opened, play_on, record_of, whole
from workers.giornale import PROGRAMS

PARTITIONS = 4  # of the journal: a command for all matches asks once or more for each

Run = Callable[..., Result]
Seal = Callable[[], None]


@pytest.fixture
def toy_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered."""
    toy.install(monkeypatch)


@pytest.fixture
def ctx(toy_game: None) -> Context:
    """A context of its own. Each reading of its clock advances it by a second."""
    return new_context()


def runner(environ: dict[str, str]) -> Run:
    """Return a runner of the command with arguments, as from a shell with these settings."""

    def run_command(*arguments: object, **more: Any) -> Result:
        words = [str(argument) for argument in arguments]
        return CliRunner().invoke(main, words, env=environ, obj=PROGRAMS, **more)

    return run_command


@pytest.fixture
def environ(tmp_path: Path, redis_url: str) -> dict[str, str]:
    """The settings of a service on an empty journal."""
    return {
        "GIORNALE_JOURNAL_URL": redis_url,
        "GIORNALE_DATA": str(tmp_path / "var"),
        "GIORNALE_ALLOW_SEED": "true",
        "GIORNALE_PARTITIONS": str(PARTITIONS),
    }


@pytest.fixture
def run(environ: dict[str, str]) -> Run:
    """Run the command beside a journal."""
    return runner(environ)


@pytest.fixture
def run_alone(tmp_path: Path) -> Run:
    """Run the command without a journal."""
    return runner({"GIORNALE_DATA": str(tmp_path / "var"), "GIORNALE_JOURNAL_URL": ""})


@pytest.fixture
def app(environ: dict[str, str]) -> Flask:
    """The application on the same journal."""
    return create_app(Config.load(environ))


@pytest.fixture
def here(toy_game: None, environ: dict[str, str]) -> Context:
    """A context on the journal of the commands. It enqueues no jobs."""
    ctx, _queues = open_context(Config.load(environ))
    return replace(ctx, enqueue=lambda *_: None)


@pytest.fixture
def sequencer(here: Context, environ: dict[str, str]) -> Sequencer:
    """A sequencer of the journal."""
    return open_sequencer(Config.load(environ), here)


@pytest.fixture
def seal(sequencer: Sequencer) -> Seal:
    """Give all commits of the journal positions."""
    return partial(run_out, sequencer)


@pytest.fixture
def served(app: Flask) -> Context:
    """The context of the application's use cases."""
    return services_of(app).ctx


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    """The address of the application."""
    yield from served_by(app)


@pytest.fixture
def file(ctx: Context, tmp_path: Path) -> Path:
    """A whole record in a file."""
    path = tmp_path / "whole.ndjson"
    path.write_bytes(b"".join(whole(ctx)))
    return path


@pytest.fixture
def half(ctx: Context) -> list[bytes]:
    """The public record of a running match."""
    match = opened(ctx)
    play_on(ctx, match, until=4)
    return record_of(ctx, match)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Records of every sort in files."""
    return Shelf(tmp_path)


@pytest.fixture
def pages() -> Pages:
    """The pages of the server below, by path. A text at a path redirects to its target."""
    return {"asked": []}


@pytest.fixture
def site(pages: Pages) -> Iterator[str]:
    """The address of a server of the pages. It keeps the received tokens."""
    yield from served_pages(pages)
