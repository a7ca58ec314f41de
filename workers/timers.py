"""Due timers: claimed in batches, and handled by their kinds."""

import logging
from collections.abc import Mapping

from service.matches import timers
from service.matches.context import Context
from service.matches.timers import Pulse, TimerKind
from service.store.journal.errors import JournalUnavailable

_log = logging.getLogger(__name__)

TIMERS_AT_ONCE = 200


def see_to_timers(ctx: Context, kinds: Mapping[str, TimerKind]) -> Pulse | None:
    """Note a beat, and let each kind handle its due timers, in the order of `kinds`.

    Timers are claimed batch by batch: one batch at least, and more while the beat is fresh. A
    claimed timer that nobody handles is due again after its lease. Return the pulse of the beat,
    None if the journal took no beat. Without a beat no time runs out.
    """
    pulse = _beat(ctx)
    leases = {name: kind.lease_ms for name, kind in kinds.items()}
    is_fresh = True
    while is_fresh and (claimed := ctx.journal.timers.claim(leases, TIMERS_AT_ONCE)):
        for name, kind in kinds.items():
            kind.handle([timer for timer in claimed if timer.kind == name], pulse)
        is_fresh = pulse is not None and pulse.is_fresh(ctx.clock())
    return pulse


def warn_of_skew(pulse: Pulse | None) -> None:
    """Log a warning if the clocks of host and journal differ so much that no time runs out."""
    if pulse is not None and pulse.skew_ms > timers.MOST_SKEW_MS:
        details = {"seconds": pulse.skew_ms // 1000}
        _log.warning("clocks of this host and the journal differ: no time runs out", extra=details)


def _beat(ctx: Context) -> Pulse | None:
    """Note a beat and return its pulse. None: the journal takes no beat, so no time counts."""
    try:
        pulse = timers.beat(ctx)
    except JournalUnavailable:
        return None
    if pulse.set_back_ms:
        details = {"seconds": pulse.set_back_ms // 1000}
        _log.warning("the journal's clock was set back: gaps and timers end now", extra=details)
    return pulse
