"""The servers themselves: their settings and memory, and journals of earlier releases."""

import itertools
from collections.abc import Mapping, Sequence

from redis.exceptions import ResponseError

from service.store.journal.errors import JournalUnusable
from service.store.journal.keys import HEADS, LAYOUT, PARTITIONS, PROBE, beside_head
from service.store.journal.redis.connection import retries_once
from service.store.journal.redis.store import INDEXED_LAYOUT, RedisPort, Request
from service.store.journal.redis.topology import Node
from service.store.journal.values import Memory

# Earlier servers do not understand the first line of the scripts (`#!lua`). Every version of Valkey
# reports redis_version 7.2.4.
_OLDEST = 7

_REPLICA = "slave"  # a replica's name for its role
_SCANNED = 1000  # heads in one round trip of an upgrade

# Each setting with its safe value, and the danger of any other value.
_SETTINGS = {
    "appendonly": ("yes", "the append-only file is off, so a restart loses matches"),
    "appendfsync": (
        "always",
        "the append-only file is not synced at every write, so a crash loses accepted moves",
    ),
    "maxmemory-policy": (
        "noeviction",
        "Redis may evict keys and destroy matches when its memory is full",
    ),
}

# Further settings of every node of a cluster.
_CLUSTER_SETTINGS = {
    "cluster-allow-reads-when-down": (
        "no",
        "a node that the others have given up may tell outdated facts",
    ),
    "cluster-require-full-coverage": (
        "yes",
        "some matches may go on while others, and all lists and counts, are unreachable",
    ),
}

_REPLICAS_SETTING = "min-replicas-to-write"


class RedisServer(RedisPort):
    """The masters and replicas that hold the journal."""

    @retries_once
    def check(self) -> list[str]:
        """Return the faults of the configuration, a text each.

        Raises JournalUnusable if no configuration lets a server hold a journal, or if the journal
        is of a later release or has another number of partitions.
        """
        store = self._store
        nodes = store.servers.nodes()

        # Ask a server that cannot hold a journal nothing else: its answers would mislead.
        for node in nodes:
            complaints = unusable(node)
            if complaints:
                raise JournalUnusable("\n".join(complaints))

        store.demand_known_layout()
        self._demand_same_partitions()
        return self._unsafe_settings(nodes)

    def _unsafe_settings(self, nodes: Sequence[Node]) -> list[str]:
        """Return the unsafe settings of all nodes. A replica may be the next master."""
        store = self._store
        safe_settings = _SETTINGS | (_CLUSTER_SETTINGS if store.servers.is_cluster else {})
        complaints = []
        for node in nodes:
            complaints += silent(node)
            complaints += _unsafe_on(
                node, safe_settings, store.replicas, is_declared=store.is_declared_durable
            )
        return complaints

    def _demand_same_partitions(self) -> None:
        """Raise JournalUnusable if the journal was begun with another number of partitions.

        With another number most matches would be looked for in another partition.
        """
        store = self._store
        partitions = store.keys.partitions
        # Look first, since a full server refuses even a write that does nothing.
        if not store.client.exists(PARTITIONS):
            store.client.set(PARTITIONS, partitions, nx=True)

        stored = int(store.client.get(PARTITIONS))
        if stored != partitions:
            opened = f"is opened with {partitions}: use {stored}."
            raise JournalUnusable(f"The journal was begun with {stored} partitions and {opened}")

    @retries_once
    def upgrade(self) -> int:
        """Add all matches to the indexes that the first release lacked. Return the match count."""
        store = self._store
        layout = int(store.client.get(LAYOUT) or 1)
        if layout >= INDEXED_LAYOUT:
            return 0

        looked_at = 0
        heads = store.client.scan_iter(match=HEADS, count=_SCANNED)
        while batch := list(itertools.islice(heads, _SCANNED)):
            self._index(batch)
            looked_at += len(batch)

        store.client.set(LAYOUT, INDEXED_LAYOUT)
        return looked_at

    def _index(self, heads: Sequence[bytes]) -> None:
        """Put the matches with these keys of heads into the indexes, a round trip a server."""
        store = self._store
        for share in store.servers.shares([head.decode() for head in heads]):
            with share.client.pipeline(transaction=False) as pipeline:
                for head in share.keys:
                    match, keys = beside_head(head)
                    store.scripts.index(keys=keys, args=[match], client=pipeline)

                pipeline.execute()

    @retries_once
    def memory(self) -> Memory:
        """Return the memory of all masters, and the sum of their bounds, 0 if one has no bound."""
        masters = [node for node in self._store.servers.nodes() if node.is_master]
        infos = [node.client.info("memory") for node in masters]
        used = [int(info.get("used_memory", 0)) for info in infos]
        bounds = [int(info.get("maxmemory", 0)) for info in infos]
        return Memory(used=sum(used), bound=sum(bounds) if all(bounds) else 0)

    @retries_once
    def ping(self) -> None:
        """Write a key that nothing reads, on every master, and wait for replicas if any are set."""
        store = self._store
        keys = store.keys.probe if store.servers.is_cluster else [PROBE]
        for share in store.servers.shares(keys):
            if store.replicas:
                store.send(Request([("SET", share.keys[0], 1)], "write"))
            else:
                share.client.set(share.keys[0], 1)


