"""URLs of Redis servers: check and parse them, and mask their passwords.

A URL names one server, nodes of a Redis Cluster, or the Sentinels that know the current server:

    redis://user:password@host:6379/0
    redis+cluster://user:password@host:7000,host:7001
    redis+sentinel://user:password@host:26379,host:26380/service/0
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, unquote_plus, urlencode, urlsplit, urlunsplit

from redis.connection import URL_QUERY_ARGUMENT_PARSERS, SSLConnection, parse_url
from redis.exceptions import RedisError
from redis.sentinel import MasterNotFoundError, Sentinel

SCHEMES = ("redis", "rediss", "unix")
CLUSTER = "cluster"
SENTINEL = "sentinel"
HIDDEN = "***"

_PLAIN_SCHEMES = ("redis", "rediss")
_PORTS = {CLUSTER: 6379, SENTINEL: 26379}  # defaults
_SENTINEL_OPTION = "sentinel_"  # prefix of options for connections to the Sentinels themselves


class HostPort(NamedTuple):
    """The host and port of a server."""

    host: str
    port: int


class ServerGroup(NamedTuple):
    """The parts of a URL of several servers.

    places: some nodes of the cluster, or the Sentinels.
    service: the Sentinels' name for the server, "" in a cluster.
    url: a plain URL with user, password, database and options. Its host does not matter.
    sentinel_options: options of connections to the Sentinels themselves, such as a password.
    """

    places: tuple[HostPort, ...]
    service: str
    url: str
    sentinel_options: dict[str, str]


def kind_of(url: str) -> str:
    """Return CLUSTER, SENTINEL, or "" for the URL of one server."""
    plain_scheme, plus, kind = url.partition("://")[0].partition("+")
    is_kind = plus and plain_scheme in _PLAIN_SCHEMES and kind in (CLUSTER, SENTINEL)
    return kind if is_kind else ""


def check(url: str) -> None:
    """Raise ValueError, with the right form, unless a URL names one server or several."""
    if kind_of(url):
        _check_options(read_many(url).url)
        return

    combined = [f"{one}+{kind}" for kind in (CLUSTER, SENTINEL) for one in _PLAIN_SCHEMES]
    check_plain(url, (*SCHEMES, *combined))


def check_queue(url: str) -> None:
    """Raise ValueError unless a URL names one server, or the Sentinels of one server."""
    if kind_of(url) == SENTINEL:
        check(url)
        return

    watched = [f"{one}+{SENTINEL}" for one in _PLAIN_SCHEMES]
    check_plain(url, (*SCHEMES, *watched))


def check_plain(url: str, schemes: Sequence[str] = SCHEMES) -> None:
    """Raise ValueError, with the right form, unless a URL names one server.

    The error does not repeat the URL.   schemes: schemes to name in the error.
    """
    if url.partition("://")[0] not in SCHEMES:
        beginnings = [f"{scheme}://" for scheme in schemes]
        raise ValueError(f"must begin with {', '.join(beginnings)}")

    try:
        _ = urlsplit(url).port
    except ValueError:
        # A password that is not quoted ends up as part of the port.
        example = (
            "such as redis://:password@10.0.0.1:6379/0, with /, ?, # and @ in a password as %XX"
        )
        raise ValueError(f"must name host and port, {example}") from None
    _check_options(url)


def _check_options(url: str) -> None:
    """Raise ValueError if an option in the query of a plain URL has a wrong value."""
    readers: Mapping[str, Callable[[str], object]] = URL_QUERY_ARGUMENT_PARSERS  # type: ignore[assignment]
    for name, text in parse_qsl(urlsplit(url).query):
        reader = readers.get(name)
        try:
            if reader is not None:
                reader(text)
        except (ValueError, TypeError):
            raise ValueError(f"must have another value for its option {name}") from None


def read_many(url: str) -> ServerGroup:
    """Return the parts of the URL of a cluster, or of Sentinels.

    Raises ValueError with the right form. The error does not repeat the URL.
    """
    kind = kind_of(url)
    scheme, _, rest = url.partition("://")
    place_text, _, query = rest.partition("?")
    user_part, at_sign, host_part = place_text.rpartition("@")
    hosts, _, path = host_part.partition("/")

    places = tuple(_place(text, _PORTS[kind]) for text in hosts.split(","))
    service, _, database = path.partition("/")
    if kind == CLUSTER and path.strip("/"):
        raise ValueError("must not name a database: a cluster has only one")
    if kind == SENTINEL and not service:
        raise ValueError("must end with the service's name, such as /journal")
    if database and not database.isdecimal():
        raise ValueError("must name the database by its number, such as /journal/0")

    options = parse_qsl(query, keep_blank_values=True)
    own_options = [(name, text) for name, text in options if not _is_sentinels(name)]
    question = f"?{urlencode(own_options)}" if own_options else ""
    plain_scheme = scheme.partition("+")[0]
    return ServerGroup(
        places=places,
        service=unquote(service),
        url=f"{plain_scheme}://{user_part}{at_sign}localhost/{database}{question}",
        sentinel_options={
            name.removeprefix(_SENTINEL_OPTION): text
            for name, text in options
            if _is_sentinels(name)
        },
    )


def _is_sentinels(option: str) -> bool:
    return option.startswith(_SENTINEL_OPTION)


def _place(text: str, usual_port: int) -> HostPort:
    """Return the host and port in a text. Raises ValueError."""
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port or usual_port
    except ValueError:
        host, port = None, 0

    if not host:
        raise ValueError("must name hosts and ports, such as 10.0.0.1:7000,10.0.0.2:7000")
    return HostPort(host, port)


# ---- connections ---------------------------------------------------------------------------------


def options_of(many: ServerGroup, usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return user, password, TLS and other options of the URL of several servers.

    usual: defaults of the options.
    """
    parsed: dict[str, Any] = parse_url(many.url)  # type: ignore[no-untyped-call]
    options = {**usual, **parsed}
    for name in ("host", "port"):
        options.pop(name, None)
    if options.pop("connection_class", None) is SSLConnection:
        options["ssl"] = True
    return options


