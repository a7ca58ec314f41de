"""The store behind the ports: servers, names of keys, scripts, and the wait for replicas."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from redis.commands.core import Script
from redis.exceptions import NoScriptError

from service.journal.errors import JournalUnusable, Unconfirmed
from service.journal.keys import LAYOUT, Keys
from service.journal.redis.connection import (
    Argument,
    Client,
    Command,
    RawConnections,
    Reply,
    follows_moves,
    retries_once,
)
from service.journal.redis.scripts import load_scripts
from service.journal.redis.topology import Servers

# Layouts of the keys: 1 had no index of the games and none of idle matches. In 3 some lines have
# left the feeds, so what an earlier release takes for all matches is not all.
INDEXED_LAYOUT = 2
NEWEST_LAYOUT = 3
CONFIRM_MS = 2000  # for so long replicas may take

_KNOWN_LAYOUTS = (None, b"1", b"2", b"3")  # as they are stored; the first release stored none
_MOST_SHOWN = 20  # characters of a layout that is not known


class Store:
    """The servers that hold a journal; safe to share among threads.

    replicas: how many replicas must confirm a write before it counts as done.
    has_known_layout: whether the journal was found to have a layout that this release knows.
    is_declared_durable: whether settings that a server does not tell are taken to be right.
    raw: the way around the client, where no server has to be looked for.
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
        """Raise JournalUnusable if the journal has a layout that only a later release knows."""
        stored = self.client.get(LAYOUT)
        self.has_known_layout = stored in _KNOWN_LAYOUTS
        if self.has_known_layout:
            return

        shown = stored[:_MOST_SHOWN].decode(errors="replace")
        raise JournalUnusable(
            f"The journal has the layout {shown!r}, and this release knows layouts up to "
            f"{NEWEST_LAYOUT}: a later release has written it. Use that release, or a newer one."
        )

    @property
    def client(self) -> Client:
        """The client for commands on one key, wherever it lies."""
        return self.servers.client

    def close(self) -> None:
        """Close all connections."""
        self.servers.close()

    def refresh(self) -> None:
        """Learn which server holds what."""
        self.servers.refresh()

    def holder(self, key: str) -> Client:
        """Return the plain client of the server that holds a key."""
        [share] = self.servers.shares([key])
        return share.client

    def pipeline(self) -> Client:
        """Return a pipeline for keys anywhere: one round trip a server, no transaction."""
        return self.client.pipeline(transaction=False)

    def transaction(self, key: str) -> Client:
        """Return a pipeline whose commands are done together, and that may watch keys before.

        key: one of the keys; all of them lie in its slot.
        """
        return self.holder(key).pipeline(transaction=True)

    # ---- questions --------------------------------------------------------------------------

    def query(self, *commands: Command) -> list[Reply]:
        """Return the answers to commands that change nothing, in one round trip a server.

        Answers are bytes and lists, but entries of streams may have dicts for their fields.
        """
        if not commands:
            return []
        answers = None if self.raw is None else self.raw.query(*commands)
        if answers is not None:
            return answers

        with self.pipeline() as pipeline:
            for command in commands:
                pipeline.execute_command(*command)
            in_turn: list[Reply] = pipeline.execute()
        return in_turn

    def query_raw(self, *commands: Command) -> list[Reply] | None:
        """Return the answers to commands that change nothing, as the server sends them.

        None: they are to be asked in the ordinary way.
        """
        return None if self.raw is None else self.raw.query(*commands)

    def query_each(
        self, command: str, keys: Sequence[str], *args: object, **options: object
    ) -> list[Reply]:
        """Return the answers of one command for many keys, in one round trip a server."""
        with self.pipeline() as pipeline:
            send = getattr(pipeline, command)
            for key in keys:
                send(key, *args, **options)

            answers: list[Reply] = pipeline.execute()
        return answers

    def query_partitions(
        self, script: Script, keys: Sequence[str], arguments: Sequence[Argument] = ()
    ) -> list[Reply]:
        """Return what one script answers over keys of many partitions, an answer from each server.

        Each server is given those of the keys that it holds, in their order, so the caller merges.
        The script has no KEYS, since declared keys must lie in one slot: ARGV[1] is the number of
        keys, then come the keys, then `arguments`. It needs the flag allow-cross-slot-keys. No
        single call in it may take keys of two slots: after one that does, Valkey 9.1 refuses all
        scripts until it is started again. In a cluster the script fails if one of the partitions
        has moved; `retries_once` asks again.
        """
        answers = []
        for share in self.servers.shares(keys):
            values = [len(share.keys), *share.keys, *arguments]
            answers.append(script(keys=[], args=values, client=share.client))
        return answers

    def sums(
        self, command: str, keys: Sequence[str], questions: Sequence[str] = ("",)
    ) -> list[int]:
        """Return what a command answers for all keys, added up, once for each question.

        questions: what the command takes after the key, with a space between two.
        """
        answers = self.query_partitions(self.scripts.sum, keys, [command, *questions])
        return [sum(of_servers) for of_servers in zip(*answers, strict=True)]

    # ---- replication: a write counts once enough replicas have it (GIORNALE_REPLICAS) --------
    #
    # Redis copies to replicas after it has answered. So a write counts as done only when WAITAOF,
    # on the connection that made it, says that the server and enough replicas have it on their
    # disks. A server without WAITAOF (Redis before 7.2) has WAIT, which says that enough replicas
    # have it in memory.
    #
    # WAIT comes before WAITAOF as well: each of the two has the server ask its replicas how far
    # they are, and at the first question they have not synced yet. Without the second they would
    # answer no sooner than with their report of every second.

    def write(
        self,
        script: Script,
        keys: Sequence[str],
        arguments: Sequence[Argument],
    ) -> Reply:
        """Return what a script answers that changes one match, once replicas have confirmed it.

        A refusal has written nothing, so it needs no replica. Raises Unconfirmed.
        """
        if not self.replicas:
            if self.raw is not None:
                return self.raw.run(script, keys, arguments)
            return self._run(script, keys, arguments)

        answer, confirmations = self._run_and_wait(script, keys, arguments)
        # What is missed after a refusal is an earlier write of the connection, for another caller.
        if _has_written(answer):
            self._demand(confirmations)
        return answer

    def query_confirmed(self, match_id: str, *command: str | int) -> Reply:
        """Return a command's answer for one match, once replicas have confirmed what it has seen.

        A write on the same connection comes after it: where replicas have that, they have all that
        was there before. Raises Unconfirmed.
        """
        probe = self.keys.probe[self.keys.partition_of(match_id)]
        return self.query_confirmed_beside(probe, *command)

    def query_confirmed_beside(self, probe: str, *command: str | int) -> Reply:
        """Do as `query_confirmed` for keys in the slot of a probe, a key that nothing reads."""
        if not self.replicas:
            return self._execute(*command)

        answer, _, confirmations = self._send_with_probe(probe, command)
        self._demand(confirmations)
        return answer

    def query_partitions_confirmed(
        self, script: Script, keys: Mapping[str, str], arguments: Sequence[Argument]
    ) -> list[Reply]:
        """Do as `query_partitions`, once replicas have confirmed what the script has seen.

        keys: each with a key of its slot that nothing reads.
        """
        answers = []
        for share in self.servers.shares(list(keys)):
            values = [len(share.keys), *share.keys, *arguments]
            probe = ("SET", keys[share.keys[0]], 1)
            answer, _, confirmations = self._send_and_wait(
                share.client, ("EVALSHA", script.sha, 0, *values), probe
            )
            if isinstance(answer, Exception):
                raise answer
            self._demand(confirmations)
            answers.append(answer)
        return answers

    def probe(self, key: str) -> None:
        """Write a key that nothing reads, and have replicas confirm it; raises Unconfirmed."""
        _, confirmations = self._send_with_probe(key)
        self._demand(confirmations)

    @property
    def has_waitaof(self) -> bool:
        """Whether the servers know WAITAOF, as Redis from 7.2 on and Valkey do."""
        if self._has_waitaof is None:
            client = self.holder(self.keys.probe[0])
            known = client.execute_command("COMMAND LIST", "FILTERBY", "PATTERN", "waitaof")
            self._has_waitaof = bool(known)
        return self._has_waitaof

    @follows_moves
    def _run(self, script: Script, keys: Sequence[str], arguments: Sequence[Argument]) -> Reply:
        return script(keys=keys, args=arguments, client=self.client)

    @follows_moves
    def _execute(self, *command: str | int) -> Reply:
        return self.client.execute_command(*command)

    @follows_moves
    def _run_and_wait(
        self, script: Script, keys: Sequence[str], arguments: Sequence[Argument]
    ) -> tuple[Reply, Reply]:
        """Return the script's answer, and that of the wait for replicas."""
        client = self.holder(keys[0])
        command = ("EVALSHA", script.sha, len(keys), *keys, *arguments)
        answer, confirmations = self._send_and_wait(client, command)
        if isinstance(answer, NoScriptError):
            client.script_load(script.script)
            answer, confirmations = self._send_and_wait(client, command)

        if isinstance(answer, Exception):
            raise answer
        return answer, confirmations

    @follows_moves
    def _send_with_probe(self, probe: str, *commands: Command) -> list[Reply]:
        """Return the answers to commands, to a write after them, and to the wait for replicas."""
        answers = self._send_and_wait(self.holder(probe), *commands, ("SET", probe, 1))
        for answer in answers[:-1]:
            if isinstance(answer, Exception):
                raise answer
        return answers

    def _send_and_wait(self, client: Client, *commands: Command) -> list[Reply]:
        """Return the answers to commands and, last, to the wait for replicas; errors as well."""
        milliseconds = CONFIRM_MS // 2 if self.has_waitaof else CONFIRM_MS
        with client.pipeline(transaction=False) as pipeline:
            for command in commands:
                pipeline.execute_command(*command)
            pipeline.execute_command("WAIT", self.replicas, milliseconds)
            if self.has_waitaof:
                pipeline.execute_command("WAITAOF", 1, self.replicas, milliseconds)
            answers = pipeline.execute(raise_on_error=False)
        return [*answers[: len(commands)], answers[-1]]

    def _demand(self, confirmations: Reply) -> None:
        """Raise Unconfirmed unless enough replicas have confirmed.

        confirmations: of WAITAOF, whether this server has it on its disk, and how many replicas; of
        WAIT, how many replicas; or the error that came instead.
        """
        if isinstance(confirmations, Exception):
            raise Unconfirmed(f"the wait for replicas has failed: {confirmations}")

        by_server, by_replicas = confirmations if self.has_waitaof else (1, confirmations)
        if by_server < 1 or by_replicas < self.replicas:
            raise Unconfirmed(
                f"{by_replicas} of {self.replicas} replicas have confirmed within {CONFIRM_MS} ms"
            )


def _has_written(answer: Reply) -> bool:
    """Return whether a script has written: append.lua says so in a word, the others not by 0 or -1.

    What append.lua calls repeated was written before, and is asked for by itself.
    """
    if isinstance(answer, list):
        return bool(answer[0] == b"made")
    return answer not in (0, -1)


class Port:
    """One port of the journal over a store, whose layout is looked at before its first use."""

    def __init__(self, store: Store) -> None:
        self._unopened = store
        self._keys = store.keys

    @cached_property
    def _store(self) -> Store:
        """The store, once its journal is known to have a layout of this release.

        Raises JournalUnusable for that of a later release: nothing is read or written then.
        """
        store = self._unopened
        if not store.has_known_layout:
            store.demand_known_layout()
        return store

    def refresh(self) -> None:
        """Learn which server holds what."""
        self._unopened.refresh()
