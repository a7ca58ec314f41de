"""The servers of a journal: one, the nodes of a cluster, or the master that Sentinels name."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Protocol

from redis import Redis
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import ConnectionError as Unreachable, RedisClusterException

from service.base.redis_urls import (
    CLUSTER,
    SENTINEL,
    ServerGroup,
    kind_of,
    options_of,
    read_many,
    sentinels_of,
)
from service.store.journal.redis.connection import OPTIONS, Client, connect, no_retry

_DOWN = {"fail", "fail?", "noaddr", "handshake"}  # flags of a node that cannot be asked
_CONNECTIONS = 1024  # largest number to one node; a thread uses one at a time


@dataclass(frozen=True, slots=True)
class Node:
    """One server, for questions about that server alone.

    name: host and port, "" if there is only one.
    is_master: False for a replica, which takes no writes.
    """

    name: str
    client: Client
    is_master: bool


@dataclass(frozen=True, slots=True)
class KeyShare:
    """Some keys, and the plain client of the server that stores them.

    server: host and port, "" if there is only one.
    """

    server: str
    client: Client
    keys: list[str]


class Servers(Protocol):
    """The servers of a journal. Safe to share among threads.

    is_cluster: True if the keys are spread over the masters of a cluster.
    is_fixed: True for one server in a fixed place.
    """

    is_cluster: bool
    is_fixed: bool

    @property
    def client(self) -> Client:
        """The client that finds the server of every key, also within a pipeline."""

    def shares(self, keys: Sequence[str]) -> list[KeyShare]:
        """Return the keys by server, in their order."""

    def nodes(self) -> list[Node]:
        """Return the masters with keys, then the replicas that are up."""

    def listener(self, server: str) -> Client:
        """Return a client for a server's messages. The caller closes it.

        `refresh` does not close the client's connections.
        """

    def refresh(self) -> None:
        """Update the map of keys to servers."""

    def close(self) -> None:
        """Close all connections."""


def open_servers(url: str) -> Servers:
    """Return the servers of a URL. The first use connects to them."""
    kind = kind_of(url)
    if kind == CLUSTER:
        return Cluster(read_many(url))
    if kind == SENTINEL:
        return SentinelMaster(read_many(url))
    return OneServer(connect(url))


class OneServer:
    """One server with all keys."""

    is_cluster = False
    is_fixed = True

    def __init__(self, client: Redis) -> None:
        # The client's types allow for asyncio. Here no reply is awaited.
        self._client: Client = client

    @property
    def client(self) -> Client:
        """The client of the server."""
        return self._client

    def shares(self, keys: Sequence[str]) -> list[KeyShare]:
        """Return all keys together."""
        return [KeyShare("", self._client, list(keys))] if keys else []

    def nodes(self) -> list[Node]:
        """Return the server."""
        return [Node("", self._client, is_master=True)]

    def listener(self, server: str) -> Client:  # noqa: ARG002 - there is only one
        """Return a client that shares the connections. Its closing leaves them open."""
        return Redis(connection_pool=self._client.connection_pool)

    def refresh(self) -> None:
        """Do nothing: one server has all keys."""

    def close(self) -> None:
        """Close all connections."""
        self._client.connection_pool.disconnect()


class Cluster:
    """The nodes of a Redis Cluster, looked up at first use.

    Each master holds a part of the slots, and so of the partitions. The client of redis-py maps
    slots to nodes and follows redirections. This client has a plain client for each node, for
    commands that must reach one server together.
    """

    is_cluster = True
    is_fixed = False

    def __init__(self, many: ServerGroup) -> None:
        self._many = many
        self._lock = threading.Lock()
        self._client: Client = None
        self._failed_at = 0.0  # time of the last try that reached no node (time.monotonic)

    @property
    def client(self) -> Client:
        """The client of the whole cluster. Raises Unreachable.

        If an attempt to connect fails, the threads that waited for it fail too. They do not try one
        after the other.
        """
        asked_at = monotonic()
        with self._lock:
            if self._client is None:
                if self._failed_at > asked_at:
                    raise Unreachable("no node of the cluster could be reached a moment ago")
                self._client = self._try_to_connect()
            return self._client

    def shares(self, keys: Sequence[str]) -> list[KeyShare]:
        """Return the keys by the master of their slot."""
        client = self.client
        shares: dict[str, KeyShare] = {}
        for key in keys:
            node = client.nodes_manager.get_node_from_slot(client.keyslot(key))
            if node.name not in shares:
                shares[node.name] = KeyShare(node.name, client.get_redis_connection(node), [])
            shares[node.name].keys.append(key)

        return list(shares.values())

    def nodes(self) -> list[Node]:
        """Return every node of the cluster as it is now, masters first.

        Replicas that are down and masters without slots are left out. CLUSTER NODES is asked rather
        than CLUSTER SLOTS, since the latter lacks replicas that have copied nothing yet.
        """
        self.refresh()
        nodes = []
        for name, facts in self.client.cluster_nodes().items():
            flags = set(facts["flags"].split(","))
            if "master" in flags and facts["slots"]:
                nodes.append(Node(name, self._client_of(name), is_master=True))
            elif "slave" in flags and not flags & _DOWN:
                nodes.append(Node(name, self._client_of(name), is_master=False))

        return sorted(nodes, key=lambda node: not node.is_master)

    def listener(self, server: str) -> Client:
        """Return a client of a node with separate connections, to be closed by the caller."""
        host, _, port = server.rpartition(":")
        return Redis(host=host, port=int(port), retry=no_retry(), **options_of(self._many, OPTIONS))

    def refresh(self) -> None:
        """Ask a node for the map of slots to nodes."""
        self.client.nodes_manager.initialize()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _client_of(self, name: str) -> Client:
        """Return a plain client of a node, also of one unknown to the cluster's client."""
        node = self.client.get_node(node_name=name)
        return self.listener(name) if node is None else self.client.get_redis_connection(node)

    def _try_to_connect(self) -> RedisCluster:
        try:
            return self._connect()
        except Unreachable:
            self._failed_at = monotonic()
            raise

    def _connect(self) -> RedisCluster:
        """Return a client that knows the cluster. Raises Unreachable.

        Coverage is not required: each server decides if it serves without the others.
        """
        node: Any = ClusterNode
        startup_nodes = [node(host, port) for host, port in self._many.places]
        try:
            return RedisCluster(
                startup_nodes=startup_nodes,
                require_full_coverage=False,
                retry=no_retry(),
                max_connections=_CONNECTIONS,
                **options_of(self._many, OPTIONS),
            )
        except RedisClusterException as error:
            raise Unreachable(str(error)) from error


