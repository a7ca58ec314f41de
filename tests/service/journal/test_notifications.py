"""News of commits, from one server and from the nodes of a cluster."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count

import pytest

from service.journal import notifications as wakes_module
from service.journal.notifications import Channel, Notifications
from service.journal.port import Journal
from service.journal.redis import open_journal
from tests.running import PATIENCE, until
from tests.service.journal.entries import PARTITIONS, commit
from tests.service.journal.ports import store_of

NEWS_SECONDS = 10  # far less than a follower waits who hears nothing
MATCHES = 20  # enough to lie on all nodes
MANY = 30  # followers of one match


@pytest.fixture(params=["redis", "cluster"])
def url(request: pytest.FixtureRequest) -> str:
    """Each kind of server, emptied."""
    if request.param == "cluster":
        cluster_url: str = request.getfixturevalue("redis_cluster").url
        return cluster_url
    server_url: str = request.getfixturevalue("redis_url")
    return server_url


@pytest.fixture
def journal(url: str) -> Iterator[Journal]:
    """A journal there, of another process so to speak."""
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
    """Matches of all partitions are followed at once, and each commit wakes its own followers."""
    matches = [f"m{number}" for number in range(MATCHES)]
    follows = [wakes.follow(match) for match in matches]
    channels = [one.__enter__() for one in follows]
    seen = [quiet(channel) for channel in channels]

    for match, channel, ticks in zip(matches, channels, seen, strict=True):
        commit(journal, match)
        assert channel.wait(ticks, NEWS_SECONDS), f"no news of {match}"

    for one in follows:
        one.__exit__(None, None, None)


def test_a_new_follower_hears_although_others_were_there_before(
    wakes: Notifications, journal: Journal
) -> None:
    """Who comes later is subscribed to at once, not at the next look."""
    with wakes.follow("m") as first:
        quiet(first)
        with wakes.follow("n") as second:
            ticks = quiet(second)
            commit(journal, "n")

            assert second.wait(ticks, NEWS_SECONDS)


def test_nobody_is_told_who_has_left(wakes: Notifications, journal: Journal) -> None:
    """A channel that nobody follows any more is forgotten by the server."""
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


class Waiting(threading.Thread):
    """A follower that waits for the first tick, and asks what is answered by a function."""

    def __init__(self, channel: Channel, answer: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self.channel = channel
        self.answer = answer
        self.told: object = None

    def run(self) -> None:
        """Wait, then ask."""
        if self.channel.wait(0, PATIENCE):
            with suppress(ValueError):
                self.told = self.channel.query("the same", 1, self.answer)


def waiting(channel: Channel, answer: Callable[[], object]) -> list[Waiting]:
    """Return many followers that wait, more than wake at once."""
    threads = [Waiting(channel, answer) for _ in range(MANY)]
    for thread in threads:
        thread.start()
    until(lambda: len(channel._waiting) == MANY, "all of them to wait")
    return threads


def test_all_who_wait_wake_and_one_of_them_asks() -> None:
    channel = Channel()
    answers = count()
    threads = waiting(channel, lambda: next(answers))

    channel.tick()
    for thread in threads:
        thread.join(PATIENCE)

    assert [thread.told for thread in threads] == [0] * MANY
    assert next(answers) == 1


def test_a_few_wake_while_the_answer_is_being_found() -> None:
    """The others sleep on until there is something for them, whoever asks first."""
    channel = Channel()
    found = threading.Event()
    threads = waiting(channel, lambda: found.wait(PATIENCE))

    channel.tick()
    asleep = len(channel._called)
    found.set()
    for thread in threads:
        thread.join(PATIENCE)

    assert asleep == MANY - wakes_module._AT_ONCE
    assert all(thread.told for thread in threads)


def test_a_follower_whose_question_fails_wakes_the_next() -> None:
    channel = Channel()

    def fail() -> object:
        raise ValueError

    threads = waiting(channel, fail)
    channel.tick()
    for thread in threads:
        thread.join(PATIENCE)

    assert not any(thread.is_alive() for thread in threads)


def test_answers_do_not_pile_up_while_nothing_happens() -> None:
    """Followers ask at every beat, each time another question; what they ask now is kept."""
    channel = Channel()
    channel.followers = 2

    for beat in range(100):
        assert channel.query(("one", beat), 0, lambda: "one") == "one"
        assert channel.query(("two", beat), 0, lambda: "two") == "two"
        assert channel.query(("one", beat), 0, lambda: "again") == "one"

    assert set(channel._answers) == {("one", 99), ("two", 99)}


def test_a_follower_that_has_waited_in_vain_is_not_called_any_more() -> None:
    channel = Channel()

    assert not channel.wait(channel.ticks, 0.001)
    channel.tick()

    assert not channel._called
    assert channel.wait(0, PATIENCE)
