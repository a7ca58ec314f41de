"""`giornale replay-test`: the installed rules on matches of the journal and of files."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from redis import Redis

from domain.errors import RuleBroken
from domain.game import Draft, Message
from domain.games import RULES
from service.matches.context import Context
from service.store.journal.keys import COMMITS, HEAD, Keys
from tests import toy
from tests.service.ops.cli.conftest import PARTITIONS, Run
from tests.service.ops.cli.shelf import Shelf, write_dump
from tests.service.toy_matches import opened, play_on, record_of

pytestmark = pytest.mark.usefixtures("toy_game")

ENDED = 8  # commits of the ended match
RUNNING = 5  # commits of the other one


@pytest.fixture
def matches(toy_game: None, served: Context) -> tuple[str, str]:
    """An ended match and a running one of the journal."""
    ended = opened(served)
    play_on(served, ended)
    running = opened(replace(served, secret=b"o" * 32))
    play_on(served, running, until=RUNNING)
    return ended.loaded.id, running.loaded.id


@pytest.fixture
def backup(run: Run, matches: tuple[str, str], tmp_path: Path) -> Path:
    """A backup of both matches."""
    path = tmp_path / "all.giornale"
    assert run("backup", path).exit_code == 0
    return path


def refuse_swaps(draft: Draft[toy.Table], command: Message) -> None:
    """Refuse each swap."""
    if isinstance(command, toy.Swap):
        raise RuleBroken("no_swaps", "T2", "Cards are never swapped.")
    toy.play(draft, command)


@pytest.fixture
def changed_rules(matches: tuple[str, str], backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other rules have the name of those that both matches were played by."""
    toy.install(monkeypatch, replace(toy.TOY, play=refuse_swaps))


def report_of(result: Result) -> Any:
    """Return the JSON report of a test."""
    return json.loads(result.stdout)


def test_the_journal_is_the_same_under_unchanged_rules(run: Run, matches: tuple[str, str]) -> None:
    """Ended and running matches are tested, and counted by their rules."""
    result = run("replay-test", "--journal")

    assert result.stdout == f"toy/1: 2 matches, {ENDED + RUNNING} commits: 2 the same\n"
    assert result.exit_code == 0, result.stderr


def test_a_backup_has_all_secrets_of_running_matches(run_alone: Run, backup: Path) -> None:
    """It is tested without a journal."""
    result = run_alone("replay-test", backup)

    assert result.stdout == f"toy/1: 2 matches, {ENDED + RUNNING} commits: 2 the same\n"
    assert result.exit_code == 0, result.stderr


@pytest.mark.usefixtures("changed_rules")
@pytest.mark.parametrize("source", ["journal", "backup"])
def test_a_changed_rule_is_reported(
    run: Run, matches: tuple[str, str], backup: Path, source: str
) -> None:
    """Each match is named with its first different version."""
    arguments = ["--journal"] if source == "journal" else [backup]

    result = run("replay-test", *arguments)

    assert result.exit_code == 1
    assert result.stdout.startswith(f"toy/1: 2 matches, {ENDED + RUNNING} commits: 2 different\n")
    for match in matches:
        line = f"  match {match}, version 2: the rules refuse its command (T2 no_swaps)\n"
        assert line in result.stdout


@pytest.mark.usefixtures("changed_rules")
def test_the_report_is_also_json(run: Run, matches: tuple[str, str]) -> None:
    """With all differences."""
    report = report_of(run("replay-test", "--journal", "--json"))

    assert report["result"] == "different"
    of_rules = report["rules"]["toy/1"]
    assert (of_rules["matches"], of_rules["same"], of_rules["different"]) == (2, 0, 2)
    assert {other["match"] for other in of_rules["others"]} == set(matches)
    assert of_rules["others"][0]["difference"]["code"] == "not_allowed"


