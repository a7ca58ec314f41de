"""The port of a server, for a store without one."""

from service.store.journal import values


class MemoryServer:
    """Dictionaries: nothing about them is configured, and they can always be written."""

    def check(self) -> list[str]:
        """Return []: nothing is unsafe."""
        return []

    def upgrade(self) -> int:
        """Return 0: no dictionary is of an earlier release."""
        return 0

    def ping(self) -> None:
        """Return at once."""

    def memory(self) -> values.Memory:
        """Return zeros, since the memory of dictionaries is unknown."""
        return values.Memory(used=0, bound=0)
