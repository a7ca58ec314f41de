"""The file of ratings: folded in any order and in any steps, it says what one fold says."""

import operator
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from service.record import ratings
from service.record.ratings import MatchResult, OrderKey, Seated, Strength
from service.store.tlog.entries import LogUnavailable
from service.store.tlog.ratings import Ratings
from tests.running import PATIENCE, no_threads
from tests.service.rated import ADA, BEN, CLEO, fold_now
from tests.service.record.test_ratings import GREEDY, MANY, result

KEY = "the key of a log"
ALL = 10**6


class Killed(BaseException):
    """The process has died."""


def take_all(kept: Ratings, results: Sequence[MatchResult], size: int = 1) -> None:
    """Take in results as one round does, and fold."""
    kept.take(kept.size(KEY), size, results, is_all=True)
    fold_now(kept)


def ladders(kept: Ratings) -> dict[str, dict[str, Strength]]:
    """Return all that the ladders say, by game."""
    games = sorted({one.game for one in MANY})
    found = {game: dict(kept.ladder(game, 0, ALL, bots=True).players) for game in games}
    return {game: of_game for game, of_game in found.items() if of_game}


def histories(kept: Ratings) -> list[Any]:
    """Return all histories."""
    players = {seat.player for one in MANY for seat in one.seats}
    return [kept.history(one.game, player, ALL) for one in MANY for player in sorted(players)]


@pytest.fixture
def kept(tmp_path: Path) -> Ratings:
    """A file that is not there yet."""
    return Ratings(tmp_path / "ratings.index")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Ratings:
    """A file into which all results came at once."""
    kept = Ratings(tmp_path_factory.mktemp("whole") / "ratings.index")
    take_all(kept, MANY)
    return kept


def test_it_says_what_the_fold_says(whole: Ratings) -> None:
    """Of every game, and the last moment of each history is the rating."""
    assert ladders(whole) == ratings.fold(MANY)
    for game, of_game in ratings.fold(MANY).items():
        for player, rating in of_game.items():
            history = whole.history(game, player, ALL)
            assert history[-1].rating == rating
            assert [moment.rating.matches for moment in history] == [*range(1, rating.matches + 1)]
            assert history == sorted(history, key=lambda moment: moment.place)


@settings(max_examples=15, deadline=None)
@given(st.permutations(MANY), st.lists(st.integers(1, 20), min_size=1, max_size=8))
def test_results_may_come_in_any_order_and_in_any_rounds(
    tmp_path_factory: pytest.TempPathFactory,
    whole: Ratings,
    shuffled: list[MatchResult],
    rounds: list[int],
) -> None:
    """A late one has all that stands after it folded again; ladders and histories are equal."""
    kept = Ratings(tmp_path_factory.mktemp("kept") / "ratings.index")
    rest = list(shuffled)
    for number, count in enumerate([*rounds, ALL], 1):
        now, rest = rest[:count], rest[count:]
        take_all(kept, now, number)
    assert ladders(kept) == ladders(whole)
    assert histories(kept) == histories(whole)


@settings(max_examples=15, deadline=None)
@given(st.sets(st.integers(0, len(MANY) - 1), max_size=10))
def test_deleted_matches_are_folded_away_and_come_back(
    tmp_path_factory: pytest.TempPathFactory, whole: Ratings, gone: set[int]
) -> None:
    """What is left is what those matches alone would have given, and then again all."""
    kept = Ratings(tmp_path_factory.mktemp("kept") / "ratings.index")
    take_all(kept, MANY)
    for number in gone:
        kept.forget(MANY[number].place.match)
    fold_now(kept)
    left = [one for number, one in enumerate(MANY) if number not in gone]
    assert ladders(kept) == ratings.fold(left)

    for number in [*gone, *gone]:  # another process may find them at the same time
        kept.take_again(MANY[number])
    fold_now(kept)
    assert ladders(kept) == ladders(whole)
    assert histories(kept) == histories(whole)


