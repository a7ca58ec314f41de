"""Fork: a match from a version of another match, its base (M21)."""

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
    """The base of a fork. The event `forked` puts this term into the match, not the opening."""

    name: ClassVar[str] = "fork"
    sets_up_game: ClassVar[bool] = True

    base: Base

    @classmethod
    def first_events(cls, command: messages.Open) -> Iterable[Message]:
        """Return `forked` for a command with a base."""
        return () if command.base is None else (messages.Forked(command.base),)

    @classmethod
    def guard_result(cls, match: Match, command: Message) -> None:
        """Refuse to open a fork of a wrong base."""
        if isinstance(command, messages.Open) and command.base is not None:
            require_base(match, command.base)

    def initial_state(self, match: Match) -> Any:
        """Return the state of the base."""
        return wire.load(match.game.state, self.base.state)

    @classmethod
    def story(
        cls, match: Match | None, event: Message, _names: Names, _actor: str | None
    ) -> Sentence | None:
        """Tell the start of a fork: the game goes on."""
        if match is None or base_of(match) is None or not isinstance(event, messages.MatchStarted):
            return None
        return Sentence("All seats are held, and the game goes on from there.", rules=("M21",))


def base_of(match: Match) -> Base | None:
    """Return the base of a match. None: the match is no fork."""
    fork = match.term(Fork)
    return None if fork is None else fork.base


def require_base(match: Match, base: messages.Base) -> None:
    """Refuse a base without a state of the game, or with nobody to act (M21)."""
    game = match.game
    try:
        state = wire.load(game.state, base.state)
    except BadMessage as error:
        detail = f"The given state of the base is no state of {game.title}: {error}."
        raise MatchRuleBroken("no_such_state", "M21", detail) from None

    if not game.actors(state):
        detail = (
            f"At version {base.version} nobody has to act in the base any more. "
            "Fork an earlier version."
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
