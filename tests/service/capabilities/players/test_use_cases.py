"""Ladders and pages of players: made from log and journal.

Private matches, erased names and deleted matches do not appear in them.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from service.base.errors import NotFound, Overloaded
from service.capabilities.players import use_cases as players
from service.matches import automation, lifecycle
from service.matches.context import Context
from service.matches.repository import load, pieces
from service.record import ratings
from service.store import seat_holders
from service.store.journal.errors import ArchiveDamaged, JournalUnavailable
from service.store.journal.values import FoundHead
from service.store.keys.signer import Signer
from service.store.tlog.log import Log, LogFiles
from service.store.tlog.ratings import Ratings
from service.store.tlog.sequencer import Sequencer
from tests import toy
from tests.service.rated import ADA, BEN, CLEO, commits_of, fold_now, played, put
from tests.service.store.journal.ports import Over
from tests.service.store.tlog.conftest import START, run_out
from tests.service.toy_matches import new_context

GREEDY = "bot:greedy"


class House:
    """A journal with a log, and a file of ratings."""

    def __init__(self, root: Path) -> None:
        root.mkdir(exist_ok=True)
        self.root = root
        ctx = new_context()
        log = Log(ctx.journal.order, LogFiles(str(root / "archive")), root / "log.index")
        self.kept = Ratings(root / "ratings.index")
        self.ctx = replace(ctx, log=log, ratings=self.kept)
        signer = Signer(root / "log-keys.json", lambda: START)
        self.sequencer = Sequencer(ctx.journal, log, signer, lambda: START)
        self.records: dict[str, list[bytes]] = {}

    def put(self, lines: list[bytes], names: dict[int, str] | None = None) -> str:
        """Store a match, and keep its record for comparison. Return the match's id."""
        match = put(self.ctx, lines, names)
        self.records[match] = lines
        return match

    def keep_up(self) -> None:
        """Sequence all commits, store the results of all matches, and compute the ratings."""
        run_out(self.sequencer)
        while players.keep_up(self.ctx, self.kept):
            pass
        fold_now(self.kept)

    def ladder(self) -> list[tuple[str, Any]]:
        """Return the ladder of the toy game: players with the figures of their ratings."""
        page, has_more = players.ladder(self.ctx, "toy", 0, 100, bots=True)
        assert not has_more
        return [(line["player"], line["rating"]) for line in page["players"]]

    def shown(self, key: str, **more: Any) -> Any:
        """Return the answer about a player."""
        options = {"game": "", "before": None, "limit": 20} | more
        answer, _ = players.player(self.ctx, key, **options)
        return answer

    def everything(self) -> bytes:
        """Return the bytes of all answers about all players."""
        ladder, _ = players.ladder(self.ctx, "toy", 0, 100, bots=True)
        return orjson.dumps([ladder, *(self.shown(line["player"]) for line in ladder["players"])])


def folded(records: Sequence[list[bytes]]) -> list[tuple[str, Any]]:
    """Return the ladder of the toy game, computed from records alone."""
    of_toy = ratings.fold(ratings.result_of(commits_of(lines)) for lines in records)["toy"]
    return [(player, ratings.figures(rating)) for player, rating in ratings.in_order(of_toy)]


@pytest.fixture(autouse=True)
def _toy_game(monkeypatch: pytest.MonkeyPatch) -> None:
    toy.install(monkeypatch)


@pytest.fixture
def house(tmp_path: Path) -> House:
    """An empty house."""
    return House(tmp_path)


def several() -> list[list[bytes]]:
    """Return records of matches of three keys and a bot. Some of the matches are not rated."""
    ctx = new_context()
    plans: list[tuple[list[str], dict[str, Any]]] = [
        ([ADA, BEN], {}),
        ([BEN, CLEO, GREEDY], {}),
        ([ADA, ""], {}),
        ([ADA, CLEO], {"clock": None}),
        ([CLEO, ADA], {}),
        ([GREEDY, BEN, GREEDY], {}),
    ]
    return [
        played(*who, seed=f"match {number}", ctx=ctx, **more)
        for number, (who, more) in enumerate(plans)
    ]


def test_the_ratings_follow_from_the_records(house: House) -> None:
    """The ratings are the same whether matches come one by one or all at once."""
    for lines in several():
        house.put(lines)
        house.keep_up()
    assert house.ladder() == folded(list(house.records.values()))
    assert len(house.ladder()) == 4

    at_once = Ratings(house.root / "another.index")
    while players.keep_up(house.ctx, at_once):
        pass
    assert house.kept.ladder("toy", 0, 9, bots=True) == at_once.ladder("toy", 0, 9, bots=True)


def test_a_match_that_comes_late_is_put_in_its_place(house: House) -> None:
    """Matches are rated in the order of their ends, also if the earliest is imported last."""
    early, *others = several()
    for lines in others:
        house.put(lines)
    house.keep_up()
    before = house.ladder()
    house.put(early)
    house.keep_up()
    assert house.ladder() == folded([early, *others])
    assert house.ladder() != before


