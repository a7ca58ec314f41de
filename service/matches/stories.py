"""Stories: the commits of a match in sentences, as each caller may read them.

Every event is put into words as the caller may see it, against the match as it was before. The
names are those that the seats have now: they are stored beside the chain and may be erased at any
time.

As plain text a story is for terminals: a line a sentence, headings as lines of their own. No name
and no text of a record can move the cursor, forge a line or hide one.
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
from service.matches import seats
from service.matches.command_handler import fingerprint
from service.matches.context import Context
from service.matches.repository import from_one_stream, load_version, pieces
from service.matches.views import Range
from service.record.codec import decode_events
from service.record.commit import StoredCommit, parse_commits
from service.record.replay import Loaded, stamp_of
from service.record.signatures import is_signed
from service.store.keys.tokens import Caller

Redact = Callable[[Message], Message]

_OWN_EVENTS = frozenset(EVENTS.values())  # those of a match, not of its game


@dataclass(frozen=True, slots=True)
class Names:
    """What the seats of a match are called.

    given: the names that are known now, by seat.
    latest: the match as it is now: a seat's name is that of who holds it now, and of nobody before.
    fields: those of the metadata in which names may stand, with what stands there.
    """

    given: Mapping[int, str]
    latest: Match | None = None
    fields: tuple[tuple[str, str | None], ...] = ()

    def at(self, match: Match) -> tuple[str, ...]:
        """Return what to call each seat at an earlier moment of the match."""
        return seat_names(match, self.given, self.latest)

    @property
    def fingerprint(self) -> str:
        """What an ETag says of the names, and of moves taken back: neither is in the commits."""
        holders = [seat.name for seat in self.latest.seats] if self.latest else []
        gone = taken_back(self.latest) if self.latest else ()
        return fingerprint([sorted(self.given.items()), holders, gone])[:8]


def names_of(ctx: Context, loaded: Loaded) -> Names:
    """Return what the seats of a match are called now; loaded: the match at its head."""
    metadata = ctx.journal.metadata.fields(loaded.id)
    name_fields = map(seats.name_field, range(len(loaded.match.seats)))
    fields = tuple((field, metadata.get(field)) for field in name_fields)
    return Names(seats.names_in(metadata), loaded.match, fields)


class Narrator:
    """Puts commits into words, one after another; each is folded once, into a copy of the match.

    redact: what the reader may see of an event.
    """

    def __init__(self, match: Match | None, rules: str, names: Names, redact: Redact) -> None:
        self._match = match
        self._rules = rules
        self._names = names
        self._redact = redact
        self._called = names.at(match) if match else ()
        self._taken_back = frozenset(taken_back(names.latest) if names.latest else ())

    def tell(self, stored: StoredCommit) -> answers.StoryLine:
        """Return the next commit as a line of the story, and go on to the match after it."""
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
        """Return whether an actor is a seat that has a key, with which it does not join (M18)."""
        seat = seat_of(actor)
        if seat is None or self._match is None or command == Join.tag:
            return False
        return bool(self._match.seats[seat].key)

    def _tell_event(self, event: Message, actor: str) -> Sentence:
        match = self._match
        known = self._redact(event)
        if match is None or type(event) in _OWN_EVENTS:
            return self._tell_own(match, event, known, actor)

        sentence = story_of_game(match, match.state, known, self._called)
        match.game.evolve(match.state, event)
        return sentence

    def _tell_own(
        self, match: Match | None, event: Message, known: Message, actor: str
    ) -> Sentence:
        """Put an event of the match itself into words: it may change who is called what."""
        if match is None:
            assert isinstance(event, MatchOpened)
            after = evolve.new_match(event)
        else:
            after = match.copy()
            evolve.evolve(after, event)

        self._match = after
        self._called = self._names.at(after)
        return story_of(match, known, self._called, actor)


def as_json(sentence: Sentence) -> answers.Sentence:
    """Return a sentence as JSON; without a heading that member is left out."""
    shown: answers.Sentence = {"text": sentence.text, "rules": list(sentence.rules)}
    if sentence.heading is not None:
        heading = sentence.heading
        shown["heading"] = {"part": heading.part.value, "title": heading.title}
    return shown


def story(
    ctx: Context, loaded: Loaded, caller: Caller, names: Names, wanted: Range
) -> list[answers.StoryLine]:
    """Return the commits of a range as lines of the story, as the caller may read them.

    Raises NotFound or MatchDeleted if the match goes away meanwhile.
    """
    return from_one_stream(
        ctx,
        read=lambda: list(lines(ctx, loaded, caller, names, wanted)),
    )


def lines(
    ctx: Context, loaded: Loaded, caller: Caller, names: Names, wanted: Range
) -> Iterator[answers.StoryLine]:
    """Yield the same one by one; raises OtherStream, too, if the match becomes another one."""
    if wanted.after >= wanted.until:
        return

    before = load_version(ctx, loaded.id, wanted.after).match.copy() if wanted.after else None
    narrator = Narrator(
        match=before,
        rules=loaded.match.rules,
        names=names,
        redact=lambda event: wire.redact(event, caller.seat),
    )
    for entries in pieces(ctx, loaded.id, wanted.after, wanted.until):
        for stored in parse_commits(entries):
            yield narrator.tell(stored)


def foretell(match: Match, seat: int, command: Message, names: Names) -> list[answers.Sentence]:
    """Return what a legal move of a seat would cause, a sentence for each event.

    What is hidden from the seat is drawn anew before, so that no sentence gives it away. What
    chance will decide is left out.
    """
    game = match.game
    called = names.at(match)
    state = game.imagine(match.state, seat, FastChance(0))

    sentences = []
    for event in decide(game, state, command, FastChance(0)):
        sentence = story_of_game(match, state, wire.redact(_undrawn(event), seat), called)
        sentences.append(as_json(sentence))
        game.evolve(state, event)
    return sentences


def captions(match: Match, seat: int, commands: Sequence[Message], names: Names) -> list[str]:
    """Return what says each of a seat's legal moves: the first sentence of what it would cause.

    As in `foretell` what is hidden from the seat is drawn anew, once for all moves.
    """
    game = match.game
    called = names.at(match)
    state = game.imagine(match.state, seat, FastChance(0))

    texts = []
    for command in commands:
        first_event, *_ = decide(game, state, command, FastChance(0))
        known = wire.redact(_undrawn(first_event), seat)
        texts.append(story_of_game(match, state, known, called).text)
    return texts


def _undrawn(event: Message) -> Message:
    """Return an event without what chance decides in it."""
    names = wire.drawn_fields(type(event))
    return replace(event, **dict.fromkeys(names)) if names else event


# ---- a story as plain text, for terminals --------------------------------------------------------


Line = Mapping[str, Any]  # of the story: answers.StoryLine, or what a server sent as one
_HIGHEST_SHORT_ESCAPE = 0xFFFF
_VERSION_WIDTH = 5

# Marks, letters and signs that count as printable and are not seen: joiners, fillers, selectors of
# variants.
_UNSEEN = frozenset(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)


def visible(text: str) -> str:
    r"""Return a text in one line, with characters that are not seen as \uXXXX.

    Whole isolates stay: they keep a name from turning the words around it.
    """
    parts = []
    for part in WHOLE_ISOLATE.split(text):
        if WHOLE_ISOLATE.fullmatch(part):
            parts += [part[0], *map(_escaped, part[1:-1]), part[-1]]
        else:
            parts += map(_escaped, part)
    return "".join(parts)


def text_lines(story: Iterable[Line]) -> Iterator[str]:
    """Yield the lines of a story as people read them, without line ends.

    A sentence stands behind the version of its commit, once for all sentences of the commit; the
    rules that decided follow in brackets. What was taken back since (M17) says so.
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


def _escaped(character: str) -> str:
    r"""Return a character as it is, or as \uXXXX if it is not seen."""
    code = ord(character)
    if character.isprintable() and code not in _UNSEEN:
        return character
    if code <= _HIGHEST_SHORT_ESCAPE:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"
