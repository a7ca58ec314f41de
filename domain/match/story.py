"""Sentences about the events of a match, its own and those of its game."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from domain.game import Message
from domain.games import RULES
from domain.kit import one_for_each
from domain.match import messages
from domain.match.state import Match, Stories
from domain.match.terms import STORIES, TERMS
from domain.names import isolated
from domain.seats import COLOURS, INVITATION, OWNER, SPECTATOR, seat_of
from domain.story import Heading, Names, Part, Sentence, counted, listed, one, upper_first

_HOLDERS = {
    OWNER: "the owner",
    SPECTATOR: "the spectators",
    INVITATION: "the invited",
}


def story_of(
    match: Match | None, event: Message, names: Names, actor: str | None = None
) -> Sentence:
    """Return a sentence about an event of a match.

    match: before the event, None before `match_opened`.   names: by seat, from `seat_names`.
    actor: of the command, None if unknown.
    Secret fields of the event may be None. The sentence then leaves them out.
    """
    if isinstance(event, messages.TokenReplaced) and actor == OWNER:
        return _replaced_by_owner(event, names)
    for term in TERMS:
        sentence = term.story(match, event, names, actor)
        if sentence is not None:
            return sentence

    own_story = _STORIES.get(type(event))
    if own_story is not None:
        return own_story(match, event, names)

    assert match is not None, "a match is opened first"
    return story_of_game(match, match.state, event, names)


def story_of_game(match: Match, state: Any, event: Message, names: Names) -> Sentence:
    """Return a sentence about an event of the game.

    state: of the game before the event.
    An event with `ranks` ends the game. Its sentence tells the ranks of the match (`Match.ranks`)
    and the seats that bots play in place of humans.
    """
    ending: Any = event
    ranks = getattr(ending, "ranks", None)
    if not ranks:
        return match.game.story(state, event, names)

    sentence = match.game.story(state, replace(ending, ranks=match.ranks(ranks)), names)
    seats = match.played_by_bots
    if not seats:
        return sentence
    reasons = {match.seats[seat].away for seat in seats}
    rules = tuple(rule for away, (_, rule) in _AWAY.items() if away in reasons)
    absentees = [names[seat] + _AWAY[match.seats[seat].away][0] for seat in seats]
    bots, bots_for = ("A bot plays", "a bot") if len(seats) == 1 else ("Bots play", "bots")
    heading = sentence.heading
    if heading is not None:
        called = listed([names[seat] for seat in seats])
        heading = replace(heading, title=f"{heading.title}, with {bots_for} for {called}")
    text = f"{sentence.text} {bots} for {listed(absentees)}."
    return Sentence(text, (*sentence.rules, *rules), heading)


# By `Seat.away`: words after the name, and the rule behind the bot.
_AWAY = {
    "": ("", "M8"),
    "time": (" (out of time)", "M15"),
    "resigned": (" (resigned)", "M16"),
}


def seat_names(
    match: Match, names: Mapping[int, str], latest: Match | None = None
) -> tuple[str, ...]:
    """Return the name of each seat: the given one, or the colour of the seat.

    names: present names by seat.   latest: the match now, if `match` is at an earlier version. A
    seat with another holder by now is called by its colour.
    """
    holders = latest.seats if latest else match.seats
    return tuple(
        (_shown(names.get(number)) if seat.name == holder.name else None) or COLOURS[number]
        for number, (seat, holder) in enumerate(zip(match.seats, holders, strict=True))
    )


def _shown(name: str | None) -> str | None:
    return isolated(name) if name else None


# ---- the lobby -----------------------------------------------------------------------------------


def _opened(_match: Match | None, event: messages.MatchOpened, names: Names) -> Sentence:
    title = RULES[event.rules].title
    holders = [
        f"{name} ({plan.level})" if plan.kind == "bot" else name
        for plan, name in zip(event.seats, names, strict=True)
        if plan.kind != "open"
    ]
    open_seats = len(event.seats) - len(holders)
    if open_seats:
        holders.append(counted(open_seats, "open seat"))
    agreed = [term for term in (kind.in_words(event) for kind in TERMS) if term is not None]
    if event.advice:
        agreed.append(("M14", "humans may ask for advice"))
    if signers := _signers(event, names):
        agreed.append(("M18", signers))
    agreed.sort()
    parts = [
        f"A match of {title} is opened with {listed(holders)}",
        *(words for _, words in agreed),
    ]
    return Sentence(
        f"{'; '.join(parts)}.",
        rules=tuple(rule for rule, _ in agreed),
        heading=Heading(Part.SETUP, "Opening"),
    )


def _signers(event: messages.MatchOpened, names: Names) -> str:
    """Return "the moves of Ada and Blue are signed", "" without keys."""
    signers = [names[seat] for seat, plan in enumerate(event.seats) if plan.key]
    return f"the moves of {listed(signers)} are signed" if signers else ""


def _joined(_match: Match | None, event: messages.SeatJoined, names: Names) -> Sentence:
    signing = " and signs every move" if event.key else ""
    rules = ("M18",) if event.key else ()
    return Sentence(f"{names[event.seat]} takes a seat{signing}.", rules=rules)


def _left(_match: Match | None, event: messages.SeatLeft, names: Names) -> Sentence:
    return Sentence(f"{names[event.seat]} leaves. The seat is open again.")


def _started(match: Match | None, _event: messages.MatchStarted, _names: Names) -> Sentence:
    assert match is not None
    return Sentence(
        f"All seats are held, and {match.game.title} begins.",
        heading=Heading(Part.SETUP, "Setting up"),
    )


# ---- who plays a seat ----------------------------------------------------------------------------


def _replaced(match: Match | None, event: messages.SeatReplaced, names: Names) -> Sentence:
    assert match is not None
    seat = match.seats[event.seat]
    bot = upper_first(one(f"{event.level} bot"))

    name = names[event.seat]
    if seat.absent or seat.kind == "human":
        return Sentence(f"{bot} stands in for {name}.")
    return Sentence(f"{bot} plays {name}.")


def _restored(_match: Match | None, event: messages.SeatRestored, names: Names) -> Sentence:
    name = names[event.seat]
    return Sentence(f"{name} is back and plays on.")


def _resigned(_match: Match | None, event: messages.SeatResigned, names: Names) -> Sentence:
    name = names[event.seat]
    return Sentence(f"{name} resigns.", rules=("M16",))


# ---- tokens and names ----------------------------------------------------------------------------


def _token_replaced(_match: Match | None, event: messages.TokenReplaced, names: Names) -> Sentence:
    holder = _holder(names, event.holder)
    return Sentence(f"A new token is made for {holder}. An earlier one no longer works.")


def _replaced_by_owner(event: messages.TokenReplaced, names: Names) -> Sentence:
    """Name the owner, since the owner could see a seat's secrets with its new token."""
    if seat_of(event.holder) is None:
        return _token_replaced(None, event, names)
    holder = _holder(names, event.holder)
    text = f"The owner makes a new link for {holder}. An earlier one no longer works."
    return Sentence(text, rules=("M13",))


