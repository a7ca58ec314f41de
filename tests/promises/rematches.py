"""Rematches: the answers to requests for one, compared with the journal (M20)."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from tests.promises.checker import LOST, REMATCHED, Finding
from tests.promises.history import REMATCH, Try
from tests.promises.stored import StoredJournal, StoredMatch


def check_rematches(tries: Iterable[Try], journal: StoredJournal) -> Iterator[Finding]:
    """Check that a match has at most one rematch, and that players told of it sit there."""
    answered: defaultdict[str, set[str]] = defaultdict(set)
    following: defaultdict[str, set[str]] = defaultdict(set)
    for one in tries:
        if one.what == REMATCH and one.rematch:
            answered[one.match].add(one.rematch)
            yield from _check_seat(one, journal.matches)
    for match, stored in journal.matches.items():
        if stored.rematch_of:
            following[stored.rematch_of].add(match)

    for match, stored in journal.matches.items():
        links = {stored.rematch} - {""}
        rematches = links | answered[match] | following[match]
        if len(rematches) > 1:
            yield Finding(REMATCHED, match, f"its rematches are {sorted(rematches)}")
        elif answered[match] - links:
            yield Finding(REMATCHED, match, f"does not name its rematch {rematches}")
        elif rematches - following[match]:
            yield Finding(REMATCHED, match, f"its rematch {rematches} does not name it")


def _check_seat(one: Try, matches: Mapping[str, StoredMatch]) -> Iterator[Finding]:
    """Check that a player told of a rematch has joined it once, at the seat before."""
    commits = matches[one.rematch].commits if one.rematch in matches else []
    contents = [json.loads(commit_bytes)["commit"] for _entry, commit_bytes in commits]
    holder, _, seat = one.actor.partition(":")
    if not contents or holder != "seat":
        return

    new_seat = (int(seat) - 1) % len(contents[0]["events"][0]["seats"])
    joins = [content for content in contents if content["command"]["type"] == "join"]
    if [content["command"]["seat"] for content in joins].count(new_seat) != 1:
        text = f"{one.actor} was told of a rematch in which nobody has taken seat {new_seat}"
        yield Finding(LOST, one.rematch, text)
