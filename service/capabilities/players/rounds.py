"""The rounds of the ratings: results of ended matches are added, deleted matches are removed."""

import logging
from time import monotonic

from redis.exceptions import RedisError

from service.base.rounds import CATCH_UP_SECONDS, Rounds
from service.capabilities.players import use_cases as players
from service.matches.context import Context
from service.store.journal.errors import JournalUnavailable

_log = logging.getLogger(__name__)

RATE_SECONDS = 0.5  # between two looks for ended matches
RATE_AGAIN_SECONDS = 2.0  # after a failure
GONE_EVERY_SECONDS = 2.0  # between two looks for deleted matches


def open_rounds(ctx: Context) -> Rounds:
    """Return the rounds of the ratings of a context."""
    return Rounds("ratings", RatingRounds(ctx).attempt)


class RatingRounds:
    """Keeps the ratings of this machine up to date with the log."""

    def __init__(self, ctx: Context) -> None:
        assert ctx.ratings is not None, "a process has ratings"
        self._ctx = ctx
        self._rating_file = ctx.ratings
        self._next_look = 0.0
        self._trouble = ""

    def attempt(self) -> float:
        """Make one round. Return the pause before the next one, in seconds. Never raises."""
        try:
            has_more = players.keep_up(self._ctx, self._rating_file)
            if not has_more and monotonic() >= self._next_look:
                players.look_for_gone(self._ctx, self._rating_file)
                self._next_look = monotonic() + GONE_EVERY_SECONDS
        except (RedisError, JournalUnavailable) as error:
            self._complain(f"{type(error).__name__}: {error}")
        except Exception as error:  # noqa: BLE001 - moves must go on in any case
            _log.exception("ratings could not be updated")
            self._complain(type(error).__name__)
        else:
            self._trouble = ""
            return CATCH_UP_SECONDS if has_more else RATE_SECONDS
        return RATE_AGAIN_SECONDS

    def _complain(self, trouble: str) -> None:
        """Log a failure once. A warning is enough, since the rounds of the log report outages."""
        if trouble != self._trouble:
            self._trouble = trouble
            _log.warning("ratings stopped", extra={"reason": trouble})