class SentinelMaster(OneServer):
    """The master of several servers, named by the Sentinels that watch over them.

    Each new connection asks the Sentinels for the master's address. If a master is made a replica,
    redis-py closes a connection to it at the first refused write. The write then counts as
    unanswered.
    """

    is_fixed = False

    def __init__(self, many: ServerGroup) -> None:
        self._options = options_of(many, OPTIONS)
        usual = OPTIONS | {"retry": no_retry()}
        self._sentinel = sentinels_of(many, self._options, usual)
        self._service = many.service
        client = self._sentinel.master_for(
            many.service,
            max_connections=_CONNECTIONS,
            retry=no_retry(),
            **self._options,
        )
        super().__init__(client)

    def nodes(self) -> list[Node]:
        """Return the master, and the replicas that are alive according to the Sentinels."""
        host, port = self._sentinel.discover_master(self._service)
        replicas = [
            Node(f"{address}:{number}", self._plain_client(address, number), is_master=False)
            for address, number in self._sentinel.discover_slaves(self._service)
        ]
        return [Node(f"{host}:{port}", self.client, is_master=True), *replicas]

    def close(self) -> None:
        """Close all connections."""
        super().close()
        self._sentinel.close()

    def _plain_client(self, host: str, port: int) -> Redis:
        return Redis(host=host, port=port, retry=no_retry(), **self._options)
