"""The port `server`, in Redis: settings, memory, and journals of other releases."""

from collections.abc import Callable
from typing import Any

import pytest

from service.journal.errors import JournalFull, JournalUnavailable, JournalUnusable
from service.journal.keys import HEAD, LAYOUT, Keys
from service.journal.port import Journal
from service.journal.redis import open_journal
from service.journal.values import STATUSES, Head, Tombstone
from service.process.valkey import Server
from tests.redis_cluster import RunningCluster
from tests.service.journal.entries import LATE, PARTITIONS, commit, entry, everything, grow, listed
from tests.service.journal.ports import store_of
from tests.service.journal.test_lost_connections import QUESTIONS

REFUSED_WHEN_FULL: dict[str, Callable[[Journal], object]] = {
    "ping": lambda journal: journal.server.ping(),
    "append": lambda journal: journal.events.append(entry(version=2, work="bots")),
}


@pytest.mark.parametrize("write", REFUSED_WHEN_FULL.values(), ids=REFUSED_WHEN_FULL)
def test_a_full_server_refuses_whole_and_is_still_read(
    spoiler: Any, own_journal: Journal, write: Callable[[Journal], object]
) -> None:
    """Without memory nothing of a commit is written, and everything can still be read."""
    grow(own_journal, "m", 1)
    assert own_journal.server.check() == []

    before = everything(own_journal, "m")

    spoiler.config_set("maxmemory", "1mb")

    with pytest.raises(JournalFull, match=r"Redis refuses: .*maxmemory"):
        write(own_journal)
    assert own_journal.server.check() == []
    assert everything(own_journal, "m") == before


def test_a_full_server_still_deletes(spoiler: Any, own_journal: Journal) -> None:
    """Deletion is how room is made, so it needs none."""
    grow(own_journal, "m", 2)
    own_journal.server.upgrade()

    spoiler.config_set("maxmemory", "1mb")
    own_journal.lifecycle.delete("m", Tombstone(7, "ada"))

    assert own_journal.events.head("m") is None
    assert own_journal.lifecycle.deleted("m") == Tombstone(7, "ada")


def make_as_of_first_release(client: Any, journal: Journal) -> None:
    """Take away the indexes, and what marks them, that the first release did not write."""
    for key in client.keys("*:listing"):
        client.zremrangebylex(key, "[@", "(A")
    for key in client.keys("*:idle"):
        client.delete(key)
    client.delete(LAYOUT)

    assert listed(journal, "", "calimala") == []
    assert journal.index.idle(LATE, 9) == []


def indexed(journal: Journal) -> list[object]:
    """Return what the indexes of a game, and of idle matches, tell."""
    listings = [journal.index.listing(status, None, 9, "calimala") for status in ("", *STATUSES)]
    return [*listings, journal.index.idle(LATE, 9)]


def test_a_journal_of_the_first_release_is_given_what_it_lacks(
    redis_journal: Journal, client: Any
) -> None:
    """Every match is put into the indexes of its game and, unless it has ended, of idle ones.

    It is done once.
    """
    for number, status in enumerate(STATUSES):
        created = 1_000 + number
        updated = 2_000 + number
        commit(redis_journal, f"m{number}", status=status, created=created, updated=updated)
    commit(redis_journal, "hidden", status="open", visibility="private")
    before = indexed(redis_journal)

    make_as_of_first_release(client, redis_journal)

    assert redis_journal.server.upgrade() == 5
    assert indexed(redis_journal) == before
    assert redis_journal.server.upgrade() == 0


def test_an_upgrade_leaves_alone_what_was_put_off(redis_journal: Journal, client: Any) -> None:
    """Done again, after it was cut short, it does not make due what a keeper has looked at."""
    commit(redis_journal, updated=2_000)
    client.delete(LAYOUT)
    redis_journal.index.look_again({"m": 5_000})
    redis_journal.server.upgrade()

    assert redis_journal.index.idle(4_999, 9) == []


