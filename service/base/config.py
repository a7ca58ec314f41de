"""The settings, read and checked as a whole before anything starts.

docs/reference/settings.md lists the settings.

A setting is a field of `Config`: `port` comes from GIORNALE_PORT, or from --port if a command has
that option. The package `environs` reads the values and collects their faults.
"""

import difflib
import ipaddress
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Self

from environs import Env, EnvValidationError, ValidationError, validate as valid

from service.base import redis_urls
from service.base.environment import PREFIX, TOKEN
from service.base.redis_urls import beside, kind_of, mask
from service.base.release import with_extra

# The rate limit of one address is this many times the limit of one token, unless
# GIORNALE_ADDRESS_LIMIT is set.
ADDRESS_SHARES = 4

LEAST_SECRET_BYTES = 32

# Settings that follow from another setting if they are not set, by name.
FOLLOWS = {
    "queue_url": "journal_url",
    "address_limit": "rate_limit",
    "secret": "data",
    "archive": "data",
}

Options = Mapping[str, str]


class ConfigError(Exception):
    """All faults of the settings. `problems` holds a sentence for each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


# ---- kinds of settings -----------------------------------------------------------------------


def hours(text: str) -> int:
    """Return an age such as 36h or 30d in hours. A plain number is hours, "" is 0.

    Raises ValueError with the right form.
    """
    age = re.fullmatch(r"(\d{1,6}) ?([hd]?)", text or "0")
    if age is None:
        raise ValueError("must be a number of hours or days, such as 36h or 30d")
    number, unit = age.groups()
    return int(number) * (24 if unit == "d" else 1)


def _age_or_never(text: str) -> int:
    """Return an age as `hours` does. 0 stands for never. Raises ValueError."""
    try:
        return hours(text)
    except ValueError as error:
        raise ValueError(f"{error}, or 0 for never") from None


def _words(text: str, each: Callable[[str], object]) -> tuple[str, ...]:
    """Return the words of a text. each: called with each word. Raises an error for a wrong word."""
    words = tuple(text.split())
    for word in words:
        each(word)
    return words


def _network(text: str) -> None:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        examples = "10.0.0.1 or 10.0.0.0/8"
        raise ValueError(
            f"must be addresses and networks such as {examples}, separated by spaces"
        ) from None


def _long_enough(text: str) -> None:
    if len(text.encode()) < LEAST_SECRET_BYTES:
        raise ValueError(f"must have at least {LEAST_SECRET_BYTES} bytes")


def _archive_address(text: str) -> str:
    """Return a directory's path, or an address known to fsspec, such as s3://bucket/path."""
    scheme, separator, _rest = text.partition("://")
    if not text or scheme == "file":
        return text
    if not separator:
        return str(Path(text).absolute())

    # Imported here, since the import is slow and few servers need it.
    from fsspec.registry import known_implementations

    implementation = known_implementations.get(scheme)
    if implementation is None:
        examples = "/srv/archive or s3://bucket/path"
        raise ValueError(f"must be a directory or an address for fsspec, such as {examples}")

    package = implementation["class"].partition(".")[0]
    if find_spec(package) is None:
        extra = with_extra("s3") if package == "s3fs" else f"pip install {package}"
        raise ValueError(f"needs the package {package} for {scheme}://: {extra}")
    return text


def _checked(reader: Callable[..., Any]) -> Callable[..., Any]:
    """Return a reader that raises ValidationError, since `environs` collects only such errors."""

    def checked(text: str, **details: Any) -> Any:
        try:
            return reader(text, **details)
        except ValueError as error:
            raise ValidationError(str(error)) from None

    return checked


