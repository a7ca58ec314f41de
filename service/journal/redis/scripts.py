"""The scripts in `lua/`, and what several of them take or answer."""

import itertools
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from redis.commands.core import Script

from service.journal.redis.connection import Client, Reply
from service.journal.redis.topology import Servers

_LUA = Path(__file__).parent.parent / "lua"


class _Script(Script):
    """A script of `lua/`, sent to the server that holds its keys, or to the client of a call."""

    def __init__(self, servers: Servers, name: str) -> None:
        self._servers = servers
        source = (_LUA / f"{name}.lua").read_bytes()
        super().__init__(None, source)  # type: ignore[arg-type]

    def __call__(self, keys: Any = None, args: Any = None, client: Client = None) -> Reply:
        """Return what the script answers."""
        reached = self._servers.client if client is None else client
        return super().__call__(keys=keys, args=args, client=reached)


@dataclass(frozen=True, slots=True)
class Scripts:
    """The scripts in `lua/`; each is called with `keys` and `args` as its first lines describe."""

    adopt: Script
    append: Script
    archive: Script
    beat: Script
    begun: Script
    claim: Script
    cosign: Script
    count: Script
    decide: Script
    decided: Script
    delete: Script
    ends: Script
    fail: Script
    fill: Script
    free: Script
    generation: Script
    index: Script
    list: Script
    metadata: Script
    news: Script
    pending: Script
    publish: Script
    rouse: Script
    settle: Script
    snapshot: Script
    sum: Script
    timers: Script
    tombstone: Script
    totals: Script
    trim: Script
    unarchive: Script
    wake: Script


def load_scripts(servers: Servers) -> Scripts:
    """Return all scripts, for these servers."""
    return Scripts(*(_Script(servers, field.name) for field in fields(Scripts)))


def claim_name() -> str:
    """Return a name for a claim. A retry has the same one, and gets the same answer."""
    return secrets.token_hex(8)


def groups(answer: Sequence[Reply], size: int) -> Iterator[tuple[Reply, ...]]:
    """Return the values of an answer in groups of so many."""
    values = iter(answer)
    return iter(lambda: tuple(itertools.islice(values, size)), ())
