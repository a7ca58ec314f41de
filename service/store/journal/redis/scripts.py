"""The scripts in `lua/`, and helpers for their arguments and replies."""

import itertools
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from redis.commands.core import Script

from service.store.journal.redis.connection import Argument, Client, Command, Reply
from service.store.journal.redis.topology import Servers

_LUA = Path(__file__).parent.parent / "lua"


class LuaScript(Script):
    """A script of `lua/`.

    A call of the object runs the script at the server of its keys, or by the given client or
    pipeline, and waits for no replica. `on` and `over` make a command for a request of the store.
    """

    def __init__(self, servers: Servers, name: str) -> None:
        self._servers = servers
        source = (_LUA / f"{name}.lua").read_bytes()
        super().__init__(None, source)  # type: ignore[arg-type]

    def __call__(self, keys: Any = None, args: Any = None, client: Client = None) -> Reply:
        """Return the reply of the script."""
        reached = self._servers.client if client is None else client
        return super().__call__(keys=keys, args=args, client=reached)

    def on(self, keys: Sequence[str], arguments: Sequence[Argument]) -> Command:
        """Return the command that runs the script on keys of one slot."""
        return ("EVALSHA", self.sha, len(keys), *keys, *arguments)

    def over(self, keys: Sequence[str], arguments: Sequence[Argument]) -> Command:
        """Return the command that runs the script over keys of many slots of one server.

        The script has no KEYS, since declared keys must lie in one slot. ARGV[1] is the number of
        keys, then come the keys, then `arguments`. The script needs the flag
        allow-cross-slot-keys. In a cluster no single `redis.call` may take keys of two slots. After
        such a call Valkey 9.1 refuses all scripts until it is started again.
        """
        return ("EVALSHA", self.sha, 0, len(keys), *keys, *arguments)


@dataclass(frozen=True, slots=True)
class Scripts:
    """The scripts in `lua/`. The first lines of each describe its `keys` and `args`."""

    adopt: LuaScript
    append: LuaScript
    archive: LuaScript
    beat: LuaScript
    begun: LuaScript
    claim: LuaScript
    cosign: LuaScript
    count: LuaScript
    decide: LuaScript
    decided: LuaScript
    delete: LuaScript
    ends: LuaScript
    fail: LuaScript
    fill: LuaScript
    free: LuaScript
    generation: LuaScript
    index: LuaScript
    list: LuaScript
    metadata: LuaScript
    news: LuaScript
    pending: LuaScript
    publish: LuaScript
    rouse: LuaScript
    settle: LuaScript
    snapshot: LuaScript
    sum: LuaScript
    timers: LuaScript
    tombstone: LuaScript
    totals: LuaScript
    trim: LuaScript
    unarchive: LuaScript
    wake: LuaScript

    def source(self, command: Command) -> Any:
        """Return the text of a command's script."""
        scripts: list[LuaScript] = [getattr(self, field.name) for field in fields(self)]
        return next(script.script for script in scripts if script.sha == command[1])


def first_key(command: Command) -> str:
    """Return the first key of a command, such as GET or EVALSHA."""
    place = 1
    if command[0] == "EVALSHA":
        place = 3 if command[2] else 4  # `over` has the number of keys before its keys
    return str(command[place])


def load_scripts(servers: Servers) -> Scripts:
    """Read all scripts. Their calls go to these servers."""
    return Scripts(*(LuaScript(servers, field.name) for field in fields(Scripts)))


def claim_name() -> str:
    """Return a name for a claim. A retry has the same name, and gets the same answer."""
    return secrets.token_hex(8)


def groups(answer: Sequence[Reply], size: int) -> Iterator[tuple[Reply, ...]]:
    """Return the values of an answer in groups of `size`."""
    values = iter(answer)
    return iter(lambda: tuple(itertools.islice(values, size)), ())