class _SettingsReader(Env):
    """Reads given settings, in place of the variables of this process."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__(eager=False, prefix=PREFIX)
        self._texts = texts
        self.add_parser("age", _checked(_age_or_never))
        self.add_parser("words", _checked(_words))
        self.add_parser("archive_address", _checked(_archive_address))

    def _get_value(self, env_key: str, default: object) -> object:
        return self._texts.get(env_key, default)

    def faults(self) -> dict[str, str]:
        """Return the faults by variable. Call this after all variables were read."""
        try:
            self.seal()
        except EnvValidationError as error:
            faults: Any = error.error_messages  # lists by variable
            return {name: messages[0] for name, messages in faults.items()}
        return {}


def _setting(kind: str, default: object, *, in_repr: bool = True, **checks: Any) -> Any:
    """Return a field of `Config`, read by the method `kind` of `_SettingsReader`.

    checks: further arguments of the method.   in_repr: True if a repr may show the value.
    """
    return field(repr=in_repr, metadata={"kind": kind, "default": default, "checks": checks})


def _number(default: int | None, least: int, most: int) -> Any:
    """Return a field for a whole number in a range, both ends included."""
    message = f"must be a whole number from {least} to {most}"
    in_range = valid.Range(least, most, error=message)
    faults = dict.fromkeys(("invalid", "too_large"), message)
    return _setting("int", default, validate=in_range, error_messages=faults)


def _flag() -> Any:
    return _setting("bool", False, error_messages={"invalid": "must be true or false"})


def _secret() -> Any:
    return _setting("str", "", in_repr=False, validate=_checked(_long_enough))


def _text(default: str, pattern: str, message: str) -> Any:
    """Return a field for a text. The pattern must match the whole text."""
    return _setting("str", default, validate=valid.Regexp(rf"(?:{pattern})\Z", error=message))


def _listed(pattern: str, message: str) -> Any:
    """Return a field for words, none by default. The pattern must match each whole word."""
    return _setting("words", "", each=valid.Regexp(rf"(?:{pattern})\Z", error=message))


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting of the service, and the constants that tests change."""

    journal_url: str = _setting("str", "", in_repr=False, validate=_checked(redis_urls.check))
    queue_url: str = _setting("str", "", in_repr=False, validate=_checked(redis_urls.check_queue))
    data: Path = _setting("path", "var")  # noqa: RUF009 - a field
    host: str = _text("127.0.0.1", r"[\w.:-]+", "must be a host name or an address")
    port: int = _number(8000, 0, 65535)
    allow_seed: bool = _flag()
    operator_token: str = _secret()
    unsafe_journal: bool = _flag()
    durable_journal: bool = _flag()
    maxmemory_mb: int = _number(0, 0, 10**9)
    partitions: int = _number(256, 1, 4096)
    replicas: int = _number(0, 0, 5)
    web_workers: int = _number(1, 1, 64)
    web_threads: int = _number(8, 1, 256)
    web_any_core: bool = _flag()
    streams: int = _number(512, 1, 2000)
    rate_limit: int = _number(60_000, 0, 10**9)
    address_limit: int = _number(None, 0, 10**9)
    openings: int = _number(60, 0, 10**6)
    max_body: int = _number(64 * 1024, 1024, 16 * 1024 * 1024)
    page_max: int = _number(1000, 10, 1000)
    log_level: str = _text(
        "info", "(?i:debug|info|warning|error)", "must be debug, info, warning or error"
    )
    cors_origins: tuple[str, ...] = _listed(
        r"\*|https?://[^/\s]+",
        "must be origins such as https://example.org, separated by spaces, or *",
    )
    allowed_hosts: tuple[str, ...] = _listed(
        r"(?i:\*|[\w.-]+|\[[0-9a-f:.]+\])",
        "must be host names without ports, such as play.example.org or [::1], or *",
    )
    trusted_proxies: tuple[str, ...] = _setting("words", "", each=_network)
    path_prefix: str = _text(
        "",
        r"(?:/(?!\.\.?(?:/|\Z))[A-Za-z0-9._~-]+)+",
        "must be a path such as /giornale, without a slash at its end and without steps . or ..",
    )
    secret: str = _secret()
    scheduler_after_ms: int = _number(1000, 100, 60_000)
    expire_open_hours: int = _number(168, 0, 10**6)
    expire_running_hours: int = _number(2160, 0, 10**6)
    replace_after_hours: int = _number(24, 0, 10**6)
    hooks: bool = _flag()
    hooks_allow: tuple[str, ...] = _setting("words", "", each=_network)
    archive: str = _setting("archive_address", "", in_repr=False)
    archive_after: int = _setting("age", "")
    log_origin: str = _text(
        "",
        r"[^\s+]{1,255}",
        "must be a name such as play.example.org/log, with no space and no +",
    )
    log_policy: str = _setting("str", "")
    security_contact: str = _text(
        "",
        r"(?:mailto:|https://|tel:)[^\s]+",
        "must begin with mailto:, https:// or tel:, such as mailto:security@example.org",
    )

    # Constants. Only tests have a reason to change them.

    # Most long answers at a time for one token, and for one address with all its tokens: half of
    # the default of `streams`. All callers behind a proxy that is not trusted share one address.
    streams_each: ClassVar[int] = 256
    # Seconds of silence before a stream sends a comment. The server notices a lost reader only when
    # it sends something.
    heartbeat: ClassVar[float] = 5
    # A match of bots alone begins only while fewer matches than this wait for the house or bots. So
    # such matches leave time for bots that play with humans.
    exhibitions: ClassVar[int] = 20
    # If more jobs than this are queued for bots, searching bots think less. One move in each queued
    # match then takes, in all, the usual time of so many moves.
    bots_unhurried: ClassVar[int] = 4
    # The deepest nesting of JSON in a request.
    max_depth: ClassVar[int] = 16

    @classmethod
    def load(
        cls,
        environ: Mapping[str, str],
        *,
        connected: bool = False,
        options: Options | None = None,
    ) -> Self:
        """Return the checked configuration. Raises ConfigError with every problem at once.

        connected: True if the journal's URL must be set.
        options: values of the command line by the name of the setting. They overrule the
        environment.
        """
        settings = own_settings(environ)
        given_options = {variable(name): text.strip() for name, text in (options or {}).items()}
        chosen = {name: text for name, text in given_options.items() if text}
        env = _SettingsReader(settings | chosen)

        values: dict[str, Any] = {}
        for one in fields(cls):
            reader = getattr(env, one.metadata["kind"])
            default, checks = one.metadata["default"], one.metadata["checks"]
            values[one.name] = reader(one.name.upper(), default, **checks)

        problems = _unknown_names(settings)
        for name, fault in env.faults().items():
            place = option_name(name.removeprefix(PREFIX).lower()) if name in chosen else name
            problems.append(f"{place} {fault}")
        problems += _missing(settings, values, connected)
        if problems:
            raise ConfigError(problems)
        return cls(**_followed(values))

    @property
    def url(self) -> str:
        """The URL of the service on this machine."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{self.path_prefix}"

    def environment(self) -> dict[str, str]:
        """Return the environment variables of this configuration, with secrets and passwords."""
        return {variable(one.name): _as_text(getattr(self, one.name)) for one in fields(self)}

    def shown(self) -> dict[str, str]:
        """Return the variables with every password, the secret and the operator's token masked."""
        variables = {name: mask(value) for name, value in self.environment().items()}
        variables[variable("secret")] = "(set)" if self.secret else "(in a file)"
        variables[variable("operator_token")] = "(set)" if self.operator_token else ""
        return variables

    def sources(self, environ: Mapping[str, str], options: Options) -> dict[str, str]:
        """Return the source of each variable's value.

        A source is "command line", "environment", "default", or the variable that the value
        follows from. environ, options: the arguments of `load`.
        """
        settings = own_settings(environ)
        sources: dict[str, str] = {}

        for one in fields(self):
            name = variable(one.name)
            follows = one.name in FOLLOWS and (
                one.name == "secret" or getattr(self, one.name) != ""
            )
            if options.get(one.name, "").strip():
                sources[name] = "command line"
            elif name in settings:
                sources[name] = "environment"
            else:
                sources[name] = variable(FOLLOWS[one.name]) if follows else "default"

        return sources