def test_a_match_moves_on_before_the_upgrade(redis_journal: Journal, client: Any) -> None:
    """A change of status lists a match in its game, whether or not it was listed there."""
    commit(redis_journal, status="open")
    make_as_of_first_release(client, redis_journal)
    commit(redis_journal, version=2, status="running")
    redis_journal.server.upgrade()

    assert listed(redis_journal, "", "calimala") == ["m"]
    assert listed(redis_journal, "open", "calimala") == []
    assert listed(redis_journal, "running", "calimala") == ["m"]


@pytest.mark.parametrize("layout", ["99", "3", "two", ""])
def test_a_layout_that_is_not_known_is_refused(
    redis_journal: Journal, later_layout: Callable[[str], None], layout: str
) -> None:
    """The sentence names it, and says which are known."""
    later_layout(layout)

    with pytest.raises(JournalUnusable) as refused:
        redis_journal.server.check()
    assert f"the layout '{layout}', and this release knows layouts up to 2" in str(refused.value)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_a_journal_of_a_later_release_is_neither_read_nor_written(
    redis_url: str,
    client: Any,
    later_layout: Callable[[str], None],
    question: Callable[[Journal], object],
) -> None:
    """Whatever a process does first with it is refused, and changes no key."""
    later_layout("99")
    opened = open_journal(redis_url, PARTITIONS)

    with pytest.raises(JournalUnusable, match="a later release has written it"):
        question(opened)
    opened.close()

    assert client.keys() == [LAYOUT]
    assert client.get(LAYOUT) == "99"


def test_a_journal_that_another_release_upgrades_is_noticed(
    redis_journal: Journal, later_layout: Callable[[str], None]
) -> None:
    """A process that has it open looks again when it is asked whether all is well."""
    grow(redis_journal, "m", 1)
    assert redis_journal.server.check() == []

    later_layout("99")
    with pytest.raises(JournalUnusable):
        redis_journal.server.check()


def test_the_head_of_the_first_release_is_read(redis_journal: Journal, client: Any) -> None:
    """Its nine fields are a head of a match that was played here."""
    key = Keys(PARTITIONS).of("m", HEAD)
    client.set(key, "3|h3|open||0,2|public|1000|2000|calimala")

    assert redis_journal.events.head("m") == Head(
        version=3,
        hash="h3",
        status="open",
        work="",
        waiting=(0, 2),
        game="calimala",
        visibility="public",
        created=1_000,
        updated=2_000,
    )


@pytest.mark.parametrize(
    ("setting", "value", "mended"),
    [
        ("appendonly", "no", "yes"),
        ("appendfsync", "everysec", "always"),
        ("maxmemory-policy", "allkeys-lru", "noeviction"),
    ],
)
def test_check_names_what_is_unsafe_and_its_remedy(
    spoiler: Any, own_journal: Journal, setting: str, value: str, mended: str
) -> None:
    """The complaint is one sentence that ends with the command that mends the setting."""
    spoiler.config_set(setting, value)
    [complaint] = own_journal.server.check()

    assert complaint.startswith(f"Redis has {setting} {value}: ")

    remedy = complaint.rpartition("mend it until the next start with: ")[2]
    assert remedy == f"CONFIG SET {setting} {mended}"

    spoiler.execute_command(*remedy.split())
    assert own_journal.server.check() == []

    # Until the append-only file is rewritten the server does not stop.
    while spoiler.info("persistence")["aof_rewrite_in_progress"]:
        pass


def test_check_says_that_it_could_not(own_server: Server, spoiler: Any) -> None:
    """Where CONFIG is forbidden the complaint is that the settings could not be checked."""
    rights = ("~*", "&*", "+@all", "-config")
    spoiler.execute_command("ACL", "SETUSER", "guest", "on", ">word", *rights)

    journal = open_journal(own_server.url.replace("unix://", "unix://guest:word@"), PARTITIONS)
    [complaint] = journal.server.check()
    journal.close()
    settings = "appendonly, appendfsync, maxmemory-policy"

    assert complaint.startswith(f"The settings {settings} of Redis could not be checked: ")
    assert "word" not in complaint


