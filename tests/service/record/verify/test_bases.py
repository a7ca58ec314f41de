"""Forks of forged bases: findings without the base's record, and with it (M21)."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from domain import wire
from domain.match.messages import Base
from service.matches import forks, records
from service.matches.command_handler import Submission
from service.matches.lobby import abort
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from service.ops.cli.commands import main
from service.record import record
from service.record.commit import Json
from service.record.terms.fork import ForkRequest
from service.record.verify.audit import verify_record
from service.record.verify.redecide import compare_with_base, not_at_hand
from service.record.verify.report import Wrong
from tests.attacks.forging import entries_of, mended
from tests.service.matches.test_forks import at_hand, fork, golden, later, played, shared_base
from tests.service.record.verify.node import Case, fault_of, reports, run_node, with_node

CHECKER = Path(__file__).parents[4] / "docs" / "fairness.mjs"

Lines = list[bytes]
Change = Callable[[Base], Base]
Found = tuple[str, int, str]  # the verdict, the commit and the code of the fault

PARTLY: Found = ("partly_checked", 0, "")
RIGHT: Found = ("right", 0, "")
DIFFERS: Found = ("wrong", 1, "base_differs")
BAD: Found = ("wrong", 1, "bad_base")


def found(lines: Sequence[bytes], *bases: Lines) -> Found:
    """Return the findings of a check of a record, with the records of possible bases."""
    report = verify_record(lines, find_base=at_hand(*bases)).report
    wrong = report.wrong
    return report.verdict, wrong.commit if wrong else 0, wrong.code if wrong else ""


# ---- a server with forks of invented matches -----------------------------------------------------


def _state(base: Base, **changed: Any) -> Base:
    """Return a base with other members of its state."""
    return replace(base, state={**base.state, **changed})


def _points(base: Base) -> Base:
    """Give seat 0 a point more, in public."""
    first, *others = base.state["players"]
    return _state(base, players=[{**first, "points": first["points"] + 1}, *others])


def _cards(base: Base) -> Base:
    """Exchange a card of one kind for one of another in the deck, in secret."""
    kinds = [kind for kind, cards in enumerate(base.state["deck"]) if cards]
    deck = list(base.state["deck"])
    more, less = kinds[0], kinds[1]
    deck[more], deck[less] = deck[more] + 1, deck[less] - 1
    return _state(base, deck=deck)


LIES: dict[str, Change] = {
    "points": _points,
    "cards": _cards,
    "hash": lambda base: replace(base, hash="0" * 64),
    "version": lambda base: replace(base, version=base.version + 1),
    "no-such-version": lambda base: replace(base, version=5_000),
}


def lying(game: str, lie: str, monkeypatch: pytest.MonkeyPatch) -> Lines:
    """Return the record of a fork that was opened and played honestly, but on a forged base."""
    ctx, base, last = shared_base(game)
    find = forks.find

    def lying_find(*arguments: Any) -> forks.ForkSource:
        true = find(*arguments)
        return replace(true, base=LIES[lie](true.base))

    with monkeypatch.context() as cheating:
        cheating.setattr(forks, "find", lying_find)
        match = fork(ctx, base, last // 2).loaded.id
    return played(ctx, match)


@pytest.mark.whole
@pytest.mark.parametrize("game", ["calimala", "firenze"])
@pytest.mark.parametrize("lie", LIES)
def test_a_fork_of_an_invented_match_is_found_with_the_base(
    game: str, lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M21: without the base's record the lie is not found. With it the fault is at commit 1."""
    lines = lying(game, lie, monkeypatch)

    assert found(lines) == PARTLY
    assert found(lines, golden(game)) == DIFFERS


# ---- forgeries of the first commit ---------------------------------------------------------------