def test_rules_that_are_not_installed_end_with_1(
    run: Run, matches: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such matches would be refused after the upgrade."""
    monkeypatch.delitem(RULES, "toy/1")

    result = run("replay-test", "--journal")

    assert result.exit_code == 1
    assert "2 of unknown rules\n" in result.stdout
    assert f"  match {matches[0]}: toy/1 is not installed\n" in result.stdout


@pytest.mark.parametrize("part", [HEAD, COMMITS])
def test_a_damaged_match_ends_with_1(
    run: Run, matches: tuple[str, str], redis_url: str, part: str
) -> None:
    """Damage is no difference of the rules, and stops no other test."""
    with Redis.from_url(redis_url) as client:
        key = Keys(PARTITIONS).of(matches[0], part)
        client.delete(key)
        if part == HEAD:
            client.set(key, b"no head")

    result = run("replay-test", "--journal")

    assert result.exit_code == 1, result.output
    assert "1 damaged\n" in result.stdout
    assert f"  match {matches[0]}: " in result.stdout
    assert "1 the same\n" in result.stdout


def test_a_sample_is_the_same_each_time(run: Run, matches: tuple[str, str]) -> None:
    """It takes as many matches as it should, at most all."""
    reports = [
        report_of(run("replay-test", "--journal", "--sample", number, "--json"))
        for number in (1, 1, 2, 3)
    ]

    assert [report["rules"]["toy/1"]["matches"] for report in reports] == [1, 1, 2, 2]
    assert reports[0] == reports[1]


def test_records_and_dumps_are_tested_by_several_processes(
    run_alone: Run, shelf: Shelf, tmp_path: Path
) -> None:
    """The records of the shelf are of Firenze. Other processes know no toy."""
    dump = tmp_path / "dump.ndjson.zst"
    write_dump(dump, shelf.contents)

    result = run_alone("replay-test", shelf.plain, dump, "--jobs", "2", "--json")

    assert result.exit_code == 0, result.output
    of_rules = report_of(result)["rules"]["firenze/1"]
    assert of_rules["matches"] == of_rules["same"] == len(shelf.contents) + 1


def test_a_public_record_of_a_running_match_ends_with_3(
    run_alone: Run, served: Context, tmp_path: Path
) -> None:
    """Its secret parts are missing, so not all of it can be decided."""
    match = opened(served)
    play_on(served, match, until=RUNNING)
    file = tmp_path / "half.ndjson"
    file.write_bytes(b"".join(record_of(served, match)))

    result = run_alone("replay-test", file)

    assert result.exit_code == 3
    assert "1 the same as far as their secrets are known\n" in result.stdout


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no record\n", "is not a record"),
        (b"\x1f\x8bno gzip", "cannot be read"),
        (None, "No such file or directory"),
    ],
)
def test_an_unreadable_file_ends_with_2(
    run_alone: Run, tmp_path: Path, content: bytes | None, reason: str
) -> None:
    """The reason is one sentence."""
    file = tmp_path / "file"
    if content is not None:
        file.write_bytes(content)

    result = run_alone("replay-test", file)

    assert result.exit_code == 2
    assert reason in result.stderr


def test_a_cut_backup_ends_with_2(run_alone: Run, backup: Path, tmp_path: Path) -> None:
    """Matches before the cut do not count."""
    cut = tmp_path / "cut.giornale"
    cut.write_bytes(backup.read_bytes()[:-50])

    result = run_alone("replay-test", cut)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "is not a valid backup" in result.stderr


@pytest.mark.parametrize("arguments", [[], ["--journal", "file"]])
def test_the_source_is_the_journal_or_files(run_alone: Run, arguments: list[str]) -> None:
    """Neither and both are refused."""
    result = run_alone("replay-test", *arguments)

    assert result.exit_code == 2
    assert "give --journal, or FILES: backups, dumps or records" in result.stderr


def test_without_a_journal_the_reason_is_told(run_alone: Run) -> None:
    """No journal is made."""
    result = run_alone("replay-test", "--journal")

    assert result.exit_code == 2
    assert "there is no journal" in result.stderr
