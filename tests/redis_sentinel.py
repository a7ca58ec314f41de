"""A server with its replica, and Sentinels for both."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis.exceptions import RedisError

from tests.redis_node import HOST, SAFE, Node, free_ports
from tests.running import until

SERVICE = "journal"
STEADY_MS = 60_000  # a master that is silent for so long is given up
QUICK_MS = 500  # the same once a test has killed it. Before that it may be slow


class WatchedPair:
    """Two servers and three Sentinels. The first server is the master at first."""

    def __init__(self, directory: Path, **settings: str) -> None:
        first, second, *sentinel_ports = free_ports(5)
        common = SAFE | settings
        self.nodes = [
            Node(directory / "first", first, common),
            Node(directory / "second", second, common | {"replicaof": f"{HOST} {first}"}),
        ]
        self.sentinels = [
            Node(directory / str(port), port, _watching(first), "--sentinel")
            for port in sentinel_ports
        ]

    @property
    def url(self) -> str:
        """The URL of the journal."""
        places = ",".join(node.name for node in self.sentinels)
        return f"redis+sentinel://{places}/{SERVICE}/0"

    @property
    def plain_url(self) -> str:
        """The URL of the first server alone."""
        return f"redis://{self.nodes[0].name}/0"

    def start(self, *, watched: bool = True) -> None:
        """Start the servers, and the Sentinels unless nobody is to watch."""
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            node.wait_until_it_answers()
        until(lambda: in_step(self.nodes[1]), "the replica is in step")

        for sentinel in self.sentinels if watched else []:
            sentinel.start()
        until(lambda: not watched or all(map(_sees_all, self.sentinels)), "all see each other")

    def kill_master(self) -> None:
        """End the first server. The Sentinels find out soon, and have the second take over."""
        self.nodes[0].kill()
        for sentinel in self.sentinels:
            sentinel.ask("SENTINEL", "SET", SERVICE, "down-after-milliseconds", QUICK_MS)

    def end(self) -> None:
        """End all servers and Sentinels."""
        for node in (*self.sentinels, *self.nodes):
            node.kill()


def in_step(replica: Node) -> bool:
    """Return True if a replica is connected to its master."""
    try:
        with replica.client() as client:
            return bool(client.info("replication").get("master_link_status") == "up")
    except RedisError:
        return False


def _watching(master_port: int) -> dict[str, str]:
    """Return the settings of a Sentinel. Two of three must agree on the loss of the master."""
    return {
        "bind": HOST,
        "sentinel monitor": f"{SERVICE} {HOST} {master_port} 2",
        "sentinel down-after-milliseconds": f"{SERVICE} {STEADY_MS}",
        "sentinel failover-timeout": f"{SERVICE} 3000",
    }


def _sees_all(sentinel: Node) -> bool:
    """Return True if a Sentinel knows the replica and the two others."""
    try:
        fields = sentinel.ask("SENTINEL", "MASTER", SERVICE)
    except RedisError:
        return False
    return str(fields["num-slaves"]) == "1" and str(fields["num-other-sentinels"]) == "2"


@contextmanager
def running_pair(
    directory: Path, *, watched: bool = True, **settings: str
) -> Iterator[WatchedPair]:
    """A pair in step, ended at the end.

    watched: whether Sentinels watch over it.
    """
    pair = WatchedPair(directory, **settings)
    try:
        pair.start(watched=watched)
        yield pair
    finally:
        pair.end()
