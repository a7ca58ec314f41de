"""Stories: the commits of a match in sentences, as each caller may read them.

Every event is put into words as the caller may see it, given the match before the event. The names
are the present names of the seats: they are stored beside the chain and may be erased at any time.

As plain text a story is for terminals: one line for each sentence, and one for each heading. No
name and no text of a record can move the cursor, forge a line or hide one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain import wire
from domain.chance import FastChance
from domain.game import Message, decide
from domain.match import evolve
from domain.match.messages import EVENTS, Join, MatchOpened
from domain.match.state import Match
from domain.match.story import seat_names, story_of, story_of_game
from domain.match.terms import taken_back
from domain.names import WHOLE_ISOLATE
from domain.seats import seat_of
from domain.story import Sentence
from service.base import answers
from service.matches.context import Context
from service.matches.repository import from_one_stream, load_version, pieces
from service.record.codec import decode_events
from service.record.commit import StoredCommit, parse_commits
from service.record.replay import Loaded, stamp_of
from service.record.signatures import is_signed
from service.store import seat_holders
from service.store.journal.values import Range, fingerprint
from service.store.keys.tokens import Caller

Redact = Callable[[Message], Message]

_OWN_EVENTS = frozenset(EVENTS.values())  # those of a match, not of its game


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a match's seats.

    by_seat: the present names.
    latest: the match as it is now. An earlier holder of a seat has no name, and is called by the
        colour of the seat.
    fields: metadata fields for names, with their values.
    """

    by_seat: Mapping[int, str]
    latest: Match | None = None
    fields: tuple[tuple[str, str | None], ...] = ()

    def at(self, match: Match) -> tuple[str, ...]:
        """Return the names for all seats in an earlier version of the match."""
        return seat_names(match, self.by_seat, self.latest)

    @property
    def fingerprint(self) -> str:
        """The part of an ETag for names and for moves taken back.

        Names and taken-back moves may change after the commits of a story.
        """
        holders = [seat.name for seat in self.latest.seats] if self.latest else []
        gone = taken_back(self.latest) if self.latest else ()
        return fingerprint([sorted(self.by_seat.items()), holders, gone])[:8]


def names_of(ctx: Context, loaded: Loaded) -> Names:
    """Return the present names of a match's seats. loaded: the match at its head."""
    metadata = ctx.journal.metadata.fields(loaded.id)
    name_fields = map(seat_holders.name_field, range(len(loaded.match.seats)))
    fields = tuple((field, metadata.get(field)) for field in name_fields)
    return Names(seat_holders.names_in(metadata), loaded.match, fields)


class Narrator:
    """Puts commits into words, one after another, and applies each to the given match in place.

    redact: removes from an event everything that the reader may not see.
    """

    def __init__(self, match: Match | None, rules: str, names: Names, redact: Redact) -> None:
        self._match = match
        self._rules = rules
        self._names = names
        self._redact = redact
        self._called = names.at(match) if match else ()
        self._taken_back = frozenset(taken_back(names.latest) if names.latest else ())

    def tell(self, stored: StoredCommit) -> answers.StoryLine:
        """Return the next commit as a line of the story, and apply it to the match."""
        content = stored["commit"]
        may_sign = self._may_sign(content["actor"], content["command"]["type"])
        events = decode_events([stored], self._rules)
        sentences = [as_json(self._tell_event(event, content["actor"])) for event in events]

        assert self._match is not None, "a match is opened first"
        evolve.count_moves(self._match, events[-1:])
        evolve.end_commit(self._match, events, stamp_of(content))
        line: answers.StoryLine = {
            "version": content["version"],
            "time": content["time"],
            "actor": content["actor"],
            "command": content["command"]["type"],
            "sentences": sentences,
        }
        if content["version"] in self._taken_back:
            line["taken_back"] = True
        if may_sign:
            line["signed"] = is_signed(stored)
        return line

    def _may_sign(self, actor: str, command: str) -> bool:
        """Return True if an actor is a seat with a key, and does not join by this command (M18)."""
        seat = seat_of(actor)
        if seat is None or self._match is None or command == Join.tag:
            return False
        return bool(self._match.seats[seat].key)

    def _tell_event(self, event: Message, actor: str) -> Sentence:
        match = self._match
        event_view = self._redact(event)
        if match is None or type(event) in _OWN_EVENTS:
            return self._tell_own(match, event, event_view, actor)

        sentence = story_of_game(match, match.state, event_view, self._called)
        match.game.evolve(match.state, event)
        return sentence

    def _tell_own(
        self, match: Match | None, event: Message, event_view: Message, actor: str
    ) -> Sentence:
        """Put an event of the match, not of its game, into words.

        The event may change names of seats.
        """
        if match is None:
            assert isinstance(event, MatchOpened)
            after = evolve.new_match(event)
        else:
            after = match.copy()
            evolve.evolve(after, event)

        self._match = after
        self._called = self._names.at(after)
        return story_of(match, event_view, self._called, actor)


