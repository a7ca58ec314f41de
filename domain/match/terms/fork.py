"""Fork: a match that goes on from a moment of another match (M21)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from domain import wire
from domain.errors import BadMessage, MatchRuleBroken
from domain.game import Change, Message
from domain.match import messages
from domain.match.messages import Base
from domain.match.state import Match, Stories, Term
from domain.story import Names, Sentence


@dataclass(frozen=True, slots=True)
class Fork(Term):
    """What a match is forked from. It comes with an event of its own, not with the opening."""

    name: ClassVar[str] = "fork"
    sets_up_game: ClassVar[bool] = True

    base: Base

    @classmethod
    def first_events(cls, command: messages.Open) -> Iterable[Message]:
        """Return that the match is forked."""
        return () if command.base is None else (messages.Forked(command.base),)

    @classmethod
    def guard_result(cls, match: Match, command: Message) -> None:
        """Refuse a base that is none."""
        if isinstance(command, messages.Open) and command.base is not None:
            require_base(match, command.base)

    def initial_state(self, match: Match) -> Any:
        """Return the state of the base."""
        return wire.load(match.game.state, self.base.state)

    @classmethod
    def story(
        cls, match: Match | None, event: Message, _names: Names, _actor: str | None
    ) -> Sentence | None:
        """Say that the game goes on."""
        if match is None or base_of(match) is None or not isinstance(event, messages.MatchStarted):
            return None
        return Sentence("All seats are held, and the game goes on from there.", rules=("M21",))


def base_of(match: Match) -> Base | None:
    """Return what a match is forked from; None: it is no fork."""
    fork = match.term(Fork)
    return None if fork is None else fork.base


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


def _on_forked(match: Match, event: messages.Forked) -> None:
    match.put(Fork(event.base))


CHANGES: dict[type, Change[Match]] = {messages.Forked: _on_forked}


def _forked(_match: Match | None, event: messages.Forked, _names: Names) -> Sentence:
    base = event.base
    text = f"It goes on from move {base.version} of match {base.match}, and is not rated."
    return Sentence(text, rules=("M21",))


STORIES: Stories = {messages.Forked: _forked}
