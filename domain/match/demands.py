"""What the rules of a match refuse, each with its number and what would be right."""

from collections.abc import Sequence

from domain import wire
from domain.errors import BadMessage, MatchRuleBroken
from domain.match import messages
from domain.match.clock import Clock
from domain.match.joint_entropy import PLEDGE, JointEntropy, is_hex
from domain.match.state import Match, Seat
from domain.match.take_back import Ask, TakeBack
from domain.seats import INVITATION, OWNER, SPECTATOR, seat_actor


def open_seats(match: Match) -> list[str]:
    """Return the numbers of the open seats, as text."""
    return [str(number) for number, seat in enumerate(match.seats) if seat.kind == "open"]


def require_seat(match: Match, number: int) -> Seat:
    """Return a seat; refuse a number that no seat has (M1)."""
    if not 0 <= number < len(match.seats):
        last = len(match.seats) - 1
        raise MatchRuleBroken("no_such_seat", "M1", f"The match has the seats 0 to {last}.")
    return match.seats[number]


def require_key_of_proof(command: messages.Join) -> None:
    """Refuse a proof without a key (M18). If the proof is right, the ledger tells."""
    if command.proof is not None and command.key is None:
        detail = "A proof is a signature by a key. Send the key, too."
        raise MatchRuleBroken("no_key", "M18", detail)


def require_keys_apart(match: Match) -> None:
    """Refuse a key that holds two seats (M18)."""
    holders: dict[str, int] = {}
    for number, seat in enumerate(match.seats):
        if not seat.key:
            continue
        if seat.key in holders:
            detail = (
                f"One key cannot hold both seat {holders[seat.key]} and seat {number}; "
                "each seat needs a key of its own."
            )
            raise MatchRuleBroken("key_taken", "M18", detail)
        holders[seat.key] = number


def require_joint_entropy(match: Match) -> JointEntropy:
    """Return how humans draw together; refuse where they do not (M19)."""
    if match.joint_entropy is None:
        detail = "The match was opened without joint entropy; nobody pledges or discloses any."
        raise MatchRuleBroken("no_joint_entropy", "M19", detail)
    return match.joint_entropy


def require_human_to_disclose(match: Match, number: int, what: str) -> Seat:
    """Return the seat of a human who pledges or discloses; refuse where nobody does that (M19).

    what: "entropy is pledged".
    """
    require_joint_entropy(match)
    require_human(match, number, "M19")
    require_before_start(match, "M19", what)
    return match.seats[number]


def require_all_pledged(match: Match) -> None:
    """Refuse a disclosure as long as somebody may still choose a pledge (M19)."""
    free = open_seats(match)
    if free:
        detail = f"Seats {', '.join(free)} are open; disclose once all are held and have pledged."
        raise MatchRuleBroken("too_early", "M19", detail)

    what, seats = match.owed
    if what == PLEDGE:
        numbers = ", ".join(map(str, seats))
        detail = f"The pledges of seats {numbers} are awaited; disclose once all have pledged."
        raise MatchRuleBroken("too_early", "M19", detail)


def require_pledges_fit(match: Match, holders: Sequence[messages.SeatPlan | messages.Join]) -> None:
    """Refuse pledges that are no digests or have no place here, and entropy where it is pledged.

    holders: what has just been said of seats (M19).
    """
    if match.joint_entropy is None:
        if any(holder.pledge is not None for holder in holders):
            require_joint_entropy(match)
        return

    if match.only_bots:
        detail = "Bots alone draw nothing together; open the match without joint entropy."
        raise MatchRuleBroken("no_humans", "M19", detail)
    if any(holder.entropy for holder in holders):
        detail = "In this match entropy is pledged first; send a pledge in its place."
        raise MatchRuleBroken("entropy_not_pledged", "M19", detail)
    if not all(is_hex(seat.pledge) for seat in match.seats if seat.pledge):
        detail = "A pledge is a SHA-256: 64 digits in lower-case hex."
        raise MatchRuleBroken("no_pledge", "M19", detail)