def as_json(sentence: Sentence) -> answers.Sentence:
    """Return a sentence as JSON, without the member `heading` if it has none."""
    answer: answers.Sentence = {"text": sentence.text, "rules": list(sentence.rules)}
    if sentence.heading is not None:
        heading = sentence.heading
        answer["heading"] = {"part": heading.part.value, "title": heading.title}
    return answer


def story(
    ctx: Context, loaded: Loaded, caller: Caller, names: Names, span: Range
) -> list[answers.StoryLine]:
    """Return the commits of a range as lines of the story, as the caller may read them.

    Raises NotFound or MatchDeleted if the match goes away meanwhile.
    """
    return from_one_stream(
        ctx,
        read=lambda: list(lines(ctx, loaded, caller, names, span)),
    )


def lines(
    ctx: Context, loaded: Loaded, caller: Caller, names: Names, span: Range
) -> Iterator[answers.StoryLine]:
    """Yield the lines of `story` one by one. Raises the errors of `story`, and OtherStream."""
    if span.after >= span.until:
        return

    before = load_version(ctx, loaded.id, span.after).match.copy() if span.after else None
    narrator = Narrator(
        match=before,
        rules=loaded.match.rules,
        names=names,
        redact=lambda event: wire.redact(event, caller.seat),
    )
    for entries in pieces(ctx, loaded.id, span.after, span.until):
        for stored in parse_commits(entries):
            yield narrator.tell(stored)


def foretell(match: Match, seat: int, command: Message, names: Names) -> list[answers.Sentence]:
    """Return a sentence for each event that a legal move of a seat would cause.

    First everything hidden from the seat is drawn again, so that no sentence gives it away. The
    sentences leave out all outcomes of chance.
    """
    game = match.game
    called = names.at(match)
    state = game.imagine(match.state, seat, FastChance(0))

    sentences = []
    for event in decide(game, state, command, FastChance(0)):
        sentence = story_of_game(match, state, wire.redact(_without_draws(event), seat), called)
        sentences.append(as_json(sentence))
        game.evolve(state, event)
    return sentences


def captions(match: Match, seat: int, commands: Sequence[Message], names: Names) -> list[str]:
    """Return a caption of each of a seat's legal moves: the sentence of its first event.

    As in `foretell`, everything hidden from the seat is drawn again, once for all moves.
    """
    game = match.game
    called = names.at(match)
    state = game.imagine(match.state, seat, FastChance(0))

    texts = []
    for command in commands:
        first_event, *_ = decide(game, state, command, FastChance(0))
        event_view = wire.redact(_without_draws(first_event), seat)
        texts.append(story_of_game(match, state, event_view, called).text)
    return texts


def _without_draws(event: Message) -> Message:
    """Return an event without the fields decided by chance."""
    names = wire.drawn_fields(type(event))
    return replace(event, **dict.fromkeys(names)) if names else event


# ---- a story as plain text, for terminals --------------------------------------------------------


Line = Mapping[str, Any]  # of the story: answers.StoryLine, or its JSON from a server
_HIGHEST_SHORT_ESCAPE = 0xFFFF
_VERSION_WIDTH = 5

# Invisible characters that count as printable: joiners, fillers, selectors of variants.
_UNSEEN = frozenset(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)


def visible(text: str) -> str:
    r"""Return a text in one line, with invisible characters written as \uXXXX or \UXXXXXXXX.

    The characters of a whole isolate stay. They keep the writing direction of a name from changing
    the order of the words around it.
    """
    parts = []
    for part in WHOLE_ISOLATE.split(text):
        if WHOLE_ISOLATE.fullmatch(part):
            parts += [part[0], *map(_escape, part[1:-1]), part[-1]]
        else:
            parts += map(_escape, part)
    return "".join(parts)


def text_lines(story: Iterable[Line]) -> Iterator[str]:
    """Yield the lines of a story for people, without line ends.

    The first sentence of a commit follows the commit's version. Rules that decided an event follow
    its sentence in brackets. Commits taken back since are marked (M17).
    """
    is_first = True
    for commit in story:
        version = str(commit["version"])
        mark = "(taken back) " if commit.get("taken_back") else ""
        for sentence in commit["sentences"]:
            heading = sentence.get("heading")
            if heading is not None:
                if not is_first:
                    yield ""
                yield visible(heading["title"])
                yield ""

            yield f"{version:>{_VERSION_WIDTH}}  {mark}{_with_rules(sentence)}"
            version = ""
            is_first = False


def _with_rules(sentence: Line) -> str:
    text = visible(sentence["text"])
    rules = sentence["rules"]
    return f"{text} [{', '.join(rules)}]" if rules else text


def _escape(character: str) -> str:
    r"""Return a character as it is, or as \uXXXX or \UXXXXXXXX if it is invisible."""
    code = ord(character)
    if character.isprintable() and code not in _UNSEEN:
        return character
    if code <= _HIGHEST_SHORT_ESCAPE:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"