class Steps(sqlite3.Connection):
    """A connection that dies at one of its statements; `left` is what then lies on the disk."""

    count = 0
    die_at = -1
    file = Path()
    left = Path()

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        """Carry a statement out, or die before it."""
        self._step()
        return super().execute(*arguments)

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:
        """Carry statements out, or die before them."""
        self._step()
        return super().executemany(*arguments)

    @classmethod
    def _step(cls) -> None:
        cls.count += 1
        if cls.count - 1 == cls.die_at:
            for file in cls.file.parent.glob(f"{cls.file.name}*"):
                shutil.copy(file, cls.left / file.name)
            raise Killed


def late(kept: Ratings) -> None:
    """Take in what came late, and fold again all that stands after it."""
    take_all(kept, MANY[5:10], 2)
    kept.forget(MANY[20].place.match)
    fold_now(kept)


def test_it_may_die_at_every_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader finds one of the states between the steps, and the next process comes to the end."""
    early = [*MANY[:5], *MANY[10:]]
    left = [one for one in MANY if one is not MANY[20]]
    between = [ratings.fold(early), ratings.fold(MANY), ratings.fold(left)]

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Steps))
    monkeypatch.setattr(Steps, "die_at", -1)
    seen = []
    step = 0
    while True:
        Steps.die_at = -1
        Steps.file = tmp_path / f"{step}" / "ratings.index"
        Steps.left = tmp_path / f"{step}-left"
        Steps.file.parent.mkdir()
        Steps.left.mkdir()
        dying = Ratings(Steps.file)
        take_all(dying, early)

        Steps.count, Steps.die_at = 0, step
        try:
            late(dying)
        except Killed:
            pass
        else:
            break
        finally:
            Steps.die_at = -1

        next_one = Ratings(Steps.left / "ratings.index")
        assert ladders(next_one) in between
        seen.append(between.index(ladders(next_one)))
        late(next_one)
        assert ladders(next_one) == between[-1]
        step += 1
    assert set(seen) == {0, 1}
    assert seen == sorted(seen)


def test_a_round_that_another_process_has_made_changes_nothing(kept: Ratings) -> None:
    """Two processes take in the same matches; the slower one finds that they are there."""
    take_all(kept, MANY[:30], 7)
    kept.take(0, 9, MANY[30:], is_all=True)
    fold_now(kept)
    assert kept.size(KEY) == 7
    assert ladders(kept) == ratings.fold(MANY[:30])


def test_what_comes_while_another_process_folds_is_folded_next(
    kept: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fold forgets only what it has read itself."""
    kept.take(kept.size(KEY), 1, MANY[10:], is_all=True)
    other = Ratings(tmp_path / "ratings.index")
    take = threading.Thread(target=other.take, args=(1, 2, MANY[:10]), kwargs={"is_all": True})

    class Interrupted(sqlite3.Connection):
        """A connection beside which another takes results in once it has read what is due."""

        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            found = super().execute(*arguments)
            if "FROM due" in arguments[0] and not take.ident:
                take.start()
                take.join(0.2)  # it may have to wait until the fold is over
            return found

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Interrupted))
    folding = Ratings(tmp_path / "ratings.index")
    fold_now(folding)
    take.join()
    fold_now(folding)
    assert ladders(kept) == ratings.fold(MANY)


def test_a_match_that_is_not_in_the_file_is_forgotten_already(kept: Ratings) -> None:
    """As when another process has begun the file again meanwhile."""
    take_all(kept, MANY)
    kept.size("another key")
    kept.forget(MANY[0].place.match)
    assert kept.some(ALL) == {}


