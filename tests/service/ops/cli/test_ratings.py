"""`giornale ratings`: the same lines from dumps and from a server."""

from pathlib import Path

import orjson
import pytest
import zstandard

from service.capabilities.players import use_cases as players
from service.matches.context import Context
from service.record.commit import timestamp
from service.store.journal.values import Head
from tests.service.capabilities.players.test_use_cases import several
from tests.service.ops.cli.conftest import Run, Seal
from tests.service.ops.cli.site import Pages
from tests.service.rated import ADA, fold_now, played, put
from tests.service.toy_matches import new_context


@pytest.fixture
def rated(here: Context, served: Context, seal: Seal) -> list[str]:
    """Matches of keys and bots in a journal, rated by its service."""
    matches = [put(here, lines, {0: "Ada"}) for lines in several()]
    put(here, played(ADA, "e" * 64, visibility="private", seed="private", ctx=new_context()))
    seal()
    ratings = served.ratings
    assert ratings is not None
    while players.keep_up(served, ratings):
        pass
    fold_now(ratings)
    return matches


def dump(run: Run, path: Path, *span: str) -> Path:
    """Write a dump."""
    assert run("dump", *span, "-o", path).exit_code == 0
    return path


def test_dumps_and_the_server_give_the_same_bytes(
    run: Run, run_alone: Run, rated: list[str], url: str, tmp_path: Path
) -> None:
    """Lines of JSON and tables are the same. Reading dumps needs no server or journal."""
    whole = dump(run, tmp_path / "whole.zst")
    for options in ([], ["--json"], ["--game", "toy"]):
        from_dumps = run_alone("ratings", *options, whole)
        from_server = run_alone("ratings", *options, url)
        assert (from_dumps.exit_code, from_server.exit_code) == (0, 0), (
            from_dumps.output + from_server.output
        )
        assert from_dumps.stdout_bytes == from_server.stdout_bytes
        assert from_dumps.output.count("\n") == 4 + ("--json" not in options)
    assert run_alone("ratings", "--game", "calimala", whole).output == ""


def test_several_dumps_in_any_order_that_overlap_are_one(
    run: Run, run_alone: Run, here: Context, rated: list[str], tmp_path: Path
) -> None:
    """A match in two overlapping dumps counts once."""
    whole = dump(run, tmp_path / "whole.zst")
    ends = [
        timestamp(head.updated)
        for head in here.journal.events.heads(rated)
        if isinstance(head, Head)
    ]
    first = dump(run, tmp_path / "first.zst", "--to", ends[4])
    second = dump(run, tmp_path / "second.zst", "--from", ends[1])
    expected = run_alone("ratings", "--json", whole).output
    assert run_alone("ratings", "--json", second, first).output == expected
    assert run_alone("ratings", "--json", first).output != expected


def test_no_name_is_printed(run_alone: Run, rated: list[str], url: str) -> None:
    """Ratings are printed without names, because a printed name could not be erased."""
    lines = run_alone("ratings", "--json", url).output.splitlines()
    assert [set(orjson.loads(line)) for line in lines] == [
        {"game", "model", "model_version", "place", "player", "rating"}
    ] * 4
    assert "Ada" not in "".join(lines)


def test_a_file_that_is_no_dump_is_named(run_alone: Run, tmp_path: Path, url: str) -> None:
    """Another file, a missing file, and two servers are refused by name."""
    file = tmp_path / "file"
    file.write_bytes(b"no dump")
    for what in ([file], [tmp_path / "none"], [url, url]):
        ran = run_alone("ratings", *what)
        assert ran.exit_code == 2
        assert str(what[0]) in ran.output


def test_a_dump_that_cannot_be_folded_is_no_fault_of_the_program(
    run: Run, run_alone: Run, rated: list[str], tmp_path: Path
) -> None:
    """A dump with a forged record is refused, with a hint to `giornale verify`."""
    whole = dump(run, tmp_path / "whole.zst")
    content = zstandard.ZstdDecompressor().stream_reader(whole.read_bytes()).readall()
    forged = tmp_path / "forged.zst"
    forged.write_bytes(
        zstandard.ZstdCompressor().compress(content.replace(b'"seat":0', b'"seat":9'))
    )
    ran = run_alone("ratings", forged)
    assert ran.exit_code == 2
    assert "Find the reason with giornale verify" in ran.output

    cut = tmp_path / "cut.zst"
    cut.write_bytes(whole.read_bytes()[:-9])
    assert run_alone("ratings", cut).exit_code == 2


@pytest.mark.parametrize(
    "body",
    [b"{}", b'{"players": 1}', b'{"players": [1]}', b'{"players": [{"place": 1}]}', b"<html>"],
)
def test_a_server_that_shows_something_else_is_named(
    run_alone: Run, site: str, pages: Pages, body: bytes
) -> None:
    """The error has the address of the page. The command ends with 2 and without a traceback."""
    pages["/v1/games"] = b'{"games": [{"key": "toy"}]}'
    pages["/v1/ladder"] = body
    ran = run_alone("ratings", site)
    assert ran.exit_code == 2
    assert ran.stderr.startswith(f"Error: {site}/v1/ladder?game=toy&limit=100&after=0 ")
    assert isinstance(ran.exception, SystemExit)
