"""What the functions of this package work with: a client, the names of the keys, the scripts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis import Redis
from redis.commands.core import Script

from service.journal.keys import Keys

_LUA = Path(__file__).parent.parent / "lua"


@dataclass(frozen=True, slots=True)
class Scripts:
    """The scripts in `lua/`; each is called with `keys` and `args` as its first lines describe."""

    append: Script
    claim: Script
    delete: Script
    fail: Script
    free: Script
    index: Script
    pending: Script
    sidecar: Script
    snapshot: Script
    tombstone: Script
    totals: Script


class Store:
    """A Redis server that holds a journal; safe to share among threads."""

    def __init__(self, client: Redis, partitions: int) -> None:
        # The client's types allow for asyncio; here every answer is at hand.
        self.client: Any = client
        self.keys = Keys(partitions)
        self.scripts = Scripts(
            append=_register(client, "append"),
            claim=_register(client, "claim"),
            delete=_register(client, "delete"),
            fail=_register(client, "fail"),
            free=_register(client, "free"),
            index=_register(client, "index"),
            pending=_register(client, "pending"),
            sidecar=_register(client, "sidecar"),
            snapshot=_register(client, "snapshot"),
            tombstone=_register(client, "tombstone"),
            totals=_register(client, "totals"),
        )

    def pipeline(self) -> Any:
        """Return a pipeline: one round trip, no transaction."""
        return self.client.pipeline(transaction=False)

    def transaction(self) -> Any:
        """Return a pipeline whose commands are done together, and that may watch keys before."""
        return self.client.pipeline(transaction=True)

    def ask_each(
        self, command: str, keys: Sequence[str], *args: object, **options: object
    ) -> list[Any]:
        """Return the answers of one command for many keys, in one round trip."""
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
        keys, then come the keys, then `arguments`. It needs the flag allow-cross-slot-keys.
        """
        return [script(keys=[], args=[len(keys), *keys, *arguments])]


def _register(client: Redis, name: str) -> Script:
    source = (_LUA / f"{name}.lua").read_text()
    return client.register_script(source)
