"""The forgeries of the campaign, each of which changes a record's entries somewhere at random."""

from collections.abc import Callable
from random import Random

from tests.attacks.commit_mutators import actor, commit, event, field, time, value
from tests.attacks.forging import Entries, Forged
from tests.attacks.match_mutators import (
    binding,
    ending,
    opening,
    part,
    revelation,
    seat,
    secret,
    view,
)

# Returns None if it changed nothing.
Mutator = Callable[[Random, Entries], Forged | None]

# A campaign's seed picks from this table: another order gives other forgeries.
MUTATORS: tuple[Mutator, ...] = (
    value,
    field,
    event,
    commit,
    actor,
    time,
    opening,
    seat,
    binding,
    secret,
    part,
    revelation,
    view,
    ending,
)
