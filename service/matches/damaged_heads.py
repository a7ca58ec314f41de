"""Damaged heads: matches that do not move on, because their stored heads cannot be read.

The commits of such a match are whole, and every other match goes on.
"""

from time import monotonic

from service.journal.errors import HeadDamaged
from service.journal.port import Journal
from service.matches.context import Context

MOST_WAITING = 200  # matches that wait for the house or a bot, longest first
MOST_GOING_ON = 1_000  # matches that are looked at, those first that are due first
MOST_PUBLIC = 200  # the newest ones, ended ones too
MOST_NAMED = 3
LOOK_AGAIN_SECONDS = 60.0
_EVER = 2**53 - 1


def in_journal(journal: Journal) -> str:
    """Return a sentence that names matches with a damaged head, "" for none.

    `giornale match list` looks at every match. Raises JournalUnavailable.
    """
    matches = {
        *(one.match for one in journal.pending.due(0, MOST_WAITING)),
        *journal.index.idle(_EVER, MOST_GOING_ON),
        *(match for _, match in journal.index.listing("", None, MOST_PUBLIC)),
    }
    heads = journal.events.heads(sorted(matches))
    damaged = [head.match for head in heads if isinstance(head, HeadDamaged)]
    if not damaged:
        return ""

    named = ", ".join(damaged[:MOST_NAMED])
    more = f" and {len(damaged) - MOST_NAMED} more" if len(damaged) > MOST_NAMED else ""
    return f"damaged heads of matches: {named}{more}; list them with: giornale match list"


def found_lately(ctx: Context) -> str:
    """Return the sentence of `in_journal`, at most a minute old. Raises JournalUnavailable."""
    cache = ctx.cache
    if monotonic() >= cache.damaged_until:
        cache.damaged = in_journal(ctx.journal)
        cache.damaged_until = monotonic() + LOOK_AGAIN_SECONDS
    return cache.damaged
