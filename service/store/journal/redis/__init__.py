"""The journal in Redis Streams, on Valkey or Redis from 7 on: eight ports over one `RedisStore`.

Each port has the file of its name. `store` sends commands and waits for replicas. `scripts` holds
the scripts in `lua/`. `connection` handles errors of the network. `topology` maps keys to servers:
one server, the nodes of a cluster, or the master that Sentinels name.
"""

from service.store.journal.ports import Journal
from service.store.journal.redis.connection import connect
from service.store.journal.redis.events import RedisEvents
from service.store.journal.redis.index import RedisIndex
from service.store.journal.redis.lifecycle import RedisLifecycle
from service.store.journal.redis.metadata import RedisMetadata
from service.store.journal.redis.order import RedisOrder
from service.store.journal.redis.pending import RedisPending
from service.store.journal.redis.server import RedisServer
from service.store.journal.redis.store import RedisStore
from service.store.journal.redis.timers import RedisTimers
from service.store.journal.redis.topology import open_servers

__all__ = ["connect", "journal_over", "open_journal"]


def open_journal(
    url: str, partitions: int = 256, replicas: int = 0, *, declared_durable: bool = False
) -> Journal:
    """Return the journal at the URL of one server, of a cluster or of Sentinels.

    The journal connects at first use, and is safe to share among threads.
    replicas: number of replicas that must confirm a commit.
    declared_durable: True if settings that the server does not tell are taken to be right.
    """
    servers = open_servers(url)
    store = RedisStore(servers, partitions, replicas, is_declared_durable=declared_durable)
    return journal_over(store)


def journal_over(store: RedisStore) -> Journal:
    """Return the journal that a store holds."""
    return Journal(
        events=RedisEvents(store),
        index=RedisIndex(store),
        pending=RedisPending(store),
        timers=RedisTimers(store),
        metadata=RedisMetadata(store),
        lifecycle=RedisLifecycle(store),
        order=RedisOrder(store),
        server=RedisServer(store),
        close=store.close,
    )
