"""Checks before the start: a free address, and a safe journal of a known layout.

A web process may start before the check of the journal, while the bundled server loads. The process
does not use the journal while the note about an unchecked journal exists.
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

from domain.games import faults as games_faults
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

REPLICA_SECONDS = 60.0  # longest wait for replicas. The first copy of a large journal takes longer
_PAUSE_SECONDS = 0.2


def unchecked_note(pipe: Path | str) -> Path:
    """Return the path of the note about an unchecked journal.

    pipe: path of the heartbeats' pipe. The note lies beside the pipe.
    """
    return Path(pipe).with_name(_UNCHECKED)


class _Behind(Exception):
    """Too few replicas of the journal are in step. The message is a sentence."""


class Unsafe(Exception):
    """The journal, or the policy for witnesses, cannot be used. The message may have many lines."""


def check(
    config: Config, patience_s: float = 0.0, is_stopping: Callable[[], bool] = lambda: False
) -> str:
    """Check journal and policy. Return a warning, "" for none.

    Raises Unsafe for a journal that cannot be reached or may lose matches, and for a bad policy.

    patience_s: time to wait for replicas. Replicas are out of step for a while after their start.
    is_stopping: returns True if the process is to end. The check then stops waiting.
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
                click.echo(f"{behind} Waiting for them.", err=True)
                is_told = True
        sleep(_PAUSE_SECONDS)


def _check(config: Config) -> str:
    """Check once. Return a warning, "" for none.

    Raises Unsafe. Raises _Behind while too few replicas are in step.

    GIORNALE_UNSAFE_JOURNAL allows a journal that may lose matches. The setting never allows a
    server that cannot hold a journal, such as a replica or too old a server, or a journal of a
    later release or with another number of partitions.

    A journal of an earlier release gets its missing indexes. A full journal stays as it is: its
    matches can be read and deleted, and the next start tries again.
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
            advice = "set GIORNALE_UNSAFE_JOURNAL=1 to run anyway"
            raise Unsafe("\n".join([*problems, advice]))

        with suppress(JournalFull):
            journal.server.upgrade()
        warnings = (games_faults(), foreign_rules.in_journal(journal, MatchCache()))
        return ". ".join(filter(None, warnings))
    except JournalUnusable as error:
        raise Unsafe(str(error)) from None
    except TooFewReplicas as error:
        raise _Behind(f"Too few replicas of the journal are in step: {error}.") from None
    except JournalUnavailable as error:
        raise Unsafe(_reason(error, mask(config.journal_url))) from None
    finally:
        journal.close()


def _check_policy(config: Config) -> None:
    """Raise Unsafe if the policy in the settings is unusable for requests to witnesses."""
    if not config.log_policy:
        return
    try:
        read_policy_to_ask(Path(config.log_policy))
    except BadProof as error:
        raise Unsafe(f"GIORNALE_LOG_POLICY: {error}") from None


def _reason(error: JournalUnavailable, url: str) -> str:
    """Return the reason of an unusable journal.

    url: address of the journal without the password.
    """
    cause = error.__cause__

    if isinstance(cause, AuthenticationError):
        return f"the journal at {url} refuses the user or the password in GIORNALE_JOURNAL_URL"
    if isinstance(cause, BusyLoadingError):
        return f"the journal at {url} is loading. Try again later"
    if str(cause).startswith("MISCONF"):
        return f"the server of the journal at {url} cannot write to its disk: {cause}"
    return f"cannot reach the journal at {url}: {error}"


# ---- a free address ------------------------------------------------------------------------------


class PortTaken(Exception):
    """The address cannot be listened on, for the reason in the message."""


# Systems take the ports of outgoing connections from higher ranges. So a port from there may be in
# use before the server listens, even by a client that tries to reach the server: the client would
# then be connected to itself.
CHOSEN_PORTS = range(10_000, 20_000)
_MOST_TRIES = 100


def free_port(host: str, port: int) -> int:
    """Return the port, or for 0 a free one of CHOSEN_PORTS. Raises PortTaken.

    If _MOST_TRIES random ports are taken, the system chooses any free port.

    Web processes share their port with other listeners (SO_REUSEPORT), and so would not notice a
    taken port. So the port is tried first without sharing.
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
    except socket.gaierror as error:  # its numbers are no errno
        reason = (error.strerror or str(error)).lower()
        raise PortTaken(f"GIORNALE_HOST: cannot listen on {host}: {reason}") from None
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise PortTaken(f"cannot listen on {host}:{port}: {reason}") from None
