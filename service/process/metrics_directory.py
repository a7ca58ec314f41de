"""Where the processes of a web add up their metrics.

prometheus_client looks for the name of the directory when it is imported. So a process prepares it
before, and nothing here imports prometheus_client.
"""

import os
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from service.config import METRICS_DIRECTORY, Config
from service.keys.private_files import DIRECTORY_MODE

_MEMORY = Path("/dev/shm")  # noqa: S108 - a directory of our own is made there


def prepare(config: Config) -> None:
    """Make and name an empty directory for the metrics of this web process, unless one is named."""
    if os.environ.get(METRICS_DIRECTORY):
        return

    # Web processes on other ports, or in other containers, may share the data directory, but not
    # their metrics.
    own_name = f"{os.uname().nodename}-{config.port}"
    directory = _root(config) / own_name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, mode=DIRECTORY_MODE)

    os.environ[METRICS_DIRECTORY] = str(directory)


def forget() -> None:
    """Remove the metrics of a web process that ends, and what held them if nothing else does."""
    directory = Path(os.environ.get(METRICS_DIRECTORY, ""))
    root = directory.parent
    if root.parent != _MEMORY or not root.name.startswith(_own_prefix()):
        return

    shutil.rmtree(directory, ignore_errors=True)
    with suppress(OSError):  # of another port
        root.rmdir()


def _root(config: Config) -> Path:
    """Return where metrics are kept: in memory where the system can, else in the data directory.

    The files are mapped into the processes. When the disk below them is full, a process that adds
    to them dies of SIGBUS.
    """
    own_part = sha256(os.fsencode(config.data.absolute())).hexdigest()[:16]
    root = _MEMORY / f"{_own_prefix()}{own_part}"

    try:
        root.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
        is_ours = root.lstat().st_uid == os.getuid() and not root.is_symlink()
    except OSError:
        is_ours = False
    return root if is_ours else config.data / "metrics"


def _own_prefix() -> str:
    """Return how the directories of this user's metrics begin."""
    return f"giornale-{os.getuid()}-"
