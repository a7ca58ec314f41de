"""Sequencers: every commit gets one position over any crash, and nothing is rewritten."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from service.record.tlog.tree import WIDTH
from service.store.journal.errors import ArchiveUnavailable, JournalUnavailable
from service.store.journal.ports import Journal
from service.store.journal.values import Entry, Generation, GoneBack, Order, Tombstone
from service.store.keys.signer import Signer
from service.store.tlog.entries import LogUnavailable
from service.store.tlog.log import LogFiles
from service.store.tlog.sequencer import LostLines, Round, Sequencer
from tests.service.store.journal.ports import Over, journal_of_calls
from tests.service.store.tlog.conftest import START, House, run_out


class Killed(BaseException):
    """The sequencer's process has died."""


class Steps:
    """Counts the calls of a sequencer to its stores, and kills it at one of them.

    is_done: True if the call is made before the death.
    """

    def __init__(self, die_at: int = -1, *, is_done: bool = False) -> None:
        self.count = 0
        self._die_at = die_at
        self._is_done = is_done

    def call(self, carry_out: Callable[[], Any]) -> Any:
        """Make a call, or die before it or after it."""
        self.count += 1
        if self.count - 1 != self._die_at:
            return carry_out()
        if self._is_done:
            with suppress(Exception):
                carry_out()
        raise Killed

    def sequencer(self, house: House) -> Sequencer:
        """Return a sequencer on stores whose calls are steps."""

        def call(name: str, *arguments: Any, **keywords: Any) -> Any:
            port, method = name.split(".")
            below = getattr(getattr(house.journal, port), method)
            return self.call(lambda: below(*arguments, **keywords))

        files = LogFiles(str(house.root / "archive"))
        files._place = _StepPlace(files._place, self)
        files._checkpoints = _StepPlace(files._checkpoints, self)
        return house.sequencer(journal_of_calls(call), files)


class _StepPlace(Over):
    """A place of files. Each call is a step."""

    def __init__(self, below: object, steps: Steps) -> None:
        super().__init__(below)
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.below, name)
        return lambda *arguments: self._steps.call(lambda: method(*arguments))


def fill_and_seal(house: House, sequencer: Sequencer) -> None:
    """Sequence commits by one sequencer, across the end of a bundle."""
    house.fill(WIDTH - 10)
    run_out(sequencer)
    house.fill(20)
    run_out(sequencer)
    house.fill(5)
    run_out(sequencer)


def steps_of_a_run(tmp_path: Path) -> int:
    house = House(tmp_path / "whole")
    steps = Steps()
    fill_and_seal(house, steps.sequencer(house))
    house.check_all_sealed()
    return steps.count


@pytest.mark.whole
@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
def test_it_may_die_at_every_call_of_a_store(tmp_path: Path, *, is_done: bool) -> None:
    """After a death before or after any call, the next sequencer leaves no gap, double or fork.

    The log still begins with the entries published before the death.
    """
    count = steps_of_a_run(tmp_path)
    assert count > 40
    for step in range(count):
        house = House(tmp_path / f"{step}")
        with pytest.raises(Killed):
            fill_and_seal(house, Steps(step, is_done=is_done).sequencer(house))
        published = house.log.entries(0, 10_000)
        house.fill(3)

        run_out(house.sequencer())
        assert house.log.entries(0, len(published)) == published
        house.check_all_sealed()


