"""Golden records: matches played under every released version of the rules.

They must fold and verify for ever, be told in the same words, and be seen alike by every seat.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from domain.chance import FastChance
from domain.game import Game
from domain.games import GAMES, RELEASED
from domain.match import play
from domain.match.state import Match
from domain.match.terms import clock_of
from service.record import record
from service.record.codec import decode_for_decision
from service.record.commit import Commit, Json, StoredCommit
from service.record.verify.audit import verify_record
from tests.records import make, tell, views
from tests.records.make import lines_in
from tests.whole import whole_but

FILES = make.files()


def rules_in(path: Path) -> str:
    """Return the rules in the name of a record."""
    version = path.name.partition("-")[0]
    return f"{path.parent.name}/{version}"


def files_of(game: Game[Any]) -> list[Path]:
    """Return the golden records of some rules."""
    return [path for path in FILES if rules_in(path) == game.rules]


of_every_rules = pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)


def commits_of(path: Path) -> Iterator[StoredCommit]:
    """Yield the commits of a golden record as they are stored, with their secret parts."""
    for line in lines_in(path):
        stored, _content = record.read_line(line)
        yield stored


def id_of(path: Path) -> str:
    """Return the id of a record's test."""
    return f"{path.parent.name}-{path.name.partition('.')[0]}"


@pytest.mark.parametrize("path", whole_but(FILES[::5], FILES), ids=id_of)
def test_a_golden_record_folds_and_verifies_at_every_version(path: Path) -> None:
    """Every line is canonical and every hash fits.

    Every command decides the same events, and every view has its digest.
    """
    lines = lines_in(path)

    report = verify_record(lines).report

    assert report.wrong is None
    assert report.unchecked == []
    assert report.redacted is False
    assert report.folded == report.decided == report.commits == len(lines)
    assert report.ended
    assert report.rules == rules_in(path)


@pytest.mark.whole
@of_every_rules
def test_a_golden_record_is_decided_alike_with_its_own_draws(game: Game[Any]) -> None:
    """A law for games: a command decided with its draws taken over causes the recorded events.

    A game obeys it by reading each draw from the event or the state. Otherwise an honest record of
    a running match would be called wrong.
    """
    for path in files_of(game):
        match: Match | None = None
        for stored in commits_of(path):
            commit = decode_for_decision(stored, game.rules)
            match, events = decided_again(match, commit)
            assert events == commit.events, (path.name, commit.version)


def decided_again(match: Match | None, commit: Commit) -> tuple[Match, tuple[Any, ...]]:
    """Return the match after a commit and the events of its command, its draws taken over."""
    chance = FastChance(commit.version)
    if match is None:
        after, events = play.open_match(commit.command, chance, commit.events)
    else:
        after, events = play.decide(match, commit.command, chance, commit.events)
    return after, tuple(events)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.key)
