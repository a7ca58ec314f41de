"""Forged records: a forger who mends every digest and hash is still found, by every verifier.

The report names commit and reason.
The page's checker runs in Node here, and in a browser in tests/browser.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from domain.games import GAMES, RELEASED, RULES
from service.matches.context import Context
from service.record import record
from service.record.commit import StoredCommit, canonical, digest, parse_commit
from service.record.verify.audit import verify_record, verify_stored
from tests import toy
from tests.attacks import forging
from tests.records import make
from tests.service.record.verify.forged_table import (
    NAMES,
    TRUE_RECORDS,
    Forged,
    draw_another_card,
    forged_rows,
)
from tests.service.record.verify.forgeries import (
    COUNT,
    fault_without_play,
    forged_records,
    mend_digests,
    with_changes,
)
from tests.service.record.verify.node import fault_of, reports_of, run_node, with_node
from tests.service.toy_matches import (
    Change,
    draws_by_versions,
    fault,
    forged,
    new_context,
    opened,
    play_on,
    whole,
)

CHECKER = Path(__file__).parents[4] / "docs" / "fairness.mjs"
GOLDEN = [
    path(game)
    for game in GAMES.values()
    for path in (make.signed_path, make.together_path, make.fork_path)
]

LEAST = 30  # of the random records are wrong without any game, and as many are not


@pytest.mark.parametrize("name", TRUE_RECORDS)
def test_the_original_of_a_forgery_is_right(name: str) -> None:
    """The originals are right, so forgeries are found only because of their change."""
    assert fault(TRUE_RECORDS[name]()) is None


@pytest.fixture(scope="module")
def rows() -> dict[str, Forged]:
    """All rows of the table."""
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch)
        return forged_rows()


@pytest.mark.parametrize("name", NAMES)
def test_a_forgery_is_found_at_its_commit(rows: dict[str, Forged], name: str) -> None:
    """Every hash fits, and yet the report names the first false commit and why."""
    assert fault(rows[name].lines) == rows[name].verdict


@pytest.mark.whole
@with_node
def test_the_page_finds_every_forgery_that_needs_no_game(
    rows: dict[str, Forged], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page finds each forgery at the same commit, with the same code."""
    assert len(rows) == len(NAMES)
    contents = {name: b"".join(row.lines) for name, row in rows.items()}
    by_page = reports_of(tmp_path, contents.values())

    faults = dict(zip(contents, map(fault_of, by_page), strict=True))
    expected = {name: fault_without_play(one, monkeypatch) for name, one in contents.items()}
    assert faults == expected


@pytest.fixture(scope="module")
def at_random() -> list[bytes]:
    """Records forged at random, always the same ones."""
    with pytest.MonkeyPatch.context() as patch:
        toy.install(patch)
        return list(forged_records(new_context()))


