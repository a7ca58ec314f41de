"""What the environment says, checked as a whole before anything starts (docs/operations.md lists every variable)."""

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit, urlunsplit

from service.environment import PREFIX, ours, unknown

SCHEMES = ("redis", "rediss", "unix")
FOLLOWS = {
    "queue_url": "journal_url",
    "address_limit": "rate_limit",
    "secret": "data",
}  # where they are not set
ADDRESS_SHARES = (
    4  # limits of one token that all callers of one address have together, unless told otherwise
)


class ConfigError(Exception):
    """All that is wrong with the environment; `problems` holds a sentence each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def beside(url: str) -> str:
    """Return the URL of database 1 on the same server ("" for none): where the queues are unless told otherwise."""
    if not url:
        return ""
    parts = urlsplit(url)
    query = [pair for pair in parse_qsl(parts.query) if pair[0] != "db"]
    if parts.scheme == "unix":
        return f"unix://{parts.netloc}{parts.path}?{urlencode([*query, ('db', '1')])}"
    return urlunsplit(parts._replace(path="/1", query=urlencode(query)))


def mask(url: str) -> str:
    """Return the URL with *** for a password, wherever Redis clients look for one.

    It may stand before the host or in the query. What is no proper URL is masked rather too much than too little.
    """
    scheme, slashes, rest = url.partition("://")
    place, mark, query = rest.partition("?")
    shown = place + mark + "&".join(map(_masked, query.split("&")))

    # The last @ ends the user's part: a password that should have been quoted may hold one, or a / or a ?.
    user, at, host = shown.rpartition("@")
    if ":" in user:
        shown = f"{user.partition(':')[0]}:***{at}{host}"
    return scheme + slashes + shown


def _masked(pair: str) -> str:
    """Return one name=value of a query with *** for the value of a password, such as `ssl_password`."""
    name = pair.partition("=")[0]
    return f"{name}=***" if "pass" in unquote_plus(name).lower() else pair


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,12}", text) or not least <= int(text) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(text)

    return read


def _number_or_none(least: int, most: int) -> Callable[[str], int | None]:
    read = _number(least, most)
    return lambda text: read(text) if text else None


def _flag(text: str) -> bool:
    if text.lower() not in {"1", "true", "yes", "on", "0", "false", "no", "off"}:
        raise ValueError("must be true or false")
    return text.lower() in {"1", "true", "yes", "on"}


def _url(text: str) -> str:
    if text and urlsplit(text).scheme not in SCHEMES:
        raise ValueError(f"must begin with {', '.join(f'{scheme}://' for scheme in SCHEMES)}")
    return text


def _level(text: str) -> str:
    if text.upper() not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
        raise ValueError("must be debug, info, warning or error")
    return text.upper()


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(text.split())
    for origin in origins:
        if not re.fullmatch(r"\*|https?://[^/\s]+", origin):
            raise ValueError(
                "must be origins such as https://example.org, separated by spaces, or *"
            )
    return origins


def _hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(text.lower().split())
    for host in hosts:
        if not re.fullmatch(r"\*|[\w.-]+|\[[0-9a-f:.]+\]", host):
            raise ValueError(
                "must be host names without ports, such as play.example.org or [::1], or *"
            )
    return hosts


def _networks(text: str) -> tuple[str, ...]:
    networks = tuple(text.split())
    for network in networks:
        try:
            ipaddress.ip_network(network)
        except ValueError:
            expected = "addresses and networks such as 10.0.0.1 or 10.0.0.0/8, separated by spaces"
            raise ValueError(f"must be {expected}") from None
    return networks


def _path_prefix(text: str) -> str:
    if text and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", text):
        raise ValueError("must be a path without a slash at its end, such as /giornale")
    if re.search(r"/\.\.?(/|$)", text):
        raise ValueError("must hold no . or .. as a step")
    return text


def _secret(text: str) -> str:
    if text and len(text.encode()) < 32:
        raise ValueError("must have at least 32 bytes")
    return text


def _host(text: str) -> str:
    if not text or not re.fullmatch(r"[\w.:-]+", text):
        raise ValueError("must be a host name or an address")
    return text


def _or(default: str, read: Callable[[str], Any]) -> dict[str, Any]:
    """Return the metadata of a field whose variable is read by `read`, or has this default."""
    return {"default": default, "read": read}


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting of the service; the field `port` comes from GIORNALE_PORT, and so on."""

    journal_url: str = field(metadata=_or("", _url), repr=False)
    queue_url: str = field(metadata=_or("", _url), repr=False)
    data: Path = field(metadata=_or("./var", lambda text: Path(text).absolute()))
    host: str = field(metadata=_or("127.0.0.1", _host))
    port: int = field(metadata=_or("8000", _number(0, 65535)))
    allow_seed: bool = field(metadata=_or("false", _flag))
    operator_token: str = field(metadata=_or("", _secret), repr=False)
    unsafe_journal: bool = field(metadata=_or("false", _flag))
    maxmemory_mb: int = field(metadata=_or("0", _number(0, 10**9)))
    partitions: int = field(metadata=_or("256", _number(1, 4096)))
    web_workers: int = field(metadata=_or("1", _number(1, 64)))
    web_threads: int = field(metadata=_or("8", _number(1, 256)))
    streams: int = field(metadata=_or("512", _number(1, 2000)))
    streams_each: int = field(metadata=_or("256", _number(1, 2000)))
    heartbeat: int = field(metadata=_or("5", _number(1, 300)))
    rate_limit: int = field(metadata=_or("60000", _number(0, 10**9)))
    address_limit: int = field(metadata=_or("", _number_or_none(0, 10**9)))
    openings: int = field(metadata=_or("60", _number(0, 10**6)))
    exhibitions: int = field(metadata=_or("20", _number(0, 10**6)))
    max_body: int = field(metadata=_or("65536", _number(1024, 16 * 1024 * 1024)))
    max_depth: int = field(metadata=_or("16", _number(4, 64)))
    page_max: int = field(metadata=_or("500", _number(10, 5000)))
    log_level: str = field(metadata=_or("info", _level))
    cors_origins: tuple[str, ...] = field(metadata=_or("", _origins))
    allowed_hosts: tuple[str, ...] = field(metadata=_or("", _hosts))
    trusted_proxies: tuple[str, ...] = field(metadata=_or("", _networks))
    path_prefix: str = field(metadata=_or("", _path_prefix))
    secret: str = field(metadata=_or("", _secret), repr=False)
    keeper_after_ms: int = field(metadata=_or("1000", _number(100, 60_000)))
    expire_open_hours: int = field(metadata=_or("168", _number(0, 10**6)))
    expire_running_hours: int = field(metadata=_or("2160", _number(0, 10**6)))

    @classmethod
    def load(
        cls,
        environ: Mapping[str, str],
        *,
        connected: bool = False,
        options: Mapping[str, str] | None = None,
    ) -> Self:
        """Return the checked configuration; raises ConfigError with every problem at once.

        connected: the journal's URL must be given, as everywhere but for `giornale serve` with its bundled server.
        options: what the command line says, by name as in `port`; it overrules the environment.
        """
        values: dict[str, Any] = {}
        settings = ours(environ)
        options = {name: text for name, text in (options or {}).items() if text.strip()}
        known = {PREFIX + one.name.upper(): one for one in fields(cls)}
        problems = [unknown(name, known) for name in settings if name not in known]

        for name, one in known.items():
            text = options.get(one.name) or settings.get(name) or one.metadata["default"]
            try:
                values[one.name] = one.metadata["read"](text.strip())
            except ValueError as error:
                problems.append(f"{option_name(one.name) if one.name in options else name} {error}")

        if connected and PREFIX + "JOURNAL_URL" not in settings:
            problems.append(
                f"{PREFIX}JOURNAL_URL is needed: only `giornale serve` brings a server of its own"
            )
        if problems:
            raise ConfigError(problems)
        values["queue_url"] = values["queue_url"] or beside(values["journal_url"])
        if values["address_limit"] is None:
            values["address_limit"] = ADDRESS_SHARES * values["rate_limit"]
        return cls(**values)

    def environment(self) -> dict[str, str]:
        """Return the variables that make this configuration, secret and all."""
        return {PREFIX + one.name.upper(): _text(getattr(self, one.name)) for one in fields(self)}

    def shown(self) -> dict[str, str]:
        """Return the variables with every password, the secret and the operator's token masked."""
        shown = {name: mask(value) for name, value in self.environment().items()}
        shown[PREFIX + "SECRET"] = "(set)" if self.secret else "(in a file)"
        shown[PREFIX + "OPERATOR_TOKEN"] = "(set)" if self.operator_token else ""
        return shown

    def sources(self, environ: Mapping[str, str], options: Mapping[str, str]) -> dict[str, str]:
        """Return where the value of each variable is from, for the environment and options that it was loaded from.

        This is "command line", "environment", "default", or the name of the variable that the value follows from.
        """
        settings = ours(environ)
        followed = {
            name: leader
            for name, leader in FOLLOWS.items()
            if getattr(self, name) != "" or name == "secret"
        }

        def source(name: str) -> str:
            if options.get(name, "").strip():
                return "command line"
            if PREFIX + name.upper() in settings:
                return "environment"
            return PREFIX + followed[name].upper() if name in followed else "default"

        return {PREFIX + one.name.upper(): source(one.name) for one in fields(self)}


def option_name(setting: str) -> str:
    """Return how the command line names a setting: --port for `port`."""
    return f"--{setting.replace('_', '-')}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(value) if isinstance(value, tuple) else str(value)