def _token_revoked(_match: Match | None, event: messages.TokenRevoked, names: Names) -> Sentence:
    holder = _holder(names, event.holder)
    return Sentence(f"The token of {holder} no longer works.")


def _name_erased(_match: Match | None, event: messages.NameErased, _names: Names) -> Sentence:
    return Sentence(f"The name of {COLOURS[event.seat]} is erased.")


def _holder(names: Names, holder: str) -> str:
    """Return the holder of a token in words: "the owner", or the name of a seat."""
    seat = seat_of(holder)
    return _HOLDERS[holder] if seat is None else names[seat]


# ---- the end -------------------------------------------------------------------------------------

_END = Heading(Part.END, "The end")


def _aborted(_match: Match | None, _event: messages.MatchAborted, _names: Names) -> Sentence:
    return Sentence("The owner ends the match without a result.", heading=_END)


def _expired(_match: Match | None, _event: messages.MatchExpired, _names: Names) -> Sentence:
    return Sentence(
        "The match ends without a result, since it was left alone for long.",
        rules=("M11",),
        heading=_END,
    )


def _revealed(_match: Match | None, _event: messages.SecretsRevealed, _names: Names) -> Sentence:
    return Sentence(
        "All secrets are laid open: every draw of the match can now be checked.",
        rules=("M9",),
    )


_STORIES: Stories = one_for_each(
    messages.EVENTS,
    {
        **STORIES,
        messages.MatchOpened: _opened,
        messages.SeatJoined: _joined,
        messages.SeatLeft: _left,
        messages.MatchStarted: _started,
        messages.MatchAborted: _aborted,
        messages.MatchExpired: _expired,
        messages.SeatReplaced: _replaced,
        messages.SeatRestored: _restored,
        messages.SeatResigned: _resigned,
        messages.SecretsRevealed: _revealed,
        messages.TokenReplaced: _token_replaced,
        messages.TokenRevoked: _token_revoked,
        messages.NameErased: _name_erased,
    },
)
