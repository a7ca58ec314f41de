"""The servers of a journal by their URL."""

from service.journal.redis.cluster import Cluster
from service.journal.redis.connection import connect
from service.journal.redis.sentinel import Watched
from service.journal.redis.servers import OneServer, Servers
from service.redis_urls import CLUSTER, SENTINEL, kind_of, read_many


def open_servers(url: str) -> Servers:
    """Return the servers that a URL names; they are connected to at first use."""
    kind = kind_of(url)
    if kind == CLUSTER:
        return Cluster(read_many(url))
    if kind == SENTINEL:
        return Watched(read_many(url))
    return OneServer(connect(url))
