"""Whether the disk of the data directory has room left."""

from service.health.checks.subject import OK, Subject
from service.health.disk_space import DiskSpace


def disk(subject: Subject) -> dict[str, str]:
    """Say how much room is left, if that is little."""
    try:
        space = DiskSpace.of(subject.data)
    except OSError:
        return {"disk": "unknown"}

    if not space.is_low:
        return {"disk": OK}
    return {"disk": f"{space}: make room before the journal takes no more moves"}
