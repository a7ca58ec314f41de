"""Checks of commands against the rules of a match. Each refusal names its rule.

In the parameters, `rule` is the number of the rule to name, such as "M4".
"""

from domain.errors import MatchRuleBroken
from domain.match import messages
from domain.match.state import Match, Seat
from domain.seats import INVITATION, OWNER, SPECTATOR, seat_actor
from domain.story import upper_first


def open_seats(match: Match) -> list[str]:
    """Return the numbers of the open seats, as text."""
    return [str(number) for number, seat in enumerate(match.seats) if seat.kind == "open"]


def require_seat(match: Match, number: int) -> Seat:
    """Return the seat of a number. Refuse a number without a seat (M1)."""
    if not 0 <= number < len(match.seats):
        last = len(match.seats) - 1
        raise MatchRuleBroken("no_such_seat", "M1", f"The match has the seats 0 to {last}.")
    return match.seats[number]


def require_key_of_proof(command: messages.Join) -> None:
    """Refuse a proof without a key (M18). The proof itself is checked in the service."""
    if command.proof is not None and command.key is None:
        detail = "A proof is a signature by a key. Send the key, too."
        raise MatchRuleBroken("no_key", "M18", detail)


def require_keys_apart(match: Match) -> None:
    """Refuse one key for two seats (M18)."""
    holders: dict[str, int] = {}
    for number, seat in enumerate(match.seats):
        if not seat.key:
            continue
        if seat.key in holders:
            detail = (
                f"One key cannot hold both seat {holders[seat.key]} and seat {number}. "
                "Each seat needs a key of its own."
            )
            raise MatchRuleBroken("key_taken", "M18", detail)
        holders[seat.key] = number


def require_before_start(match: Match, rule: str, what: str) -> None:
    """Refuse a deed once a match is started or aborted. what: such as "a seat is joined"."""
    if match.stage != "open":
        detail = f"The match is {match.status.name}. {upper_first(what)} only before the start."
        raise MatchRuleBroken("already_started", rule, detail)


def require_unended(match: Match, rule: str, what: str) -> None:
    """Refuse a deed after the end.

    what: the reason, such as "only an unended match is aborted".
    """
    status = match.status.name
    if status not in ("open", "running"):
        raise MatchRuleBroken("match_over", rule, f"The match is {status}. {upper_first(what)}.")


def require_seats_changeable(match: Match) -> None:
    """Refuse to change the holder of a seat after the end (M8)."""
    if match.status.name not in ("open", "running"):
        detail = "The match has ended. Seats change hands only before its end."
        raise MatchRuleBroken("match_over", "M8", detail)


def require_replaceable(match: Match, command: messages.Replace) -> None:
    """Refuse the owner's replacement of a resigned seat in a running match (M8, M16).

    Otherwise an owner who plays could weaken an opponent. By match rules 1 nothing is refused here.
    A clock refuses more replacements.
    """
    if match.status.name != "running" or not match.match_rules.limits_replacement:
        return
    if match.seats[command.seat].away == "resigned":
        detail = f"Seat {command.seat} has resigned. The bot there plays it to the end."
        raise MatchRuleBroken("resigned", "M16", detail)


def require_running(match: Match, rule: str, what: str) -> None:
    """Refuse a deed before the start or after the end. what: such as "a seat resigns"."""
    status = match.status.name
    if status != "running":
        code = "not_started" if status == "open" else "match_over"
        detail = f"The match is {status}. {upper_first(what)} only between its start and its end."
        raise MatchRuleBroken(code, rule, detail)


def require_human(match: Match, number: int, rule: str) -> None:
    """Refuse a seat that no human holds."""
    if require_seat(match, number).kind != "human":
        detail = f"No human holds seat {number} now. Choose a seat with a human player."
        raise MatchRuleBroken("seat_held_by_bot", rule, detail)


def require_way_back(match: Match, number: int) -> None:
    """Refuse the return of a human after a resignation (M16)."""
    if match.seats[number].away == "resigned":
        detail = f"Seat {number} has resigned. A bot plays it to the end."
        raise MatchRuleBroken("resigned", "M16", detail)


def require_unrevealed(match: Match, what: str) -> None:
    """Refuse a deed after the revelation, the last commit of a match (M9, M13).

    what: the deed, such as "a token is replaced".
    """
    if match.revealed:
        deed = upper_first(what)
        detail = f"The secrets are revealed and the history is complete. {deed} only beside it."
        raise MatchRuleBroken("already_revealed", "M13", detail)


def require_holder(match: Match, holder: str) -> None:
    """Refuse a name that is no holder of a token in this match (M13)."""
    seats = [seat_actor(number) for number in range(len(match.seats))]
    holders = [OWNER, SPECTATOR, INVITATION, *seats]
    if holder not in holders:
        detail = f"Nobody in the match is called so. Tokens are held by {', '.join(holders)}."
        raise MatchRuleBroken("no_such_holder", "M13", detail)
