"""A server that Sentinels watch over: they say which of several servers is the master now."""

from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from redis.sentinel import MasterNotFoundError, Sentinel

from service.journal.redis.cluster import options_of
from service.journal.redis.connection import OPTIONS, no_retry
from service.journal.redis.servers import Node, OneServer
from service.redis_urls import Many

_CONNECTIONS = 1024  # at most; a thread uses one at a time


class _Sentinels(Sentinel):
    """The Sentinels, whose error names them and nothing else.

    That of redis-py tells all options of their connections, passwords too in some releases.
    """

    def discover_master(self, service_name: str) -> Any:
        """Return host and port of the master; raises MasterNotFoundError."""
        try:
            return super().discover_master(service_name)  # type: ignore[no-untyped-call]
        except MasterNotFoundError:
            kwargs = [sentinel.connection_pool.connection_kwargs for sentinel in self.sentinels]
            places = ", ".join(f"{one['host']}:{one['port']}" for one in kwargs)
            raise MasterNotFoundError(
                f"none of the Sentinels {places} knows a master of {service_name}{self._reason()}"
            ) from None

    def _reason(self) -> str:
        """Return why the first Sentinel tells nothing, such as a wrong password, "" if it does."""
        try:
            self.sentinels[0].ping()
        except RedisError as error:
            return f": {error}"
        return ""


class Watched(OneServer):
    """The master of a service; each new connection asks the Sentinels where it is.

    A connection to a master that was made a replica is closed at its first refusal to write, and
    the write counts as unanswered.
    """

    is_fixed = False

    def __init__(self, many: Many) -> None:
        self._options = options_of(many)
        own_options = {name: value for name, value in self._options.items() if name[:3] == "ssl"}
        sentinels: Any = _Sentinels  # redis-py gives it no types
        self._sentinel = sentinels(
            many.places,
            sentinel_kwargs=OPTIONS | own_options | {"retry": no_retry()} | many.sentinel_options,
        )
        self._service = many.service
        client = self._sentinel.master_for(
            many.service,
            max_connections=_CONNECTIONS,
            retry=no_retry(),
            **self._options,
        )
        super().__init__(client)

    def nodes(self) -> list[Node]:
        """Return the master, and the replicas that the Sentinels hold for alive."""
        host, port = self._sentinel.discover_master(self._service)
        replicas = [
            Node(f"{address}:{number}", self._plain_client(address, number), is_master=False)
            for address, number in self._sentinel.discover_slaves(self._service)
        ]
        return [Node(f"{host}:{port}", self.client, is_master=True), *replicas]

    def close(self) -> None:
        """Close all connections."""
        super().close()
        self._sentinel.close()

    def _plain_client(self, host: str, port: int) -> Redis:
        return Redis(host=host, port=port, retry=no_retry(), **self._options)