def variable(setting: str) -> str:
    """Return the environment variable of a setting: GIORNALE_PORT for `port`."""
    return PREFIX + setting.upper()


def option_name(setting: str) -> str:
    """Return the option of a setting on the command line: --port for `port`."""
    return f"--{setting.replace('_', '-')}"


def own_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of an environment by variable, sorted.

    Left out are empty values, GIORNALE_TOKEN, and variables set by Kubernetes (`injected`).
    """
    left_out = {TOKEN, *injected(environ)}
    values = {name: environ[name].strip() for name in sorted(environ) if name.startswith(PREFIX)}
    return {name: value for name, value in values.items() if value and name not in left_out}


# ---- dependencies between settings -----------------------------------------------------------


def _missing(settings: Mapping[str, str], values: Mapping[str, Any], connected: bool) -> list[str]:
    """Return a sentence about each missing setting."""
    problems = []
    if connected and variable("journal_url") not in settings:
        reason = "only `giornale serve` starts a server of its own"
        problems.append(f"{variable('journal_url')} is needed: {reason}")
    if kind_of(values["journal_url"] or "") and variable("queue_url") not in settings:
        reason = "the queues need one server, or one with Sentinels, never a cluster"
        example = "such as redis://127.0.0.1:6379/0"
        problems.append(f"{variable('queue_url')} is needed, {example}: {reason}")
    if values["replicas"] and values["journal_url"] == "":
        reason = "the server of `giornale serve` has no replica"
        problems.append(f"{variable('replicas')} needs {variable('journal_url')}: {reason}")
    return problems


def _followed(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values in their final form. Some follow from others if they were not set."""
    data = Path(values["data"]).absolute()
    address_limit = values["address_limit"]
    if address_limit is None:
        address_limit = ADDRESS_SHARES * values["rate_limit"]

    return values | {
        "data": data,
        "queue_url": values["queue_url"] or beside(values["journal_url"]),
        "archive": values["archive"] or str(data / "archive"),
        "address_limit": address_limit,
        "log_level": values["log_level"].upper(),  # as `logging` names it
        "allowed_hosts": tuple(map(str.lower, values["allowed_hosts"])),
    }


