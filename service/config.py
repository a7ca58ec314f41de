"""The settings, checked as a whole before anything starts (docs/operations.md lists them)."""

import difflib
import ipaddress
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from service import setting_values as read
from service.redis_urls import beside, kind_of, mask

# §§§ service.config
# Which variables are settings: those of Kubernetes are left out, misspelled ones named.


PREFIX = "GIORNALE_"

# No setting of ours: prometheus_client looks here for the directory that processes share.
METRICS_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"

# No setting either: commands take it where --token is not given.
TOKEN = "GIORNALE_TOKEN"  # noqa: S105 - the name of a variable

# How alike two names must be, from 0 to 1, to suggest one in place of the other.
_LEAST_LIKENESS = 0.7

_PROTOCOLS = ("tcp", "udp", "sctp")
_ADDRESS_AND_PORT = re.compile(r"(\[[0-9a-fA-F:.]+\]|[0-9a-fA-F:.]+):([0-9]+)")
_PORT = re.compile(r"[0-9]{1,5}")
_HIGHEST_PORT = 65535


def own_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of an environment by their variables' names.

    An empty value is left out.
    """
    left_out = {TOKEN, *injected(environ)}
    settings: dict[str, str] = {}

    for name in sorted(environ):
        value = environ[name].strip()
        if name.startswith(PREFIX) and value and name not in left_out:
            settings[name] = value

    return settings


def unknown_setting(name: str, known: Collection[str]) -> str:
    """Return the sentence about a name that is no setting, with the one that was meant, if any."""
    sentence = f"{name} is not a setting of Giornale"
    short_names = [one.removeprefix(PREFIX) for one in known]
    alike = difflib.get_close_matches(
        name.removeprefix(PREFIX), short_names, n=1, cutoff=_LEAST_LIKENESS
    )

    if not alike:
        return sentence
    return f"{sentence}; did you mean {PREFIX}{alike[0]}?"


def injected(environ: Mapping[str, str]) -> list[str]:
    """Return the names of the variables that Kubernetes set for a Service.

    Name and value must both fit.
    """
    return sorted(name for name, value in environ.items() if _is_injected(name, value.strip()))


def _is_injected(name: str, value: str) -> bool:
    return any(form.fullmatch(name) and fits(value) for form, fits in _INJECTED)


def _is_port(text: str) -> bool:
    return _PORT.fullmatch(text) is not None and 1 <= int(text) <= _HIGHEST_PORT


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_protocol(text: str) -> bool:
    return text in _PROTOCOLS


def _is_url(text: str) -> bool:
    """Return whether a text is the URL of a port, such as tcp://10.0.0.1:8000."""
    scheme, _, place = text.partition("://")
    parts = _ADDRESS_AND_PORT.fullmatch(place)
    if scheme not in _PROTOCOLS or parts is None:
        return False

    address, port = parts.groups()
    return _is_address(address.strip("[]")) and _is_port(port)


# Kubernetes tells each container of the Services beside it, in variables named after the Service:
# https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
_SERVICE = r"GIORNALE(?:_[A-Z0-9]+)*"  # a Service of the name `giornale` or `giornale-...`
_PROTOCOL = "|".join(_PROTOCOLS).upper()
_PORT_NAME = rf"{_SERVICE}_PORT_[0-9]+_(?:{_PROTOCOL})"

_INJECTED = (
    (re.compile(rf"{_SERVICE}_SERVICE_HOST"), _is_address),
    (re.compile(rf"{_SERVICE}_SERVICE_PORT(?:_[A-Z0-9]+)*"), _is_port),
    (re.compile(rf"{_SERVICE}_PORT"), _is_url),
    (re.compile(_PORT_NAME), _is_url),
    (re.compile(rf"{_PORT_NAME}_PROTO"), _is_protocol),
    (re.compile(rf"{_PORT_NAME}_PORT"), _is_port),
    (re.compile(rf"{_PORT_NAME}_ADDR"), _is_address),
)