def honest(game: str = "firenze") -> Lines:
    """Return the record of a fork."""
    ctx, base, last = shared_base(game)
    return played(ctx, fork(ctx, base, last // 2).loaded.id)


def forged(lines: Sequence[bytes], change: Callable[[Json, list[Json]], object]) -> Lines:
    """Return a record with a changed first commit: its command and its events."""
    entries = entries_of(lines)
    first = entries[0]["commit"]
    change(first["command"], first["events"])
    return mended(entries)


def both(**changed: object) -> Callable[[Json, list[Json]], object]:
    """Return the change of a base in command and event."""

    def change(command: Json, events: list[Json]) -> None:
        for message in (command, events[1]):
            message["base"] = {**message["base"], **changed}

    return change


FORGERIES: dict[str, tuple[Callable[[Json, list[Json]], object], Found]] = {
    "in-the-event-alone": (lambda _, events: events[1]["base"].update(version=1), BAD),
    "in-the-command-alone": (lambda command, _: command["base"].update(version=1), BAD),
    "event-left-out": (lambda _, events: events.pop(1), BAD),
    "command-without": (lambda command, _: command.pop("base"), BAD),
    "two-events": (lambda _, events: events.insert(2, events[1]), BAD),
    "later-event": (lambda _, events: events.append(events.pop(1)), BAD),
    "no-version": (both(version=0), BAD),
    "version-in-words": (both(version="2"), BAD),
    "no-hash": (both(hash=""), BAD),
    "no-match": (both(match="x"), BAD),
    "more-members": (both(more=1), BAD),
    "no-object": (both(state=[]), BAD),
    "no-state": (both(state={}), ("wrong", 1, "not_allowed")),
}


@pytest.mark.parametrize("how", FORGERIES)
def test_a_base_that_is_not_well_formed_is_found_alone(how: str) -> None:
    """M21: a malformed base is found at commit 1, even if all hashes are right."""
    change, expected = FORGERIES[how]
    assert found(forged(honest(), change)) == expected


def test_nobody_goes_on_from_the_end_of_a_game() -> None:
    """M21: a fork begins at a version with an awaited actor."""
    ctx, base, _ = shared_base("firenze")
    end = both(state=wire.dump(load(ctx, base).match.state))
    assert found(forged(honest(), end)) == ("wrong", 1, "not_allowed")


OPENINGS: dict[str, tuple[Callable[[Json], object], str]] = {
    "game": (lambda opening: opening.update(game="calimala"), "another game"),
    "rules": (lambda opening: opening.update(rules="firenze/99"), "other rules"),
    "options": (lambda opening: opening["options"].update(ask_discards=None), "other options"),
    "seats": (lambda opening: opening["seats"].pop(), "another number of seats"),
    "visibility": (lambda opening: opening.update(visibility="private"), "it is private"),
}


@pytest.mark.whole
@pytest.mark.parametrize("member", OPENINGS)
def test_a_fork_has_the_terms_of_its_base(member: str) -> None:
    """M21: game, rules, options and seats are the base's. No fork of a private match is public."""
    change, message = OPENINGS[member]
    fork_audit, base = verify_record(honest()), verify_record(golden("firenze"))
    first = fork_audit.commits[0]["commit"]
    reference = first["command"]["base"]
    assert compare_with_base(first, reference, base.report, base.unsealed) == []

    unsealed = deepcopy(list(base.unsealed))
    change(unsealed[0]["commit"]["events"][0])
    with pytest.raises(Wrong, match=message) as raised:
        compare_with_base(first, reference, base.report, unsealed)
    assert (raised.value.commit, raised.value.code) == (1, "base_differs")


def test_a_base_that_cannot_be_folded_counts_as_missing() -> None:
    """M21: if a base cannot be folded, only its hash is compared, and the state stays unchecked."""
    fork_audit, base = verify_record(honest()), verify_record(golden("firenze"))
    first = fork_audit.commits[0]["commit"]
    reference = first["command"]["base"]
    report = replace(base.report, folded=reference["version"] - 1)
    assert compare_with_base(first, reference, report, base.unsealed) == [not_at_hand(reference)]


def test_a_wrong_base_is_no_proof() -> None:
    """If the base's record is wrong, the finding says so."""
    base = entries_of(golden("firenze"))
    base[-3]["commit"]["time"] = base[0]["commit"]["time"]
    assert found(honest(), mended(base)) == ("wrong", 1, "base_wrong")


def test_a_running_base_is_enough_as_far_as_it_can_be_checked() -> None:
    """The public record of a running base gives its state. Its draws are named as unrevealed."""
    ctx = later()
    humans = [{"kind": "human"}] * 2
    opened = open_new(ctx, OpenRequest("firenze", humans))
    base, owner = opened.loaded.id, opened.tokens["owner"]
    request = ForkRequest(base, 1, owner)
    bots = [{"kind": "bot", "level": "random"}] * 2
    lines = played(
        ctx, open_new(ctx, OpenRequest("firenze", bots, terms={"fork": request})).loaded.id
    )

    public = list(records.export(ctx, base, None))
    report = verify_record(lines, find_base=at_hand(public)).report
    assert report.wrong is None
    assert len(report.unchecked) == 1
    assert "not revealed yet" in report.unchecked[0]

    abort(ctx, Submission(base, owner))
    ended = played(ctx, base)
    assert found(lines, ended) == RIGHT
    assert found(lines, ended[:1])[0] != "right"


# ---- in browsers ---------------------------------------------------------------------------------


def found_in_browsers(directory: Path, *cases: tuple[Lines, Sequence[Lines]]) -> list[Found]:
    """Return the findings of the page's checker in records, each with other records at hand."""
    numbers = count()

    def written(lines: Lines) -> Path:
        path = directory / f"{next(numbers)}.ndjson"
        path.write_bytes(b"".join(lines))
        return path

    requests = [Case(written(lines), bases=list(map(written, bases))) for lines, bases in cases]
    founds = []
    for report in reports(directory, requests):
        commit, code = fault_of(report) or (0, "")
        founds.append((report["verdict"], commit, code))
    return founds


@pytest.mark.whole
@with_node
@pytest.mark.parametrize("game", ["calimala", "firenze"])
def test_browsers_check_the_public_part(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M21: browsers check hash, version and public view of the base.

    Hidden state of the base is checked only by a program with the game.
    """
    base = golden(game)
    lies = {lie: lying(game, lie, monkeypatch) for lie in LIES}
    cases = [(honest(game), bases) for bases in ([], [base])]
    cases += [(lines, []) for lines in lies.values()]
    cases += [(lines, [base]) for lines in lies.values()]

    expected = [PARTLY, RIGHT, *[PARTLY] * len(lies)]
    expected += [RIGHT if lie == "cards" else DIFFERS for lie in lies]
    assert found_in_browsers(tmp_path, *cases) == expected


@with_node
def test_browsers_find_a_base_that_is_not_well_formed(tmp_path: Path) -> None:
    """M21: browsers find the same faults as the program, except in a state that needs the game."""
    lines = honest()
    expected = [PARTLY if one[2] == "not_allowed" else one for _, one in FORGERIES.values()]
    forgeries = [forged(lines, change) for change, _ in FORGERIES.values()]
    assert found_in_browsers(tmp_path, *((one, ()) for one in forgeries)) == expected


@with_node
def test_browsers_find_a_fork_with_other_terms_than_its_base(tmp_path: Path) -> None:
    """M21: browsers compare rules, options and seats, even if all hashes are right."""
    lines = honest()

    def changed(member: str) -> Lines:
        def change(command: Json, events: list[Json]) -> None:
            for opening in (command, events[0]):
                OPENINGS[member][0](opening)

        return forged(lines, change)

    cases = [(changed(member), [golden("firenze")]) for member in ("rules", "options", "seats")]
    assert found_in_browsers(tmp_path, *cases) == [DIFFERS] * 3


@with_node
def test_browsers_check_a_fork_of_a_fork_with_both_bases(tmp_path: Path) -> None:
    """With only one of its two bases, a fork of a fork is partly checked."""
    ctx, _, last = shared_base("firenze")
    first = fork(ctx, shared_base("firenze")[1], last // 2).loaded.id
    of_first, base = played(ctx, first), golden("firenze")
    lines = played(ctx, fork(ctx, first, 3).loaded.id)
    wrong = entries_of(base)
    wrong[-3]["commit"]["time"] = wrong[0]["commit"]["time"]

    cases = [(lines, bases) for bases in ([of_first, base], [of_first], [base])]
    cases.append((of_first, [mended(wrong)]))
    base_wrong = ("wrong", 1, "base_wrong")
    assert found_in_browsers(tmp_path, *cases) == [RIGHT, PARTLY, PARTLY, base_wrong]


# ---- the command ---------------------------------------------------------------------------------


def test_the_command_takes_the_records_of_bases(tmp_path: Path) -> None:
    """`giornale verify FORK --base BASE`: 0 with the base, 3 without it or with another one."""
    fork_file, base_file, other_file = (tmp_path / name for name in ("fork", "base", "other"))
    fork_file.write_bytes(b"".join(honest()))
    base_file.write_bytes(b"".join(golden("firenze")))
    other_file.write_bytes(b"".join(golden("calimala")))
    match = record.read_line(golden("firenze")[0])[0]["commit"]["match"]

    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["verify", str(fork_file), *arguments])
        return result.exit_code, result.output

    assert run("--base", str(base_file))[0] == 0
    assert run("--base", str(other_file), "--base", str(base_file))[0] == 0
    for arguments in ((), ("--base", str(other_file))):
        code, output = run(*arguments)
        assert code == 3
        assert f"only the record of match {match}" in output

    code, output = run(str(base_file), "--base", str(base_file))
    assert code == 2
    assert "one record" in output


@with_node
def test_the_checker_of_the_documentation_takes_them_too(tmp_path: Path) -> None:
    """docs/fairness.mjs takes bases and has the exit codes of the command."""
    fork_file, base_file = tmp_path / "fork", tmp_path / "base"
    fork_file.write_bytes(b"".join(honest()))
    base_file.write_bytes(b"".join(golden("firenze")))

    alone = run_node(str(CHECKER), str(fork_file))
    whole = run_node(str(CHECKER), str(fork_file), "--base", str(base_file))
    missing = run_node(str(CHECKER), str(fork_file), "--base", str(tmp_path / "none"))

    assert (alone.returncode, whole.returncode, missing.returncode) == (3, 0, 2)
    assert alone.stdout.startswith("partly checked: not checked: the base: only the record")
    assert whole.stdout == "right\n"
