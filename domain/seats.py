"""Names of actors and of holders of tokens.

Seats are numbered from 0, so "seat:1" is the second seat. The house acts if no player decides. A
spectator holds a token and gives no command, so `ACTOR` leaves spectators out.
"""

from functools import cache

HOUSE = -1

HOUSE_ACTOR = "house"
OWNER = "owner"
PUBLIC = "public"
SPECTATOR = "spectator"
INVITATION = "invitation"

# Regular expressions. No game has more than sixteen seats.
SEAT_NUMBER = "1[0-5]|[0-9]"
SEAT_ACTOR = f"seat:(?:{SEAT_NUMBER})"
ACTOR = "|".join((SEAT_ACTOR, HOUSE_ACTOR, OWNER, INVITATION, PUBLIC))

# Names for players without a name, by seat. The pages draw the first five seats in these colours.
COLOURS = (
    *("Red", "Blue", "Yellow", "Green", "Purple", "Orange", "Brown", "Pink"),
    *("Teal", "Grey", "Black", "White", "Gold", "Silver", "Olive", "Navy"),
)


@cache
def seat_actor(seat: int) -> str:
    """Return the name of a seat's holder as an actor: "seat:1"."""
    return f"seat:{seat}"


def seat_of(actor: str) -> int | None:
    """Return the number of an actor's seat, None for an actor without a seat."""
    _, _, number = actor.partition(":")
    return int(number) if number else None
