"""Event cards that strike, told in English."""

from collections.abc import Sequence

from domain.firenze.agenda import Step
from domain.firenze.cards import Card
from domain.firenze.components import TAXED_HEIGHT
from domain.firenze.dues import FOR_ALL, due_from
from domain.firenze.event_cards import FIRE_BRICKS, can_lose
from domain.firenze.events import DuePaid, DuesLaid, EventAnswered, PlayerAsked, TowerCollapsed
from domain.firenze.state import Due, State, free_bricks
from domain.firenze.story.words import (
    Teller,
    bricks_in_words,
    levels,
    numbered,
    the_card,
    tower_of,
)
from domain.kit.wording import listed, upper_first
from domain.story import Sentence

# What the taker has where an event takes nothing, in words that go on behind "Ada has" (F32).
_TAKER_HAS = {
    Card.BOTCH: "no tower",
    Card.COLLAPSE: "no tower",
    Card.STOREHOUSE_FIRE: "no bricks but those of the card",
}

# The same of events for all, in words that go on behind "nobody has" (F33).
_NOBODY_HAS = {
    Card.FLOOD: "any bricks but those of the card",
    Card.TRIBUTE: "a tower",
    Card.LUXURY_TAX: f"a tower of {levels(TAXED_HEIGHT)} or more",
}


def _player_asked(state: State, event: PlayerAsked, names: Sequence[str]) -> Sentence:
    name = names[event.seat]
    card = the_card(event.card)
    if event.step is Step.ANSWER:
        return Sentence(f"{name} may spend a Patrician against {card}.", ("F31",))

    if event.card is Card.STOREHOUSE_FIRE:
        free = sum(free_bricks(state, event.seat))
        bricks = numbered(min(FIRE_BRICKS, free), "brick")
        return Sentence(f"{name} must say which {bricks} {card} burns.", ("F32",))
    return Sentence(f"{name} must say which tower {card} strikes.", ("F32",))


def _event_answered(state: State, event: EventAnswered, names: Sequence[str]) -> Sentence:
    assert state.taken is not None
    name = names[event.seat]
    card = the_card(state.taken)
    idle = why_idle(state, event.seat, state.taken, name)
    if not event.patrician:
        spent = f"{name} spends no Patrician"
        text = f"{spent} against {card}." if idle else f"{spent}: {card} takes effect."
        return Sentence(text, ("F31",))

    if state.patrician_spares and state.taken in FOR_ALL:
        text = f"The Patrician spares {name}, and {name} alone, {card}"
        if not _takes_from(state, event.seat, state.taken):
            text += f", which would have taken nothing from {name}"
    else:
        text = f"The Patrician cancels {card}"
        if idle:
            text += f", which would have done nothing, because {idle}"
    return Sentence(f"{text}.", ("F31",))


def why_idle(state: State, seat: int, card: Card, name: str, *, spared: bool = False) -> str:
    """Return why an event takes nothing, such as "Ada has no tower"; "" where it does (F32, F33).

    seat, name: of its taker. spared: the taker is left alone (F31).
    """
    if card in FOR_ALL:
        seats = range(len(state.players))
        payers = [payer for payer in seats if payer != seat or not spared]
        if any(_takes_from(state, payer, card) for payer in payers):
            return ""
        nobody = "nobody else" if spared else "nobody"
        return f"{nobody} has {_NOBODY_HAS[card]}"

    if card is Card.RENAISSANCE or can_lose(state, seat, card):
        return ""
    return f"{name} has {_TAKER_HAS[card]}"


def _takes_from(state: State, seat: int, card: Card) -> bool:
    """Return whether Flood, Tribute or Luxury Tax takes anything from a seat (F33)."""
    due = due_from(state, seat, card)
    return bool(due.bricks or due.lost)


def _tower_collapsed(_state: State, event: TowerCollapsed, names: Sequence[str]) -> Sentence:
    tower = f"{event.colour.wire} tower of {levels(event.bricks)}"
    text = f"{names[event.seat]}'s {tower} collapses, and all its bricks are lost."
    return Sentence(text, ("F32",))


def _dues_laid(state: State, event: DuesLaid, names: Sequence[str]) -> Sentence:
    owed = [_owed(state, due, names[due.seat]) for due in event.dues]
    return Sentence(f"{upper_first(the_card(event.card))} takes {listed(owed)}.", ("F33",))


def _owed(state: State, due: Due, name: str) -> str:
    """Return what a seat loses: "2 white bricks from Ada", "the red tower of 3 levels from Bob"."""
    losses = []
    if due.bricks:
        exact = bricks_in_words(due.exact)
        losses.append(exact if due.exact else numbered(due.bricks, "brick"))
    for number in due.lost:
        tower = tower_of(state, due.seat, number)
        losses.append(f"the {tower.colour.wire} tower of {levels(tower.height)}")
    return f"{listed(losses)} from {name}"


def _due_paid(state: State, event: DuePaid, names: Sequence[str]) -> Sentence:
    paid = f"{names[event.seat]} hands over {bricks_in_words(event.bricks)}"
    return Sentence(f"{paid}.", ("F34",) if state.ask_discards else ("F34", "F25"))


TELLERS: dict[type, Teller] = {
    PlayerAsked: _player_asked,
    EventAnswered: _event_answered,
    TowerCollapsed: _tower_collapsed,
    DuesLaid: _dues_laid,
    DuePaid: _due_paid,
}