# §§§ service.config


# A setting that is not given follows from another one.
FOLLOWS = {
    "queue_url": "journal_url",
    "address_limit": "rate_limit",
    "secret": "data",
    "archive": "data",
}

# All callers of one address together have this many limits of one token, unless
# GIORNALE_ADDRESS_LIMIT is set.
ADDRESS_SHARES = 4

Options = Mapping[str, str]


class ConfigError(Exception):
    """All that is wrong with the settings; `problems` holds a sentence each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def _setting(default: str, reader: Callable[[str], Any]) -> dict[str, Any]:
    """Return the metadata of a field: its default as a text, and what makes a value of a text."""
    return {"default": default, "read": reader}


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting of the service; the field `port` comes from GIORNALE_PORT, and so on."""

    journal_url: str = field(metadata=_setting("", read.journal_url), repr=False)
    queue_url: str = field(metadata=_setting("", read.redis_url), repr=False)
    data: Path = field(metadata=_setting("./var", read.directory))
    host: str = field(metadata=_setting("127.0.0.1", read.listening_host))
    port: int = field(metadata=_setting("8000", read.number(0, 65535)))
    allow_seed: bool = field(metadata=_setting("false", read.flag))
    operator_token: str = field(metadata=_setting("", read.secret), repr=False)
    unsafe_journal: bool = field(metadata=_setting("false", read.flag))
    maxmemory_mb: int = field(metadata=_setting("0", read.number(0, 10**9)))
    partitions: int = field(metadata=_setting("256", read.number(1, 4096)))
    replicas: int = field(metadata=_setting("0", read.number(0, 5)))
    web_workers: int = field(metadata=_setting("1", read.number(1, 64)))
    web_threads: int = field(metadata=_setting("8", read.number(1, 256)))
    streams: int = field(metadata=_setting("512", read.number(1, 2000)))
    streams_each: int = field(metadata=_setting("256", read.number(1, 2000)))
    heartbeat: int = field(metadata=_setting("5", read.number(1, 300)))
    rate_limit: int = field(metadata=_setting("60000", read.number(0, 10**9)))
    address_limit: int = field(metadata=_setting("", read.number_or_none(0, 10**9)))
    openings: int = field(metadata=_setting("60", read.number(0, 10**6)))
    exhibitions: int = field(metadata=_setting("20", read.number(0, 10**6)))
    bots_unhurried: int = field(metadata=_setting("4", read.number(0, 10**6)))
    max_body: int = field(metadata=_setting("65536", read.number(1024, 16 * 1024 * 1024)))
    max_depth: int = field(metadata=_setting("16", read.number(4, 64)))
    page_max: int = field(metadata=_setting("500", read.number(10, 5000)))
    log_level: str = field(metadata=_setting("info", read.log_level))
    cors_origins: tuple[str, ...] = field(metadata=_setting("", read.origins))
    allowed_hosts: tuple[str, ...] = field(metadata=_setting("", read.host_names))
    trusted_proxies: tuple[str, ...] = field(metadata=_setting("", read.networks))
    path_prefix: str = field(metadata=_setting("", read.path_prefix))
    secret: str = field(metadata=_setting("", read.secret), repr=False)
    keeper_after_ms: int = field(metadata=_setting("1000", read.number(100, 60_000)))
    expire_open_hours: int = field(metadata=_setting("168", read.number(0, 10**6)))
    expire_running_hours: int = field(metadata=_setting("2160", read.number(0, 10**6)))
    archive: str = field(metadata=_setting("", read.archive_address), repr=False)
    archive_after: int = field(metadata=_setting("", read.hours))

    @classmethod
    def load(
        cls,
        environ: Mapping[str, str],
        *,
        connected: bool = False,
        options: Options | None = None,
    ) -> Self:
        """Return the checked configuration; raises ConfigError with every problem at once.

        connected: the journal's URL must be given. Only `giornale serve`, with its bundled server,
        needs none.
        options: what the command line says, by name as in `port`; it overrules the environment.
        """
        settings = own_settings(environ)
        given_options = _without_blank(options or {})

        problems = _unknown_names(settings)
        values: dict[str, Any] = {}
        for one in fields(cls):
            option = given_options.get(one.name)
            text = option or settings.get(variable(one.name)) or one.metadata["default"]
            try:
                values[one.name] = one.metadata["read"](text.strip())
            except ValueError as error:
                name = option_name(one.name) if option else variable(one.name)
                problems.append(f"{name} {error}")

        if connected and variable("journal_url") not in settings:
            reason = "only `giornale serve` brings a server of its own"
            problems.append(f"{variable('journal_url')} is needed: {reason}")
        if kind_of(values.get("journal_url", "")) and variable("queue_url") not in settings:
            reason = "queues lie on one server, never in a cluster or behind Sentinels"
            example = "such as redis://127.0.0.1:6379/0"
            problems.append(f"{variable('queue_url')} is needed, {example}: {reason}")
        if values.get("replicas") and not values.get("journal_url", ""):
            reason = "the server that `giornale serve` brings has no replica"
            problems.append(f"{variable('replicas')} needs {variable('journal_url')}: {reason}")
        if problems:
            raise ConfigError(problems)

        values["queue_url"] = values["queue_url"] or beside(values["journal_url"])
        values["archive"] = values["archive"] or str(values["data"] / "archive")
        if values["address_limit"] is None:
            values["address_limit"] = ADDRESS_SHARES * values["rate_limit"]
        return cls(**values)

    def environment(self) -> dict[str, str]:
        """Return the variables that make this configuration, secret and all."""
        return {variable(one.name): _as_text(getattr(self, one.name)) for one in fields(self)}

    def shown(self) -> dict[str, str]:
        """Return the variables with every password, the secret and the operator's token masked."""
        shown = {name: mask(value) for name, value in self.environment().items()}
        shown[variable("secret")] = "(set)" if self.secret else "(in a file)"
        shown[variable("operator_token")] = "(set)" if self.operator_token else ""
        return shown

    def sources(self, environ: Mapping[str, str], options: Options) -> dict[str, str]:
        """Return where the value of each variable is from.

        A source is "command line", "environment", "default", or the variable that the value
        follows from. environ, options: what the configuration was loaded from.
        """
        settings = own_settings(environ)
        given_options = _without_blank(options)
        sources: dict[str, str] = {}

        for one in fields(self):
            name = variable(one.name)
            if one.name in given_options:
                sources[name] = "command line"
            elif name in settings:
                sources[name] = "environment"
            elif self._follows(one.name):
                sources[name] = variable(FOLLOWS[one.name])
            else:
                sources[name] = "default"

        return sources

    def _follows(self, setting: str) -> bool:
        """Return whether a setting that was not given took its value from another one."""
        if setting == "secret":  # kept in the data directory
            return True
        return setting in FOLLOWS and getattr(self, setting) != ""


def variable(setting: str) -> str:
    """Return the environment variable of a setting: GIORNALE_PORT for `port`."""
    return PREFIX + setting.upper()


def option_name(setting: str) -> str:
    """Return how the command line names a setting: --port for `port`."""
    return f"--{setting.replace('_', '-')}"


def _unknown_names(settings: Mapping[str, str]) -> list[str]:
    """Return a sentence about each variable that is no setting."""
    known = {variable(one.name) for one in fields(Config)}
    return [unknown_setting(name, known) for name in settings if name not in known]


def _without_blank(options: Options) -> dict[str, str]:
    """Return the options that say something."""
    return {name: text for name, text in options.items() if text.strip()}


def _as_text(value: Any) -> str:
    """Return the text from which a variable's value is read."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return " ".join(value)
    return str(value)
