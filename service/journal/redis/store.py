"""What the functions of this package work with: the servers, the names of the keys, the scripts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis.commands.core import Script
from redis.exceptions import NoScriptError

from service.journal.errors import Unconfirmed
from service.journal.keys import Keys
from service.journal.redis.connection import Command, Direct, follows_moves
from service.journal.redis.servers import Servers

# §§§ service.journal.redis.store


_LUA = Path(__file__).parent.parent / "lua"


class _Script(Script):
    """A script of `lua/`, sent to the server that holds its keys, or to the client of a call."""

    def __init__(self, servers: Servers, name: str) -> None:
        self._servers = servers
        source = (_LUA / f"{name}.lua").read_bytes()
        super().__init__(None, source)  # type: ignore[arg-type]

    def __call__(self, keys: Any = None, args: Any = None, client: Any = None) -> Any:
        """Return what the script answers."""
        reached = self._servers.client if client is None else client
        return super().__call__(keys=keys, args=args, client=reached)


@dataclass(frozen=True, slots=True)
class Scripts:
    """The scripts in `lua/`; each is called with `keys` and `args` as its first lines describe."""

    append: Script
    archive: Script
    claim: Script
    delete: Script
    ends: Script
    epoch: Script
    fail: Script
    free: Script
    index: Script
    list: Script
    pending: Script
    sidecar: Script
    snapshot: Script
    sum: Script
    tombstone: Script
    totals: Script
    unarchive: Script


class Store:
    """The servers that hold a journal; safe to share among threads.

    replicas: how many replicas must confirm a write before it counts as done.
    """

    def __init__(self, servers: Servers, partitions: int, replicas: int = 0) -> None:
        self.servers = servers
        self.replicas = replicas
        # Where no server has to be looked for.
        self.direct = Direct(servers.client) if servers.is_fixed else None
        self._has_waitaof: bool | None = None
        self.keys = Keys(partitions, sharded=servers.is_cluster)
        self.scripts = Scripts(
            append=_Script(servers, "append"),
            archive=_Script(servers, "archive"),
            claim=_Script(servers, "claim"),
            delete=_Script(servers, "delete"),
            ends=_Script(servers, "ends"),
            epoch=_Script(servers, "epoch"),
            fail=_Script(servers, "fail"),
            free=_Script(servers, "free"),
            index=_Script(servers, "index"),
            list=_Script(servers, "list"),
            pending=_Script(servers, "pending"),
            sidecar=_Script(servers, "sidecar"),
            snapshot=_Script(servers, "snapshot"),
            sum=_Script(servers, "sum"),
            tombstone=_Script(servers, "tombstone"),
            totals=_Script(servers, "totals"),
            unarchive=_Script(servers, "unarchive"),
        )

    @property
    def client(self) -> Any:
        """The client for commands on one key, wherever it lies."""
        return self.servers.client

    def close(self) -> None:
        """Close all connections."""
        self.servers.close()

    def look_anew(self) -> None:
        """Learn which server holds what."""
        self.servers.look_anew()

    def ask(self, *commands: Command) -> list[Any]:
        """Return the answers to commands that change nothing, in one round trip a server.

        Answers are bytes and lists, but entries of streams may have dicts for their fields.
        """
        if not commands:
            return []
        answers = self.ask_quickly(*commands)
        if answers is not None:
            return answers

        with self.pipeline() as pipeline:
            for command in commands:
                pipeline.execute_command(*command)
            in_turn: list[Any] = pipeline.execute()
        return in_turn

    def ask_quickly(self, *commands: Command) -> list[Any] | None:
        """Return the answers to commands that change nothing, as the server sends them.

        None: they are to be asked in the ordinary way.
        """
        return None if self.direct is None else self.direct.ask(*commands)

    def holder(self, key: str) -> Any:
        """Return the plain client of the server that holds a key."""
        [share] = self.servers.shares([key])
        return share.client

    @property
    def has_waitaof(self) -> bool:
        """Whether the servers know WAITAOF, as Redis from 7.2 on and Valkey do."""
        if self._has_waitaof is None:
            client = self.holder(self.keys.probe[0])
            known = client.execute_command("COMMAND LIST", "FILTERBY", "PATTERN", "waitaof")
            self._has_waitaof = bool(known)
        return self._has_waitaof

    def pipeline(self) -> Any:
        """Return a pipeline for keys anywhere: one round trip a server, no transaction."""
        return self.client.pipeline(transaction=False)

    def transaction(self, key: str) -> Any:
        """Return a pipeline whose commands are done together, and that may watch keys before.

        key: one of the keys; all of them lie in its slot.
        """
        return self.holder(key).pipeline(transaction=True)

    def ask_each(
        self, command: str, keys: Sequence[str], *args: object, **options: object
    ) -> list[Any]:
        """Return the answers of one command for many keys, in one round trip a server."""
        with self.pipeline() as pipeline:
            send = getattr(pipeline, command)
            for key in keys:
                send(key, *args, **options)

            answers: list[Any] = pipeline.execute()
        return answers

    def ask_partitions(
        self, script: Script, keys: Sequence[str], arguments: Sequence[str | bytes | int] = ()
    ) -> list[Any]:
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
        answers = self.ask_partitions(self.scripts.sum, keys, [command, *questions])
        return [sum(of_servers) for of_servers in zip(*answers, strict=True)]


# §§§ service.journal.redis.store
# Replicas are asked to confirm what was written (GIORNALE_REPLICAS).
#
# Redis copies to replicas after it has answered. So a write counts as done only when WAITAOF, on
# the connection that made it, says that the server and enough replicas have it on their disks. A
# server without WAITAOF (Redis before 7.2) has WAIT, which says that enough replicas have it in
# memory.
#
# WAIT comes before WAITAOF as well: each of the two has the server ask its replicas how far they
# are, and at the first question they have not synced yet. Without the second they would tell no
# sooner than at their report of every second.


CONFIRM_MS = 2000  # for so long replicas may take


def write(
    store: Store,
    script: Script,
    keys: Sequence[str],
    arguments: Sequence[Any],
) -> Any:
    """Return what a script answers that changes one match, once replicas have confirmed it.

    A refusal has written nothing, so it needs no replica. Raises Unconfirmed.
    """
    if not store.replicas:
        if store.direct is not None:
            return store.direct.run(script, keys, arguments)
        return _run(store, script, keys, arguments)

    answer, confirmations = _run_and_wait(store, script, keys, arguments)
    # What is missed after a refusal is an earlier write of the connection, for another caller.
    if _has_written(answer):
        _demand(store, confirmations)
    return answer


def ask(store: Store, match_id: str, *command: str | int) -> Any:
    """Return what a command for one match answers, once replicas have confirmed what it has seen.

    A write on the same connection comes after it: where replicas have that, they have all that was
    there before. Raises Unconfirmed.
    """
    if not store.replicas:
        return _ask_plainly(store, *command)

    answer, confirmations = _ask_and_wait(store, match_id, *command)
    _demand(store, confirmations)
    return answer


def probe(store: Store, key: str) -> None:
    """Write a key that nothing reads, and have replicas confirm it; raises Unconfirmed."""
    _demand(store, _probe_and_wait(store, key))


@follows_moves
def _run(store: Store, script: Script, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
    return script(keys=keys, args=arguments, client=store.client)


@follows_moves
def _ask_plainly(store: Store, *command: str | int) -> Any:
    return store.client.execute_command(*command)


@follows_moves
def _run_and_wait(
    store: Store, script: Script, keys: Sequence[str], arguments: Sequence[Any]
) -> tuple[Any, Any]:
    """Return the script's answer, and that of the wait for replicas."""
    client = store.holder(keys[0])
    answer, confirmations = _run_once(store, client, script, keys, arguments)
    if isinstance(answer, NoScriptError):
        client.script_load(script.script)
        answer, confirmations = _run_once(store, client, script, keys, arguments)

    if isinstance(answer, Exception):
        raise answer
    return answer, confirmations


