"""The audit of a match in the journal itself: with all its secrets, its head and the names beside its chain."""

from collections.abc import Mapping

from service.audit.refold import Progress
from service.audit.report import Report, Wrong
from service.audit.verify import Audit, quiet, verify_stored
from service.errors import NotFound
from service.journal.port import Head
from service.matches import names
from service.matches.desk import Desk


def audit(desk: Desk, match: str, version: int | None = None, progress: Progress = quiet) -> Report:
    """Return what is to be said of a match up to a version (None: as it is now); raises NotFound."""
    asides, head = desk.journal.asides(match), desk.journal.head(match)
    if head is None:
        raise NotFound(f"there is no match {match}")
    found = verify_stored(desk.journal.read(match, 0, version or head.version), progress)
    if found.report.wrong is None and version in (None, head.version):
        found.report.wrong = _beside_the_chain(found, head, asides)
    return found.report


def _beside_the_chain(found: Audit, head: Head, asides: Mapping[str, str]) -> Wrong | None:
    if (found.report.commits, found.report.hash) != (head.version, head.hash):
        return Wrong(0, "head_differs", "the journal's head is not the last commit")
    return names.fault(found.loaded.match, asides) if found.loaded else None
