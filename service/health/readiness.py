"""Whether matches can move on or at least be read, and what is wrong if they cannot."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from service.health.checks.disk import disk
from service.health.checks.epoch import epoch
from service.health.checks.journal import journal
from service.health.checks.pending import pending
from service.health.checks.reading import reading
from service.health.checks.subject import OK, Check, Subject
from service.health.checks.torn import torn
from service.health.checks.workers import workers

# While one of these finds a fault, matches cannot move on.
REQUIRED: tuple[Check, ...] = (journal, workers)

# What these find is merely told: taking the server out of service would not mend it.
ADVISORY: tuple[Check, ...] = (pending, disk, torn, epoch)

# Those of them that ask the journal.
_OF_JOURNAL: tuple[Check, ...] = (pending, epoch)

KEPT_SECONDS = 1.0
_HANGS_SECONDS = 2.0  # whoever has not answered by then is not asked again
_ANSWERS_OF_JOURNAL = ("pending", "parked", "epoch")


Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Readiness:
    """What the checks have found: "ok" or a sentence, by the name of what was looked at."""

    required: dict[str, str]
    advisory: dict[str, str]

    @property
    def faults(self) -> dict[str, str]:
        """What keeps matches from moving on."""
        return _not_ok(self.required)

    @property
    def warnings(self) -> dict[str, str]:
        """What is wrong, although matches move on."""
        return _not_ok(self.advisory)


def look(subject: Subject) -> Readiness:
    """Make every check; a journal that hangs is waited for in the first one only."""
    began = monotonic()
    required = _answers(REQUIRED, subject)
    took_long = monotonic() - began > _HANGS_SECONDS

    if took_long and required["journal"] != OK:
        others = [check for check in ADVISORY if check not in _OF_JOURNAL]
        advisory = dict.fromkeys(_ANSWERS_OF_JOURNAL, "unknown") | _answers(others, subject)
    else:
        advisory = _answers(ADVISORY, subject)
    return Readiness(required, advisory)


def look_for_reading(subject: Subject) -> Readiness:
    """Look whether matches can be read, whether or not they can move on."""
    return Readiness(_answers((reading,), subject), {})


class Recent(Generic[Found]):
    """What a look has found, kept for a second.

    A look may take seconds. Whoever asks during one is told what was found before, so that those
    who ask do not hold each other up; only the first look is waited for.
    """

    def __init__(self, look: Callable[[], Found]) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._found: Found | None = None
        self._kept_until = 0.0

    def __call__(self) -> Found:
        """Return what was found last, and look again if that was KEPT_SECONDS ago."""
        known = self._found
        if known is not None and self._lock.locked():
            return known

        with self._lock:
            if self._found is None or monotonic() >= self._kept_until:
                self._found = self._look()
                self._kept_until = monotonic() + KEPT_SECONDS
            return self._found


def _answers(checks: Iterable[Check], subject: Subject) -> dict[str, str]:
    found: dict[str, str] = {}
    for check in checks:
        found.update(check(subject))
    return found


def _not_ok(found: dict[str, str]) -> dict[str, str]:
    return {name: answer for name, answer in found.items() if answer != OK}
