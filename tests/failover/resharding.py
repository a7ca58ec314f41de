"""Slots are moved from one master to another, as an operator's tool does it."""

import pytest

from tests.redis_cluster import RunningCluster
from tests.redis_node import HOST, Node
from tests.running import until

_KEYS = 50  # moved in one command
_MOVE_MS = 5000


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


def move_at_once(cluster: RunningCluster, slots: list[int], source: Node, target: Node) -> None:
    """Move slots whole, as Valkey does from 9.0 on; wait until all masters know."""
    if not source.ask("COMMAND LIST", "FILTERBY", "PATTERN", "cluster|migrateslots"):
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
