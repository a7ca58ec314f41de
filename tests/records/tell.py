"""Golden records told as stories.

`python -m tests.records.tell` writes the missing stories to `stories/`. A story shows sentences in
their place in a match. An existing story is never written again by itself: to change a sentence on
purpose, use `--anew` and read the changes.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from domain import wire
from domain.game import Game
from domain.games import GAMES
from domain.match.evolve import evolve, new_match
from domain.match.state import Match
from domain.match.story import seat_names, story_of
from domain.story import Sentence
from service.record import record
from service.record.codec import decode_events
from service.record.commit import StoredCommit, rules_of
from tests.records import make
from tests.records.views import name_of

HOME = make.HOME / "stories"
NAMES = {0: "Ada", 1: "Bob"}  # all other seats are called by their colours

Reader = int | Literal["all"] | None  # a seat, a reader who knows everything, or the public


def _stories_of(game: Game[Any]) -> dict[str, Reader]:
    """Return three records of a game's newest rules, and the reader of each story."""
    fewest = make.name_of(game, game.seats[0], 0)
    middle = make.name_of(game, game.seats[len(game.seats) // 2], 9)
    most = make.name_of(game, game.seats[-1], 3, make.BOUND)
    return {
        name_of(fewest.path): "all",
        name_of(middle.path): 0,
        name_of(most.path): None,
    }


# The reader of a record's story, by the record's name.
STORIES: dict[str, Reader] = {
    name: reader for game in GAMES.values() for name, reader in _stories_of(game).items()
}


def path_of(name: str) -> Path:
    """Return the path of a record's story. name: such as "calimala/1-3-00"."""
    return HOME / f"{name.replace('/', '-')}.txt"


def story(name: str) -> str:
    """Return the story of a record as its reader is told it, a line for each heading and event."""
    lines = make.lines_in(make.HOME / f"{name}.ndjson.gz")
    commits = [stored for stored, _ in map(record.read_line, lines)]
    return "".join(f"{line}\n" for line in _lines(commits, STORIES[name]))


def _lines(commits: list[StoredCommit], reader: Reader) -> Iterator[str]:
    rules = rules_of(commits[0])
    match: Match | None = None

    for version, stored in enumerate(commits, 1):
        for event in decode_events([stored], rules):
            after = _after(match, event)
            public_event = event if reader == "all" else wire.redact(event, reader)
            sentence = story_of(match, public_event, seat_names(after, NAMES))
            yield from _told(version, sentence)
            match = after


def _after(match: Match | None, event: Any) -> Match:
    """Return the match after an event. The one before it is left alone."""
    if match is None:
        return new_match(event)
    after = match.copy()
    evolve(after, event)
    return after


def _told(version: int, sentence: Sentence) -> Iterator[str]:
    """Yield a sentence behind its heading, with the version and the rules that decided."""
    if sentence.heading is not None:
        yield ""
        yield f"{sentence.heading.title} ({sentence.heading.part.value})"
    rules = f" [{', '.join(sentence.rules)}]" if sentence.rules else ""
    yield f"{version:4}  {sentence.text}{rules}"


def main(arguments: list[str]) -> None:
    """Write the stories that are missing, or all of them."""
    HOME.mkdir(exist_ok=True)
    for name in STORIES:
        path = path_of(name)
        if "--anew" in arguments or not path.exists():
            path.write_text(story(name), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