@pytest.mark.whole
@with_node
def test_random_forgeries_are_judged_alike(
    at_random: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page and program find the same commit and code, or both find nothing wrong."""
    by_page = [fault_of(report) for report in reports_of(tmp_path, at_random)]

    assert by_page == [fault_without_play(one, monkeypatch) for one in at_random]
    assert len(at_random) == COUNT
    assert LEAST < by_page.count(None) < COUNT - LEAST


@pytest.mark.whole
@with_node
def test_all_verifiers_reach_the_same_verdict(
    rows: dict[str, Forged],
    at_random: list[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Verifiers without the rules of a game leave its play unchecked.

    Only the program with the games finds faults of the play.
    """
    for rules in RULES.keys() - {game.rules for game in RELEASED}:
        monkeypatch.delitem(RULES, rules)  # the others have none either
    records = [b"".join(row.lines) for row in rows.values()]
    records += [b"".join(make.lines_in(path)) for path in GOLDEN]
    records += at_random
    by_program = [verify_record(record.lines(one)).report for one in records]

    by_page = [report["verdict"] for report in reports_of(tmp_path, records)]
    by_checker = verdicts_of_checker(tmp_path, len(records))

    of_a_game = [
        number
        for number, one in enumerate(records)
        if by_program[number].wrong and fault_without_play(one, monkeypatch) is None
    ]
    expected = [report.verdict for report in by_program]
    for number in of_a_game:
        assert by_page[number] != "wrong"
        expected[number] = by_page[number]
    assert by_page == expected
    assert by_checker == expected
    assert Counter(expected)["partly_checked"] > LEAST


def verdicts_of_checker(directory: Path, count: int) -> list[str]:
    """Return the verdicts of docs/fairness.mjs on the records written by `reports_of`.

    A file without a commit in its first line is "wrong": the checker does not take it for a record.
    """
    paths = [f"{directory / str(number)}.ndjson" for number in range(count)]
    by_path = dict.fromkeys(paths, "wrong")
    for line in run_node(str(CHECKER), *paths).stdout.splitlines():
        path, verdict, *_ = line.split(": ")
        by_path[path] = verdict.replace(" ", "_")
    return list(by_path.values())


@pytest.mark.whole
def test_a_record_wrong_without_play_is_wrong_with_it(
    at_random: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game that can be played changes nothing in the common findings of all records."""
    for one in at_random:
        expected = fault_without_play(one, monkeypatch)
        assert expected is None or fault(record.lines(one)) == expected


@with_node
def test_uncheckable_commits_are_told_alike(ctx: Context, tmp_path: Path) -> None:
    """M10: page and program count the same commits that affect only the next draw."""
    with draws_by_versions():
        lines = with_changes(ctx)

    [report] = reports_of(tmp_path, [b"".join(lines)])

    [note] = verify_record(lines).report.notes
    assert note.startswith("6 of ")
    assert report["notes"] == [note]


def test_no_detail_tells_a_secret(ctx: Context) -> None:
    """The detail of a finding in a running match names no secret."""
    match = opened(ctx)
    play_on(ctx, match, until=4)
    first_bytes, swapped_bytes, *_ = ctx.journal.events.read(match.loaded.id)
    swapped = parse_commit(swapped_bytes)

    draw_another_card(swapped)
    mend(swapped)
    wrong = verify_stored([first_bytes, canonical(swapped)]).report.wrong

    assert wrong is not None
    assert wrong.detail == "its secret part for seat:0 does not follow from its command"


def mend(stored: StoredCommit) -> None:
    """Let the digests and the hash of a commit fit its content."""
    content = stored["commit"]
    content["secrets"] = {name: digest(part) for name, part in stored["secrets"].items()}
    stored["hash"] = digest(content)


# ---- every value of every commit matters ---------------------------------------------------------

NASTY: list[Any] = [None, True, -1, 7, 2**60, 1.5, "", "x", "house", [], [0], {}, {"seat:0": {}}]
MENDED = {"prev", "hash"}  # by the forger
DIGESTS = ("commit", "secrets")
PARTS = ("commit", "events", 0, "parts")

Place = tuple[str | int, ...]


class Mutation(NamedTuple):
    """A value for a place in a commit, and the commit's number."""

    number: int
    place: Place
    value: Any


@pytest.mark.whole
def test_every_value_in_every_place_of_a_small_record_is_found(ctx: Context) -> None:
    """Each of thousands of forgeries of a match of the toy is found."""
    lines = whole(ctx, 1)

    missed = [one for one in mutations(lines) if not found(lines, one)]

    assert missed == []


def test_every_value_in_a_revelation_of_secrets_is_found(ctx: Context) -> None:
    """Forgeries of the revelation in a redacted record are found.

    Only another note stays hidden, since a player may have noted anything. A receipt would show it.
    """
    lines = whole(ctx, 1)
    revealed = [
        one
        for one in mutations(lines)
        if one.number == len(lines) and one.place[: len(PARTS)] == PARTS
        if one.place[-1] != "why" or not isinstance(one.value, str)
    ]

    missed = [one for one in revealed if not found_in_revelation(lines, one)]

    assert revealed != []
    assert missed == []


def mutations(lines: list[bytes]) -> list[Mutation]:
    """Return a mutation for each place of commits and secret parts, and each value of NASTY."""
    return [
        Mutation(number, place, value)
        for number, stored in enumerate(forging.entries_of(lines), 1)
        for place, old in places(stored)
        if len(place) > 1 and place[1] not in MENDED
        for value in NASTY
        if repr(value) != repr(old)
    ]


def places(value: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield every place of a JSON value with its value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in items:
        yield (*path, step), inner
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, step))


def change_of(mutation: Mutation) -> Change:
    """Return a change of the value in its place."""
    *steps, last = mutation.place

    def change(stored: StoredCommit) -> None:
        container: Any = stored
        for step in steps:
            container = container[step]
        container[last] = mutation.value

    return change


def found(lines: list[bytes], mutation: Mutation) -> bool:
    """Return True if a change is found."""
    # A forged digest is left as it is: mended, it would be right again.
    mend_them = mutation.place[:2] != DIGESTS
    change = change_of(mutation)
    return fault(forged(lines, mutation.number, change, digests=mend_them)) is not None


def found_in_revelation(lines: list[bytes], mutation: Mutation) -> bool:
    """Return True if a change of the revelation is found if it alone holds the secret parts.

    The change is made in command and event, and all digests are mended.
    """
    entries = [record.redact(entry, []) for entry in forging.entries_of(lines)]
    in_command = mutation._replace(place=("commit", "command", *mutation.place[3:]))
    for one in (mutation, in_command):
        change_of(one)(entries[-1])

    mend_digests(entries)
    return fault(forging.chained(entries, leave=[forging.DIGESTS])) is not None