def require_new_pledge(match: Match, pledge: str) -> None:
    """Refuse a pledge that was made before in the match (M19)."""
    joint = match.joint_entropy
    if joint is not None and pledge in joint.pledged and match.match_rules.takes_each_pledge_once:
        raise _pledge_repeated()


def require_pledges_apart(match: Match) -> None:
    """Refuse an opening in which two seats make the same pledge (M19)."""
    pledges = [seat.pledge for seat in match.seats if seat.pledge]
    if len(set(pledges)) < len(pledges) and match.match_rules.takes_each_pledge_once:
        raise _pledge_repeated()


def _pledge_repeated() -> MatchRuleBroken:
    detail = "This pledge was made before in this match. Draw new bytes and pledge those."
    return MatchRuleBroken("pledge_repeated", "M19", detail)


def require_base(match: Match, base: messages.Base) -> None:
    """Refuse a base whose state is none of the game, or one in which nobody has to act (M21)."""
    game = match.game
    try:
        state = wire.load(game.state, base.state)
    except BadMessage as error:
        detail = f"What the base is said to have been is no state of {game.title}: {error}."
        raise MatchRuleBroken("no_such_state", "M21", detail) from None

    if not game.actors(state):
        detail = (
            f"At version {base.version} nobody has to act in the base any more; "
            "fork an earlier version."
        )
        raise MatchRuleBroken("nothing_to_play", "M21", detail)


def require_before_start(match: Match, rule: str, what: str) -> None:
    """Refuse, by a rule, what is done only before the start; `what`: "a seat is joined"."""
    if match.stage != "open":
        detail = f"The match is {match.status.name}; {what} only before the start."
        raise MatchRuleBroken("already_started", rule, detail)


def require_unended(match: Match, rule: str, what: str) -> None:
    """Refuse, by a rule, what is done only before the end.

    what: "only an unended match is aborted".
    """
    status = match.status.name
    if status not in ("open", "running"):
        raise MatchRuleBroken("match_over", rule, f"The match is {status}; {what}.")


def require_seats_changeable(match: Match) -> None:
    """Refuse to change who holds a seat after the end (M8)."""
    if match.status.name not in ("open", "running"):
        detail = "The match has ended; seats change hands only before its end."
        raise MatchRuleBroken("match_over", "M8", detail)


def require_replaceable(match: Match, command: messages.Replace) -> None:
    """Refuse the owner a seat of a running match that is not theirs to replace (M8).

    The owner may play, too, and could weaken an opponent in this way.
    """
    if match.status.name != "running" or not match.match_rules.limits_replacement:
        return
    away = match.seats[command.seat].away
    if away == "resigned":
        detail = f"Seat {command.seat} has resigned. The bot there plays it to the end."
        raise MatchRuleBroken("resigned", "M16", detail)
    if match.clock is None:
        return
    if away != "time":
        detail = f"Seat {command.seat} has time left. A bot plays it only once its time runs out."
        raise MatchRuleBroken("time_left", "M8", detail)
    if command.level != match.clock.level:
        detail = f"In this match {match.clock.level} bots stand in; name no other level."
        raise MatchRuleBroken("wrong_level", "M8", detail)


def require_running(match: Match, rule: str, what: str) -> None:
    """Refuse, by a rule, what is done only between start and end; what: "a seat resigns"."""
    status = match.status.name
    if status != "running":
        code = "not_started" if status == "open" else "match_over"
        detail = f"The match is {status}; {what} only between its start and its end."
        raise MatchRuleBroken(code, rule, detail)


def require_human(match: Match, number: int, rule: str) -> None:
    """Refuse, by a rule, what only the human at a seat does."""
    if require_seat(match, number).kind != "human":
        detail = f"No human holds seat {number} now; only who holds a seat can do that."
        raise MatchRuleBroken("seat_held_by_bot", rule, detail)


