"""One damaged archive marker: its match cannot be read, and every other one can."""

from pathlib import Path
from typing import NamedTuple

import orjson
import pytest
from flask import Flask
from redis import Redis

from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.store.journal.errors import ArchiveDamaged
from service.store.journal.keys import COMMITS, HEAD, Keys
from tests.service.ops.cli.conftest import PARTITIONS, Run
from tests.service.toy_matches import play_on
from tests.whole import whole_but

MARKERS = (
    b"",
    b"no marker",
    b"\xff|1|2|3|4",
    b"ee|1|2|3|4",  # no digest
    b"e" * 64 + b"|1|2|3",
    b"e" * 64 + b"|1|2|3|x",
)


class Two(NamedTuple):
    """Two archived matches, one of them with a damaged marker."""

    damaged: str
    well: str


def ended(ctx: Context, rounds: int) -> str:
    """Play a match of the toy to its end."""
    plan = {"kind": "human", "name": "Ginevra"}
    match = open_new(ctx, OpenRequest("toy", [plan] * 2, {"rounds": rounds}))
    play_on(ctx, match)
    return match.loaded.id


@pytest.fixture(params=whole_but(MARKERS[:1], MARKERS), ids=range(len(MARKERS)))
def two(request: pytest.FixtureRequest, run: Run, here: Context, redis_url: str) -> Two:
    """Archive two matches, and damage a marker."""
    two = Two(ended(here, 1), ended(here, 2))
    result = run("archive", "run")
    assert "2 matches archived" in result.stdout, result.output
    with Redis.from_url(redis_url) as client:
        key = Keys(PARTITIONS).of_archived(two.damaged)
        assert client.hset(key, two.damaged, request.param) == 0
    return two


def test_all_markers_are_read_beside_a_damaged_one(two: Two, here: Context) -> None:
    """An error stands in place of the damaged marker."""
    lifecycle = here.journal.lifecycle
    markers = dict(lifecycle.all_archived())

    assert isinstance(markers[two.damaged], ArchiveDamaged)
    assert markers[two.well] == lifecycle.archived(two.well)
    with pytest.raises(ArchiveDamaged, match=f"marker of match {two.damaged} .* is damaged"):
        lifecycle.archived(two.damaged)


def test_the_archive_commands_take_the_others(two: Two, run: Run) -> None:
    """`status`, `verify` and `restore` fail and name the damaged match, but take the other."""
    result = run("archive", "status")
    assert (result.exit_code, "1 matches archived" in result.stdout) == (1, True), result.output
    assert two.damaged in result.stderr

    result = run("archive", "verify")
    assert (result.exit_code, "1 archived matches are right, 1 are not" in result.stdout) == (
        1,
        True,
    )
    assert two.damaged in result.stdout

    result = run("archive", "run")
    assert (result.exit_code, "0 matches archived" in result.stdout) == (0, True), result.output

    result = run("archive", "restore", "--all")
    assert (result.exit_code, "1 matches restored" in result.stdout) == (1, True), result.output
    assert two.damaged in result.stderr

    result = run("archive", "restore", two.damaged)
    assert (result.exit_code, two.damaged in result.stderr) == (2, True), result.output


def test_lists_and_copies_take_the_others(two: Two, run: Run, tmp_path: Path) -> None:
    """`match list`, backup and export name the damaged match."""
    result = run("match", "list", "--json")
    listed = orjson.loads(result.stdout)
    assert listed["damaged"] == [two.damaged]
    assert [match["match"] for match in listed["matches"]] == [two.well]

    for arguments in (["backup", tmp_path / "b"], ["export", "--all", tmp_path / "e"]):
        result = run(*arguments)
        assert not isinstance(result.exception, ValueError), result.output
        assert two.damaged in result.output
        assert two.well not in result.output

    result = run("match", "show", two.damaged)
    assert (result.exit_code, two.damaged in result.stderr) == (2, True), result.output


def test_requests_for_the_others_are_answered(two: Two, app: Flask) -> None:
    """The damaged match is 503. Readiness does not warn of unknown rules for it."""
    client = app.test_client()
    assert client.get(f"/v1/matches/{two.well}/commits").status_code == 200
    answer = client.get(f"/v1/matches/{two.damaged}/commits")
    assert answer.status_code == 503, answer.text
    warnings = client.get("/readyz").get_json().get("warnings", {})
    assert "rules" not in warnings, warnings


def test_a_match_with_a_damaged_marker_can_be_deleted(two: Two, run: Run, here: Context) -> None:
    """The file of the deleted match is a leftover. `archive verify --clean` removes it."""
    assert run("match", "delete", two.damaged, "--yes").exit_code == 0
    assert dict(here.journal.lifecycle.all_archived()).keys() == {two.well}

    result = run("archive", "verify", "--clean")
    assert (result.exit_code, f"removed: {two.damaged[:2]}/{two.damaged}" in result.stdout) == (
        0,
        True,
    )


def test_damaged_commits_stay_and_others_leave(run: Run, here: Context, redis_url: str) -> None:
    """A match with damaged commits is named, and the round archives the other match."""
    damaged, well = ended(here, 1), ended(here, 2)
    with Redis.from_url(redis_url) as client:
        stream = Keys(PARTITIONS).of(damaged, COMMITS)
        ids = [entry_id for entry_id, _ in client.xrange(stream)]
        client.delete(stream)
        for entry_id in ids:
            client.xadd(stream, {"c": b"no commit"}, id=entry_id)

    result = run("archive", "run")
    assert (result.exit_code, "1 matches archived" in result.stdout) == (1, True), result.output
    complaint = f"match {damaged} cannot be archived: its commits are damaged"
    assert f"{complaint}. Find the damage with giornale verify {damaged}" in result.stderr
    assert run("verify", damaged).exit_code != 0
    assert here.journal.lifecycle.archived(well) is not None
    assert here.journal.lifecycle.archived(damaged) is None


def test_a_match_with_a_damaged_head_can_be_deleted(
    run: Run, here: Context, redis_url: str
) -> None:
    """The confirmation prompt of the deletion names the damage."""
    damaged, well = ended(here, 1), ended(here, 2)
    with Redis.from_url(redis_url) as client:
        client.set(Keys(PARTITIONS).of(damaged, HEAD), b"no head")

    result = run("match", "delete", damaged, input="y\n")
    assert f"the head of match {damaged} is damaged" in result.stdout
    assert (result.exit_code, f"{damaged}: deleted" in result.stdout) == (0, True), result.output
    assert here.journal.events.heads([damaged, well])[0] is None
    assert here.journal.events.head(well) is not None
