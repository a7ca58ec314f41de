"""The journal in Redis Streams, on Redis 7 or Valkey: eight ports over one `store.Store`.

`events` and `maintenance` hold a port each, `lifecycle` two, `indexes` four.
`store` sends their commands and waits for replicas, `connection` says how errors of the network are
met, and `servers` which server holds what: one, a cluster's, or the one that Sentinels name.
"""

from service.journal.port import Journal
from service.journal.redis.connection import connect
from service.journal.redis.events import RedisEvents
from service.journal.redis.indexes import RedisIndex, RedisOrder, RedisPending, RedisTimers
from service.journal.redis.lifecycle import RedisLifecycle, RedisMetadata
from service.journal.redis.maintenance import RedisServer
from service.journal.redis.servers import open_servers
from service.journal.redis.store import Store

__all__ = ["connect", "journal_over", "open_journal"]


def open_journal(
    url: str, partitions: int = 256, replicas: int = 0, *, declared_durable: bool = False
) -> Journal:
    """Return the journal at the URL of one server, of a cluster or of Sentinels.

    It connects at first use, and is safe to share among threads.
    replicas: how many replicas must confirm each write.
    declared_durable: the operator's word stands for settings that the server does not tell.
    """
    servers = open_servers(url)
    return journal_over(Store(servers, partitions, replicas, is_declared_durable=declared_durable))


def journal_over(store: Store) -> Journal:
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
