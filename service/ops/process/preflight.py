"""Checked before anything starts: a free address, and a journal that is safe and of this layout.

The web process may start before, while the bundled server loads. It touches no journal as long as
there is a note that it is unchecked.
"""

import os
import random
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import click
from redis.exceptions import AuthenticationError, BusyLoadingError

from service.api.health import foreign_rules
from service.base.config import Config
from service.base.redis_urls import mask
from service.matches.context import MatchCache
from service.record.tlog.proof import BadProof, read_policy_to_ask
from service.store.journal.errors import (
    JournalFull,
    JournalUnavailable,
    JournalUnusable,
    TooFewReplicas,
)
from service.store.journal.redis import open_journal

_UNCHECKED = "unchecked"

REPLICA_SECONDS = 60.0  # for replicas to be in step; a first copy of a large journal takes longer
_PAUSE_SECONDS = 0.2


def unchecked_note(pipe: Path | str) -> Path:
    """Return the file that is there until the journal was checked.

    pipe: that of the heartbeats, beside which it lies.
    """
    return Path(pipe).with_name(_UNCHECKED)


class _Behind(Exception):
    """Too few replicas of the journal are in step; the message says so in a sentence."""


class Unsafe(Exception):
    """The journal cannot be used; the message holds a sentence a line."""


def check(
    config: Config, patience_s: float = 0.0, is_stopping: Callable[[], bool] = lambda: False
) -> str:
    """Return what is worth a warning, "" for nothing.

    Raise Unsafe if the journal cannot be reached, or may lose matches; also for a bad policy.

    patience_s: how long to wait for replicas, which are not in step for a while after their start.
    is_stopping: returns True if the process is to end, and then nothing is waited for.
    """
    ends = monotonic() + patience_s
    is_told = False
    while True:
        try:
            return _check(config)
        except _Behind as behind:
            if monotonic() >= ends or is_stopping():
                raise Unsafe(str(behind)) from None
            if not is_told:
                click.echo(f"{behind} They are waited for.", err=True)
                is_told = True
        sleep(_PAUSE_SECONDS)


def _check(config: Config) -> str:
    """Check once, and return what is worth a warning.

    Raises Unsafe, and _Behind while too few replicas are in step.

    A journal that may lose matches is used all the same if GIORNALE_UNSAFE_JOURNAL is set, but
    never a replica or a server that is too old: nothing could be written there.

    A journal of an earlier release is given the indexes that it lacks. A full one stays as it is:
    its matches can be read and deleted, and the next start tries again.
    """
    _check_policy(config)
    journal = open_journal(
        config.journal_url,
        config.partitions,
        config.replicas,
        declared_durable=config.durable_journal,
    )

    try:
        problems = journal.server.check()
        if problems and not config.unsafe_journal:
            advice = "set GIORNALE_UNSAFE_JOURNAL=1 to run in spite of that"
            raise Unsafe("\n".join([*problems, advice]))

        with suppress(JournalFull):
            journal.server.upgrade()
        return foreign_rules.in_journal(journal, MatchCache())
    except JournalUnusable as error:
        raise Unsafe(str(error)) from None
    except TooFewReplicas as error:
        raise _Behind(f"Too few replicas of the journal are in step: {error}.") from None
    except JournalUnavailable as error:
        raise Unsafe(_reason(error, mask(config.journal_url))) from None
    finally:
        journal.close()


def _check_policy(config: Config) -> None:
    """Raise Unsafe if the witnesses that the settings name cannot be asked."""
    if not config.log_policy:
        return
    try:
        read_policy_to_ask(Path(config.log_policy))
    except BadProof as error:
        raise Unsafe(f"GIORNALE_LOG_POLICY: {error}") from None


def _reason(error: JournalUnavailable, url: str) -> str:
    """Return what keeps a journal from being used; url: where it is, without its password."""
    cause = error.__cause__

    if isinstance(cause, AuthenticationError):
        return f"the journal at {url} refuses the user or the password in GIORNALE_JOURNAL_URL"
    if isinstance(cause, BusyLoadingError):
        return f"the journal at {url} is being loaded by its server: try again in a while"
    if str(cause).startswith("MISCONF"):
        return f"the server of the journal at {url} cannot write to its disk: {cause}"
    return f"cannot reach the journal at {url}: {error}"


# ---- whether the address is free -----------------------------------------------------------------


class PortTaken(Exception):
    """The address cannot be listened on; the message says why."""


# Systems take the ports of outgoing connections from higher ranges. A port from there could go to
# such a connection before the server listens. A client that tries the port could even get it as its
# own and be connected to itself.
CHOSEN_PORTS = range(10_000, 20_000)
_MOST_TRIES = 100


def free_port(host: str, port: int) -> int:
    """Return the port, or a free one of CHOSEN_PORTS for 0; raises PortTaken.

    Web processes share a port with all that ask for it (SO_REUSEPORT), so it is tried before.
    """
    if port:
        return _tried_port(host, port)

    for candidate in random.sample(CHOSEN_PORTS, _MOST_TRIES):
        with suppress(PortTaken):
            return _tried_port(host, candidate)
    return _tried_port(host, 0)


def _tried_port(host: str, port: int) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET

    try:
        socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)
        with socket.create_server((host, port), family=family) as probe:
            return int(probe.getsockname()[1])
    except socket.gaierror as error:  # its numbers are not those of the system's other errors
        reason = (error.strerror or str(error)).lower()
        raise PortTaken(f"GIORNALE_HOST: cannot listen on {host}: {reason}") from None
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise PortTaken(f"cannot listen on {host}:{port}: {reason}") from None
