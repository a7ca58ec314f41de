"""The story of cards: the row, Personnel, and event cards."""

from domain.firenze import components as box, events, words
from domain.firenze.agenda import Step
from domain.firenze.event_cards import FIRE_BRICKS, FOR_ALL, can_lose, due_from
from domain.firenze.state import Due, State, free_bricks
from domain.game import Story
from domain.story import Names, Sentence, listed, upper_first

# ---- a card is taken -------------------------------------------------------------------------


def _card_taken(state: State, event: events.CardTaken, names: Names) -> Sentence:
    card = _card_of_row(state, event.slot)
    text = f"{names[event.seat]} takes {card} with {words.bricks_in_words(event.bricks)}"
    if event.payment:
        payment = _payment(state, event.payment)
        return Sentence(f"{text}, paying {payment}.", ("F14",))

    if event.slot:
        return Sentence(f"{text}, for nothing, thanks to the Princess.", ("F14", "F29"))
    return Sentence(f"{text}; the first card costs nothing.", ("F14",))


def _card_of_row(state: State, slot: int) -> str:
    """Return the card that leaves a slot: "the Mason", or "the second Mason in the row"."""
    card = state.row[slot].card
    name = words.slot_name(state, slot)
    return words.the_card(card) if name == words.card_name(card) else f"{name} in the row"


def _payment(state: State, payment: box.Bricks) -> str:
    """Return each paid brick with the card that it goes onto. The first goes onto slot 0 (F14)."""
    cards = [words.slot_name(state, slot) for slot in range(len(payment))]
    paid = [f"1 {colour.wire} onto {card}" for colour, card in zip(payment, cards, strict=True)]
    return listed(paid)


# ---- the way of a taken card -----------------------------------------------------------------


def _card_kept(state: State, event: events.CardKept, names: Names) -> Sentence:
    name = names[event.seat]
    if event.card is box.MONUMENT:
        height = words.levels(state.players[event.seat].tallest)
        text = f"The Monument honours the tallest tower: {name}, with {height}, gets it in hand."
        return Sentence(text, ("F36",))

    card = words.the_card(event.card)
    if box.KIND_OF[event.card] is box.BUILDING:
        return Sentence(f"{name} opens {card}.")
    return Sentence(f"{name} takes {card} into the hand.")


def _church_opened(_state: State, event: events.ChurchOpened, _names: Names) -> Sentence:
    opened = f"{upper_first(words.the_card(event.card))} lies open at the church"
    if event.card is box.Card.CAMPANILE:
        text = f"{opened}: everybody owes it a tower of 3 white bricks before any other commission."
        return Sentence(text, ("F38",))

    [(height, points)] = [
        (height, points) for height, (card, points) in box.PRIVILEGES.items() if card is event.card
    ]
    text = f"{opened}: the next commission of {words.levels(height)} brings {points} points more."
    return Sentence(text, ("F37",))


def _card_spent(state: State, event: events.CardSpent, names: Names) -> Sentence:
    card = upper_first(words.the_card(event.card))
    name = names[event.seat]
    if event.card is box.MONUMENT:
        text = f"The Monument is discarded, because {_why_no_tallest(state, names)}."
        return Sentence(text, ("F36",))
    if box.KIND_OF[event.card] is box.BUILDING:
        text = f"{name} has {words.card_name(event.card)} already: this one is discarded."
        return Sentence(text, ("F15",))

    if _has_struck(state) or _is_cancelled(state, event.card):
        return Sentence(f"{card} is discarded.", ("F15",))
    return _discarded_idle(state, event, name)


def _why_no_tallest(state: State, names: Names) -> str:
    """Return the reason for no tallest tower: a tie, perhaps of no towers at all (F36)."""
    heights = [player.tallest for player in state.players]
    tallest = max(heights)
    if not tallest:
        return "nobody has a tower"

    tied = [name for name, height in zip(names, heights, strict=True) if height == tallest]
    return f"{listed(tied)} are tied with towers of {words.levels(tallest)}"


def _has_struck(state: State) -> bool:
    """Return True if the taken event has asked for a loss or laid dues (F32, F33)."""
    return state.agenda[-1].step is not Step.CHOOSE or bool(state.dues)


def _is_cancelled(state: State, event_card: box.Card) -> bool:
    """Return True if a Patrician cancels the taken event, and not only spares its taker (F31)."""
    spares = state.patrician_spares and event_card in FOR_ALL
    return state.at_work is box.PATRICIAN and not spares


def _discarded_idle(state: State, event: events.CardSpent, name: str) -> Sentence:
    """Tell that an event is discarded because it took nothing, and the reason (F32, F33)."""
    card = upper_first(words.the_card(event.card))
    spared = state.at_work is box.PATRICIAN
    reason = why_idle(state, event.seat, event.card, name, spared=spared)
    if not reason:
        return Sentence(f"{card} is discarded.", ("F15",))

    rule = "F33" if event.card in FOR_ALL else "F32"
    return Sentence(f"{card} is discarded, because {reason}.", (rule,))