def require_clock(match: Match) -> Clock:
    """Return the clock of a match; refuse where it has none (M15)."""
    if match.clock is None:
        detail = "The match was opened without a clock; everybody has all the time there is."
        raise MatchRuleBroken("no_clock", "M15", detail)
    return match.clock


def require_way_back(match: Match, number: int) -> None:
    """Refuse that a human comes back who has resigned (M16), or who would have no time (M15)."""
    away = match.seats[number].away
    if away == "resigned":
        detail = f"Seat {number} has resigned; a bot plays it to the end."
        raise MatchRuleBroken("resigned", "M16", detail)

    if away == "time" and match.clock is not None and match.clock.move_ms == 0:
        detail = (
            f"The time of seat {number} has run out, and this clock adds none; "
            "a bot plays it to the end."
        )
        raise MatchRuleBroken("no_time_left", "M15", detail)


def require_take_back(match: Match, seat: int) -> TakeBack:
    """Return what can be taken back; refuse where a seat can ask or answer nothing (M17)."""
    require_human(match, seat, "M17")
    if match.take_back is None:
        detail = "The match was opened without take-back; every move stands."
        raise MatchRuleBroken("no_take_back", "M17", detail)
    require_running(match, "M17", "moves are taken back")
    return match.take_back


def require_ask(take_back: TakeBack) -> Ask:
    """Return what is asked for; refuse where nothing is (M17)."""
    if take_back.ask is None:
        detail = "Nobody asks to take moves back now; a move ends what was asked before."
        raise MatchRuleBroken("nothing_asked", "M17", detail)
    return take_back.ask


_BARRIERS = {
    "start": "At version {version} the game began",
    "draw": "Version {version} has drawn from chance",
    "reveal": "Version {version} has laid a secret open",
    "length": "Version {version} is as far back as a hundred moves go",
}


def require_reachable(take_back: TakeBack, to: int) -> None:
    """Refuse to go back to a version that cannot be gone back to (M17)."""
    versions = take_back.versions
    farthest = take_back.farthest
    is_gone = farthest <= to < versions[-1] and to not in versions
    if to in take_back.gone or is_gone:
        detail = f"Version {to} was taken back itself; go back to one that still stands."
        raise MatchRuleBroken("taken_back", "M17", detail)
    if to < farthest:
        reason = "length" if farthest > take_back.version else take_back.reason
        why = _BARRIERS[reason].format(version=farthest)
        detail = f"{why}, and nothing goes back over that; name that version or a later one."
        raise MatchRuleBroken("too_far_back", "M17", detail)
    if not take_back.moves_after(to):
        detail = f"No move that stands was made after version {to}; name an earlier one."
        raise MatchRuleBroken("nothing_to_take_back", "M17", detail)
    if take_back.is_house_at(to):
        detail = f"At version {to} the match itself acts, and would act again. Name another one."
        raise MatchRuleBroken("house_awaited", "M17", detail)


def require_unrefused(take_back: TakeBack, seat: int) -> None:
    """Refuse an ask by a seat that others have refused since the last move of the game (M17)."""
    if seat in take_back.barred_seats:
        detail = f"The ask of seat {seat} was refused. Ask again after the next move."
        raise MatchRuleBroken("take_back_refused", "M17", detail)


def require_unrevealed(match: Match, what: str) -> None:
    """Refuse a commit after the revelation, which is the last of all (M9, M13).

    what: "a token is replaced".
    """
    if match.revealed:
        detail = f"The secrets are revealed and the history is complete; {what} only beside it."
        raise MatchRuleBroken("already_revealed", "M13", detail)


def require_holder(match: Match, holder: str) -> None:
    """Refuse the name of a holder of tokens that the match does not have (M13)."""
    seats = [seat_actor(number) for number in range(len(match.seats))]
    holders = [OWNER, SPECTATOR, INVITATION, *seats]
    if holder not in holders:
        detail = f"Nobody in the match is called so; tokens are held by {', '.join(holders)}."
        raise MatchRuleBroken("no_such_holder", "M13", detail)