def test_private_matches_change_nothing_that_anybody_sees(tmp_path: Path) -> None:
    """Two servers have the same public matches, and one has private matches, too.

    All answers about players are equal to the byte. A key with private matches alone is unknown.
    """
    public = several()
    ctx = new_context()
    hidden = [
        played(ADA, "f" * 64, seed="hidden", visibility="private", ctx=ctx),
        played("f" * 64, GREEDY, seed="hidden, too", visibility="private", ctx=ctx),
    ]
    worlds = [House(tmp_path / name) for name in ("one", "other")]
    for house in worlds:
        for lines in public:
            house.put(lines, {0: "Ada"})
    for lines in hidden:
        worlds[1].put(lines, {0: "Hidden"})
    for house in worlds:
        house.keep_up()
        with pytest.raises(NotFound):
            house.shown("f" * 64)
    assert worlds[0].everything() == worlds[1].everything()


def test_a_match_counts_once_it_is_revealed(house: House) -> None:
    """An ended match is rated only once it is revealed."""
    match = put(house.ctx, played(ADA, BEN)[:-1])
    house.keep_up()
    assert load(house.ctx, match).status.name == "ended"
    assert house.ladder() == []

    automation.act(house.ctx, match)
    house.keep_up()
    assert {player for player, _ in house.ladder()} == {ADA, BEN}


# ---- names ---------------------------------------------------------------------------------------


def named(house: House, *names: str) -> list[str]:
    """Let Ada play a match under each of these names, in order. Return the matches."""
    ctx = new_context()
    return [house.put(played(ADA, BEN, seed=name, ctx=ctx), {0: name, 1: "Ben"}) for name in names]


def test_a_player_has_the_name_that_was_given_last(house: House) -> None:
    """A player's page and the ladder show the name in the player's last match."""
    named(house, "Ada", "Ada the Great")
    house.keep_up()
    assert house.shown(ADA)["name"] == "Ada the Great"
    ladder, _ = players.ladder(house.ctx, "toy", 0, 9, bots=True)
    assert {line["name"] for line in ladder["players"]} == {"Ada the Great", "Ben"}


def test_an_erased_name_is_gone_and_no_earlier_one_comes_back(house: House) -> None:
    """If the name in a player's last match is erased, no name is shown.

    Names are read from the metadata of matches. The file of ratings has no copy.
    """
    _, last = named(house, "Ada", "Ada the Great")
    house.keep_up()
    house.ctx.journal.metadata.put(last, {seat_holders.name_field(0): None})
    assert house.shown(ADA)["name"] is None
    ladder, _ = players.ladder(house.ctx, "toy", 0, 9, bots=True)
    assert {line["name"] for line in ladder["players"]} == {None, "Ben"}
    for file in house.root.rglob("ratings.index*"):
        assert b"Ada" not in file.read_bytes()


# ---- deleted, unreadable, old --------------------------------------------------------------------


def test_a_deleted_match_is_not_shown_and_soon_not_rated(house: House) -> None:
    """A deleted match leaves the player's page at once, and the ratings at the next check."""
    matches = [house.put(lines) for lines in several()]
    house.keep_up()
    lifecycle.delete(house.ctx, matches[0], "operator")
    ids = [one["match"] for one in house.shown(ADA)["matches"]]
    assert matches[0] not in ids
    assert matches[4] in ids

    players.look_for_gone(house.ctx, house.kept)
    fold_now(house.kept)
    del house.records[matches[0]]
    assert house.ladder() == folded(list(house.records.values()))


def test_players_of_a_deleted_match_are_forgotten(house: House) -> None:
    """A key is unknown again after the next check if its only match was deleted."""
    only = house.put(played(CLEO, BEN, clock=None))
    house.put(played(ADA, BEN, seed="another"))
    house.keep_up()
    assert house.shown(CLEO)["matches"] != []
    lifecycle.delete(house.ctx, only, "operator")
    players.look_for_gone(house.ctx, house.kept)
    with pytest.raises(NotFound):
        house.shown(CLEO)


