"""The order of the log: decided once, published by compare-and-set, and read along the feeds."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from service.store.journal.keys import partition_of
from service.store.journal.ports import Journal
from service.store.journal.values import BUNDLE, Cursor, Order, Tombstone, place_of
from tests.service.store.journal.conftest import PassTime
from tests.service.store.journal.entries import FEED, PARTITIONS, commit, grow


def cursor_after(journal: Journal, count: int) -> Cursor:
    """Return the cursor after so many lines of the feed of "m"."""
    return Cursor(*journal.events.feed(FEED, "", count)[-1])


def test_a_sequenced_commit_keeps_its_position(journal: Journal) -> None:
    """Lines, cursors and generation are set together, or not at all if the order has changed.

    A changed order may have the same size.
    """
    assert journal.order.state() == Order()
    cursors = {FEED: Cursor("1-1", "m", 2), 3: Cursor(doubtful=True)}

    assert journal.order.decide(Order(), [b"a", b"b\n"], cursors, "one")
    assert not journal.order.decide(Order(), [b"x"], {5: Cursor()}, "two")
    standing = journal.order.state()
    assert journal.order.decide(standing, [b"c"], {3: Cursor("8-0", "n", 1)}, "one")

    state = journal.order.settled()
    assert (state.size, state.base, state.generation) == (3, 0, "one")
    assert state.cursors == {FEED: cursors[FEED], 3: Cursor("8-0", "n", 1)}
    assert journal.order.decided(0, 9) == [b"a", b"b\n", b"c"]
    assert journal.order.decided(1, 1) == [b"b\n"]
    assert journal.order.decided(3, 9) == []
    assert journal.order.decided(0, 0) == []

    for wrong in (Cursor("2-0", "n", 1), Cursor("8-0", "n", 1, doubtful=True)):
        of_another = replace(state, cursors={**state.cursors, 3: wrong})
        assert not journal.order.decide(of_another, [b"x"], {3: Cursor("9-0", "n", 2)}, "one")
        assert not journal.order.decide(of_another, [b"x"], {9: Cursor(), 3: wrong}, "one")
    assert journal.order.state() == state


def test_of_two_that_decide_at_once_one_wins(journal: Journal) -> None:
    """Eight threads add lines at the present end. Each line gets one position, without a gap."""

    def add(thread: int) -> None:
        for number in range(10):
            while True:
                state = journal.order.state()
                if journal.order.decide(state, [b"%d-%d" % (thread, number)], {}, ""):
                    break

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(8)))

    lines = journal.order.decided(0, 1000)
    assert lines is not None
    assert journal.order.state().size == len(lines) == len(set(lines)) == 80
    for thread in range(8):
        own = [line for line in lines if line.startswith(b"%d-" % thread)]
        assert own == [b"%d-%d" % (thread, number) for number in range(10)]


def test_a_checkpoint_follows_the_one_before_it(journal: Journal) -> None:
    """A checkpoint after another size, over other lines or with another key is not published.

    Lines in full bundles are dropped. Lines of the partial bundle stay.
    """
    lines = [b"%d" % number for number in range(BUNDLE + 5)]
    journal.order.decide(Order(), lines, {}, "")

    assert not journal.order.publish(0, [*lines, b"beyond"], "key", b"note")
    for wrong in ([b"1", b"2"], [b"0", b"2"], [b"0\n1"], [b"0", b""]):
        assert not journal.order.publish(0, wrong, "key", b"note")
    assert journal.order.publish(0, lines[:3], "key", b"three")
    assert not journal.order.publish(0, lines[:4], "key", b"note")
    assert not journal.order.publish(3, lines[3:4], "other", b"note")
    assert journal.order.decided(0, 1) == [b"0"]

    assert journal.order.publish(3, lines[3:-3], "key", b"more")
    state = journal.order.state()
    assert (state.published, state.checkpoint, state.key) == (BUNDLE + 2, b"more", "key")
    assert (state.size, state.base) == (BUNDLE + 5, BUNDLE)
    assert journal.order.decided(BUNDLE - 1, 9) is None
    assert journal.order.decided(BUNDLE, 9) == lines[BUNDLE:]


def test_the_greatest_cosigned_checkpoint_is_kept(journal: Journal) -> None:
    """A cosigned checkpoint replaces one of its size, but not if it is unpublished or older.

    An adopted order has no cosigned checkpoint.
    """
    lines = [b"%d" % number for number in range(9)]
    journal.order.decide(Order(), lines, {}, "")
    journal.order.publish(0, lines[:5], "key", b"five")
    assert not journal.order.cosign(6, b"beyond")
    assert journal.order.cosign(5, b"five, one witness")
    assert journal.order.cosign(5, b"five, two witnesses")
    assert not journal.order.cosign(4, b"older")
    for state in (journal.order.state(), journal.order.state(whole=False), journal.order.settled()):
        assert (state.cosigned, state.cosigned_size) == (b"five, two witnesses", 5)

    journal.order.publish(5, lines[5:8], "key", b"eight")
    assert journal.order.state().cosigned_size == 5
    assert journal.order.cosign(8, b"eight, one witness")

    assert journal.order.adopt(9, 8, Order(published=3, size=3), [b"a", b"b", b"c"])
    assert (journal.order.state().cosigned, journal.order.state().cosigned_size) == (b"", 0)


def test_an_order_is_adopted_as_a_whole(journal: Journal) -> None:
    """An order replaces only an order of the given sizes."""
    journal.order.decide(Order(), [b"old"], {5: Cursor("1-0", "m", 1)}, "one")
    cursors = {2: Cursor("9-0", "n", 4)}
    new = Order(BUNDLE + 1, BUNDLE, BUNDLE + 1, b"note", "key", "two", cursors)

    assert not journal.order.adopt(0, 0, new, [b"new"])
    assert not journal.order.adopt(1, 1, new, [b"new"])
    assert journal.order.adopt(1, 0, new, [b"new"])
    assert journal.order.state() == new
    assert journal.order.decided(BUNDLE, 9) == [b"new"]


def test_it_says_why_the_log_stands_still(journal: Journal) -> None:
    """The order has the reason of a stop until the stop is over."""
    journal.order.report("the archive is away")
    assert journal.order.state().stopped == "the archive is away"
    journal.order.report("")
    assert journal.order.state().stopped == ""


def test_news_are_the_lines_after_the_cursors(journal: Journal) -> None:
    """News has the lines after the cursors in the order of each feed, up to a limit."""
    grow(journal, "m", 5)
    for number in range(4):
        grow(journal, f"m{number}", 3)

    everything = journal.order.news({}, 1000)
    assert everything.missing == frozenset()
    assert len(everything.lines) == 17
    of_m = [line for partition, line in everything.lines if partition == FEED]
    assert of_m == journal.events.feed(FEED, "", 100)
    assert of_m == sorted(of_m, key=lambda line: place_of(line[0]))

    ends = journal.events.feed_ends({}).last
    cursors = {partition: Cursor(*line) for partition, line in ends.items()}
    assert journal.order.news(cursors, 1000).lines == []
    cursors[FEED] = cursor_after(journal, 2)
    after_two = [line for _, line in journal.order.news(cursors, 1000).lines]
    assert after_two == journal.events.feed(FEED, "", 100)[2:]
    assert [line for _, line in journal.order.news(cursors, 2).lines] == after_two[:2]


def test_a_feed_without_the_known_line_has_gone_back(journal: Journal) -> None:
    """A feed lacks a known line, too, if its id has another line. It has no news then."""
    grow(journal, "m", 2)
    right = cursor_after(journal, 1)
    commit(journal, "m0")

    for wrong in (right._replace(version=2), right._replace(match="n"), Cursor("99", "m", 1)):
        news = journal.order.news({FEED: wrong}, 9)
        assert news.missing == {FEED}
        assert FEED not in [partition for partition, _ in news.lines]
    assert journal.order.news({FEED: right}, 9).missing == frozenset()


def trim(journal: Journal, count: int) -> int:
    """Trim the feed of "m" to its last lines."""
    lines = journal.events.feed(FEED, "", 100)
    cursor = Cursor(*lines[-count])
    return journal.order.trim(FEED, cursor, 0, 1000)


def test_a_trimmed_feed_is_asked_as_if_it_were_whole(journal: Journal, pass_time: PassTime) -> None:
    """After a trim matches, number of commits, ends and noted lines are as before.

    Only the feed itself is shorter. A second trim changes nothing.
    """
    grow(journal, "m", 5)
    for number in range(40):
        grow(journal, f"m{number}", 2)
    journal.lifecycle.delete("m1", Tombstone(1, "ada"))
    pass_time(1)
    noted = journal.events.feed_ends({}).last
    first = journal.events.feed(FEED, "", 1)[0]
    matches, count = sorted(journal.events.matches()), journal.events.commit_count()
    before = len(journal.events.feed(FEED, "", 100))

    four = cursor_after(journal, 4)
    for wrong in (four._replace(version=99), four._replace(match="n"), Cursor("99", "m", 4)):
        assert journal.order.trim(FEED, wrong, 0, 9) == 0, "the feed has gone back"
    assert journal.order.trim(FEED, four, 0, 2) == 2, "as many as are wanted"
    assert trim(journal, 2) == before - 4
    assert trim(journal, 2) == 0
    assert len(journal.events.feed(FEED, "", 100)) == 2
    assert sorted(journal.events.matches()) == matches
    assert journal.events.commit_count() == count
    ends = journal.events.feed_ends({**noted, FEED: first})
    assert (ends.last, ends.missing) == (noted, frozenset())

    noted_wrong = (noted[FEED][0], "other", 7)
    assert journal.events.feed_ends({FEED: noted_wrong}).missing == {FEED}
    commit(journal, "m", 6)
    assert journal.events.commit_count() == count + 1
    assert journal.events.feed_ends(noted).missing == frozenset()
    news = journal.order.news({FEED: Cursor(*noted[FEED])}, 1000)
    assert [line[1:] for partition, line in news.lines if partition == FEED] == [("m", 6)]


def test_lines_are_trimmed_when_they_are_old(journal: Journal, pass_time: PassTime) -> None:
    """Recent lines are not trimmed, so that recent notes can be compared."""
    grow(journal, "m", 5)
    cursor = cursor_after(journal, 4)
    assert journal.order.trim(FEED, cursor, 60_000, 1000) == 0


def test_matches_are_walked_while_feeds_are_trimmed(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A walk finds each match once, wherever it is when lines are trimmed."""
    monkeypatch.setattr("service.store.journal.redis.events._LINES", 3)
    names = [name for name in (f"m{number}" for number in range(400))
             if partition_of(name, PARTITIONS) == FEED]  # fmt: skip
    for name in names:
        grow(journal, name, 2)

    for step in range(len(names)):
        walk = journal.events.matches()
        beginning = [next(walk) for _ in range(step)]
        if 2 * step + 1 < len(journal.events.feed(FEED, "", 999)):
            trim(journal, len(journal.events.feed(FEED, "", 999)) - 1)
        assert [*beginning, *walk] == names
