"""Which variables are settings: those of Kubernetes are left out, misspelled ones named."""

import difflib
import ipaddress
import re
from collections.abc import Collection, Mapping

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