def test_a_match_that_comes_back_is_rated_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match put back, as from a backup, is rated again. Its commits already have positions."""
    matches = [house.put(lines) for lines in several()]
    house.keep_up()
    heads = house.ctx.journal.events.heads
    events = Over(house.ctx.journal.events)
    is_away = True

    def some_are_away(ids: Sequence[str]) -> list[FoundHead]:
        away = matches[0] if is_away else ""
        return [None if one == away else head for one, head in zip(ids, heads(ids), strict=True)]

    monkeypatch.setattr(events, "heads", some_are_away, raising=False)
    ctx = replace(house.ctx, journal=replace(house.ctx.journal, events=events))
    before = house.ladder()
    players.look_for_gone(ctx, house.kept)
    fold_now(house.kept)
    assert house.ladder() != before
    is_away = False
    players.look_for_gone(ctx, house.kept)
    fold_now(house.kept)
    assert house.ladder() == before


def test_a_match_deleted_before_it_was_taken_in_is_not_rated(house: House) -> None:
    """A match deleted before it was taken in is not rated, although the log has its commits."""
    matches = [house.put(lines) for lines in several()]
    run_out(house.sequencer)
    lifecycle.delete(house.ctx, matches[1], "operator")
    house.keep_up()
    del house.records[matches[1]]
    assert house.ladder() == folded(list(house.records.values()))


@pytest.mark.parametrize("error", [ArchiveDamaged("a match", "damaged"), ZeroDivisionError()])
def test_a_match_that_cannot_be_read_stops_no_other(
    house: House, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """A match that cannot be read is left out, and the others are rated."""
    matches = [house.put(lines) for lines in several()]

    def broken(ctx: Context, match: str, after: int, until: int) -> Any:
        if match == matches[0]:
            raise error
        return pieces(ctx, match, after, until)

    monkeypatch.setattr(players, "pieces", broken)
    house.keep_up()
    del house.records[matches[0]]
    assert house.ladder() == folded(list(house.records.values()))


def test_a_silent_journal_leaves_all_to_the_next_round(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the journal is unavailable in one round, the next round rates all matches."""
    for lines in several():
        house.put(lines)

    def away(*_: object) -> Any:
        raise JournalUnavailable("away")

    run_out(house.sequencer)
    with monkeypatch.context() as patch:
        patch.setattr(players, "pieces", away)
        with pytest.raises(JournalUnavailable):
            players.keep_up(house.ctx, house.kept)
    house.keep_up()
    assert house.ladder() == folded(list(house.records.values()))


def test_matches_of_before_there_were_keys_belong_to_nobody(house: House) -> None:
    """Matches without keys, as from an early release, are not rated. A later match with keys is."""
    for number in range(3):
        house.put(played("", "", seed=f"{number}"), {0: "Ada"})
    house.keep_up()
    assert house.ladder() == []
    assert house.kept.some(9) == {}
    house.put(played(ADA, BEN, seed="new"))
    house.keep_up()
    assert len(house.ladder()) == 2


# ---- what is shown -------------------------------------------------------------------------------


def test_matches_are_paged_and_say_why_they_are_not_rated(house: House) -> None:
    """A player's matches come in pages, the last ended first, and can be filtered by game.

    Each match that is not rated has a reason (`why_not_rated`).
    """
    matches = [house.put(lines) for lines in several()]
    house.keep_up()
    mine = [matches[number] for number in (4, 3, 2, 0)]
    assert [one["match"] for one in house.shown(ADA)["matches"]] == mine
    reasons = [one["why_not_rated"] for one in house.shown(ADA)["matches"]]
    assert reasons == [None, "no_clock", "no_key", None]

    ids = []
    before = None
    while True:
        page, before = players.player(house.ctx, ADA, "toy", before, 3)
        ids += [one["match"] for one in page["matches"]]
        if before is None:
            break
    assert ids == mine
    assert house.shown(ADA, game="calimala")["matches"] == []


def test_the_history_leads_to_the_rating(house: House) -> None:
    """A player's history has the rating after each of two rated matches, oldest first."""
    matches = [house.put(lines) for lines in several()]
    house.keep_up()
    [of_toy] = house.shown(ADA)["ratings"]
    assert [moment["match"] for moment in of_toy["history"]] == [matches[0], matches[4]]
    assert of_toy["history"][-1]["rating"] == of_toy["rating"]
    assert of_toy["rating"]["matches"] == 2


def test_a_level_of_bots_is_a_player_without_a_name(house: House) -> None:
    """A level of bots has ratings as keys do, and no name."""
    for lines in several():
        house.put(lines)
    house.keep_up()
    player = house.shown(GREEDY)
    assert player["name"] is None
    assert player["ratings"][0]["rating"]["matches"] == 2


# ---- a process that reads, and no scheduler ------------------------------------------------------


def test_without_a_scheduler_a_reader_catches_up(house: House) -> None:
    """Without a scheduler the first reader starts an update of the ratings, and waits for it."""
    for lines in several():
        house.put(lines)
    run_out(house.sequencer)
    assert house.ladder() == folded(list(house.records.values()))


def test_late_ratings_are_answered_with_503(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers get 503 until the first ratings are ready. Later they do not wait for an update."""
    monkeypatch.setattr(players, "_catch_up", lambda *_: None)
    with pytest.raises(Overloaded):
        house.ladder()
    house.keep_up()
    monkeypatch.setattr(players, "IDLE_MS", 0)
    assert house.ladder() == []