def test_a_run_leaves_only_necessary_files(house: House) -> None:
    """The files are one checkpoint, the whole bundles, a partial bundle and a partial tile."""
    sequencer = house.sequencer()
    for _ in range(30):
        house.fill(25)
        run_out(sequencer)
    names = sorted(str(name) for name in house.files._place.names())
    size = house.log.size()
    bundles = [f"bundle/{number:03d}" for number in range(size // WIDTH)]
    partial = f"bundle/{size // WIDTH:03d}.p/{size % WIDTH}"
    tile = f"tile/1/000.p/{size // WIDTH}"
    assert names == sorted([*bundles, partial, tile, f"checkpoint/{size:020d}"])


# ---- more than one sequencer -------------------------------------------------------------------


class Turns:
    """Runs threads one at a time: at each call of a store, `choices` selects the next thread."""

    def __init__(self, choices: list[int]) -> None:
        self._choices = choices
        self._condition = threading.Condition()
        self._waiting: set[int] = set()
        self._living: set[int] = set()
        self._turn: int | None = None
        self.errors: list[BaseException] = []

    def wait(self, number: int) -> None:
        """Wait for the turn of a thread."""
        with self._condition:
            self._waiting.add(number)
            self._choose()
            while self._turn != number:
                self._condition.wait(60)
            self._turn = None
            self._waiting.discard(number)

    def run(self, works: list[Callable[[], None]]) -> None:
        """Run threads to their ends."""
        self._living = set(range(len(works)))
        threads = [
            threading.Thread(target=self._run, args=(number, work))
            for number, work in enumerate(works)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
            assert not thread.is_alive()
        if self.errors:
            raise self.errors[0]

    def _run(self, number: int, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again by `run`
            self.errors.append(error)
        with self._condition:
            self._living.discard(number)
            self._choose()

    def _choose(self) -> None:
        """Give the turn to one of the threads, once all of them wait."""
        if self._turn is None and self._living and self._waiting == self._living:
            choice = self._choices.pop(0) if self._choices else 0
            waiting = sorted(self._waiting)
            self._turn = waiting[choice % len(waiting)]
            self._condition.notify_all()


class Scheduled(Steps):
    """The steps of one sequencer. Each step waits for the sequencer's turn."""

    def __init__(self, turns: Turns, number: int, die_at: int = -1) -> None:
        super().__init__(die_at)
        self._turns = turns
        self._number = number

    def call(self, carry_out: Callable[[], Any]) -> Any:
        """Make a call when it is this sequencer's turn."""
        self._turns.wait(self._number)
        return super().call(carry_out)


@pytest.mark.whole
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    choices=st.lists(st.integers(0, 1), max_size=150),
    die_at=st.integers(0, 90),
    fills=st.lists(st.integers(1, 150), min_size=1, max_size=4),
)
def test_two_sequencers_build_one_log(
    tmp_path_factory: pytest.TempPathFactory, choices: list[int], die_at: int, fills: list[int]
) -> None:
    """Whatever the order of their calls, and if one of them dies, the log is one and whole."""
    house = House(tmp_path_factory.mktemp("house"))
    turns = Turns(choices)

    def work(number: int) -> None:
        # One thread runs at a time, so it appends commits in its turn.
        turns.wait(number)
        sequencer = Scheduled(turns, number, die_at if number else -1).sequencer(house)
        for fill in fills:
            house.fill(fill)
            try:
                run_out(sequencer)
            except Killed:
                return
            except LogUnavailable:
                continue  # the other one was faster

    turns.run([lambda: work(0), lambda: work(1)])
    run_out(house.sequencer())
    house.check_all_sealed()


# ---- missing or unreadable matches ---------------------------------------------------------------


def test_commits_of_a_match_deleted_before_get_no_position(house: House) -> None:
    """Commits that were sequenced before the deletion keep their positions."""
    house.commit("m0")
    run_out(house.sequencer())
    house.commit("m0")
    house.commit("m1")
    house.commit("m4")
    for match in ("m0", "m1"):
        house.journal.lifecycle.delete(match, Tombstone(START, "ada"))
    run_out(house.sequencer())

    house.check()
    sealed = [(entry.match, entry.version) for entry in house.log.entries(0, 9)]
    assert sealed == [("m0", 1), ("m4", 1)]


def test_an_unreadable_match_holds_up_its_partition_alone(house: House) -> None:
    """The match m3 of the partition waits, too. All is sequenced when m1 can be read again."""
    house.fill(40)
    below = house.journal.events

    class Unreadable(Over):
        def read(self, match: str, *arguments: Any) -> list[bytes]:
            if match == "m1":
                raise ArchiveUnavailable(match, "its file is away")
            return below.read(match, *arguments)

    journal: Journal = replace(house.journal, events=Unreadable(below))
    run_out(house.sequencer(journal))
    house.check()
    assert house.journal.order.state().stopped == "feeds wait for unreadable matches: 1"
    [held_up] = [feed for feed in house.store.feeds if any(line[0] == "m1" for line in feed)]
    assert {line[0] for line in held_up} == {"m1", "m3"}
    sealed = {entry.hash for entry in house.log.entries(0, 40)}
    assert sealed == {one for (match, _), one in house.made.items() if match not in ("m1", "m3")}

    run_out(house.sequencer())
    house.check_all_sealed()
    assert house.journal.order.state().stopped == ""


def test_lines_wait_in_the_feeds_while_files_cannot_be_written(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While files cannot be written, the order stays small. All lines are sequenced in the end."""
    monkeypatch.setattr("service.store.tlog.sequencer.LINES_AT_ONCE", 10)
    monkeypatch.setattr("service.store.tlog.sequencer.MOST_UNPUBLISHED", 30)
    (house.root / "archive").write_text("no directory")
    house.fill(100)
    sequencer = house.sequencer()
    for _ in range(20):
        with pytest.raises(LogUnavailable):
            run_out(sequencer)
    assert house.journal.order.state().size <= 40

    (house.root / "archive").unlink()
    run_out(sequencer)
    house.check_all_sealed()


@pytest.mark.parametrize("differs", ["key", "origin"])
def test_a_sequencer_with_another_key_publishes_nothing(house: House, differs: str) -> None:
    """A sequencer with another key or origin than the log's publishes nothing."""
    house.fill(5)
    run_out(house.sequencer())
    house.fill(5)
    signer, origin = house.signer, ""
    if differs == "key":
        signer = Signer(house.root / "other-keys.json", lambda: START)
        origin = f"giornale-{house.signer.keys()[-1]['id']}"
    else:
        origin = "other.example/log"
    other = Sequencer(house.journal, house.log, signer, lambda: START, origin)
    with pytest.raises(LogUnavailable, match=r"log-keys\.json"):
        run_out(other)
    assert house.log.size() == 5
    run_out(house.sequencer())
    house.check_all_sealed()


# ---- the order or the journal goes back ----------------------------------------------------------


def publish_by_two_clocks(house: House, sequencer: Sequencer, commits: int) -> None:
    """Publish commits, half of them by a clock that is ahead.

    No other sequencer would repeat their order, since it orders new commits by time.
    """
    ticks, house.ticks = house.ticks, count(START + 3_600_000, 7)
    house.fill(commits // 2, matches=1)
    run_out(sequencer)
    house.ticks = ticks
    house.fill(commits - commits // 2)
    run_out(sequencer)


def test_an_order_that_has_gone_back_goes_on_from_the_files(house: House) -> None:
    """If the order goes back, as after a failover, nothing published changes."""
    sequencer = house.sequencer()
    house.fill(WIDTH)
    run_out(sequencer)
    before = (house.store.order, list(house.store.order_lines))
    publish_by_two_clocks(house, sequencer, 30)
    published = house.log.entries(0, 10_000)

    for lost in (before, (Order(), [])):
        house.store.order, house.store.order_lines = lost[0], list(lost[1])
        house.fill(7)
        run_out(house.sequencer())
        assert house.log.entries(0, len(published)) == published
        house.check_all_sealed()


def one_behind(house: House, more: int) -> tuple[Sequencer, Callable[[], None]]:
    """Publish 40 lines, and more that only one of two sequencers knows.

    Returns the other one, and a function to take the order back to the 40.
    """
    sequencer, other = house.sequencer(), house.sequencer()
    house.fill(40)
    run_out(sequencer)
    run_out(other)
    order, lines = house.store.order, list(house.store.order_lines)
    publish_by_two_clocks(house, sequencer, more)

    def take_back() -> None:
        house.store.order, house.store.order_lines = order, lines

    return other, take_back


def test_a_running_sequencer_meets_an_order_that_has_gone_back(house: House) -> None:
    """A running sequencer that has decided other lines drops them for the lines of the files."""
    other, take_back = one_behind(house, 30)
    published = house.log.entries(0, 10_000)

    take_back()
    house.commit("m9")
    run_out(other)
    run_out(other)
    assert house.log.entries(0, len(published)) == published
    house.check_all_sealed()


def test_an_order_that_has_gone_back_is_noticed_before_new_lines(house: House) -> None:
    """A round restores an order that has gone back, so that no log is shorter than before."""
    sequencer = house.sequencer()
    publish_by_two_clocks(house, sequencer, 40)
    published = house.log.entries(0, 40)
    house.store.order, house.store.order_lines = Order(), []
    sequencer.round()
    assert (house.log.size(), house.log.entries(0, 40)) == (40, published)
    house.check_all_sealed()


def test_a_regrown_order_is_published_under_its_old_checkpoint(house: House) -> None:
    """A sequencer that decides the same lines again publishes the old checkpoint of the files."""
    other, take_back = one_behind(house, 2 * WIDTH)
    checkpoint = house.log.checkpoint()

    take_back()
    run_out(other)
    assert house.log.checkpoint() == checkpoint
    house.fill(9)
    run_out(other)
    house.check_all_sealed()


def test_the_reason_of_a_stop_is_cleared_over_a_lost_answer(house: House) -> None:
    """A round clears the reason, even of another sequencer or of an older copy of the journal."""
    below = house.journal.order

    class Lost(Over):
        def report(self, stopped: str) -> None:
            below.report(stopped)
            raise JournalUnavailable("the answer is lost")

    house.commit("m0")
    unlucky = house.sequencer(replace(house.journal, order=Lost(below)))
    with pytest.raises(JournalUnavailable):
        unlucky.report("the files are away")
    assert below.state().stopped == "the files are away"
    for sequencer in (house.sequencer(), house.sequencer()):
        run_out(sequencer)
        assert below.state().stopped == ""
        below.report("the files are away")
    run_out(sequencer)
    assert below.state().stopped == ""


def go_back(house: House, lines: int) -> None:
    """Drop the last lines of each feed, with their commits."""
    for feed in house.store.feeds:
        for _ in range(min(lines, len(feed))):
            name, version, _ = feed.pop()
            match = house.store.matches[name]
            del match.commits[version - 1 :]
            if match.commits:
                commit_hash = house.made[name, version - 1]
                match.head = replace(match.head, version=version - 1, hash=commit_hash)
            else:
                del house.store.matches[name]


@pytest.mark.parametrize("more", [1, 3, 8], ids=["ahead", "same size", "behind"])
@pytest.mark.parametrize("call", ["state", "news", "settled", "decided"])
def test_a_sequencer_that_slept_over_a_loss_changes_nothing(
    house: House, more: int, call: str
) -> None:
    """Meanwhile another sequencer has published other lines at these positions.

    Decisions and checkpoints of the late sequencer do not count.
    An order that goes back later does not
    extend them.
    """
    house.fill(40)
    run_out(house.sequencer())
    before = (house.store.order, list(house.store.order_lines))
    published: list[Any] = []
    house.fill(10)
    lost = sum(map(bool, house.store.feeds))

    class Slow(Over):
        def __getattr__(self, name: str) -> Any:
            def ask(*arguments: Any, **keywords: Any) -> Any:
                answer = getattr(self.below, name)(*arguments, **keywords)
                if name == call:
                    wake()
                return answer

            return ask

    def wake() -> None:
        if not published:
            go_back(house, 1)
            house.store.order, house.store.order_lines = before[0], list(before[1])
            house.fill(more)
            run_out(house.sequencer())
            published.extend(house.log.entries(0, 100))

    late = house.sequencer(replace(house.journal, order=Slow(house.journal.order)))
    run_out(late)
    assert len(published) == 50 - lost + more
    assert house.log.entries(0, 100)[: len(published)] == published
    house.check()

    house.store.order, house.store.order_lines = before[0], list(before[1])
    run_out(house.sequencer())
    house.fill(20)
    run_out(house.sequencer())
    assert house.log.entries(0, 100)[: len(published)] == published
    house.check()


def test_a_journals_loss_stops_the_log_until_it_is_accepted(house: House) -> None:
    """After the acceptance an entry tells the loss. Lost commits keep their positions."""
    sequencer = house.sequencer()
    house.fill(50)
    run_out(sequencer)
    before = house.log.entries(0, 100)
    go_back(house, 3)
    house.commit("m0")

    with pytest.raises(LostLines):
        sequencer.round()
    lost = GoneBack(had=50, noted=START, has=39, noticed=START)
    first = house.journal.lifecycle.generation()
    stopped = Generation("two", since=START, superseded=("one",), gone_back=lost)
    assert house.journal.lifecycle.replace_generation(first, stopped)
    for _ in range(3):
        assert sequencer.round().decided == 0
    assert "gone back" in house.journal.order.state().stopped
    assert house.log.entries(0, 100) == before

    house.journal.lifecycle.replace_generation(stopped, replace(stopped, gone_back=None))
    house.fill(10)
    run_out(sequencer)
    house.check()
    entries = house.log.entries(0, 100)
    assert entries[:50] == before
    assert entries[50].leaf.startswith(b'{"generation":"two","gone_back":"20')
    assert [entry.hash for entry in entries[51:]].count("") == 0
    assert {entry.hash for entry in entries} >= set(house.made.values())
    assert len(entries) == 50 + 1 + 11
    assert house.journal.order.state().stopped == ""


def test_commits_that_come_back_after_a_loss_keep_positions(house: House) -> None:
    """Commits of an emptied and restored journal do not get a second position."""
    sequencer = house.sequencer()
    house.fill(50)
    run_out(sequencer)
    by_match = {name: list(match.commits) for name, match in house.store.matches.items()}
    heads = {name: match.head for name, match in house.store.matches.items()}

    house.store.__init__(4, house.store.clock)  # type: ignore[misc]
    house.journal.lifecycle.replace_generation(None, Generation("new", since=START))
    run_out(sequencer)
    for name, commits in by_match.items():
        hashes = [house.made[name, version] for version in range(1, len(commits) + 1)]
        entries = [
            Entry(
                name,
                version,
                hashes[version - 1] if version else "",
                commit,
                replace(heads[name], version=version + 1, hash=hashes[version]),
            )
            for version, commit in enumerate(commits)
        ]
        house.journal.events.restore(entries)
    house.commit("m0")
    run_out(sequencer)

    house.check()
    entries_now = house.log.entries(0, 100)
    assert [bool(entry.hash) for entry in entries_now] == [True] * 50 + [False, True]


def test_files_that_are_away_stop_it(house: House) -> None:
    """If the files of the log are missing, the sequencer stops and writes none."""
    house.fill(5)
    run_out(house.sequencer())
    elsewhere = LogFiles(str(house.root / "elsewhere"))
    with pytest.raises(LogUnavailable, match="not in"):
        house.sequencer(files=elsewhere).round()
    assert list(elsewhere._place.names()) == []


def test_a_journal_that_does_not_answer_changes_nothing(house: House) -> None:
    """After a round without the journal, the next one sequences everything."""
    house.fill(5)

    def refuse(name: str, *_arguments: Any, **_named: Any) -> Any:
        raise JournalUnavailable(name)

    with pytest.raises(JournalUnavailable):
        house.sequencer(journal_of_calls(refuse)).round()
    run_out(house.sequencer())
    house.check_all_sealed()


# ---- the feeds are trimmed -----------------------------------------------------------------------


@pytest.fixture
def trimmed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Feeds are trimmed after each publication, of lines of any age."""
    monkeypatch.setattr("service.store.tlog.sequencer.KEPT_MS", 0)
    monkeypatch.setattr("service.store.tlog.sequencer._TRIM_EVERY_MS", 0)


@pytest.mark.usefixtures("trimmed_at_once")
def test_feeds_are_trimmed_of_published_lines(house: House) -> None:
    """Most lines are trimmed. Each commit has one position, and the journal knows all its matches.

    After a loss the rest of the feed is read again, and no commit gets a second position.
    """
    sequencer = house.sequencer()
    for _ in range(6):
        house.fill(150)
        run_out(sequencer)
        assert sequencer.round().decided == 0

    assert sum(map(len, house.store.feeds)) < 4 * 64 + 150
    house.check_all_sealed()
    assert set(house.journal.events.matches()) == {f"m{number}" for number in range(5)}
    assert house.journal.events.commit_count() == 900

    lost = {name: match.head.version for name, match in house.store.matches.items()}
    go_back(house, 1)
    lost_hashes = {
        house.made.pop((name, version))
        for name, version in lost.items()
        if house.store.matches[name].head.version < version
    }
    first = house.journal.lifecycle.generation()
    house.journal.lifecycle.replace_generation(first, Generation("two", since=START))
    run_out(house.sequencer())
    house.fill(20)
    run_out(house.sequencer())
    house.check()
    hashes = {entry.hash for entry in house.log.entries(0, 10_000) if entry.hash}
    assert hashes == lost_hashes | set(house.made.values())


@pytest.mark.usefixtures("trimmed_at_once")
def test_a_round_trims_a_few_lines(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round trims a limited number of old lines, so that other work does not wait.

    The sequencer of this test has just started.
    """
    monkeypatch.setattr("service.store.tlog.sequencer._TRIMS_A_ROUND", 2)
    monkeypatch.setattr("service.store.tlog.sequencer._TRIMMED_AT_ONCE", 10)
    house.fill(900, matches=40)
    sequencer = house.sequencer()
    counts = [900]
    for _ in range(100):
        sequencer.round()
        counts.append(sum(map(len, house.store.feeds)))

    assert all(before - after <= 20 for before, after in pairwise(counts))
    assert counts[2] < 900
    assert counts[-1] < 4 * 64
    house.check_all_sealed()


@pytest.mark.usefixtures("trimmed_at_once")
def test_lines_stay_in_the_feeds_while_they_are_not_published(house: House) -> None:
    """If the files cannot be written, unpublished lines stay in the feeds."""
    (house.root / "archive").write_text("no directory")
    house.fill(600)
    with pytest.raises(LogUnavailable):
        run_out(house.sequencer())
    assert sum(map(len, house.store.feeds)) == 600


@pytest.mark.usefixtures("trimmed_at_once")
def test_an_overtaken_sequencer_takes_a_trimmed_line_for_no_loss(house: House) -> None:
    """A sequencer does not report a loss if another one has trimmed the lines of its cursors."""
    orders: list[Order] = []

    class Late(Over):
        def state(self, *, whole: bool = True) -> Order:
            order: Order = orders.pop() if orders else self.below.state(whole=whole)
            return order

    late = house.sequencer(replace(house.journal, order=Late(house.journal.order)))
    house.fill(300)
    run_out(late)
    orders.append(house.journal.order.state())
    house.fill(300)
    run_out(house.sequencer())
    assert sum(map(len, house.store.feeds)) < 100

    assert late.round() == Round(size=300)
    assert orders == []
    run_out(late)
    house.check_all_sealed()