def _run_once(
    store: Store, client: Any, script: Script, keys: Sequence[str], arguments: Sequence[Any]
) -> tuple[Any, Any]:
    with client.pipeline(transaction=False) as pipeline:
        pipeline.evalsha(script.sha, len(keys), *keys, *arguments)
        _wait(store, pipeline)
        answer, *waits = pipeline.execute(raise_on_error=False)
    return answer, waits[-1]


@follows_moves
def _ask_and_wait(store: Store, match_id: str, *command: str | int) -> tuple[Any, Any]:
    """Return the command's answer, and that of the wait for replicas."""
    probe = store.keys.probe[store.keys.partition_of(match_id)]
    with store.holder(probe).pipeline(transaction=False) as pipeline:
        pipeline.execute_command(*command)
        pipeline.set(probe, 1)
        _wait(store, pipeline)
        answer, probed, *waits = pipeline.execute(raise_on_error=False)

    for one in (answer, probed):
        if isinstance(one, Exception):
            raise one
    return answer, waits[-1]


@follows_moves
def _probe_and_wait(store: Store, key: str) -> Any:
    """Return the answer of the wait for replicas after a write."""
    with store.holder(key).pipeline(transaction=False) as pipeline:
        pipeline.set(key, 1)
        _wait(store, pipeline)
        probed, *waits = pipeline.execute(raise_on_error=False)

    if isinstance(probed, Exception):
        raise probed
    return waits[-1]


def _has_written(answer: Any) -> bool:
    """Return whether a script has written: append.lua says so in a word, the others not by 0 or -1.

    What append.lua calls repeated was written before, and is asked for by itself.
    """
    if isinstance(answer, list):
        return bool(answer[0] == b"made")
    return answer not in (0, -1)


def _wait(store: Store, pipeline: Any) -> None:
    """Send what waits for the replicas; the last answer counts."""
    milliseconds = CONFIRM_MS // 2 if store.has_waitaof else CONFIRM_MS
    pipeline.execute_command("WAIT", store.replicas, milliseconds)
    if store.has_waitaof:
        pipeline.execute_command("WAITAOF", 1, store.replicas, milliseconds)


def _demand(store: Store, confirmations: Any) -> None:
    """Raise Unconfirmed unless enough replicas have confirmed.

    confirmations: of WAITAOF, whether this server has it on its disk, and how many replicas; of
    WAIT, how many replicas; or the error that came instead.
    """
    if isinstance(confirmations, Exception):
        raise Unconfirmed(f"the wait for replicas has failed: {confirmations}")

    by_server, by_replicas = confirmations if store.has_waitaof else (1, confirmations)
    if by_server < 1 or by_replicas < store.replicas:
        raise Unconfirmed(
            f"{by_replicas} of {store.replicas} replicas have confirmed within {CONFIRM_MS} ms"
        )
