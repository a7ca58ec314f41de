"""A match under a command."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.chance import Chance
from domain.game import Draft, Message, ReplayDraft
from domain.games import RULES
from domain.match import messages
from domain.match.state import Match, Stamp


@dataclass(slots=True)
class Sitting:
    """A match under a command and the events so far.

    evolve: what applies an event.
    recorded: the events that a record says the command caused; the game's draws are then taken over
    from them.
    stamp: what the commit says beside the events; needed where the match needs stamps.
    """

    match: Match
    chance: Chance
    evolve: Callable[[Match, Message], None]
    events: list[Message] = field(default_factory=list)
    recorded: Sequence[Message] | None = None
    stamp: Stamp | None = None

    def emit(self, event: Message) -> None:
        """Apply an event and keep it, and after it those that the terms say it entails."""
        terms = self.match.terms
        entailed = [one for term in terms for one in term.entailed_events(self.match, event)]
        self.emit_alone(event)
        for one in entailed:
            self.emit_alone(one)

    def emit_alone(self, event: Message) -> None:
        """Apply an event and keep it."""
        self.evolve(self.match, event)
        self.events.append(event)

    def start(self) -> None:
        """Start the match. Its game is opened, but where a term sets it up."""
        self.emit(messages.MatchStarted())
        if not any(term.sets_up_game for term in self.match.terms):
            self.play_game(self.match.game.opening)

    def play_game(self, command: Message) -> None:
        """Let the game play one of its commands: of a commit one at most, and so it is counted."""
        game = RULES[self.match.rules]
        state = self.match.state
        if self.recorded is None:
            draft = Draft(state, game.evolve, self.chance, self.events)
        else:
            draft = ReplayDraft(state, game.evolve, self.chance, self.events, self.recorded)
        game.play(draft, command)
        if self.match.moves is not None:
            self.match.moves += 1


Plays = Mapping[type, Callable[[Sitting, Any], None]]
