"""Faults of a cluster. Each is made and repaired."""

import random
import signal
import time
from collections.abc import Callable

import pytest
from redis.crc import key_slot
from redis.exceptions import RedisError

from service.store.journal.keys import Keys
from tests.redis_cluster import MASTERS, RunningCluster
from tests.redis_node import HOST, Node
from tests.running import until

_KEYS = 50  # moved in one command
_MOVE_MS = 5000
_CONFIRM_MS = 1000


def move_one_by_one(cluster: RunningCluster, slots: list[int], source: Node, target: Node) -> None:
    """Move slots key by key: while a slot is under way its keys lie in both places."""
    source_id = source.ask("CLUSTER", "MYID")
    target_id = target.ask("CLUSTER", "MYID")

    for slot in slots:
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source_id)
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target_id)
        while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, _KEYS):
            source.ask("MIGRATE", HOST, target.port, "", 0, _MOVE_MS, "KEYS", *keys)
        # The target first: it must know that the slot is its own before the source sends to it.
        for node in (target, source, *cluster.masters()):
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", target_id)


def can_move_at_once(node: Node) -> bool:
    """Return True if a server moves slots whole, as Valkey does from 9.0 on."""
    return bool(node.ask("COMMAND LIST", "FILTERBY", "PATTERN", "cluster|migrateslots"))


def move_at_once(cluster: RunningCluster, slots: list[int], source: Node, target: Node) -> None:
    """Move slots whole. Wait until all masters know."""
    if not can_move_at_once(source):
        pytest.skip("this server moves slots key by key")
    target_id = target.ask("CLUSTER", "MYID")
    ranges = [end for slot in slots for end in (slot, slot)]
    source.ask("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", *ranges, "NODE", target_id)

    def all_know() -> bool:
        return all(owner(node, slot) == target_id for node in cluster.masters() for slot in slots)

    until(all_know, "all masters know the new owner")


def owner(node: Node, slot: int) -> str:
    """Return the id of the master that holds a slot, as a node has it."""
    for first, last, master, *_replicas in node.ask("CLUSTER", "SLOTS"):
        if first <= slot <= last:
            return str(master[2])
    return ""


PARTITIONS = 16
SLOTS = [key_slot(key.encode()) for key in Keys(PARTITIONS).feed]
MOVED = 4  # slots that are moved at a time
HUNG_SECONDS = 3.0  # longer than it takes until another has taken over

Fault = Callable[[RunningCluster, random.Random], None]


def slots_of(node: Node) -> list[int]:
    """Return the slots of partitions that a master holds."""
    own_id = node.ask("CLUSTER", "MYID")
    return [slot for slot in SLOTS if owner(node, slot) == own_id]


def busiest(cluster: RunningCluster) -> list[Node]:
    """Return the masters, those with the most partitions first."""
    return sorted(cluster.masters(), key=lambda node: -len(slots_of(node)))


def has_taken_over(cluster: RunningCluster) -> None:
    """Wait until there are three masters again."""
    until(lambda: len(cluster.masters()) == MASTERS, "a replica takes over")


def kill_master(cluster: RunningCluster, chance: random.Random) -> None:
    """SIGKILL a master. When its replica has taken over it comes back as a replica."""
    victim = chance.choice(cluster.masters())
    victim.kill()
    has_taken_over(cluster)
    victim.start()


def restart_master(cluster: RunningCluster, chance: random.Random) -> None:
    """SIGKILL a master and start it at once."""
    victim = chance.choice(cluster.masters())
    victim.kill()
    victim.start()


def hang_master(cluster: RunningCluster, chance: random.Random) -> None:
    """SIGSTOP a master for so long that its replica takes over, then let it go on."""
    victim = chance.choice(cluster.masters())
    victim.signal(signal.SIGSTOP)
    time.sleep(HUNG_SECONDS)
    victim.signal(signal.SIGCONT)


def kill_replica(cluster: RunningCluster, chance: random.Random) -> None:
    """SIGKILL a replica and start it again."""
    replica = cluster.replica_of(chance.choice(cluster.masters()))
    replica.kill()
    time.sleep(chance.random())
    replica.start()


def promote_lagging_replica(cluster: RunningCluster, chance: random.Random) -> None:
    """Cut a replica off for a while, then kill its master, so that it takes over as it is."""
    victim = chance.choice(cluster.masters())
    lagging = cluster.replica_of(victim)
    lagging.signal(signal.SIGSTOP)
    victim.ask("CLIENT", "KILL", "TYPE", "replica")
    time.sleep(chance.random())
    victim.kill()
    lagging.signal(signal.SIGCONT)
    has_taken_over(cluster)
    victim.start()


def hand_over(cluster: RunningCluster, chance: random.Random) -> None:
    """Have a replica take over from its master with its consent, as before an upgrade."""
    replica = cluster.replica_of(chance.choice(cluster.masters()))
    replica.ask("CLUSTER", "FAILOVER")


def move_slots(cluster: RunningCluster, chance: random.Random) -> None:
    """Move slots key by key from the busiest master to the least busy one."""
    source, *_others, target = busiest(cluster)
    slots = chance.sample(slots_of(source), min(MOVED, len(slots_of(source))))
    move_one_by_one(cluster, slots, source, target)


def is_confirmed(master: Node, slot: int) -> bool:
    """Write into a slot of a master. Return True if its replica has confirmed that."""
    try:
        with master.client() as client:
            client.set(Keys(PARTITIONS).probe[SLOTS.index(slot)], 1)
            return bool(client.wait(1, _CONFIRM_MS))
    except RedisError:
        return False


def kill_target_of_a_move(cluster: RunningCluster, chance: random.Random) -> None:
    """Move slots as the operations page says, and kill the target before a replica confirms them.

    Its replica may not have them yet, so it must not take over: the target comes back with its own
    file. Wait then until the replica has all.
    """
    source, *_others, target = busiest(cluster)
    replicas = [cluster.replica_of(node) for node in (source, target)]
    slots = chance.sample(slots_of(source), min(MOVED, len(slots_of(source))))
    move = move_at_once if can_move_at_once(source) else move_one_by_one
    for replica in replicas:
        replica.ask("CONFIG", "SET", "cluster-replica-no-failover", "yes")

    move(cluster, slots, source, target)
    target.kill()
    target.start()
    until(lambda: is_confirmed(target, slots[0]), "the replica has what was moved")
    for replica in replicas:
        replica.ask("CONFIG", "SET", "cluster-replica-no-failover", "no")


FAULTS: dict[str, Fault] = {
    "master killed": kill_master,
    "master killed and started at once": restart_master,
    "master hung (SIGSTOP, 3 s)": hang_master,
    "replica killed": kill_replica,
    "lagging replica takes over": promote_lagging_replica,
    "replica takes over on request": hand_over,
    "slots moved": move_slots,
    "target killed right after slots were moved": kill_target_of_a_move,
}
