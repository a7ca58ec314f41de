"""The file of ratings: taken in any order and in several steps, results give the same ratings."""

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


def take_all(ratings_file: Ratings, results: Sequence[MatchResult], size: int = 1) -> None:
    """Take in results as one round does, and fold."""
    ratings_file.take(ratings_file.size(KEY), size, results, is_all=True)
    fold_now(ratings_file)


def ladders(ratings_file: Ratings) -> dict[str, dict[str, Strength]]:
    """Return the players of all ladders, by game."""
    games = sorted({one.game for one in MANY})
    by_game = {game: dict(ratings_file.ladder(game, 0, ALL, bots=True).players) for game in games}
    return {game: of_game for game, of_game in by_game.items() if of_game}


def histories(ratings_file: Ratings) -> list[Any]:
    """Return all histories."""
    players = {seat.player for one in MANY for seat in one.seats}
    return [
        ratings_file.history(one.game, player, ALL) for one in MANY for player in sorted(players)
    ]


@pytest.fixture
def ratings_file(tmp_path: Path) -> Ratings:
    """A file that is not there yet."""
    return Ratings(tmp_path / "ratings.index")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Ratings:
    """A file with all results, taken at once."""
    ratings_file = Ratings(tmp_path_factory.mktemp("whole") / "ratings.index")
    take_all(ratings_file, MANY)
    return ratings_file


def test_the_file_equals_the_fold(whole: Ratings) -> None:
    """The ladders of all games equal the fold. The last moment of each history is the rating."""
    assert ladders(whole) == ratings.fold(MANY)
    for game, of_game in ratings.fold(MANY).items():
        for player, rating in of_game.items():
            history = whole.history(game, player, ALL)
            assert history[-1].rating == rating
            assert [moment.rating.matches for moment in history] == [*range(1, rating.matches + 1)]
            assert history == sorted(history, key=lambda moment: moment.place)


@pytest.mark.whole
@settings(max_examples=15, deadline=None)
@given(st.permutations(MANY), st.lists(st.integers(1, 20), min_size=1, max_size=8))
def test_results_may_come_in_any_order_and_in_any_rounds(
    tmp_path_factory: pytest.TempPathFactory,
    whole: Ratings,
    shuffled: list[MatchResult],
    rounds: list[int],
) -> None:
    """After a late result everything after it is folded again. Ladders and histories are equal."""
    ratings_file = Ratings(tmp_path_factory.mktemp("file") / "ratings.index")
    rest = list(shuffled)
    for number, count in enumerate([*rounds, ALL], 1):
        now, rest = rest[:count], rest[count:]
        take_all(ratings_file, now, number)
    assert ladders(ratings_file) == ladders(whole)
    assert histories(ratings_file) == histories(whole)


@pytest.mark.whole
@settings(max_examples=15, deadline=None)
@given(st.sets(st.integers(0, len(MANY) - 1), max_size=10))
def test_deleted_matches_are_folded_away_and_come_back(
    tmp_path_factory: pytest.TempPathFactory, whole: Ratings, gone: set[int]
) -> None:
    """Without deleted matches the file equals a fold of the rest, and with them a fold of all."""
    ratings_file = Ratings(tmp_path_factory.mktemp("file") / "ratings.index")
    take_all(ratings_file, MANY)
    for number in gone:
        ratings_file.forget(MANY[number].place.match)
    fold_now(ratings_file)
    rest = [one for number, one in enumerate(MANY) if number not in gone]
    assert ladders(ratings_file) == ratings.fold(rest)

    for number in [*gone, *gone]:  # another process may find them at the same time
        ratings_file.take_again(MANY[number])
    fold_now(ratings_file)
    assert ladders(ratings_file) == ladders(whole)
    assert histories(ratings_file) == histories(whole)


class Steps(sqlite3.Connection):
    """A connection that dies at one of its statements. `left`: directory for a copy of the file."""

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


