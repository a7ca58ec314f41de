"""What is asked of every node of a cluster: its settings, its memory, whether it can be written."""

import pytest

from service.journal.errors import JournalUnavailable
from service.journal.keys import LAYOUT
from service.journal.port import Journal
from service.journal.redis import open_journal
from tests.redis_cluster import RunningCluster
from tests.service.journal.entries import PARTITIONS, grow
from tests.service.journal.ports import store_of

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
