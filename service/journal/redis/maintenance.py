"""The servers themselves: their settings and memory, and journals of earlier releases."""

import itertools
from collections.abc import Mapping, Sequence

from redis.exceptions import ResponseError

from service.journal.errors import JournalUnusable
from service.journal.keys import HEADS, LAYOUT, PARTITIONS, PROBE, beside_head
from service.journal.redis import store as redis_store
from service.journal.redis.connection import retries_once
from service.journal.redis.servers import Node
from service.journal.redis.store import Store
from service.journal.values import Memory

# §§§ service.journal.redis.maintenance
# Whether a server can hold a journal at all: its release, and whether it takes writes.


# The scripts begin with a line that earlier ones do not understand. Valkey says that it is a Redis
# 7.2.4, whatever its own number.
_OLDEST = 7

_REPLICA = "slave"  # what a replica calls itself


def silent(node: Node) -> list[str]:
    """Return a complaint if a server does not let itself be checked, a sentence."""
    try:
        node.client.info()
    except ResponseError as error:
        return [f"{_called(node)} does not say what it is: {error}."]
    return []


def unusable(node: Node) -> list[str]:
    """Return why a server cannot hold a journal, as far as it says what it is; a sentence each."""
    redis = _called(node)
    try:
        info = node.client.info()
    except ResponseError:
        return []

    complaints = []
    version = str(info.get("redis_version", ""))
    major = version.partition(".")[0]
    if major.isdigit() and int(major) < _OLDEST:
        complaints.append(f"{redis} {version} is too old: Redis {_OLDEST} or Valkey is needed.")

    if node.is_master and info.get("role") == _REPLICA:
        master = f"{info.get('master_host')}:{info.get('master_port')}"
        complaints.append(
            f"{redis} is a replica of {master} and takes no moves: "
            "name its master in GIORNALE_JOURNAL_URL."
        )
    return complaints


def _called(node: Node) -> str:
    return f"Redis at {node.name}" if node.name else "Redis"


# §§§ service.journal.redis.maintenance


_LAYOUT = 2  # of the keys: 1 had no index of the games and none of idle matches
_KNOWN_LAYOUTS = (None, b"1", b"2")  # as they are stored; the first release stored none
_MOST_SHOWN = 20  # characters of a layout that is not known
_SCANNED = 1000  # heads looked at in one round trip of an upgrade

# Each setting with its safe value, and what any other value leads to.
_SETTINGS = {
    "appendonly": ("yes", "the append-only file is off, so a restart loses matches"),
    "appendfsync": (
        "always",
        "the append-only file is not synced at every write, so a crash loses accepted moves",
    ),
    "maxmemory-policy": (
        "noeviction",
        "Redis may evict keys when its memory is full, which destroys matches",
    ),
}

# The same of every node of a cluster.
_CLUSTER_SETTINGS = {
    "cluster-allow-reads-when-down": (
        "no",
        "a node that the others have given up may tell what is no longer so",
    ),
    "cluster-require-full-coverage": (
        "yes",
        "some matches may go on while others, and all lists and counts, cannot be reached",
    ),
}

_REPLICAS_SETTING = "min-replicas-to-write"


@retries_once
def check(store: Store) -> list[str]:
    """Return what is unsafe about the configuration, a sentence each.

    Raises JournalUnusable if a server cannot hold a journal, whatever its configuration, or if it
    holds one of a later release.
    """
    nodes = store.servers.nodes()

    # A server that cannot hold a journal is asked nothing else: its answers would mislead.
    for node in nodes:
        complaints = unusable(node)
        if complaints:
            raise JournalUnusable("\n".join(complaints))

    demand_known_layout(store)
    return [*_unsafe_settings(store, nodes), *_other_partitions(store)]


def _unsafe_settings(store: Store, nodes: Sequence[Node]) -> list[str]:
    """Return what is unsafe on any node; a replica may be the next master."""
    wanted = _SETTINGS | (_CLUSTER_SETTINGS if store.servers.is_cluster else {})
    complaints = []
    for node in nodes:
        complaints += silent(node)
        complaints += _unsafe_on(node, wanted, store.replicas)
    return complaints


