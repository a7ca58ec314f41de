"""The epoch of the journal: whether it is the one that was known, or has gone back.

A journal goes back when an older backup is put back, when a replica that lagged behind takes over,
or when it is emptied. The keeper notes what the journal holds, outside of it, and compares. If
commits are gone, the journal gets a new epoch that says so until an operator accepts it
(docs/decisions/0047). Processes forget what they remember when they see another epoch.
"""

import logging
import secrets

from service.journal.port import Journal
from service.journal.values import Epoch, FeedEnds, GoneBack
from service.ledger.times import timestamp
from service.matches.desk import Desk
from service.matches.journal_note import Note

_log = logging.getLogger(__name__)

_ID_BYTES = 16
_MOST_SUPERSEDED = 100


def look(desk: Desk) -> Epoch | None:
    """Return the journal's epoch; if it is another one than before, forget what is remembered.

    Raises JournalUnavailable.
    """
    epoch = desk.journal.epoch()
    seen = [epoch.id] if epoch else []
    if desk.epoch and desk.epoch != seen:
        desk.forget()
    desk.epoch[:] = seen
    return epoch


def compare(desk: Desk, noted: Note | None) -> Note | None:
    """Compare the journal with what was noted of it, and give it a new epoch if it has gone back.

    Return what is to be noted now; None if somebody else has given it an epoch meanwhile.
    Raises JournalUnavailable.
    """
    epoch = look(desk)
    ends = desk.journal.feed_ends(noted.lines if noted else {})
    commits = desk.journal.commit_count()
    now = desk.clock()

    right = _right_epoch(epoch, noted, ends, commits, now)
    if right != epoch:
        if not desk.journal.replace_epoch(epoch, right):
            return None
        look(desk)
        if right.gone_back and (epoch is None or right.gone_back != epoch.gone_back):
            _log.error(sentence(right.gone_back))

    return Note(epoch=right.id, commits=commits, time=now, lines=ends.last)


def _right_epoch(
    epoch: Epoch | None, noted: Note | None, ends: FeedEnds, commits: int, now: int
) -> Epoch:
    """Return the epoch that the journal should have: its own, or a new one."""
    if epoch is not None:
        knows_the_note = noted is None or noted.epoch in epoch.superseded
        if knows_the_note or (noted and noted.epoch == epoch.id and not ends.missing):
            return epoch

    gone_back = epoch.gone_back if epoch else None
    if noted is not None and ends.missing:
        gone_back = GoneBack(
            had=max(noted.commits, gone_back.had if gone_back else 0),
            noted=noted.time,
            has=commits,
            noticed=now,
        )
    before = [noted.epoch] if noted else []
    return _after(epoch, before, gone_back, now)


def begin_anew(journal: Journal, noted: Note | None, now: int) -> None:
    """Give a journal a new epoch on purpose, in the place of its own and of the noted one.

    Nothing that either of them has and the journal has not counts as lost. Raises
    JournalUnavailable.
    """
    before = [noted.epoch] if noted else []
    replaced = False
    while not replaced:
        epoch = journal.epoch()
        replaced = journal.replace_epoch(epoch, _after(epoch, before, None, now))


def accept(journal: Journal) -> GoneBack | None:
    """Accept that a journal has gone back; return what was accepted, None if there is nothing.

    Raises JournalUnavailable.
    """
    while True:
        epoch = journal.epoch()
        if epoch is None or epoch.gone_back is None:
            return None

        accepted = Epoch(id=epoch.id, since=epoch.since, superseded=epoch.superseded)
        if journal.replace_epoch(epoch, accepted):
            return epoch.gone_back


def sentence(gone_back: GoneBack) -> str:
    """Return in words what was lost."""
    return (
        f"the journal has gone back: it had {gone_back.had} commits at "
        f"{timestamp(gone_back.noted)} and had {gone_back.has} when that was noticed at "
        f"{timestamp(gone_back.noticed)}; moves acknowledged meanwhile are lost, "
        "and receipts show which"
    )


def _after(epoch: Epoch | None, before: list[str], gone_back: GoneBack | None, now: int) -> Epoch:
    """Return a new epoch after that of the journal, and after others."""
    superseded = list(epoch.superseded) if epoch else []
    for one in [*([epoch.id] if epoch else []), *before]:
        if one not in superseded:
            superseded.append(one)

    return Epoch(
        id=secrets.token_hex(_ID_BYTES),
        since=now,
        superseded=tuple(superseded[-_MOST_SUPERSEDED:]),
        gone_back=gone_back,
    )
