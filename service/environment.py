"""Which variables of an environment are settings: Kubernetes' are left out, misspelled ones are named."""

import difflib
import ipaddress
import re
from collections.abc import Collection, Mapping

PREFIX = "GIORNALE_"

_PROTOCOLS = ("tcp", "udp", "sctp")
_PROTOCOL = "|".join(_PROTOCOLS).upper()
_SERVICE = r"GIORNALE(?:_[A-Z0-9]+)*"  # a Service of the name `giornale` or `giornale-...`

_CLOSE = 0.7  # how alike two names must be to be taken for each other, from 0 to 1


def _is_port(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,5}", text) is not None and 1 <= int(text) <= 65535


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_url(text: str) -> bool:
    """Return whether a text is an address such as tcp://10.0.0.1:8000."""
    scheme, _, place = text.partition("://")
    if scheme not in _PROTOCOLS or not re.fullmatch(
        r"\[[0-9a-fA-F:.]+\]:[0-9]+|[0-9a-fA-F:.]+:[0-9]+", place
    ):
        return False
    host, _, port = place.rpartition(":")
    return _is_address(host.strip("[]")) and _is_port(port)


# Kubernetes tells each container of the Services beside it in variables that begin with the Service's name:
# https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
_INJECTED = (
    (re.compile(rf"{_SERVICE}_SERVICE_HOST"), _is_address),
    (re.compile(rf"{_SERVICE}_SERVICE_PORT(?:_[A-Z0-9]+)*"), _is_port),
    (re.compile(rf"{_SERVICE}_PORT(?:_[0-9]+_(?:{_PROTOCOL}))?"), _is_url),
    (re.compile(rf"{_SERVICE}_PORT_[0-9]+_(?:{_PROTOCOL})_PROTO"), _PROTOCOLS.__contains__),
    (re.compile(rf"{_SERVICE}_PORT_[0-9]+_(?:{_PROTOCOL})_PORT"), _is_port),
    (re.compile(rf"{_SERVICE}_PORT_[0-9]+_(?:{_PROTOCOL})_ADDR"), _is_address),
)


def injected(environ: Mapping[str, str]) -> list[str]:
    """Return the names of the variables that Kubernetes has put there for a Service; name and value must both fit."""
    return sorted(name for name, value in environ.items() if _is_injected(name, value.strip()))


def _is_injected(name: str, value: str) -> bool:
    return any(form.fullmatch(name) and fits(value) for form, fits in _INJECTED)


def ours(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of an environment, with names as they stand there; what is empty is not set."""
    left_out = injected(environ)
    stripped = {name: environ[name].strip() for name in sorted(environ) if name.startswith(PREFIX)}
    return {name: value for name, value in stripped.items() if value and name not in left_out}


def unknown(name: str, known: Collection[str]) -> str:
    """Return the sentence about a name that is no setting, with the setting that was probably meant."""
    sentence = f"{name} is not a setting of Giornale"
    close = difflib.get_close_matches(name.removeprefix(PREFIX), _short(known), n=1, cutoff=_CLOSE)
    return f"{sentence}; did you mean {PREFIX}{close[0]}?" if close else sentence


def _short(names: Collection[str]) -> list[str]:
    return [name.removeprefix(PREFIX) for name in names]
