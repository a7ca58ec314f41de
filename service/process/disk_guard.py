"""Keeps the bundled server from writing while its disk is as good as full.

With `appendfsync always` a server ends when a write fails, and would end again at each write. So
writes are refused before: as in a server that has too few replicas. Reads go on.
"""

from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from service.health.disk_space import DiskSpace

_SETTING = "min-replicas-to-write"
_REFUSE = "1"  # this server never has a replica
_ALLOW = "0"

# Writes are taken again when twice the room is free: else a write would make it refuse again.
_TWICE = 2


class DiskGuard:
    """Watches the disk of a server's directory.

    refuses: whether writes are refused now.
    """

    def __init__(self, directory: Path) -> None:
        self.refuses = False
        self._directory = directory

    def arguments(self) -> list[str]:
        """Return what a server's command line needs, so that it starts as it should go on."""
        self.refuses = _is_used_up(self._directory)
        return [f"--{_SETTING}", _REFUSE] if self.refuses else []

    def look(self, client: Redis) -> None:
        """Look at the disk, and have the server refuse writes or take them again."""
        is_used_up = _is_used_up(self._directory, _TWICE if self.refuses else 1)
        if is_used_up == self.refuses:
            return

        try:
            client.config_set(_SETTING, _REFUSE if is_used_up else _ALLOW)
        except RedisError:  # the next look tries again
            return
        self.refuses = is_used_up

    def news(self) -> str:
        """Return what is to be said of it now."""
        if not self.refuses:
            return "takes moves again"

        try:
            space = str(DiskSpace.of(self._directory))
        except OSError as error:
            space = str(error)
        return f"takes no moves, since the disk is full: {space}. Make room there"


def _is_used_up(directory: Path, times: int = 1) -> bool:
    try:
        space = DiskSpace.of(directory)
    except OSError:
        return False
    return space.free < times * space.least