def _as_text(value: object) -> str:
    """Return a variable's text for a value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return " ".join(value)
    return str(value)


# ---- names that are no settings --------------------------------------------------------------

# Least likeness of two names, from 0 to 1, to suggest one in place of the other.
_LEAST_LIKENESS = 0.7


def _unknown_names(settings: Collection[str]) -> list[str]:
    """Return a sentence about each variable that is no setting, with a similar name if any."""
    names = [one.name.upper() for one in fields(Config)]
    sentences = []

    for name in settings:
        short_name = name.removeprefix(PREFIX)
        if short_name in names:
            continue
        alike = difflib.get_close_matches(short_name, names, n=1, cutoff=_LEAST_LIKENESS)
        hint = f". Did you mean {PREFIX}{alike[0]}?" if alike else ""
        sentences.append(f"{name} is not a setting of Giornale{hint}")

    return sentences


def injected(environ: Mapping[str, str]) -> list[str]:
    """Return the names of variables set by Kubernetes for a Service.

    Name and value must both fit.
    """
    return sorted(
        name for name, value in environ.items() if _INJECTED.fullmatch(f"{name}={value.strip()}")
    )


# Kubernetes sets variables with the names of Services in the containers of their namespace:
# https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
_SERVICE = r"GIORNALE(?:_[A-Z0-9]+)*"  # a Service of the name `giornale` or `giornale-...`
_PORT = rf"{_SERVICE}_PORT_[0-9]+_(?:TCP|UDP|SCTP)"
_VERSION_4 = r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
_VERSION_6 = r"[0-9a-fA-F]*:[0-9a-fA-F:.]*"
_ADDRESS = rf"(?:{_VERSION_4}|{_VERSION_6})"
_NUMBER = r"(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-5][0-9]{3})"
_URL = rf"(?:tcp|udp|sctp)://(?:{_VERSION_4}|\[{_VERSION_6}\]):{_NUMBER}"
_INJECTED = re.compile(
    rf"{_SERVICE}_SERVICE_HOST={_ADDRESS}"
    rf"|{_SERVICE}_SERVICE_PORT(?:_[A-Z0-9]+)*={_NUMBER}"
    rf"|{_SERVICE}_PORT={_URL}"
    rf"|{_PORT}={_URL}"
    rf"|{_PORT}_PROTO=(?:tcp|udp|sctp)"
    rf"|{_PORT}_PORT={_NUMBER}"
    rf"|{_PORT}_ADDR={_ADDRESS}"
)
