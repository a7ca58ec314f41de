"""What a check is given, and what it answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from service.jobs.queues import Queues
from service.matches.desk import Desk

OK = "ok"


@dataclass(frozen=True, slots=True)
class Subject:
    """The parts of this process that checks ask. data: its data directory."""

    desk: Desk
    queues: Queues
    data: Path


# A check returns "ok" or a sentence that says what is wrong, by the name of each thing it looks at.
Check = Callable[[Subject], Mapping[str, str]]