def test_a_golden_record_of_a_signed_match_still_verifies(game: Game[Any]) -> None:
    """M18: the commits of a signed match are right, and its signatures, hidden ones, too."""
    lines = lines_in(make.signed_path(game))
    report = verify_record(lines).report
    commits = list(commits_of(make.signed_path(game)))
    signed = [stored for stored in commits if is_signed(stored)]

    assert (report.wrong, report.unchecked) == (None, [])
    assert report.signed == len(signed)
    commands = set(map(command_in, signed))
    assert "leave" in commands
    # The match of a small new game is over before its players do the rest.
    if len(commits) > make.PLAYED_BEFORE_RESIGNING:
        hidden = [stored for stored in signed if "signature" not in stored["commit"]]
        assert {"return", "ask_take_back", "resign"} < commands
        assert bool(hidden) is (game.key == "calimala")


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.key)
def test_a_golden_record_with_joint_draws_verifies(game: Game[Any]) -> None:
    """M10, M19: draws go by moves, and follow from the disclosures at the second attempt."""
    lines = lines_in(make.together_path(game))
    report = verify_record(lines).report
    commands = list(map(command_in, commits_of(make.together_path(game))))

    assert (report.wrong, report.unchecked) == (None, [])
    [note] = report.notes
    assert note.startswith(f"pledges of match {report.match} were dropped after all had pledged")
    assert report.decided == report.commits == len(lines)
    assert commands[:7] == ["open", "join", "disclose", "lapse", "join", "pledge", "disclose"]
    assert {"replace", "restore"} < set(commands), "beside the game"


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.key)
def test_a_golden_record_by_match_rules_2_still_verifies(game: Game[Any]) -> None:
    """The match has joint draws as well, and names its match rules."""
    report = verify_record(lines_in(make.newest_path(game))).report
    opened = next(commits_of(make.newest_path(game)))["commit"]["events"][0]

    assert (report.wrong, report.unchecked) == (None, [])
    assert report.decided == report.commits
    assert opened["match_rules"] == 2


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.key)
def test_a_golden_record_with_a_clock_still_verifies(game: Game[Any]) -> None:
    """M15, M16: time runs out, humans return, and the seat that resigns ranks last."""
    lines = lines_in(make.clocked_path(game))
    audit = verify_record(lines)
    report = audit.report
    commits = list(commits_of(make.clocked_path(game)))
    commands = set(map(command_in, commits))

    assert (report.wrong, report.unchecked) == (None, [])
    assert report.decided == report.commits == len(lines)
    assert commits[0]["commit"]["events"][0]["match_rules"] == 2
    # The match of a small new game is over before its players do the rest.
    if len(commits) > make.PLAYED_BEFORE_RESIGNING:
        assert {"run_out", "return", "resign"} < commands
        outcome = audit.loaded.match.outcome if audit.loaded is not None else None
        assert outcome is not None
        assert outcome.ranks[-1] == max(outcome.ranks)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.key)
def test_a_golden_record_with_proven_keys_still_verifies(game: Game[Any]) -> None:
    """M18: each join by match rules 2 holds the proof of its key."""
    lines = lines_in(make.proven_path(game))
    report = verify_record(lines).report
    commits = list(commits_of(make.proven_path(game)))
    joins = [one["commit"] for one in commits if command_in(one) == "join"]

    assert (report.wrong, report.unchecked) == (None, [])
    assert report.signed == len(list(filter(is_signed, commits)))
    assert commits[0]["commit"]["events"][0]["match_rules"] == 2
    assert len(joins) == 2
    assert all(len(join["events"][0]["proof"]) == 128 for join in joins)


@pytest.mark.parametrize("game", make.ABUSED, ids=lambda game: game.key)
def test_a_clock_run_down_by_rules_1_stays_right(game: Game[Any]) -> None:
    """M17: by match rules 1 a player who takes back lets the other pay, each time.

    The banks are still folded so.
    """
    path = make.abused_clock_path(game)
    audit = verify_record(lines_in(path))
    commits = list(commits_of(path))

    assert (audit.report.wrong, audit.report.unchecked) == (None, [])
    assert "match_rules" not in commits[0]["commit"]["events"][0]
    assert list(map(command_in, commits)).count("ask_take_back") == make.ROUNDS_OF_ABUSE
    clock = clock_of(audit.loaded.match) if audit.loaded is not None else None
    assert clock is not None
    assert min(clock.banks) <= clock.bank_ms - make.ROUNDS_OF_ABUSE * make.ABUSE_MS


@pytest.mark.parametrize("game", make.ABUSED, ids=lambda game: game.key)
def test_asks_repeated_by_rules_1_stay_right(game: Game[Any]) -> None:
    """M17: a refused ask is repeated at once, and a version at which the house acts comes again."""
    path = make.abused_asks_path(game)
    report = verify_record(lines_in(path)).report
    commits = list(commits_of(path))
    commands = list(map(command_in, commits))
    in_vain = ["ask_take_back", "refuse_take_back"] * make.TURNED_DOWN
    first = commands.index("ask_take_back")

    assert (report.wrong, report.unchecked) == (None, [])
    assert "match_rules" not in commits[0]["commit"]["events"][0]
    assert commands[first : first + len(in_vain)] == in_vain
    if game.key == "calimala":  # in the other game the house acts after the last move alone
        back = commands.index("agree_take_back")
        assert commands[back + 1] == "score"