def sentinels_of(many: ServerGroup, options: Mapping[str, Any], usual: Mapping[str, Any]) -> Any:
    """Return the Sentinels of a URL, as redis-py's `Sentinel`, which has no types.

    options: options of the watched server. Its TLS options hold for the Sentinels, too.
    usual: defaults of the options.
    """
    of_tls = {name: value for name, value in options.items() if name[:3] == "ssl"}
    sentinels: Any = _Sentinels
    return sentinels(many.places, sentinel_kwargs={**usual, **of_tls, **many.sentinel_options})


class _Sentinels(Sentinel):
    """The Sentinels, with an error that names their addresses and no options.

    The error of redis-py names all options of the connections, in some releases even passwords.
    """

    def discover_master(self, service_name: str) -> Any:
        """Return host and port of the master. Raises MasterNotFoundError."""
        try:
            return super().discover_master(service_name)  # type: ignore[no-untyped-call]
        except MasterNotFoundError:
            kwargs = [sentinel.connection_pool.connection_kwargs for sentinel in self.sentinels]
            places = ", ".join(f"{one['host']}:{one['port']}" for one in kwargs)
            raise MasterNotFoundError(
                f"none of the Sentinels {places} knows a master of {service_name}{self._reason()}"
            ) from None

    def _reason(self) -> str:
        """Return the error of the first Sentinel, "" if it answers."""
        try:
            self.sentinels[0].ping()
        except RedisError as error:
            return f": {error}"
        return ""


# ---- texts ---------------------------------------------------------------------------------------


def beside(url: str) -> str:
    """Return the URL of database 1 on the same server, the default place of the queues.

    "" without a URL.
    """
    if not url:
        return ""

    parts = urlsplit(url)
    query = [(name, value) for name, value in parse_qsl(parts.query) if name != "db"]
    if parts.scheme == "unix":
        # The path names the socket, so the query names the number of the database.
        with_database = urlencode([*query, ("db", "1")])
        return f"unix://{parts.netloc}{parts.path}?{with_database}"

    return urlunsplit(parts._replace(path="/1", query=urlencode(query)))


def mask(url: str) -> str:
    """Return a URL with *** in place of each password.

    Redis clients read a password before the host and in the query. In an improper URL, rather too
    much is masked than too little.
    """
    scheme, separator, rest = url.partition("://")
    place, question_mark, query = rest.partition("?")
    pairs = [_mask_pair(pair) for pair in query.split("&")]
    masked = place + question_mark + "&".join(pairs)

    # The last @ ends the user's part, since an unquoted password may contain @, / or ?.
    user_part, at_sign, host_part = masked.rpartition("@")
    if ":" in user_part:
        user = user_part.partition(":")[0]
        masked = f"{user}:{HIDDEN}{at_sign}{host_part}"

    return scheme + separator + masked


def _mask_pair(pair: str) -> str:
    """Return a query's name=value, with *** if the name is a password's, as `ssl_password`."""
    name = pair.partition("=")[0]
    is_password = "pass" in unquote_plus(name).lower()
    return f"{name}={HIDDEN}" if is_password else pair
