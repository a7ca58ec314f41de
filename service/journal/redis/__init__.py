"""The journal in Redis Streams, on Redis 7 or Valkey.

`journal` implements the port. What its methods do stands in `appending`, `reading`, `sidecars`,
`indexes`, `feeds`, `deleting`, `archiving` and `upkeep`, in functions that take a `store.Store`
first. `connection` says how errors of the network are met.
"""

from service.journal.redis.connection import connect
from service.journal.redis.journal import RedisJournal, open_journal

__all__ = ["RedisJournal", "connect", "open_journal"]
