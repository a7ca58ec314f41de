"""What the functions of this package work with: the servers, the names of the keys, the scripts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis.commands.core import Script

from service.journal.keys import Keys
from service.journal.redis.direct import Command, Direct
from service.journal.redis.servers import Servers

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