def test_check_finds_another_number_of_partitions(redis_journal: Journal, redis_url: str) -> None:
    """A journal begun with 16 partitions complains when opened with 8: it would find no match."""
    assert redis_journal.server.check() == []

    other = open_journal(redis_url, 8)
    complaints = other.server.check()
    other.close()

    assert complaints == ["The journal was begun with 16 partitions and is opened with 8: use 16."]


# ---- every node of a cluster ---------------------------------------------------------------------


MATCHES = 20  # enough to lie on all nodes

# Each setting with an unsafe value and the safe one.
SETTINGS = {
    "appendonly": ("no", "yes"),
    "appendfsync": ("everysec", "always"),
    "cluster-require-full-coverage": ("no", "yes"),
    "cluster-allow-reads-when-down": ("yes", "no"),
}


@pytest.mark.parametrize("number", [0, -1], ids=["master", "replica"])
@pytest.mark.parametrize(("setting", "values"), SETTINGS.items(), ids=SETTINGS)
def test_an_unsafe_node_is_named(
    cluster_journal: Journal,
    redis_cluster: RunningCluster,
    setting: str,
    values: tuple[str, str],
    number: int,
) -> None:
    """One unsafe node among six is found, whatever its role, with the command that mends it."""
    unsafe, safe = values
    node = redis_cluster.nodes[number]
    node.ask("CONFIG", "SET", setting, unsafe)
    try:
        [complaint] = cluster_journal.server.check()
    finally:
        node.ask("CONFIG", "SET", setting, safe)

    assert complaint.startswith(f"Redis at {node.name} has {setting} {unsafe}: ")
    assert complaint.endswith(f"CONFIG SET {setting} {safe}")


def test_a_safe_cluster_has_nothing_to_complain_of(cluster_journal: Journal) -> None:
    """What the documentation asks for is enough."""
    assert cluster_journal.server.check() == []


def test_all_masters_are_weighed_and_written(
    cluster_journal: Journal, redis_cluster: RunningCluster
) -> None:
    """Memory is that of all masters together, and ping leaves a key on each of them."""
    with redis_cluster.nodes[0].client() as first:
        used_by_one = first.info("memory")["used_memory"]
    memory = cluster_journal.server.memory()
    cluster_journal.server.ping()

    assert memory.used > 2 * used_by_one
    assert memory.bound == 0
    for master in redis_cluster.masters():
        assert [key for key in master.ask("KEYS", "*") if key.endswith(":probe")] != []


def test_an_upgrade_looks_at_the_matches_of_all_masters(cluster_journal: Journal) -> None:
    """Every head is found, wherever it lies; and it is done once."""
    for number in range(MATCHES):
        grow(cluster_journal, f"m{number}", 1)
    store_of(cluster_journal).client.delete(LAYOUT)

    assert cluster_journal.server.upgrade() == MATCHES
    assert cluster_journal.server.upgrade() == 0


def test_another_number_of_partitions_is_found(
    cluster_journal: Journal, redis_cluster: RunningCluster
) -> None:
    """With another number every match would be looked for in another slot."""
    assert cluster_journal.server.check() == []
    other = open_journal(redis_cluster.url, 8)

    assert other.server.check() == [
        "The journal was begun with 16 partitions and is opened with 8: use 16."
    ]
    other.close()


def test_a_url_of_no_cluster_says_so(redis_cluster: RunningCluster) -> None:
    """No node answers, or the password is wrong: the journal is unavailable, in plain words."""
    away = open_journal("redis+cluster://127.0.0.1:1", PARTITIONS)
    with pytest.raises(JournalUnavailable, match=r"Redis cannot be reached: .*127\.0\.0\.1:1"):
        away.server.ping()

    place = redis_cluster.url.removeprefix("redis+cluster://")
    stranger = open_journal(f"redis+cluster://eve:hush@{place}", PARTITIONS)
    with pytest.raises(JournalUnavailable, match="Redis cannot be reached") as refused:
        stranger.server.ping()
    assert "hush" not in str(refused.value)
