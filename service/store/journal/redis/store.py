"""The store behind the ports: servers, names of keys, scripts, and the wait for replicas."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from redis.exceptions import NoScriptError

from service.store.journal.errors import JournalUnusable, Unconfirmed
from service.store.journal.keys import LAYOUT, Keys, probe_beside
from service.store.journal.redis.connection import (
    Argument,
    Client,
    Command,
    RawConnections,
    Reply,
    follows_moves,
    retries_once,
)
from service.store.journal.redis.scripts import LuaScript, first_key, load_scripts
from service.store.journal.redis.topology import Servers

# Layouts of the keys. Layout 1 has no index of the games and none of idle matches. In layout 3 the
# feeds may be trimmed, so a release that looks for all matches in the feeds would miss some.
INDEXED_LAYOUT = 2
NEWEST_LAYOUT = 3
CONFIRM_MS = 2000  # longest wait for replicas

_KNOWN_LAYOUTS = (None, b"1", b"2", b"3")  # as stored: the first release stored none
_MOST_SHOWN = 20  # characters of an unknown layout


# The part of a request that replicas must have, if the journal waits for any. No Enum: in Python
# 3.11 its members cost each commit 1 to 2 microseconds.
#
#   none   Nothing. The commands may be sent twice.
#   write  All that the one command has written. `send` does not repeat it after a lost answer.
#   read   All that the commands have read. A probe is written after them on the same connection.
#          Replicas that have the probe have all earlier writes.
Confirm = Literal["none", "write", "read"]


@dataclass(slots=True)  # not frozen: a frozen one takes twice as long to make
class Request:
    """Commands that are sent together, and the part that replicas must confirm.

    For `RedisStore.send` all keys lie in one slot unless `confirm` is "none".
    """

    commands: Sequence[Command]
    confirm: Confirm = "none"

    @property
    def key(self) -> str:
        """The first key of the commands."""
        return first_key(self.commands[0])


class RedisStore:
    """The servers of a journal. Safe to share among threads.

    replicas: number of replicas that must confirm a write before it counts as done.
    has_known_layout: True once the journal's layout was read and is known to this release.
    is_declared_durable: True if settings that a server does not tell are taken to be right.
    raw: connections without the client, None unless there is one server in a fixed place.
    """

    def __init__(
        self,
        servers: Servers,
        partitions: int,
        replicas: int = 0,
        *,
        is_declared_durable: bool = False,
    ) -> None:
        self.servers = servers
        self.replicas = replicas
        self.is_declared_durable = is_declared_durable
        self.raw = RawConnections(servers.client) if servers.is_fixed else None
        self.keys = Keys(partitions, sharded=servers.is_cluster)
        self.scripts = load_scripts(servers)
        self.has_known_layout = False
        self._has_waitaof: bool | None = None

    @retries_once
    def demand_known_layout(self) -> None:
        """Raise JournalUnusable if this release does not know the journal's layout."""
        stored = self.client.get(LAYOUT)
        self.has_known_layout = stored in _KNOWN_LAYOUTS
        if self.has_known_layout:
            return

        text = stored[:_MOST_SHOWN].decode(errors="replace")
        raise JournalUnusable(
            f"The journal has the layout {text!r}, but this release knows layouts up to "
            f"{NEWEST_LAYOUT}. Use the release that wrote it, or a newer one."
        )

    @property
    def client(self) -> Client:
        """The client for commands on one key, on any server."""
        return self.servers.client

    def close(self) -> None:
        """Close all connections."""
        self.servers.close()

    def refresh(self) -> None:
        """Update the map of keys to servers."""
        self.servers.refresh()

    def holder(self, key: str) -> Client:
        """Return the plain client of a key's server."""
        [share] = self.servers.shares([key])
        return share.client

    def pipeline(self) -> Client:
        """Return a pipeline for keys anywhere: one round trip a server, no transaction."""
        return self.client.pipeline(transaction=False)

    def transaction(self, key: str) -> Client:
        """Return a transaction on one server. It may watch keys first.

        key: one of the keys. All of them lie in its slot.
        """
        return self.holder(key).pipeline(transaction=True)

    # ---- requests ---------------------------------------------------------------------------

    def send(self, request: Request) -> list[Reply]:
        """Send a request in one round trip a server. Return a reply to each command.

        Replies are as the server sends them, or as redis-py converts them: entries of streams and
        hashes may be dicts. Raises Unconfirmed.
        """
        if not request.commands:
            return []
        if self.replicas and request.confirm != "none":
            return self._send_confirmed(request)
        if self.raw is None:
            return self._send_by_client(request)

        if request.confirm == "write":
            try:
                return [self.raw.send_once(*request.commands)]
            except NoScriptError:
                return self._send_by_client(request)
        replies = self.raw.query(request.commands)
        return self._send_by_client(request) if replies is None else replies

    def send_each(
        self,
        script: LuaScript,
        keys: Sequence[str],
        arguments: Sequence[Argument] = (),
        confirm: Confirm = "none",
    ) -> list[Reply]:
        """Send one script over keys of many partitions. Return a reply from each server.

        Each server gets its own keys, in their order. The caller merges the replies. In a cluster
        the script fails if one of the partitions has moved. Callers then run it again
        (`retries_once`), so it must be safe to run twice. Raises Unconfirmed.
        """
        replies = []
        for share in self.servers.shares(keys):
            command = script.over(share.keys, arguments)
            if self.replicas and confirm != "none":
                replies += self._confirmed_replies(share.client, Request([command], confirm))
                continue
            by_raw = None if self.raw is None else self.raw.query([command])
            replies += [self._reply(share.client, command)] if by_raw is None else by_raw
        return replies

    # ---- replication: a write counts once enough replicas have it (GIORNALE_REPLICAS) --------
    #
    # Redis copies to replicas after it has answered. So a write counts as done only after WAITAOF,
    # on the same connection, has confirmed it on the disks of the server and of enough replicas. A
    # server without WAITAOF (Redis before 7.2) gets WAIT. WAIT confirms that enough replicas have
    # the write in memory.
    #
    # WAIT comes before WAITAOF as well. Both make the server ask its replicas for their progress.
    # At the first question the replicas have not synced yet. Without the second question they would
    # tell of their sync only in their report of every second.

    @property
    def has_waitaof(self) -> bool:
        """True if the servers have WAITAOF: Redis from 7.2 on, and Valkey."""
        if self._has_waitaof is None:
            client = self.holder(self.keys.probe[0])
            replies = client.execute_command("COMMAND LIST", "FILTERBY", "PATTERN", "waitaof")
            self._has_waitaof = bool(replies)
        return self._has_waitaof

    @follows_moves
    def _send_by_client(self, request: Request) -> list[Reply]:
        """Send a request without waiting for replicas."""
        if request.confirm != "none":
            return [self._reply(self.client, *request.commands)]

        with self.pipeline() as pipeline:
            for command in request.commands:
                pipeline.execute_command(*command)
            replies: list[Reply] = pipeline.execute()
        return replies

    @follows_moves
    def _send_confirmed(self, request: Request) -> list[Reply]:
        return self._confirmed_replies(self.holder(request.key), request)

    def _reply(self, client: Client, command: Command) -> Reply:
        """Return the reply to a command. Load its script first if the server lacks it."""
        try:
            return client.execute_command(*command)
        except NoScriptError:
            client.script_load(self.scripts.source(command))
            return client.execute_command(*command)

    def _confirmed_replies(self, client: Client, request: Request) -> list[Reply]:
        """Return the replies of one server once replicas have confirmed. Raises Unconfirmed."""
        commands = [*request.commands]
        if request.confirm == "read":
            commands.append(("SET", probe_beside(request.key), 1))

        replies, confirmations = self._send_and_wait(client, commands)
        if isinstance(replies[0], NoScriptError):
            client.script_load(self.scripts.source(commands[0]))
            replies, confirmations = self._send_and_wait(client, commands)

        for reply in replies:
            if isinstance(reply, Exception):
                raise reply
        # A refused script has written nothing. The confirmations would be those of an earlier write
        # of another caller on this connection.
        if request.confirm == "read" or _has_written(replies[0]):
            self._demand(confirmations)
        return replies[: len(request.commands)]

    def _send_and_wait(
        self, client: Client, commands: Sequence[Command]
    ) -> tuple[list[Reply], Reply]:
        """Return the replies to commands and to the wait for replicas, errors included."""
        milliseconds = CONFIRM_MS // 2 if self.has_waitaof else CONFIRM_MS
        with client.pipeline(transaction=False) as pipeline:
            for command in commands:
                pipeline.execute_command(*command)
            pipeline.execute_command("WAIT", self.replicas, milliseconds)
            if self.has_waitaof:
                pipeline.execute_command("WAITAOF", 1, self.replicas, milliseconds)
            replies = pipeline.execute(raise_on_error=False)
        return replies[: len(commands)], replies[-1]

    def _demand(self, confirmations: Reply) -> None:
        """Raise Unconfirmed unless the server and enough replicas have confirmed.

        confirmations: the reply of WAITAOF: 1 if the write is on the disk of the server, and the
            number of replicas with the write on their disks. Or the reply of WAIT: the number of
            replicas with the write. Or an error.
        """
        if isinstance(confirmations, Exception):
            raise Unconfirmed(f"the wait for replicas failed: {confirmations}")

        by_server, by_replicas = confirmations if self.has_waitaof else (1, confirmations)
        if by_server >= 1 and by_replicas >= self.replicas:
            return

        count = f"{by_replicas} of {self.replicas} replicas confirmed"
        if by_server >= 1:
            raise Unconfirmed(f"{count} within {CONFIRM_MS} ms")
        late = f"the server has not synced its disk within {CONFIRM_MS} ms"
        raise Unconfirmed(f"{late}, and {count}")


def _has_written(answer: Reply) -> bool:
    """Return True if a script has written: append.lua answers "made", others neither 0 nor -1.

    After "repeated" the caller asks for a confirmation of the earlier commit.
    """
    if isinstance(answer, list):
        return bool(answer[0] == b"made")
    return answer not in (0, -1)


class RedisPort:
    """One port of the journal over a store. The first use checks the journal's layout."""

    def __init__(self, store: RedisStore) -> None:
        self._unopened = store
        self._keys = store.keys

    @cached_property
    def _store(self) -> RedisStore:
        """The store, after a check of the journal's layout.

        Raises JournalUnusable for the layout of a later release, before anything else is read or
        written.
        """
        store = self._unopened
        if not store.has_known_layout:
            store.demand_known_layout()
        return store

    def refresh(self) -> None:
        """Update the map of keys to servers."""
        self._unopened.refresh()