# ---- the refill ------------------------------------------------------------------------------


def _deck_shuffled(state: State, _event: events.DeckShuffled, _names: Names) -> Sentence:
    if state.at_work is box.Card.RENAISSANCE:
        text = "Deck and discards, the Renaissance among them, are shuffled into a new deck."
        return Sentence(text, ("F35",))
    text = "The deck is used up: the discards, shuffled, become the new one."
    return Sentence(text, ("F17",))


def _row_refilled(state: State, event: events.RowRefilled, _names: Names) -> Sentence:
    if event.card is None or event.bricks is None:
        text = "The row closes up, and a card with bricks is drawn for its end."
        return Sentence(text, ("F16",))

    bricks = words.bricks_in_words(event.bricks)
    is_short = len(event.bricks) < box.BRICKS_PER_SLOT
    rest = ", all that was left in the pouch" if is_short else ""
    card = words.card_name(event.card)
    text = f"The row closes up, and {card} is drawn for its end with {bricks}{rest}."
    return Sentence(text, ("F16",))


def _row_shortened(state: State, _event: events.RowShortened, _names: Names) -> Sentence:
    count = len(state.row)
    return Sentence(f"No card is left to draw: the row has only {count} now.", ("F17",))


def _bricks_exchanged(state: State, event: events.BricksExchanged, names: Names) -> Sentence:
    card = words.slot_name(state, event.slot)
    gain = words.bricks_in_words((event.take,))
    price = words.bricks_in_words(event.give)
    bridge = " over the Bridge" if len(event.give) < box.EXCHANGE_PRICE else ""
    text = f"{names[event.seat]} exchanges {price} for {gain} with {card} in the row{bridge}."
    return Sentence(text, ("F18",))


# ---- Personnel cards -----------------------------------------------------------------------------


# The effects of cards that emit no event for it (F29).
_LASTING = {
    box.MASON: "building costs 3 bricks less this turn",
    box.PRINCESS: "the card costs nothing this turn",
}


def _played(_state: State, event: events.PersonnelPlayed, names: Names) -> Sentence:
    played = f"{names[event.seat]} plays {words.the_card(event.card)}"
    lasting = _LASTING.get(event.card)
    if lasting is None:
        return Sentence(f"{played}.")
    return Sentence(f"{played}: {lasting}.", ("F29",))


def _brick_swapped(_state: State, event: events.BrickSwapped, names: Names) -> Sentence:
    price = words.bricks_in_words((event.give,))
    gain = words.bricks_in_words((event.take,))
    text = f"The Alchemist turns {price} of {names[event.seat]}'s into {gain} of the pouch."
    return Sentence(text, ("F27",))


def _architect_hired(state: State, event: events.ArchitectHired, names: Names) -> Sentence:
    name = names[event.seat]
    if event.tower is None or event.by is None:
        text = f"The Architect will serve {name}'s first commission that is one level off."
        return Sentence(text, ("F28",))

    tower = words.tower_of(state, event.seat, event.tower)
    whole = f"{tower.colour.wire} tower of {words.levels(tower.height)}"
    other_height = words.levels(tower.height + event.by)
    text = f"The Architect lets {name}'s {whole} count as one of {other_height}, too."
    return Sentence(text, ("F28",))


def _slot_restocked(state: State, event: events.SlotRestocked, _names: Names) -> Sentence:
    card = words.slot_name(state, event.slot)
    gone = words.bricks_in_words(event.gone)
    if event.bricks is None:
        text = f"The Wholesaler puts {gone} from {card} into the pouch, and draws as many for it."
    else:
        drawn = words.bricks_in_words(event.bricks)
        text = f"The Wholesaler puts {gone} from {card} into the pouch, and draws {drawn} for it."
    return Sentence(text, ("F29",))


def _brick_removed(state: State, event: events.BrickRemoved, names: Names) -> Sentence:
    """Tell the work of a Botch if a Botch was taken, else of a Saboteur."""
    is_botch = state.taken is box.Card.BOTCH
    culprit = "Botch" if is_botch else "Saboteur"
    height = words.tower_of(state, event.seat, event.tower).height - 1

    tower = f"{names[event.seat]}'s {event.colour.wire} tower"
    rest = f"{words.levels(height)} of it stand" if height > 1 else "1 level of it stands"
    if not height:
        rest = "nothing is left of it"
    text = f"The {culprit} takes a brick off {tower}: {rest}."
    return Sentence(text, ("F32" if is_botch else "F30",))


def _bricks_traded(_state: State, event: events.BricksTraded, names: Names) -> Sentence:
    price = words.bricks_in_words((event.give,))
    theirs = f"{words.bricks_in_words((event.take,))} of {names[event.target]}'s"
    text = f"The Smuggler brings {theirs} to {names[event.seat]} for {price}."
    return Sentence(text, ("F30",))


