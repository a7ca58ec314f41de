"""News of commits, from one server and from the nodes of a cluster."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path

import pytest

from service.ops.process.valkey import Server
from service.store.journal.notifications import Channel, Notifications
from service.store.journal.ports import Journal
from service.store.journal.redis import open_journal
from tests.running import PATIENCE, no_threads, until
from tests.service.store.journal.entries import PARTITIONS, commit
from tests.service.store.journal.ports import store_of

NEWS_SECONDS = PATIENCE  # no tick comes but that of news, and of a new connection
MATCHES = 20  # enough to lie on all nodes
MASTERS = 3  # of the cluster. A connection looks at each of them
MANY = 30  # followers of one match


@pytest.fixture
def journal(url: str) -> Iterator[Journal]:
    """A journal there, as of another process."""
    opened = open_journal(url, PARTITIONS)
    yield opened
    opened.close()


@pytest.fixture
def wakes(url: str) -> Iterator[Notifications]:
    """The subscriber of this process."""
    opened = Notifications(url, PARTITIONS)
    yield opened
    opened.stop()


def quiet(channel: Channel) -> int:
    """Return the ticks of a channel once its subscription is confirmed."""
    assert channel.wait(0, NEWS_SECONDS)
    return channel.ticks


def test_a_follower_hears_of_each_commit_wherever_its_match_lies(
    wakes: Notifications, journal: Journal
) -> None:
    """Each commit notifies the followers of its match, on any node of a cluster."""
    with ExitStack() as follows:
        for number in range(MATCHES):
            match = f"m{number}"
            channel = follows.enter_context(wakes.follow(match))
            ticks = quiet(channel)
            commit(journal, match)
            assert channel.wait(ticks, NEWS_SECONDS), f"no news of {match}"


def test_a_follower_hears_of_commits_once_threads_start_again(
    wakes: Notifications, journal: Journal
) -> None:
    """A second follower of the same match starts the threads, even before any news."""
    with no_threads(), ExitStack() as early:
        early.enter_context(wakes.follow("m1"))
        early.enter_context(wakes.follow("m2"))

    with ExitStack() as follows:
        with no_threads():
            follows.enter_context(wakes.follow("m1"))
        channel = follows.enter_context(wakes.follow("m1"))
        ticks = quiet(channel)
        commit(journal, "m1")
        assert channel.wait(ticks, NEWS_SECONDS)


def test_a_new_follower_looks_at_its_own_channel(
    wakes: Notifications, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new follower does not check all channels, so that each new one costs the same."""
    monkeypatch.setattr("service.store.journal.notifications._ALL_SECONDS", 3600)
    looks: list[int] = []
    followed = wakes._followed

    def counted() -> set[str]:
        looks.append(1)
        return followed()

    wakes._listeners._followed = counted
    with wakes.follow("first") as first:
        quiet(first)
        for number in range(MATCHES):
            with wakes.follow(f"m{number}") as channel:
                quiet(channel)

    assert len(looks) <= MASTERS


def test_the_server_forgets_a_channel_without_followers(
    wakes: Notifications, journal: Journal
) -> None:
    with wakes.follow("left") as channel:
        quiet(channel)
    with wakes.follow("kept") as other:
        quiet(other)

        def hears(match: str) -> int:
            store = store_of(journal)
            name = store.keys.channel(match)
            holder = store.holder(store.keys.of(match, "head"))
            kind = "PUBSUB SHARDNUMSUB" if "{" in name else "PUBSUB NUMSUB"
            [(_name, followers)] = holder.execute_command(kind, name)
            return int(followers)

        until(lambda: hears("left") == 0, "the channel is left")
        assert hears("kept") == 1


def test_an_ending_process_logs_nothing_of_an_ending_server(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Process and server are stopped together, so a warning would be a false alarm."""
    with Server(tmp_path) as server:
        wakes = Notifications(server.url)
        with wakes.follow("m") as channel:
            quiet(channel)
            [thread] = wakes._listeners._threads.values()
            wakes.stop()

    thread.join(PATIENCE)
    assert not thread.is_alive()
    logger = "service.store.journal.notifications"
    assert [line.msg for line in caplog.records if line.name == logger] == []


# ---- one channel ---------------------------------------------------------------------------------


def after_a_tick(answer: Callable[[], object]) -> list[object]:
    """Let many followers wait, more than go on at once. Return their answers after a tick.

    An answer is None if its question fails.
    """
    channel = Channel()

    def follow() -> object:
        assert channel.wait(0, PATIENCE)
        with suppress(ValueError):
            return channel.query("the same", 1, answer)
        return None

    with ThreadPoolExecutor(MANY) as pool:
        followers = [pool.submit(follow) for _ in range(MANY)]
        until(lambda: len(channel._waiting) == MANY, "all of them to wait")
        channel.tick()
        return [follower.result(PATIENCE) for follower in followers]


def test_all_waiting_threads_go_on_and_one_of_them_asks() -> None:
    """One thread asks for all. If its call fails, the next thread asks."""
    answers = count()
    assert after_a_tick(lambda: next(answers)) == [0] * MANY
    assert next(answers) == 1

    def fail() -> object:
        raise ValueError

    assert after_a_tick(fail) == [None] * MANY


def test_an_answer_is_as_fresh_as_the_ticks_seen() -> None:
    """After a tick a query is made again. Without a tick it gets the cached answer."""
    channel = Channel()
    channel.tick()
    assert channel.query("q", 1, lambda: "old") == "old"
    assert channel.query("q", 1, lambda: "asked again") == "old"

    channel.tick()
    assert channel.query("q", 2, lambda: "new") == "new"


def test_answers_do_not_pile_up_while_nothing_happens() -> None:
    """Followers make other queries at every beat. Only the present answers are cached."""
    channel = Channel()
    channel.followers = 2

    for beat in range(100):
        assert channel.query(("one", beat), 0, lambda: "one") == "one"
        assert channel.query(("two", beat), 0, lambda: "two") == "two"
        assert channel.query(("one", beat), 0, lambda: "again") == "one"

    assert set(channel._answers) == {("one", 99), ("two", 99)}


def test_a_follower_that_gave_up_is_not_called_any_more() -> None:
    channel = Channel()

    assert not channel.wait(channel.ticks, 0.001)
    channel.tick()

    assert not channel._called
    assert channel.wait(0, PATIENCE)
