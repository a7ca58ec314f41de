"""A Redis Cluster: each of its masters holds the slots, and so the partitions, of a part.

The client of redis-py knows which node holds which slot and follows redirections. It has a plain
client for each node, which is used wherever several commands must reach one server together.
"""

import threading
from collections.abc import Sequence
from time import monotonic
from typing import Any

from redis import Redis
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import SSLConnection, parse_url
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import RedisClusterException

from service.journal.redis.connection import OPTIONS, no_retry
from service.journal.redis.servers import Node, Share
from service.redis_urls import Many

_DOWN = {"fail", "fail?", "noaddr", "handshake"}  # flags of a node that cannot be asked
_CONNECTIONS = 1024  # to one node at most; a thread uses one at a time


class Cluster:
    """The nodes of a cluster, looked up at first use."""

    is_cluster = True
    is_fixed = False

    def __init__(self, many: Many) -> None:
        self._many = many
        self._lock = threading.Lock()
        self._client: Any = None
        self._failed_at = 0.0  # when no node could be reached, by the monotonic clock

    @property
    def client(self) -> Any:
        """The client of the whole cluster; raises Unreachable.

        Threads that wait while one of them tries in vain do not try one after the other.
        """
        asked_at = monotonic()
        with self._lock:
            if self._client is None:
                if self._failed_at > asked_at:
                    raise Unreachable("no node of the cluster could be reached a moment ago")
                self._client = self._try_to_connect()
            return self._client

    def shares(self, keys: Sequence[str]) -> list[Share]:
        """Return the keys by the master that holds their slot."""
        client = self.client
        shares: dict[str, Share] = {}
        for key in keys:
            node = client.nodes_manager.get_node_from_slot(client.keyslot(key))
            if node.name not in shares:
                shares[node.name] = Share(node.name, client.get_redis_connection(node), [])
            shares[node.name].keys.append(key)

        return list(shares.values())

    def nodes(self) -> list[Node]:
        """Return every node of the cluster as it is now, masters first.

        Replicas that are down are left out, and masters without slots. The list of slots would not
        do: it leaves out replicas that have copied nothing yet.
        """
        self.look_anew()
        nodes = []
        for name, facts in self.client.cluster_nodes().items():
            flags = set(facts["flags"].split(","))
            if "master" in flags and facts["slots"]:
                nodes.append(Node(name, self._client_of(name), is_master=True))
            elif "slave" in flags and not flags & _DOWN:
                nodes.append(Node(name, self._client_of(name), is_master=False))

        return sorted(nodes, key=lambda node: not node.is_master)

    def listener(self, server: str) -> Any:
        """Return a client of a node with connections of its own, to be closed by the caller."""
        host, _, port = server.rpartition(":")
        return Redis(host=host, port=int(port), retry=no_retry(), **options_of(self._many))

    def look_anew(self) -> None:
        """Ask a node which node holds which slot."""
        self.client.nodes_manager.initialize()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _client_of(self, name: str) -> Any:
        """Return a plain client of a node, whether or not the cluster's client knows it."""
        node = self.client.get_node(node_name=name)
        return self.listener(name) if node is None else self.client.get_redis_connection(node)

    def _try_to_connect(self) -> RedisCluster:
        try:
            return self._connect()
        except Unreachable:
            self._failed_at = monotonic()
            raise

    def _connect(self) -> RedisCluster:
        """Return a client that knows the cluster; raises Unreachable.

        Coverage is not required: a server says for itself whether it serves without the others.
        """
        node: Any = ClusterNode
        startup_nodes = [node(host, port) for host, port in self._many.places]
        try:
            return RedisCluster(
                startup_nodes=startup_nodes,
                require_full_coverage=False,
                retry=no_retry(),
                max_connections=_CONNECTIONS,
                **options_of(self._many),
            )
        except RedisClusterException as error:
            raise Unreachable(str(error)) from error


def options_of(many: Many) -> dict[str, Any]:
    """Return user, password, TLS and other options of the URL of several servers."""
    parsed: dict[str, Any] = parse_url(many.url)  # type: ignore[no-untyped-call]
    options = OPTIONS | parsed
    for name in ("host", "port"):
        options.pop(name, None)
    if options.pop("connection_class", None) is SSLConnection:
        options["ssl"] = True
    return options
