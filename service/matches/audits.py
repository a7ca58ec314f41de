"""The audit of a match in the journal itself: with all its secrets, its head and the names beside its chain."""

from collections.abc import Mapping
from itertools import chain

from service.journal.port import Head
from service.matches import names
from service.matches.desk import Desk
from service.matches.loading import pieces, why_missing
from service.verify.audit import Audit, quiet, verify_stored
from service.verify.redecide import Progress
from service.verify.report import Report, Wrong


def audit(desk: Desk, match: str, version: int | None = None, progress: Progress = quiet) -> Report:
    """Return what is to be said of a match up to a version (None: as it is now).

    Raises NotFound, MatchDeleted.
    """
    asides, head = desk.journal.asides(match), desk.journal.head(match)
    if head is None:
        raise why_missing(desk, match)

    version = version or head.version
    entries = chain.from_iterable(pieces(desk, match, 0, version))
    found = verify_stored(entries, progress)
    report = found.report
    if report.wrong is None:
        report.wrong = _beside_the_chain(found, version, head, asides)
    if report.wrong is None:
        report.end_is_known()
    return report


def _beside_the_chain(
    found: Audit, version: int, head: Head, asides: Mapping[str, str]
) -> Wrong | None:
    """Hold the head and the names that lie beside a chain against it, where it was read to its end."""
    if found.report.commits < version:
        return Wrong(
            found.report.commits, "head_differs", "the journal lacks commits that its head knows of"
        )
    if version < head.version:
        return None
    if found.report.hash != head.hash:
        return Wrong(0, "head_differs", "the journal's head is not the last commit")
    return names.fault(found.loaded.match, asides) if found.loaded else None