def late(ratings_file: Ratings) -> None:
    """Take in late results, forget a match, and fold again everything after them."""
    take_all(ratings_file, MANY[5:10], 2)
    ratings_file.forget(MANY[20].place.match)
    fold_now(ratings_file)


@pytest.mark.whole
def test_it_may_die_at_every_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a death a reader finds the state between two steps, and the next process finishes."""
    early = [*MANY[:5], *MANY[10:]]
    rest = [one for one in MANY if one is not MANY[20]]
    between = [ratings.fold(early), ratings.fold(MANY), ratings.fold(rest)]

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Steps))
    monkeypatch.setattr(Steps, "die_at", -1)
    states = []
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
        states.append(between.index(ladders(next_one)))
        late(next_one)
        assert ladders(next_one) == between[-1]
        step += 1
    assert set(states) == {0, 1}
    assert states == sorted(states)


def test_a_round_that_another_process_has_made_changes_nothing(ratings_file: Ratings) -> None:
    """If two processes begin at the same size, results of the slower one are ignored."""
    take_all(ratings_file, MANY[:30], 7)
    ratings_file.take(0, 9, MANY[30:], is_all=True)
    fold_now(ratings_file)
    assert ratings_file.size(KEY) == 7
    assert ladders(ratings_file) == ratings.fold(MANY[:30])


def test_results_that_arrive_during_a_fold_are_folded_next(
    ratings_file: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results that arrive during a fold are not lost, but folded next."""
    ratings_file.take(ratings_file.size(KEY), 1, MANY[10:], is_all=True)
    other = Ratings(tmp_path / "ratings.index")
    take = threading.Thread(target=other.take, args=(1, 2, MANY[:10]), kwargs={"is_all": True})

    class Interrupted(sqlite3.Connection):
        """A connection beside which another takes results in once it has read the due ones."""

        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            cursor = super().execute(*arguments)
            if "FROM due" in arguments[0] and not take.ident:
                take.start()
                take.join(0.2)  # it may have to wait until the fold is over
            return cursor

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Interrupted))
    folding = Ratings(tmp_path / "ratings.index")
    fold_now(folding)
    take.join()
    fold_now(folding)
    assert ladders(ratings_file) == ratings.fold(MANY)


def test_a_match_that_is_not_in_the_file_is_forgotten_already(ratings_file: Ratings) -> None:
    """A match may be missing if another process has begun the file again."""
    take_all(ratings_file, MANY)
    ratings_file.size("another key")
    ratings_file.forget(MANY[0].place.match)
    assert ratings_file.some(ALL) == {}