def is_signed(stored: StoredCommit) -> bool:
    """Return True if a commit holds a signature, in public or in a secret part."""
    parts = stored["secrets"].values()
    return "signature" in stored["commit"] or any("signature" in part for part in parts)


def command_in(stored: StoredCommit) -> str:
    """Return the tag of the command of a commit."""
    tag: str = stored["commit"]["command"]["type"]
    return tag


def openings(game: Game[Any]) -> list[Json]:
    """Return the event that opens each of the golden records of some rules."""
    first_commits = [next(commits_of(path)) for path in files_of(game)]
    return [stored["commit"]["events"][0] for stored in first_commits]


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.key)
def test_every_golden_record_is_there(game: Game[Any]) -> None:
    """All records that `make` names for a game are present."""
    missing = [name.path for name in make.names(game) if name.path not in FILES]
    assert missing == []


@of_every_rules
def test_golden_records_cover_every_combination_of_plain_options(game: Game[Any]) -> None:
    """Each combination of values of plain options is in some record."""
    options = make.plain(game)
    variants = [make.variants(game, option) for option in options]
    names = [option.name for option in options]

    expected = set(product(*variants))
    actual = {chosen_in(opened, names) for opened in openings(game)}
    assert expected <= actual


def chosen_in(opened: Json, names: list[str]) -> tuple[Any, ...]:
    """Return the values that an opening gives to options."""
    return tuple(opened["options"][name] for name in names)


def test_every_golden_record_is_of_released_rules() -> None:
    """Each record belongs to rules in the registry."""
    rules = {game.rules for game in RELEASED}
    used = {rules_in(path) for path in FILES}

    assert used <= rules


@of_every_rules
def test_golden_records_show_all_that_happens_around_a_game(game: Game[Any]) -> None:
    """In every game's records humans join and leave and bots stand in.

    Owners start and abort, and secrets are revealed.
    """
    tags: set[str] = set()
    for path in files_of(game):
        for stored in commits_of(path):
            tags.update(event["type"] for event in stored["commit"]["events"])

    assert tags - game.events.keys() == {
        "match_opened",
        "seat_joined",
        "seat_left",
        "match_started",
        "match_aborted",
        "seat_replaced",
        "seat_restored",
        "secrets_revealed",
    }


@of_every_rules
def test_the_golden_fork_verifies_with_its_base(game: Game[Any]) -> None:
    """M21: a fork of an older golden record folds and is decided as when it was played."""
    lines = lines_in(make.fork_path(game))
    base_lines = lines_in(make.base_of_fork(game))
    base = verify_record(base_lines)

    alone = verify_record(lines).report
    whole = verify_record(lines, find_base=lambda *_: base).report

    assert (alone.verdict, len(alone.unchecked)) == ("partly_checked", 1)
    assert whole.verdict == "right"
    assert whole.folded == whole.decided == whole.commits == len(lines)
    assert whole.ended


@pytest.mark.parametrize("name", tell.STORIES)
def test_a_golden_record_is_told_in_the_same_words(name: str) -> None:
    """A sentence that changes on purpose is written with `python -m tests.records.tell`."""
    assert tell.story(name) == tell.path_of(name).read_text(encoding="utf-8")


def test_there_are_stories_of_every_game_and_no_others() -> None:
    """Each file is the story of a record that is named."""
    games = {name.partition("/")[0] for name in tell.STORIES}
    files = set(tell.HOME.iterdir())

    assert games == GAMES.keys()
    assert files == {tell.path_of(name) for name in tell.STORIES}


@pytest.mark.parametrize("path", views.chosen(), ids=views.name_of)
def test_every_seat_still_sees_the_same_bytes(path: Path) -> None:
    """At every version of a golden record each view has the digest it was released with.

    So has the whole state, as forks embed it: a change of its JSON needs a reader of the old JSON.
    """
    name = views.name_of(path)

    assert views.digests(path) == views.held()[name]
