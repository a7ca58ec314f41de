"""A Redis Cluster of three masters and three replicas, of the bundled server's program."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis.exceptions import RedisError

from tests.redis_node import HOST, SAFE, Node, free_ports
from tests.running import until

MASTERS = 3
SLOTS = 16384
STEADY_MS = 10_000  # no node is given up in a test that is not about it
QUICK_MS = 500  # a node that is silent for so long is given up


class RunningCluster:
    """Six nodes. The first three are masters, until a replica takes over."""

    def __init__(self, directory: Path, node_timeout: int, **settings: str) -> None:
        ports = free_ports(4 * MASTERS)
        common = SAFE | {
            "cluster-enabled": "yes",
            "cluster-node-timeout": str(node_timeout),
            "cluster-announce-ip": HOST,
            "cluster-replica-validity-factor": "0",
            "cluster-allow-replica-migration": "no",
            "repl-timeout": "10",
        }
        self.nodes = [
            Node(
                directory / str(port),
                port,
                common | settings | {"cluster-port": str(bus)},
            )
            for port, bus in zip(ports[: 2 * MASTERS], ports[2 * MASTERS :], strict=True)
        ]
        self._buses = dict(zip(ports[: 2 * MASTERS], ports[2 * MASTERS :], strict=True))

    @property
    def url(self) -> str:
        """The URL of the journal, with two of the nodes."""
        places = ",".join(node.name for node in (self.nodes[0], self.nodes[-1]))
        return f"redis+cluster://{places}"

    def form(self) -> None:
        """Start all nodes and make them one cluster."""
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            node.wait_until_it_answers()

        self._give_out_slots()
        self._introduce()
        masters = self.nodes[:MASTERS]
        for master, replica in zip(masters, self.nodes[MASTERS:], strict=True):
            replica.ask("CLUSTER", "REPLICATE", master.ask("CLUSTER", "MYID"))
        self.wait_until_whole()

    def _give_out_slots(self) -> None:
        share = SLOTS // MASTERS
        for number, node in enumerate(self.nodes[:MASTERS]):
            last = SLOTS - 1 if number == MASTERS - 1 else (number + 1) * share - 1
            node.ask("CLUSTER", "ADDSLOTSRANGE", number * share, last)
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)

    def _introduce(self) -> None:
        """Make every node known to every other, at once instead of by hearsay."""
        for node in self.nodes:
            for other in self.nodes:
                if other is not node:
                    node.ask("CLUSTER", "MEET", HOST, other.port, self._buses[other.port])

        everyone = len(self.nodes)
        until(
            lambda: all(known(node) == everyone for node in self.nodes),
            "every node knows all others",
        )

    def wait_until_whole(self) -> None:
        """Wait until every node calls the cluster healthy, and every master has its replica."""
        until(self.is_whole, "the cluster is whole")

    def is_whole(self) -> bool:
        """Return True if every node calls the cluster healthy, with all replicas in step."""
        try:
            return all(_is_well(node) for node in self.nodes)
        except RedisError:
            return False

    def masters(self) -> list[Node]:
        """Return the answering masters."""
        return [node for node in self.nodes if _role(node) == "master"]

    def replica_of(self, master: Node) -> Node:
        """Return the replica of a master."""
        master_id = master.ask("CLUSTER", "MYID")
        [line] = master.ask("CLUSTER", "REPLICAS", master_id)
        port = int(line.split()[1].partition("@")[0].rpartition(":")[2])
        return next(node for node in self.nodes if node.port == port)

    def end(self) -> None:
        """End all nodes."""
        for node in self.nodes:
            node.kill()


def known(node: Node) -> int:
    """Return the number of nodes that a node has shaken hands with, itself included."""
    lines = [line.split() for line in node.ask("CLUSTER", "NODES").splitlines()]
    return len([fields for fields in lines if "handshake" not in fields[2]])


def _role(node: Node) -> str:
    try:
        return str(node.ask("ROLE")[0])
    except RedisError:
        return ""


def _is_well(node: Node) -> bool:
    with node.client() as client:
        if client.cluster("INFO")["cluster_state"] != "ok":
            return False
        replication = client.info("replication")

    if replication["role"] == "master":
        in_step = "slave0" in replication and replication["slave0"]["state"] == "online"
        return replication["connected_slaves"] == 1 and in_step
    return bool(replication["master_link_status"] == "up")


@contextmanager
def running_cluster(
    directory: Path, node_timeout: int = STEADY_MS, **settings: str
) -> Iterator[RunningCluster]:
    """A cluster that is whole, ended at the end.

    node_timeout: milliseconds until a silent node is given up.
    """
    cluster = RunningCluster(directory, node_timeout, **settings)
    try:
        cluster.form()
        yield cluster
    finally:
        cluster.end()
