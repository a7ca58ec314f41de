"""A match during a command."""

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
    """A match during a command, and the events so far.

    evolve: applies an event to the match.
    recorded: recorded events of the command. If given, the game's draws are copied from them.
    stamp: of the commit. Needed if `Match.needs_stamps`.
    """

    match: Match
    chance: Chance
    evolve: Callable[[Match, Message], None]
    events: list[Message] = field(default_factory=list)
    recorded: Sequence[Message] | None = None
    stamp: Stamp | None = None

    def emit(self, event: Message) -> None:
        """Apply and append an event, then the events that terms add because of it."""
        terms = self.match.terms
        entailed = [more for term in terms for more in term.entailed_events(self.match, event)]
        self.emit_alone(event)
        for more in entailed:
            self.emit_alone(more)

    def emit_alone(self, event: Message) -> None:
        """Apply and append an event."""
        self.evolve(self.match, event)
        self.events.append(event)

    def start(self) -> None:
        """Start the match. The game plays its opening unless a term sets it up."""
        self.emit(messages.MatchStarted())
        if not any(term.sets_up_game for term in self.match.terms):
            self.play_game(self.match.game.opening)

    def play_game(self, command: Message) -> None:
        """Let the game play a command, at most one in a commit. Count it if draws go by moves."""
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
