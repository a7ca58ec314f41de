"""Who acts: seats are numbered from 0, and the house acts for what no player decides.

A history names its actors: a seat's holder is "seat:1", the others have the names below.
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

# What a seat without a name is called, by seat. The pages draw the seats in these colours.
COLOURS = (
    *("Red", "Blue", "Yellow", "Green", "Purple", "Orange", "Brown", "Pink"),
    *("Teal", "Grey", "Black", "White", "Gold", "Silver", "Olive", "Navy"),
)


@cache
def seat_actor(seat: int) -> str:
    """Return the name of a seat's holder as an actor: "seat:1"."""
    return f"seat:{seat}"


def seat_of(actor: str) -> int | None:
    """Return the number of the seat whose holder an actor is, None for one without a seat."""
    _, _, number = actor.partition(":")
    return int(number) if number else None
