"""The journal in Redis Streams, on Redis 7 or Valkey.

`journal` implements the port. What its methods do stands in `appending`, `reading`, `sidecars`,
`waiting`, `indexes`, `feeds`, `epochs`, `deleting`, `archiving` and `upkeep`, in functions that
take a `store.Store` first. `confirming` waits for replicas, `connection` says how errors of the
network are met, and `server_checks` whether a server can hold a journal at all.

`servers` says what a journal asks of one server or several; `cluster` and `sentinel` are the
others, `opening` finds them by their URL, and `listening` hears what they publish.
"""

from service.journal.redis.connection import connect
from service.journal.redis.journal import RedisJournal, open_journal

__all__ = ["RedisJournal", "connect", "open_journal"]
