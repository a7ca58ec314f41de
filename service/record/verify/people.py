"""People: who acts and who sits, and what they sign, pledge and disclose (docs/fairness.md).

No game is needed, and no message is decoded.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from domain.games import RULES
from domain.match import messages
from domain.match.match_rules import FIRST, FIRST_RULES, MatchRules
from domain.match.state import Seat
from domain.seats import HOUSE_ACTOR, SEAT_ACTOR, seat_actor, seat_of
from service.record.commit import Content, Json, StoredCommit, digest, is_digest
from service.record.signatures import fits, is_key, join_text, text_to_sign
from service.record.verify.match_commands import (
    ACTORS,
    SEAT_KINDS,
    SEATED_BY,
    SHIFTS_DRAWS,
    check_first_event,
)
from service.record.verify.report import Wrong

_SEAT = re.compile(SEAT_ACTOR)

_MOST_SEATS = 16
_TAG = "[a-z][a-z0-9_]{0,63}"
_DIGEST_OR_NONE = "(?:[0-9a-f]{64})?"
_HELD = {  # how a seat of each kind is held: patterns of its members
    "human": {
        "level": "",
        "name": _DIGEST_OR_NONE,
        "entropy": "(?:[0-9a-f]{2}){0,32}",
        "pledge": _DIGEST_OR_NONE,
    },
    "bot": {"level": "[a-z]{1,16}", "name": _DIGEST_OR_NONE, "entropy": "", "pledge": ""},
    "open": {"level": "", "name": "", "entropy": "", "pledge": ""},
}


# ---- who acts, and who may change who sits (section 2) -------------------------------------------


def _check_actor_and_seats(content: Content) -> None:
    """Check that an actor could give a command, that seats can be held so, and who may change them.

    Raises Wrong.
    """
    version = content["version"]
    command = content["command"]
    _check_actor(version, content["actor"], command)

    tag = command.get("type")
    if tag == messages.Open.tag:
        _check_seats(content)
    elif tag == messages.Join.tag:
        _check_seat(version, {**command, "kind": "human"})
    elif tag in (messages.Replace.tag, messages.Resign.tag):
        _check_seat(version, {**command, "kind": "bot"})
    for event in content["events"]:
        _check_seat_event(version, command, event)


def is_beside_the_game(content: Content) -> bool:
    """Return whether a commit is no move: of who sits, a token, a name, or taking moves back.

    It costs nobody anything, and yet the next draws are others where they go by versions (M10).
    """
    return content["command"].get("type") in SHIFTS_DRAWS


def _check_actor(version: int, actor: str, command: Json) -> None:
    """Check that an actor is one that could give a command; raises Wrong.

    In general a command that names a seat is given by this seat, any other by the house. So are the
    commands of a game.
    """
    tag = command.get("type")
    actors = ACTORS.get(tag) if isinstance(tag, str) else None
    if actors is None:
        actors = (messages.SEAT,) if "seat" in command else (HOUSE_ACTOR,)
    if not any(_is_actor(actor, one, command) for one in actors):
        raise Wrong(version, "actor_wrong", "its command is not one that its actor could give")


def _is_actor(actor: str, expected: str, command: Json) -> bool:
    """Return True if an actor is the expected one of a command (`CommandRule.actors`)."""
    is_seat = _SEAT.fullmatch(actor) is not None
    match expected:
        case messages.SEAT:
            return actor == _holder_of(command)
        case messages.HOLDER:
            return is_seat and actor == command.get("holder")
        case messages.ANY_SEAT:
            return is_seat
    return actor == expected


def _holder_of(command: Json) -> str | None:
    """Return the holder of the seat that a command names, None if there is no such seat."""
    seat = command.get("seat")
    is_number = type(seat) is int and 0 <= seat < _MOST_SEATS
    return seat_actor(seat) if is_number else None


def _check_seats(content: Content) -> None:
    """Check the seats of the event that opens a match (M1); raises Wrong."""
    version = content["version"]
    seats = content["events"][0].get("seats") if content["events"] else None
    if not isinstance(seats, list) or not 0 < len(seats) <= _MOST_SEATS:
        raise Wrong(version, "bad_seat", f"a match has 1 to {_MOST_SEATS} seats (M1)")
    for seat in seats:
        _check_seat(version, seat)


def _check_seat(version: int, seat: object) -> None:
    """Check that a seat can be held so (M1, M2, M8); raises Wrong.

    A name that is no digest is refused, because names have no place in the chain.
    """
    if not _can_be_held(seat):
        detail = "a seat cannot be held so (M1): its kind, level, name or entropy is not right"
        raise Wrong(version, "bad_seat", detail)


def _check_seat_event(version: int, command: Json, event: Json) -> None:
    """Check that who sits is changed by a command that does so, at the seat named; raises Wrong.

    Otherwise any commit could take a player's key away, and who does not know the game could not
    tell.
    """
    kind, tag, seat = event.get("type"), command.get("type"), command.get("seat")
    causes = SEATED_BY.get(kind) if isinstance(kind, str) else None
    if causes is None:
        return

    is_named = type(seat) is int and type(event.get("seat")) is int and event["seat"] == seat
    if tag not in causes or not (is_named or tag == messages.Lapse.tag):
        raise Wrong(version, "bad_seat", f"its command does not change who sits so ({kind})")


def _can_be_held(seat: object) -> bool:
    if not isinstance(seat, dict):
        return False

    kind = seat.get("kind")
    patterns = _HELD.get(kind) if isinstance(kind, str) else None
    return patterns is not None and all(
        _is_text(seat.get(member, ""), pattern) for member, pattern in patterns.items()
    )


def _is_text(value: object, pattern: str) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


# ---- the people of a match, from commit to commit (sections 2, 12 and 13) ------------------------


class People:
    """Who holds each seat, folded from the commits, and what they sign, pledge and disclose.

    vetoes: how often pledges were dropped that all had given (M19).
    signed: how many signatures are right (M18).
    hidden: how many lie in secret parts that are not there.
    """

    def __init__(self) -> None:
        self.vetoes = 0
        self.signed = 0
        self.hidden = 0
        self._seats: list[Seat] = []  # their entropy is what was disclosed
        self._is_joint = False
        self._match_rules = FIRST_RULES
        self._pledged: set[str] = set()  # in any commit so far
        self._has_started = False
        self._must_drop = False
        self._hides: Collection[str] | None = None  # None: not told, and the rules are unknown

    def check(self, stored: StoredCommit) -> None:
        """Check the next commit; raises Wrong. Its messages and secret parts have the right form.

        A key signs for its seat from the commit after the one that brings it.
        """
        content = stored["commit"]
        _check_actor_and_seats(content)
        key = self._signing_key(content)
        self._follow(content)
        self._check_may_hide(stored)

        if not key:
            _check_unsigned(stored)
        elif self._is_signature_hidden(stored):
            self.hidden += 1
        else:
            _check_signature(stored, key)
            self.signed += 1
        check_first_event(stored)

    def _signing_key(self, content: Content) -> str:
        """Return the key that must sign a commit, "" for none."""
        number = seat_of(content["actor"])
        if number is None or number >= len(self._seats):
            return ""
        seat = self._seats[number]
        return seat.key if seat.signs(str(content["command"].get("type"))) else ""

    def _follow(self, content: Content) -> None:
        """Apply the events of a commit, each checked before; raises Wrong."""
        version = content["version"]
        for number, event in enumerate(content["events"]):
            if version == 1 and number == 0:
                self._open(event)
            else:
                self._check_coming(version, event)
                self._refuse(version, self._apply(version, event))
                if event.get("type") == messages.SeatJoined.tag:
                    self._check_proof(content, event)
        if self._must_drop:
            self._refuse(version, "a human's seat changes hands, and all pledges still count")

    def _check_may_hide(self, stored: StoredCommit) -> None:
        """Check that only a command that may hide something is hidden in a seat's part.

        Raises Wrong.
        """
        content = stored["commit"]
        if self._hides is None or content["command"].get("type") in self._hides:
            return
        for audience in sorted({*_audiences_with(stored, "command")} - {HOUSE_ACTOR}):
            detail = f"its command hides nothing, and a part for {audience} holds some of it (M18)"
            raise Wrong(content["version"], "secrets_differ", detail)

    def _is_signature_hidden(self, stored: StoredCommit) -> bool:
        """Return True if the signature is in a missing secret part.

        Raises Wrong if command or signature are in a part of another audience, or if the command
        hides nothing, so that it is signed in public.
        """
        content, parts = stored["commit"], stored["secrets"]
        actor = content["actor"]
        holders = [*_audiences_with(stored, "command"), *_audiences_with(stored, "signature")]
        if any(audience != actor for audience in holders):
            detail = "its command or its signature lies in a part of another audience"
            raise _not_signed(stored, detail)
        if actor not in content["secrets"] or actor in parts or "signature" in content:
            return False
        if self._hides is not None and content["command"].get("type") not in self._hides:
            raise _not_signed(stored, "its command hides nothing, and it is not signed in public")
        return True

    def _open(self, opened: Json) -> None:
        self._hides = _hiding_commands(opened)
        self._is_joint = "joint_entropy" in opened
        by_moves = opened.get("draws") == messages.DRAWS_BY_MOVES
        if self._is_joint and not (opened["joint_entropy"] is True and by_moves):
            detail = "who draws together says so, and draws by moves (M19)"
            raise Wrong(1, "not_opened", detail)
        self._match_rules = MatchRules(opened.get("match_rules", FIRST))
        for number, plan in enumerate(opened["seats"]):
            self._seats.append(self._seat_told(1, number, plan["kind"], plan))

    def _refuse(self, version: int, fault: str) -> None:
        """Raise Wrong for a fault, "" for none; without joint entropy nothing is pledged."""
        if fault and self._is_joint:
            raise Wrong(version, "pledge_wrong", f"{fault} (M19)")

    def _check_coming(self, version: int, event: Json) -> None:
        """Check that an event lets somebody come to an open seat, and come or go before the start.

        Otherwise the house could take a player's key away by a commit that no player signs.
        """
        tag, number = event.get("type"), self._number_in(event)
        if tag == messages.MatchOpened.tag:
            raise Wrong(version, "unreadable", "only the first commit opens the match")
        if number is None or tag not in (messages.SeatJoined.tag, messages.SeatLeft.tag):
            return
        actor = seat_actor(number)
        if self._has_started:
            raise Wrong(version, "bad_seat", f"{actor} changes hands after the start")
        if tag == messages.SeatJoined.tag and self._seats[number].kind != "open":
            raise Wrong(version, "bad_seat", f"{actor} is not open, and is joined (M2)")

    def _number_in(self, event: Json) -> int | None:
        """Return the seat that an event names, None if there is no such seat."""
        number = event.get("seat")
        return number if type(number) is int and 0 <= number < len(self._seats) else None

    def _apply(self, version: int, event: Json) -> str:
        """Apply an event; return what is wrong with a pledge or disclosure, "" if nothing is."""
        tag, number = str(event.get("type")), self._number_in(event)
        if tag in SEAT_KINDS and number is not None:
            self._sit(version, number, tag, event)
        elif not self._has_started:
            return self._apply_before_start(version, tag, number, event)
        return ""

    def _sit(self, version: int, number: int, tag: str, event: Json) -> None:
        """Let a seat change hands, which drops what was pledged and disclosed there; raises Wrong.

        Where a human comes or goes before the start, once all have pledged, the same commit must
        drop all of that.
        """
        seat, kind = self._seats[number], SEAT_KINDS[tag]
        if not self._has_started and "human" in (seat.kind, kind) and self._is_complete():
            self._must_drop = True

        if tag == messages.SeatJoined.tag:
            self._seats[number] = self._seat_told(version, number, kind, event)
        else:
            key = "" if tag == messages.SeatLeft.tag else seat.key
            self._seats[number] = _seat(kind, key)

    def _seat_told(self, version: int, number: int, kind: str, message: Json) -> Seat:
        """Return a seat with the key and the pledge that a message tells.

        Raises Wrong where the key cannot be one, or is another seat's (M18).
        """
        key, pledge = message.get("key", ""), message.get("pledge")
        if "key" in message and (kind != "human" or not is_key(key)):
            detail = f"the key of {seat_actor(number)} cannot be one (M18)"
            raise Wrong(version, "key_wrong", detail)
        if key and any(seat.key == key for seat in self._seats):
            detail = f"the key of {seat_actor(number)} is another seat's (M18)"
            raise Wrong(version, "key_wrong", detail)
        return _seat(kind, key, self._note_pledge(version, pledge))

    def _note_pledge(self, version: int, pledge: object) -> str:
        """Note a pledge and return it, "" for none. Raises Wrong for one that was made before."""
        if not is_digest(pledge):
            return ""
        if pledge in self._pledged and self._match_rules.takes_each_pledge_once:
            self._refuse(version, "somebody pledges what was pledged before")
        self._pledged.add(pledge)
        return pledge

    def _check_proof(self, content: Content, joined: Json) -> None:
        """Check that the key of a join has signed it, if it has a proof or needs one (M18).

        Raises Wrong.
        """
        number, key, proof = self._number_in(joined), joined.get("key"), joined.get("proof")
        is_needed = "key" in joined and self._match_rules.takes_proven_keys
        if number is None or not ("proof" in joined or is_needed):
            return
        text = join_text(content["match"], content["prev"], number, str(key))
        if key is None or not fits(key, proof, text):
            detail = f"the key of {seat_actor(number)} does not prove that it joins (M18)"
            raise Wrong(content["version"], "key_wrong", detail)

    def _apply_before_start(self, version: int, tag: str, number: int | None, event: Json) -> str:
        """Apply an event before the start that leaves all on their seats; return what is wrong."""
        if tag == messages.PledgesDropped.tag:
            self.vetoes += self._must_drop
            self._seats = [replace(seat, pledge="", entropy="") for seat in self._seats]
            self._must_drop = False
        elif tag == messages.MatchStarted.tag:
            self._has_started = True
            if any(seat.kind == "human" and not seat.entropy for seat in self._seats):
                return "it starts, although somebody has not disclosed"
        elif tag == messages.EntropyPledged.tag and number is not None:
            if self._is_complete():
                return "somebody pledges after all have pledged"
            pledge = self._note_pledge(version, event.get("digest"))
            self._seats[number] = replace(self._seats[number], pledge=pledge)
        elif tag == messages.EntropyDisclosed.tag and number is not None:
            return self._disclose(number, event.get("entropy"))
        return ""

    def _is_complete(self) -> bool:
        """Return whether all seats are held, by a human at least, and all humans have pledged."""
        kinds = [seat.kind for seat in self._seats]
        have_pledged = all(seat.pledge for seat in self._seats if seat.kind == "human")
        return "open" not in kinds and "human" in kinds and have_pledged

    def _disclose(self, number: int, entropy: object) -> str:
        """Note what a seat discloses; return what is wrong with it, "" if nothing is."""
        if not self._is_complete():
            return "somebody discloses before all have pledged"
        seat = self._seats[number]
        if not is_digest(entropy) or digest({"entropy": entropy, "seat": number}) != seat.pledge:
            return f"the entropy of {seat_actor(number)} is not what was pledged"
        self._seats[number] = replace(seat, entropy=entropy)
        return ""


def _seat(kind: str, key: str = "", pledge: str = "") -> Seat:
    """Return a seat as far as it matters here, with nothing disclosed."""
    return Seat(kind, level="", name="", entropy="", key=key, pledge=pledge)


# ---- what a seat signs (section 12) --------------------------------------------------------------


def _hiding_commands(opened: Json) -> Collection[str] | None:
    """Return the tags of the commands that hide something from other seats.

    The rules decide if they are known, else the opening. None if neither tells. Raises Wrong.
    """
    hides = opened.get("hides")
    must_tell = MatchRules(opened.get("match_rules", FIRST)).tells_hiding_commands
    if (must_tell or "hides" in opened) and not _is_list_of_tags(hides):
        raise Wrong(1, "not_opened", "it does not list the commands that hide something (M18)")
    game = RULES.get(opened["rules"])
    if game is None:
        return hides
    if hides is not None and hides != list(game.hides):
        raise Wrong(1, "not_opened", "by its rules other commands hide something (M18)")
    return game.hides


def _is_list_of_tags(value: object) -> bool:
    """Return True for a list of distinct tags in ascending order."""
    if not isinstance(value, list) or not all(_is_text(tag, _TAG) for tag in value):
        return False
    return value == sorted(set(value))


def _check_unsigned(stored: StoredCommit) -> None:
    """Check that nothing signs a commit that no key must sign; raises Wrong."""
    if "signature" in stored["commit"] or _audiences_with(stored, "signature"):
        raise _not_signed(stored, "it carries a signature, and must not be signed")


def _check_signature(stored: StoredCommit, key: str) -> None:
    """Check that a commit, whose signature is at hand, is signed by a key; raises Wrong."""
    content = stored["commit"]
    own = stored["secrets"].get(content["actor"], {})
    is_hidden = "command" in own
    if ("signature" in own, "signature" in content) != (is_hidden, not is_hidden):
        raise _not_signed(stored, "it is not signed where it must be")

    command = {**content["command"], **own.get("command", {})}
    text = text_to_sign(content["match"], content["version"], content["prev"], key, command)
    if not fits(key, _signature_in(stored), text):
        raise _not_signed(stored, f"it is not signed by the key of {content['actor']}")


def _audiences_with(stored: StoredCommit, member: str) -> list[str]:
    """Return the audiences whose secret parts have a member."""
    return [audience for audience, part in stored["secrets"].items() if member in part]


def _signature_in(stored: StoredCommit) -> object:
    """Return the signature of a commit, None where it is not written as one."""
    content = stored["commit"]
    if "signature" in content:
        return content["signature"]
    holder = stored["secrets"][content["actor"]]["signature"]
    return holder["hex"] if holder.keys() == {"hex"} else None


def _not_signed(stored: StoredCommit, detail: str) -> Wrong:
    return Wrong(stored["commit"]["version"], "signature_wrong", f"{detail} (M18)")
