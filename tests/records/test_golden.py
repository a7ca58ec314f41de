"""Golden records: matches played under every released version of the rules.

They must fold and verify for ever.
"""

import gzip
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from domain.chance import Light
from domain.game import Game
from domain.games import RELEASED
from domain.match import play
from domain.match.state import Match
from service.ledger import record
from service.ledger.canonical import Json, digest, parse_object
from service.ledger.decoding import decode_for_decision
from service.verify.audit import verify_record
from tests.records import make

FILES = sorted(make.HOME.glob("*/*.ndjson.gz"))


def lines_of(path: Path) -> list[bytes]:
    """Return the lines of a golden record."""
    return record.lines(gzip.decompress(path.read_bytes()))


def rules_in(path: Path) -> str:
    """Return the rules that a record's name says it was played by."""
    version = path.name.partition("-")[0]
    return f"{path.parent.name}/{version}"


def files_of(game: Game[Any]) -> list[Path]:
    """Return the golden records of some rules."""
    return [path for path in FILES if rules_in(path) == game.rules]


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}"
)
def test_a_golden_record_still_folds_and_verifies_at_every_version(path: Path) -> None:
    """Every line is canonical and every hash fits.

    Every command decides the same events, and every view has its digest.
    """
    lines = lines_of(path)
    report = verify_record(lines).report
    assert report.wrong is None
    assert report.unchecked == []
    assert report.redacted is False
    assert report.folded == report.decided == report.commits == len(lines)
    assert report.ended
    assert report.rules == rules_in(path)


@pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)
def test_every_golden_record_is_decided_alike_with_its_draws_taken_over(game: Game[Any]) -> None:
    """A law for games: a command decided with its draws taken over causes the recorded events.

    A game keeps it that reads a draw from the event or the state: then no honest record of a
    running match is called wrong.
    """
    for path in files_of(game):
        match: Match | None = None
        for line in lines_of(path):
            stored = parse_object(line)["data"]
            commit = decode_for_decision(stored, game.rules)
            chance = Light(commit.version)
            if match is None:
                match, events = play.open_match(commit.command, chance, commit.events)
            else:
                match, events = play.decide(match, commit.command, chance, commit.events)
            assert tuple(events) == commit.events, (path.name, commit.version)


@pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)
def test_golden_records_are_of_both_kinds_of_commitment(game: Game[Any]) -> None:
    """For every number of seats there are matches bound to their id and others (M10)."""
    shown = {(len(event["seats"]), "match" in event) for event in openings(game)}
    assert shown == set(product(game.seats, (False, True)))


def openings(game: Game[Any]) -> list[Json]:
    """Return how the golden records of some rules begin: the event that opens each."""
    found = []
    for path in files_of(game):
        first, _ = record.read_line(lines_of(path)[0])
        found.append(first["commit"]["events"][0])
    return found


@pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)
def test_no_released_rules_lack_golden_records(game: Game[Any]) -> None:
    """Each number of seats has twenty records, with the plain options in every combination."""
    events = openings(game)
    made = Counter(len(event["seats"]) for event in events)
    assert [seats for seats in game.seats if made[seats] < make.EACH] == []

    options = make.plain(game)
    wanted = set(product(*[make.variants(game, option) for option in options]))
    shown = {tuple(event["options"][option.name] for option in options) for event in events}
    assert wanted <= shown


@pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)
def test_data_of_ones_own_is_in_golden_records(game: Game[Any]) -> None:
    """What somebody typed in for an option is used for ever, with every number of seats."""
    shown = {(len(event["seats"]), digest(event["options"])) for event in openings(game)}
    with_data = digest(make.options(game, make.EACH - 1))
    assert [seats for seats in game.seats if (seats, with_data) not in shown] == []


def test_every_golden_record_is_of_released_rules() -> None:
    """No record lies about unseen: each belongs to rules in the registry."""
    known = {game.rules for game in RELEASED}
    assert set(map(rules_in, FILES)) <= known


@pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)
def test_golden_records_show_all_that_happens_around_a_game(game: Game[Any]) -> None:
    """In every game's records humans join and leave and bots stand in.

    Owners start and abort, and secrets are revealed.
    """
    tags: set[str] = set()
    for path in files_of(game):
        for line in lines_of(path):
            stored, _ = record.read_line(line)
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
