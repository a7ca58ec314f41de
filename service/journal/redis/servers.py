"""The servers that hold a journal: one, or the nodes of a cluster.

`OneServer` is a server at a fixed address; `sentinel` and `cluster` have the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from redis import Redis


@dataclass(frozen=True, slots=True)
class Node:
    """One server, for questions about that server alone.

    name: host and port, "" where there is only one.
    is_master: whether it takes writes; replicas do not.
    """

    name: str
    client: Any
    is_master: bool


@dataclass(frozen=True, slots=True)
class Share:
    """Some keys, and the plain client of the server that holds all of them.

    server: host and port, "" where there is only one.
    """

    server: str
    client: Any
    keys: list[str]


class Servers(Protocol):
    """What a journal asks of its servers; safe to share among threads.

    is_cluster: whether the keys are spread over several masters.
    is_fixed: whether there is one server, whose place never changes.
    """

    is_cluster: bool
    is_fixed: bool

    @property
    def client(self) -> Any:
        """The client that finds the server of every key, also within a pipeline."""

    def shares(self, keys: Sequence[str]) -> list[Share]:
        """Return the keys by the server that holds them, in their order."""

    def nodes(self) -> list[Node]:
        """Return every server, masters first."""

    def listener(self, server: str) -> Any:
        """Return a client of a server for its messages, to be closed by the caller.

        No look at a cluster breaks its connections.
        """

    def look_anew(self) -> None:
        """Learn which server holds what."""

    def close(self) -> None:
        """Close all connections."""


class OneServer:
    """One server, that holds everything."""

    is_cluster = False
    is_fixed = True

    def __init__(self, client: Redis) -> None:
        # The client's types allow for asyncio; here every answer is at hand.
        self._client: Any = client

    @property
    def client(self) -> Any:
        """The client of the server."""
        return self._client

    def shares(self, keys: Sequence[str]) -> list[Share]:
        """Return all keys together."""
        return [Share("", self._client, list(keys))] if keys else []

    def nodes(self) -> list[Node]:
        """Return the server."""
        return [Node("", self._client, is_master=True)]

    def listener(self, server: str) -> Any:  # noqa: ARG002 - there is only one
        """Return the client of the server; closing it closes nothing that others use."""
        return self._client

    def look_anew(self) -> None:
        """Do nothing: the server stays where it is."""

    def close(self) -> None:
        """Close all connections."""
        self._client.connection_pool.disconnect()