def _unsafe_on(node: Node, wanted: Mapping[str, tuple[str, str]], replicas: int) -> list[str]:
    """Return what is unsafe on one node.

    wanted: the safe value of each setting, and what any other leads to.
    replicas: how many of them must confirm each write.
    """
    redis = f"Redis at {node.name}" if node.name else "Redis"
    names = [*wanted, *([_REPLICAS_SETTING] if replicas else [])]
    try:
        found = node.client.config_get(*names)
    except ResponseError as error:
        return [f"The settings {', '.join(names)} of {redis} could not be checked: {error}."]

    complaints = []
    for name, (safe, danger) in wanted.items():
        value = found.get(name)
        if value != safe:
            complaints.append(f"{redis} has {name} {value}: {danger}. {_remedy(name, safe)}")

    if replicas and int(found.get(_REPLICAS_SETTING, 0)) < replicas:
        danger = "a master without its replicas takes moves that it cannot acknowledge"
        value = found.get(_REPLICAS_SETTING)
        remedy = _remedy(_REPLICAS_SETTING, str(replicas))
        complaints.append(f"{redis} has {_REPLICAS_SETTING} {value}: {danger}. {remedy}")
    return complaints


def _remedy(name: str, safe: str) -> str:
    return (
        f"Write '{name} {safe}' into its configuration file, "
        f"and mend it until the next start with: CONFIG SET {name} {safe}"
    )


def _other_partitions(store: Store) -> list[str]:
    """Return a complaint if the journal was begun with another number of partitions.

    With another number every match would be looked for in another place.
    """
    partitions = store.keys.partitions
    # It is looked for first, since a full server refuses even a write that does nothing.
    if not store.client.exists(PARTITIONS):
        store.client.set(PARTITIONS, partitions, nx=True)

    stored = int(store.client.get(PARTITIONS))
    if stored == partitions:
        return []
    opened = f"is opened with {partitions}: use {stored}."
    return [f"The journal was begun with {stored} partitions and {opened}"]


@retries_once
def demand_known_layout(store: Store) -> None:
    """Raise JournalUnusable if the journal has a layout that only a later release knows."""
    stored = store.client.get(LAYOUT)
    if stored in _KNOWN_LAYOUTS:
        return

    shown = stored[:_MOST_SHOWN].decode(errors="replace")
    raise JournalUnusable(
        f"The journal has the layout {shown!r}, and this release knows layouts up to {_LAYOUT}: "
        "a later release has written it. Use that release, or a newer one."
    )


@retries_once
def upgrade(store: Store) -> int:
    """Put every match into the indexes that the first release did not have; return how many."""
    layout = int(store.client.get(LAYOUT) or 1)
    if layout >= _LAYOUT:
        return 0

    looked_at = 0
    heads = store.client.scan_iter(match=HEADS, count=_SCANNED)
    while batch := list(itertools.islice(heads, _SCANNED)):
        _index(store, batch)
        looked_at += len(batch)

    store.client.set(LAYOUT, _LAYOUT)
    return looked_at


def _index(store: Store, heads: Sequence[bytes]) -> None:
    """Put the matches of some keys of heads into the indexes, in one round trip a server."""
    for share in store.servers.shares([head.decode() for head in heads]):
        with share.client.pipeline(transaction=False) as pipeline:
            for head in share.keys:
                match, keys = beside_head(head)
                store.scripts.index(keys=keys, args=[match], client=pipeline)

            pipeline.execute()


@retries_once
def memory(store: Store) -> Memory:
    """Return how much memory the masters have in use, and their bound; 0 if one has no bound."""
    masters = [node for node in store.servers.nodes() if node.is_master]
    infos = [node.client.info("memory") for node in masters]
    used = [int(info.get("used_memory", 0)) for info in infos]
    bounds = [int(info.get("maxmemory", 0)) for info in infos]
    return Memory(used=sum(used), bound=sum(bounds) if all(bounds) else 0)


@retries_once
def ping(store: Store) -> None:
    """Write a key that nothing reads, on every master, and have replicas confirm it."""
    keys = store.keys.probe if store.servers.is_cluster else [PROBE]
    for share in store.servers.shares(keys):
        if store.replicas:
            redis_store.probe(store, share.keys[0])
        else:
            share.client.set(share.keys[0], 1)