def silent(node: Node) -> list[str]:
    """Return a complaint of one sentence if a server refuses INFO."""
    try:
        node.client.info()
    except ResponseError as error:
        return [f"{_label(node)} refuses INFO: {error}."]
    return []


def unusable(node: Node) -> list[str]:
    """Return the faults that make a server unusable as a journal, a text each.

    [] for a server that refuses INFO.
    """
    redis = _label(node)
    try:
        info = node.client.info()
    except ResponseError:
        return []

    complaints = []
    version = str(info.get("redis_version", ""))
    major = version.partition(".")[0]
    if major.isdigit() and int(major) < _OLDEST:
        complaints.append(f"{redis} {version} is too old. Use Redis {_OLDEST} or Valkey.")

    if node.is_master and info.get("role") == _REPLICA:
        master = f"{info.get('master_host')}:{info.get('master_port')}"
        complaints.append(
            f"{redis} is a replica of {master} and takes no moves. Name its master in "
            "GIORNALE_JOURNAL_URL."
        )
    return complaints


def _label(node: Node) -> str:
    return f"Redis at {node.name}" if node.name else "Redis"


def _unsafe_on(
    node: Node, safe_settings: Mapping[str, tuple[str, str]], replicas: int, *, is_declared: bool
) -> list[str]:
    """Return the unsafe settings of one node.

    safe_settings: the safe value of each setting, and the danger of any other.
    replicas: number of replicas that must confirm a commit.
    is_declared: True if settings that the server does not tell are taken to be right.
    """
    redis = _label(node)
    names = [*safe_settings, *([_REPLICAS_SETTING] if replicas else [])]
    try:
        current = node.client.config_get(*names)
    except ResponseError as error:
        if is_declared:
            return []
        settings = f"The settings {', '.join(names)} of {redis}"
        remedy = "If its provider keeps each acknowledged write, set GIORNALE_DURABLE_JOURNAL=1"
        return [f"{settings} could not be checked: {error}. {remedy}"]

    complaints = []
    for name, (safe, danger) in safe_settings.items():
        value = current.get(name)
        if value != safe:
            complaints.append(f"{redis} has {name} {value}: {danger}. {_remedy(name, safe)}")

    if replicas and int(current.get(_REPLICAS_SETTING, 0)) < replicas:
        danger = "a master without its replicas takes moves it cannot acknowledge"
        value = current.get(_REPLICAS_SETTING)
        remedy = _remedy(_REPLICAS_SETTING, str(replicas))
        complaints.append(f"{redis} has {_REPLICAS_SETTING} {value}: {danger}. {remedy}")
    return complaints


def _remedy(name: str, safe: str) -> str:
    return (
        f"Write '{name} {safe}' into its configuration file. Set it at once with: CONFIG SET "
        f"{name} {safe}"
    )