# ---- event cards that strike ---------------------------------------------------------------------


# Words to complete "Ada has" about the taker of an event that takes nothing (F32).
_TAKER_HAS = {
    box.Card.BOTCH: "no tower",
    box.Card.COLLAPSE: "no tower",
    box.Card.STOREHOUSE_FIRE: "no bricks but those of the card",
}

# Words to complete "nobody has" about an event for all that takes nothing (F33).
_NOBODY_HAS = {
    box.Card.FLOOD: "any bricks but those of the card",
    box.Card.TRIBUTE: "a tower",
    box.Card.LUXURY_TAX: f"a tower of {words.levels(box.TAXED_HEIGHT)} or more",
}


def _player_asked(state: State, event: events.PlayerAsked, names: Names) -> Sentence:
    name = names[event.seat]
    card = words.the_card(event.card)
    if event.step is Step.ANSWER:
        return Sentence(f"{name} may spend a Patrician against {card}.", ("F31",))

    if event.card is box.Card.STOREHOUSE_FIRE:
        free = sum(free_bricks(state, event.seat))
        bricks = words.numbered(min(FIRE_BRICKS, free), "brick")
        return Sentence(f"{name} must say which {bricks} {card} burns.", ("F32",))
    return Sentence(f"{name} must say which tower {card} strikes.", ("F32",))


def _event_answered(state: State, event: events.EventAnswered, names: Names) -> Sentence:
    assert state.taken is not None
    name = names[event.seat]
    card = words.the_card(state.taken)
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


def why_idle(state: State, seat: int, card: box.Card, name: str, *, spared: bool = False) -> str:
    """Return the reason if an event does nothing: "Ada has no tower". "" if it acts (F32, F33).

    seat, name: of its taker. spared: True if the taker is left alone (F31).
    """
    if card in FOR_ALL:
        seats = range(len(state.players))
        payers = [payer for payer in seats if payer != seat or not spared]
        if any(_takes_from(state, payer, card) for payer in payers):
            return ""
        nobody = "nobody else" if spared else "nobody"
        return f"{nobody} has {_NOBODY_HAS[card]}"

    if card is box.Card.RENAISSANCE or can_lose(state, seat, card):
        return ""
    return f"{name} has {_TAKER_HAS[card]}"


def _takes_from(state: State, seat: int, card: box.Card) -> bool:
    """Return True if Flood, Tribute or Luxury Tax takes anything from a seat (F33)."""
    due = due_from(state, seat, card)
    return bool(due.bricks or due.lost)


def _tower_collapsed(_state: State, event: events.TowerCollapsed, names: Names) -> Sentence:
    tower = f"{event.colour.wire} tower of {words.levels(event.bricks)}"
    text = f"{names[event.seat]}'s {tower} collapses, and all its bricks are lost."
    return Sentence(text, ("F32",))


def _dues_laid(state: State, event: events.DuesLaid, names: Names) -> Sentence:
    owed = [_owed(state, due, names[due.seat]) for due in event.dues]
    return Sentence(f"{upper_first(words.the_card(event.card))} takes {listed(owed)}.", ("F33",))


def _owed(state: State, due: Due, name: str) -> str:
    """Return a seat's losses: "2 white bricks from Ada", "the red tower of 3 levels from Bob"."""
    losses = []
    if due.bricks:
        exact = words.bricks_in_words(due.exact)
        losses.append(exact if due.exact else words.numbered(due.bricks, "brick"))
    for number in due.lost:
        tower = words.tower_of(state, due.seat, number)
        losses.append(f"the {tower.colour.wire} tower of {words.levels(tower.height)}")
    return f"{listed(losses)} from {name}"


def _due_paid(state: State, event: events.DuePaid, names: Names) -> Sentence:
    paid = f"{names[event.seat]} hands over {words.bricks_in_words(event.bricks)}"
    return Sentence(f"{paid}.", ("F34",) if state.ask_discards else ("F34", "F25"))


# ---- by class of event ---------------------------------------------------------------------------


STORIES: dict[type, Story[State]] = {
    events.CardTaken: _card_taken,
    events.CardKept: _card_kept,
    events.ChurchOpened: _church_opened,
    events.CardSpent: _card_spent,
    events.DeckShuffled: _deck_shuffled,
    events.RowRefilled: _row_refilled,
    events.RowShortened: _row_shortened,
    events.BricksExchanged: _bricks_exchanged,
    events.PersonnelPlayed: _played,
    events.BrickSwapped: _brick_swapped,
    events.ArchitectHired: _architect_hired,
    events.SlotRestocked: _slot_restocked,
    events.BrickRemoved: _brick_removed,
    events.BricksTraded: _bricks_traded,
    events.PlayerAsked: _player_asked,
    events.EventAnswered: _event_answered,
    events.TowerCollapsed: _tower_collapsed,
    events.DuesLaid: _dues_laid,
    events.DuePaid: _due_paid,
}
