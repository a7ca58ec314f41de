"""The audit of a match in the journal: its commits with all secrets, its head, its names."""

from collections.abc import Mapping
from itertools import chain

from service.journal.values import Head
from service.matches import names
from service.matches.desk import Desk
from service.matches.loading import pieces, why_missing
from service.verify.audit import Audit, verify_stored
from service.verify.report import Progress, Report, Wrong, quiet


def audit(
    desk: Desk, match_id: str, version: int | None = None, progress: Progress = quiet
) -> Report:
    """Return what is to be said of a match up to a version (None: as it is now).

    Raises NotFound, MatchDeleted.
    """
    # Head and names of one moment: names read earlier or later may be of another holder of a seat.
    metadata = desk.journal.metadata(match_id)
    head = metadata.head
    if head is None:
        raise why_missing(desk, match_id)

    version = version or head.version
    many_commit_bytes = chain.from_iterable(pieces(desk, match_id, 0, version))
    audited = verify_stored(many_commit_bytes, progress)
    report = audited.report
    if report.wrong is None:
        report.wrong = _beside_the_chain(audited, version, head, metadata.sidecar)
    if report.wrong is None:
        report.end_is_known()
    return report


def _beside_the_chain(
    audited: Audit, version: int, head: Head, sidecar: Mapping[str, str]
) -> Wrong | None:
    """Hold the head and the names beside a chain against it, where it was read to its end."""
    report = audited.report
    if report.commits < version:
        detail = "the journal lacks commits that its head knows of"
        return Wrong(report.commits, "head_differs", detail)
    if version < head.version:
        return None
    if report.hash != head.hash:
        return Wrong(0, "head_differs", "the journal's head is not the last commit")

    if audited.loaded is None:
        return None
    return names.fault(audited.loaded.match, sidecar)
