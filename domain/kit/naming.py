"""The names of enum members on the wire: in views, in options, in the sentences of refusals."""

from collections.abc import Iterable, Sequence

from domain.wire import Named


def wire_names(members: Iterable[Named]) -> tuple[str, ...]:
    """Return the names of the members in their order; an enum's class stands for all of them."""
    return tuple(member.wire for member in members)


def in_a_row(members: Iterable[Named]) -> str:
    """Return the names of the members as a sentence lists them: "wood, brick"; "" for none."""
    return ", ".join(member.wire for member in members)


def counts_by_name(names: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
    """Return how many there are of each name; what there is none of is left out.

    names and counts are equally long: counts[i] belongs to names[i].
    """
    return {name: count for name, count in zip(names, counts, strict=True) if count}