def test_a_look_that_finds_nothing_is_noted_seldom(
    ratings_file: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An idle service notes a look only every two seconds, so that it hardly writes."""
    clock = [10_000]
    monkeypatch.setattr("service.store.tlog.ratings._now", lambda: clock[0])
    take_all(ratings_file, MANY)
    for now, idle_ms in ((11_999, 1_999), (12_001, 0), (13_000, 999)):
        clock[0] = now
        ratings_file.take(1, 1, [], is_all=True)
        assert ratings_file.idle_ms() == idle_ms


def test_a_match_is_taken_in_once(ratings_file: Ratings) -> None:
    """A match that is offered twice counts once."""
    take_all(ratings_file, MANY, 1)
    take_all(ratings_file, MANY, 2)
    assert ladders(ratings_file) == ratings.fold(MANY)
    matches = [one.place.match for one in MANY]
    assert ratings_file.known([*matches, "another"]) == set(matches)


def test_nothing_is_ready_until_all_is_taken_in(ratings_file: Ratings) -> None:
    """An incomplete ladder is not shown. A later incomplete round leaves the ladder ready."""
    ratings_file.take(ratings_file.size(KEY), 1, MANY[:10], is_all=False)
    ratings_file.fold()
    assert not ratings_file.is_ready()
    assert ladders(ratings_file) == {}

    take_all(ratings_file, MANY[10:], 2)
    assert ratings_file.is_ready()
    ratings_file.take(2, 3, [result(0, (ADA, 1), (BEN, 2))], is_all=False)
    assert ratings_file.is_ready()


def test_another_log_begins_again(ratings_file: Ratings) -> None:
    """With another log the file drops all results."""
    take_all(ratings_file, MANY)
    assert ratings_file.size("another key") == 0
    assert not ratings_file.is_ready()
    assert ladders(ratings_file) == {}
    assert ratings_file.some(ALL) == {}


def test_another_model_rates_all_matches_again(ratings_file: Ratings) -> None:
    """With another model no old rating is shown, and all results are taken again."""
    take_all(ratings_file, MANY)
    expected = ladders(ratings_file), histories(ratings_file)
    with ratings_file._database.opened() as database:
        key = database.execute("SELECT key FROM progress").fetchone()[0]
        database.execute("UPDATE progress SET model = 'PlackettLuce, openskill 6.1.3'")
        database.execute("UPDATE ratings SET mean = mean + 1")
        database.execute("UPDATE history SET mean = mean + 1")
    assert not ratings_file.is_ready()
    assert ratings_file.size(key) == 0
    assert ladders(ratings_file) == {}
    assert ratings_file.known([one.place.match for one in MANY]) == set()

    take_all(ratings_file, MANY)
    assert ratings_file.is_ready()
    assert (ladders(ratings_file), histories(ratings_file)) == expected


def test_a_file_of_another_form_or_a_damaged_one_is_made_again(tmp_path: Path) -> None:
    """A file of another form or a damaged one is replaced by a new file."""
    file = tmp_path / "ratings.index"
    take_all(Ratings(file), MANY)
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    assert not Ratings(file).is_ready()

    for beside in tmp_path.iterdir():
        beside.unlink()
    file.write_bytes(b"no database " * 1000)
    ratings_file = Ratings(file)
    with pytest.raises(LogUnavailable):
        ratings_file.is_ready()
    take_all(ratings_file, MANY)
    assert ladders(ratings_file) == ratings.fold(MANY)


def test_a_file_without_its_companions_is_written_again(tmp_path: Path) -> None:
    """If the WAL file of open processes is emptied, the file is made again."""
    file = tmp_path / "ratings.index"
    one, other = Ratings(file), Ratings(file)
    take_all(one, MANY)
    file.with_name("ratings.index-wal").write_bytes(b"")

    with pytest.raises(LogUnavailable, match="disk I/O error"):
        other.is_ready()
    assert not other.is_ready()
    take_all(one, MANY)
    assert ladders(other) == ratings.fold(MANY)


def test_a_fold_takes_a_tenth_of_the_time(
    ratings_file: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a fold of two seconds the next waits for twenty. Results meanwhile are not lost."""
    clock: Iterator[int] = iter([0, 0, 2_000, 2_001, 21_999, 22_000, 22_000])
    monkeypatch.setattr("service.store.tlog.ratings._now", lambda: next(clock))
    take = partial(ratings_file.take, is_all=True)
    take(ratings_file.size(KEY), 1, MANY[:10])
    ratings_file.fold()
    take(1, 2, MANY[10:])
    ratings_file.fold()
    assert ladders(ratings_file) == ratings.fold(MANY[:10])
    ratings_file.fold()
    assert ladders(ratings_file) == ratings.fold(MANY)


# ---- what is asked -------------------------------------------------------------------------------


def test_pages_of_a_ladder_go_on_with_the_right_places(ratings_file: Ratings) -> None:
    """Equal players share a place, even across pages."""
    results = [result(2 * number, (f"{number:064x}", 1), (ADA, 2)) for number in range(5)]
    equal = [result(10 + 2 * n, (f"{n + 10:064x}", 1), (f"{n + 20:064x}", 1)) for n in range(3)]
    take_all(ratings_file, [*results, *equal])

    whole_ladder = ratings_file.ladder("toy", 0, ALL, bots=True)
    assert whole_ladder.is_last
    listed = ratings.placed(whole_ladder.players, 0, whole_ladder.first)
    assert len({line["place"] for line in listed}) < len(listed)
    for size in (1, 2, 3):
        places = []
        for offset in range(0, len(listed), size):
            page = ratings_file.ladder("toy", offset, size, bots=True)
            assert page.is_last == (offset + size >= len(listed))
            places += ratings.placed(page.players, offset, page.first)
        assert places == listed
    assert ratings_file.ladder("toy", 99, 10, bots=True).players == []


def test_a_ladder_without_bots_counts_places_without_them(whole: Ratings) -> None:
    """Without bots the best human has the first place."""
    page = whole.ladder("toy", 0, ALL, bots=False)
    assert {player for player, _ in page.players} == {ADA, BEN, CLEO}
    assert page.first == 1


def test_the_matches_of_a_player_are_paged_from_the_last_one_on(whole: Ratings) -> None:
    """Pages have each match of a player once, the last first, of all games or of one."""
    mine = [one for one in MANY if any(seat.player == ADA for seat in one.seats)]
    for game in ("", "toy", "other"):
        expected = [one.place for one in mine if game in ("", one.game)]
        places: list[OrderKey] = []
        before = None
        while page := whole.played(ADA, game, before, 4):
            places += [one.place for one in page]
            before = places[-1]
        assert places == sorted(expected, reverse=True)


def test_a_match_of_several_bots_of_a_level_is_listed_once(ratings_file: Ratings) -> None:
    """The match is listed once, with the best placed bot, wherever a page ends."""
    take_all(
        ratings_file, [result(number, (GREEDY, 3), (ADA, 1), (GREEDY, 2)) for number in range(3)]
    )

    rows: list[tuple[str, int]] = []
    before = None
    while page := ratings_file.played(GREEDY, "", before, 1):
        rows += [(one.place.match, one.seat) for one in page]
        before = page[-1].place
    assert rows == [("m2", 2), ("m1", 2), ("m0", 2)]


def test_the_last_name_is_that_of_the_last_match_with_one(ratings_file: Ratings) -> None:
    """A match without a name does not count for the last name, nor does a deleted one."""

    def named(number: int, is_named: bool) -> MatchResult:
        seats = (Seated(ADA, is_named, 1), Seated(GREEDY, is_named=False, rank=2))
        return MatchResult(OrderKey(number, f"m{number}"), "toy", seats)

    take_all(ratings_file, [named(1, True), named(2, True), named(3, False)])
    assert ratings_file.last_named([ADA, BEN]) == {ADA: ("m2", 0)}
    ratings_file.forget("m2")
    assert ratings_file.last_named([ADA]) == {ADA: ("m1", 0)}


def test_all_matches_are_looked_at_in_turn(ratings_file: Ratings) -> None:
    """Looks at some matches take all in turn. After the last match the first one comes again."""
    take_all(ratings_file, MANY)
    looks = [list(ratings_file.some(25)) for _ in range(4)]
    assert [len(look) for look in looks] == [25, 25, 10, 25]
    assert sorted(reduce(operator.iadd, looks[:3], [])) == sorted(one.place.match for one in MANY)
    assert looks[3] == looks[0]


def test_work_without_a_thread_is_begun_by_the_next_reader(ratings_file: Ratings) -> None:
    """If no thread can start, the caller gets none. The next caller starts the work."""
    with no_threads():
        assert ratings_file.in_background(lambda _: None) is None

    started = ratings_file.in_background(lambda _: None)
    assert started is not None
    started.join()


def test_one_thread_works_in_the_background(ratings_file: Ratings) -> None:
    """While a thread works, callers get no thread to wait for."""
    may_end = threading.Event()

    def work(_: Ratings) -> None:
        may_end.wait(PATIENCE)

    started = ratings_file.in_background(work)
    assert started is not None
    assert ratings_file.in_background(lambda _: None) is None

    may_end.set()
    started.join()
    again = ratings_file.in_background(lambda _: None)
    assert again is not None
    again.join()