def test_a_look_that_finds_nothing_is_noted_seldom(
    kept: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An idle service hardly writes; yet others see that somebody looks."""
    clock = [10_000]
    monkeypatch.setattr("service.store.tlog.ratings._now", lambda: clock[0])
    take_all(kept, MANY)
    for now, idle_ms in ((11_999, 1_999), (12_001, 0), (13_000, 999)):
        clock[0] = now
        kept.take(1, 1, [], is_all=True)
        assert kept.idle_ms() == idle_ms


def test_a_match_is_taken_in_once(kept: Ratings) -> None:
    """It comes again where its names are erased, or the log begins again."""
    take_all(kept, MANY, 1)
    take_all(kept, MANY, 2)
    assert ladders(kept) == ratings.fold(MANY)
    matches = [one.place.match for one in MANY]
    assert kept.known([*matches, "another"]) == set(matches)


def test_nothing_is_ready_until_all_is_taken_in(kept: Ratings) -> None:
    """Half a ladder is never shown; afterwards every round is folded."""
    kept.take(kept.size(KEY), 1, MANY[:10], is_all=False)
    kept.fold()
    assert not kept.is_ready()
    assert ladders(kept) == {}

    take_all(kept, MANY[10:], 2)
    assert kept.is_ready()
    kept.take(2, 3, [result(0, (ADA, 1), (BEN, 2))], is_all=False)
    assert kept.is_ready()


def test_another_log_begins_again(kept: Ratings) -> None:
    """What was taken from the one before is forgotten."""
    take_all(kept, MANY)
    assert kept.size("another key") == 0
    assert not kept.is_ready()
    assert ladders(kept) == {}
    assert kept.some(ALL) == {}


def test_another_model_rates_all_matches_again(kept: Ratings) -> None:
    """No rating of the model before it is shown."""
    take_all(kept, MANY)
    with kept._database.opened() as database:
        key = database.execute("SELECT key FROM progress").fetchone()[0]
        database.execute("UPDATE progress SET model = 'PlackettLuce, openskill 6.1.3'")
    assert not kept.is_ready()
    assert kept.size(key) == 0
    assert ladders(kept) == {}


def test_a_file_of_another_form_or_a_damaged_one_is_made_again(tmp_path: Path) -> None:
    """As if it had been thrown away."""
    file = tmp_path / "ratings.index"
    take_all(Ratings(file), MANY)
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    assert not Ratings(file).is_ready()

    for beside in tmp_path.iterdir():
        beside.unlink()
    file.write_bytes(b"no database " * 1000)
    kept = Ratings(file)
    with pytest.raises(LogUnavailable):
        kept.is_ready()
    take_all(kept, MANY)
    assert ladders(kept) == ratings.fold(MANY)


def test_a_file_that_lost_what_lies_beside_it_is_made_again(tmp_path: Path) -> None:
    """As when it was removed alone, under processes that have it open."""
    file = tmp_path / "ratings.index"
    one, other = Ratings(file), Ratings(file)
    take_all(one, MANY)
    file.with_name("ratings.index-wal").write_bytes(b"")

    with pytest.raises(LogUnavailable, match="disk I/O error"):
        other.is_ready()
    assert not other.is_ready()
    take_all(one, MANY)
    assert ladders(other) == ratings.fold(MANY)


def test_a_fold_takes_a_tenth_of_the_time(kept: Ratings, monkeypatch: pytest.MonkeyPatch) -> None:
    """After one of two seconds the next waits for twenty, and what comes meanwhile is kept."""
    clock: Iterator[int] = iter([0, 0, 2_000, 2_001, 21_999, 22_000, 22_000])
    monkeypatch.setattr("service.store.tlog.ratings._now", lambda: next(clock))
    take = partial(kept.take, is_all=True)
    take(kept.size(KEY), 1, MANY[:10])
    kept.fold()
    take(1, 2, MANY[10:])
    kept.fold()
    assert ladders(kept) == ratings.fold(MANY[:10])
    kept.fold()
    assert ladders(kept) == ratings.fold(MANY)


# ---- what is asked -------------------------------------------------------------------------------


def test_pages_of_a_ladder_go_on_with_the_right_places(kept: Ratings) -> None:
    """Equal players share a place, also over the end of a page."""
    results = [result(2 * number, (f"{number:064x}", 1), (ADA, 2)) for number in range(5)]
    equal = [result(10 + 2 * n, (f"{n + 10:064x}", 1), (f"{n + 20:064x}", 1)) for n in range(3)]
    take_all(kept, [*results, *equal])

    whole_ladder = kept.ladder("toy", 0, ALL, bots=True)
    assert whole_ladder.is_last
    listed = ratings.placed(whole_ladder.players, 0, whole_ladder.first)
    assert len({line["place"] for line in listed}) < len(listed)
    for size in (1, 2, 3):
        found = []
        for seen in range(0, len(listed), size):
            page = kept.ladder("toy", seen, size, bots=True)
            assert page.is_last == (seen + size >= len(listed))
            found += ratings.placed(page.players, seen, page.first)
        assert found == listed
    assert kept.ladder("toy", 99, 10, bots=True).players == []


def test_a_ladder_without_bots_counts_places_without_them(whole: Ratings) -> None:
    """The best human is the first."""
    page = whole.ladder("toy", 0, ALL, bots=False)
    assert {player for player, _ in page.players} == {ADA, BEN, CLEO}
    assert page.first == 1


def test_the_matches_of_a_player_are_paged_from_the_last_one_on(whole: Ratings) -> None:
    """Of all games or of one, each once."""
    mine = [one for one in MANY if any(seat.player == ADA for seat in one.seats)]
    for game in ("", "toy", "other"):
        wanted = [one.place for one in mine if game in ("", one.game)]
        found: list[OrderKey] = []
        before = None
        while page := whole.played(ADA, game, before, 4):
            found += [one.place for one in page]
            before = found[-1]
        assert found == sorted(wanted, reverse=True)


def test_a_match_of_several_bots_of_a_level_stands_in_its_pages_once(kept: Ratings) -> None:
    """With the best placed of them, wherever a page ends."""
    take_all(kept, [result(number, (GREEDY, 3), (ADA, 1), (GREEDY, 2)) for number in range(3)])

    found: list[tuple[str, int]] = []
    before = None
    while page := kept.played(GREEDY, "", before, 1):
        found += [(one.place.match, one.seat) for one in page]
        before = page[-1].place
    assert found == [("m2", 2), ("m1", 2), ("m0", 2)]


def test_the_last_name_is_that_of_the_last_match_with_one(kept: Ratings) -> None:
    """A match in which none was given is passed over, and so is one that was deleted."""

    def named(number: int, is_named: bool) -> MatchResult:
        seats = (Seated(ADA, is_named, 1), Seated(GREEDY, is_named=False, rank=2))
        return MatchResult(OrderKey(number, f"m{number}"), "toy", seats)

    take_all(kept, [named(1, True), named(2, True), named(3, False)])
    assert kept.last_named([ADA, BEN]) == {ADA: ("m2", 0)}
    kept.forget("m2")
    assert kept.last_named([ADA]) == {ADA: ("m1", 0)}


def test_all_matches_are_looked_at_in_turn(kept: Ratings) -> None:
    """After the last one the first comes again."""
    take_all(kept, MANY)
    looks = [list(kept.some(25)) for _ in range(4)]
    assert [len(look) for look in looks] == [25, 25, 10, 25]
    assert sorted(reduce(operator.iadd, looks[:3], [])) == sorted(one.place.match for one in MANY)
    assert looks[3] == looks[0]


def test_work_without_a_thread_is_begun_by_the_next_who_asks(kept: Ratings) -> None:
    """Who asks meanwhile is told to try again, as if the work were under way."""
    with no_threads():
        assert kept.in_background(lambda _: None) is None

    started = kept.in_background(lambda _: None)
    assert started is not None
    started.join()


def test_one_thread_works_in_the_background(kept: Ratings) -> None:
    """Who asks meanwhile gets none to wait for, so that many who ask hold nothing up."""
    may_end = threading.Event()

    def work(_: Ratings) -> None:
        may_end.wait(PATIENCE)

    started = kept.in_background(work)
    assert started is not None
    assert kept.in_background(lambda _: None) is None

    may_end.set()
    started.join()
    again = kept.in_background(lambda _: None)
    assert again is not None
    again.join()
