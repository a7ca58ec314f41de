"""Replicas are asked to confirm what was written (GIORNALE_REPLICAS).

Redis copies to replicas after it has answered. So a write counts as done only when WAITAOF, on the
connection that made it, says that the server and enough replicas have it on their disks. A server
without WAITAOF (Redis before 7.2) has WAIT, which says that enough replicas have it in memory.

WAIT comes before WAITAOF as well: each of the two has the server ask its replicas how far they are,
and at the first question they have not synced yet. Without the second they would tell no sooner
than at their report of every second.
"""

from collections.abc import Sequence
from typing import Any

from redis.commands.core import Script
from redis.exceptions import NoScriptError

from service.journal.errors import Unconfirmed
from service.journal.redis.connection import follows_moves
from service.journal.redis.direct import Meanwhile
from service.journal.redis.store import Store

CONFIRM_MS = 2000  # for so long replicas may take


def write(
    store: Store,
    script: Script,
    keys: Sequence[str],
    arguments: Sequence[Any],
    meanwhile: Meanwhile | None = None,
) -> Any:
    """Return what a script answers that changes one match, once replicas have confirmed it.

    meanwhile: called while the answer is awaited, if one server holds the journal.
    A refusal has written nothing, so it needs no replica. Raises Unconfirmed.
    """
    if not store.replicas:
        if store.direct is not None:
            return store.direct.run(script, keys, arguments, meanwhile)
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
