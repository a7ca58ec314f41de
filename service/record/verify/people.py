"""Actors, holders of seats, their signatures, pledges and disclosures.

The rules are in docs/reference/record.md (section 2) and docs/reference/proofs.md (sections 12 and
13). No game is needed, and no message is decoded.
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
_SEAT_PATTERNS = {  # patterns of the members of a seat, by its kind
    "human": {
        "level": "",
        "name": _DIGEST_OR_NONE,
        "entropy": "(?:[0-9a-f]{2}){0,32}",
        "pledge": _DIGEST_OR_NONE,
    },
    "bot": {"level": "[a-z]{1,16}", "name": _DIGEST_OR_NONE, "entropy": "", "pledge": ""},
    "open": {"level": "", "name": "", "entropy": "", "pledge": ""},
}


# ---- actors, and changes of holders (section 2) --------------------------------------------------


def _check_actor_and_seats(content: Content) -> None:
    """Check the actor of a command, the members of its seats, and changes of holders.

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
    """Return True for a commit about holders of seats, a token, a name, or taking moves back.

    Such a commit costs no player anything, but moves the next draws if draws go by versions (M10).
    """
    return content["command"].get("type") in SHIFTS_DRAWS


def _check_actor(version: int, actor: str, command: Json) -> None:
    """Check that an actor could give a command. Raises Wrong.

    By default the seat named in a command gives the command, and the house gives a command without
    a seat. The default applies to the commands of a game.
    """
    tag = command.get("type")
    actors = ACTORS.get(tag) if isinstance(tag, str) else None
    if actors is None:
        actors = (messages.SEAT,) if "seat" in command else (HOUSE_ACTOR,)
    if not any(_is_actor(actor, one, command) for one in actors):
        raise Wrong(version, "actor_wrong", "its actor could not give its command")


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
    """Return the holder of the seat in a command, None if there is no such seat."""
    seat = command.get("seat")
    is_number = type(seat) is int and 0 <= seat < _MOST_SEATS
    return seat_actor(seat) if is_number else None


def _check_seats(content: Content) -> None:
    """Check the seats of the event that opens a match (M1). Raises Wrong."""
    version = content["version"]
    seats = content["events"][0].get("seats") if content["events"] else None
    if not isinstance(seats, list) or not 0 < len(seats) <= _MOST_SEATS:
        raise Wrong(version, "bad_seat", f"a match has 1 to {_MOST_SEATS} seats (M1)")
    for seat in seats:
        _check_seat(version, seat)


def _check_seat(version: int, seat: object) -> None:
    """Check the kind, level, name, entropy and pledge of a seat (M1, M2, M8). Raises Wrong.

    A name that is no digest is refused, because names have no place in the chain.
    """
    if not _can_be_held(seat):
        detail = "a seat cannot be held so (M1): its kind, level, name or entropy is wrong"
        raise Wrong(version, "bad_seat", detail)


def _check_seat_event(version: int, command: Json, event: Json) -> None:
    """Check that a change of a seat's holder comes from a command for this seat. Raises Wrong.

    Otherwise any commit could take a player's key away, unnoticed by a verifier without the game.
    Every such command but `lapse` names the seat.
    """
    kind, tag, seat = event.get("type"), command.get("type"), command.get("seat")
    causes = SEATED_BY.get(kind) if isinstance(kind, str) else None
    if causes is None:
        return

    is_named = type(seat) is int and type(event.get("seat")) is int and event["seat"] == seat
    if tag not in causes or not (is_named or tag == messages.Lapse.tag):
        raise Wrong(version, "bad_seat", f"its command does not change seats so ({kind})")


def _can_be_held(seat: object) -> bool:
    if not isinstance(seat, dict):
        return False

    kind = seat.get("kind")
    patterns = _SEAT_PATTERNS.get(kind) if isinstance(kind, str) else None
    return patterns is not None and all(
        _is_text(seat.get(member, ""), pattern) for member, pattern in patterns.items()
    )


def _is_text(value: object, pattern: str) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


# ---- the people of a match after each commit (sections 2, 12 and 13) -----------------------------


class People:
    """The holders of all seats, and their signatures, pledges and disclosures, commit by commit.

    vetoes: number of drops of pledges after all had pledged (M19).
    signed: number of right signatures (M18).
    hidden: number of signatures in missing secret parts.
    """

    def __init__(self) -> None:
        self.vetoes = 0
        self.signed = 0
        self.hidden = 0
        self._seats: list[Seat] = []  # `entropy` is the disclosed entropy
        self._is_joint = False
        self._match_rules = FIRST_RULES
        self._pledged: set[str] = set()  # the pledges of all commits so far
        self._has_started = False
        self._must_drop = False
        self._hides: Collection[str] | None = None  # as from `_hiding_commands`

    def check(self, stored: StoredCommit) -> None:
        """Check the next commit. Raises Wrong.

        The commit's messages and secret parts must have the right form. A new key signs for its
        seat from the next commit on.
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
        """Check and apply the events of a commit, one after another. Raises Wrong."""
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
        """Raise Wrong if a seat's part holds fields of a command that hides nothing."""
        content = stored["commit"]
        if self._hides is None or content["command"].get("type") in self._hides:
            return
        for audience in sorted({*_audiences_with(stored, "command")} - {HOUSE_ACTOR}):
            detail = f"its command hides nothing, but a part for {audience} holds some of it (M18)"
            raise Wrong(content["version"], "secrets_differ", detail)

    def _is_signature_hidden(self, stored: StoredCommit) -> bool:
        """Return True if the signature is in a missing secret part.

        Raises Wrong if command or signature stand in a part of another audience, or if a part is
        missing although the command hides nothing and has no public signature.
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
            detail = "`joint_entropy` must be true, with draws by moves (M19)"
            raise Wrong(1, "not_opened", detail)
        self._match_rules = MatchRules(opened.get("match_rules", FIRST))
        for number, plan in enumerate(opened["seats"]):
            self._seats.append(self._seat_told(1, number, plan["kind"], plan))

    def _refuse(self, version: int, fault: str) -> None:
        """Raise Wrong for a fault, "" for none. Without joint entropy no fault counts."""
        if fault and self._is_joint:
            raise Wrong(version, "pledge_wrong", f"{fault} (M19)")

    def _check_coming(self, version: int, event: Json) -> None:
        """Check that a seat is joined only if it is open, and joined or left only before the start.

        Otherwise the house could take a player's key away by a commit that no player signs. Raises
        Wrong, also for a second opening.
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
        """Return the seat in an event, None if there is no such seat."""
        number = event.get("seat")
        return number if type(number) is int and 0 <= number < len(self._seats) else None

    def _apply(self, version: int, event: Json) -> str:
        """Apply an event. Return the fault of a pledge or disclosure, "" for none. Raises Wrong."""
        tag, number = str(event.get("type")), self._number_in(event)
        if tag in SEAT_KINDS and number is not None:
            self._sit(version, number, tag, event)
        elif not self._has_started:
            return self._apply_before_start(version, tag, number, event)
        return ""

    def _sit(self, version: int, number: int, tag: str, event: Json) -> None:
        """Change the holder of a seat, and drop its pledge and its disclosure. Raises Wrong.

        If a human comes or goes before the start, once all have pledged, the same commit must drop
        all pledges and disclosures.
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
        """Return a seat with the key and the pledge in a message.

        Raises Wrong if the key cannot be one, or is another seat's (M18).
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
        """Note a pledge and return it, "" for none.

        Raises Wrong for a pledge made before, if the match rules take each pledge once.
        """
        if not is_digest(pledge):
            return ""
        if pledge in self._pledged and self._match_rules.takes_each_pledge_once:
            self._refuse(version, "a pledge repeats an earlier one")
        self._pledged.add(pledge)
        return pledge

    def _check_proof(self, content: Content, joined: Json) -> None:
        """Check the signature of the joining key in the proof of a join (M18). Raises Wrong.

        A proof may be missing if the join has no key, or if the match rules demand no proof.
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
        """Apply an event before the start that changes no holder. Return its fault, "" for none."""
        if tag == messages.PledgesDropped.tag:
            self.vetoes += self._must_drop
            self._seats = [replace(seat, pledge="", entropy="") for seat in self._seats]
            self._must_drop = False
        elif tag == messages.MatchStarted.tag:
            self._has_started = True
            if any(seat.kind == "human" and not seat.entropy for seat in self._seats):
                return "it starts before all have disclosed"
        elif tag == messages.EntropyPledged.tag and number is not None:
            if self._is_complete():
                return "somebody pledges after all have pledged"
            pledge = self._note_pledge(version, event.get("digest"))
            self._seats[number] = replace(self._seats[number], pledge=pledge)
        elif tag == messages.EntropyDisclosed.tag and number is not None:
            return self._disclose(number, event.get("entropy"))
        return ""

    def _is_complete(self) -> bool:
        """Return True if no seat is open, humans hold at least one, and all humans have pledged."""
        kinds = [seat.kind for seat in self._seats]
        have_pledged = all(seat.pledge for seat in self._seats if seat.kind == "human")
        return "open" not in kinds and "human" in kinds and have_pledged

    def _disclose(self, number: int, entropy: object) -> str:
        """Note the disclosure of a seat. Return the disclosure's fault, "" for none."""
        if not self._is_complete():
            return "somebody discloses before all have pledged"
        seat = self._seats[number]
        if not is_digest(entropy) or digest({"entropy": entropy, "seat": number}) != seat.pledge:
            return f"the entropy of {seat_actor(number)} does not fit its pledge"
        self._seats[number] = replace(seat, entropy=entropy)
        return ""


def _seat(kind: str, key: str = "", pledge: str = "") -> Seat:
    """Return a seat with the fields that matter here, and nothing disclosed."""
    return Seat(kind, level="", name="", entropy="", key=key, pledge=pledge)


# ---- signatures of seats (section 12) ------------------------------------------------------------


def _hiding_commands(opened: Json) -> Collection[str] | None:
    """Return the tags of the commands that hide something from other seats.

    The rules of the game tell them, or the opening if the rules are unknown. None if neither does.
    Raises Wrong.
    """
    hides = opened.get("hides")
    must_tell = MatchRules(opened.get("match_rules", FIRST)).tells_hiding_commands
    if (must_tell or "hides" in opened) and not _is_list_of_tags(hides):
        raise Wrong(1, "not_opened", "it does not list the commands with hidden fields (M18)")
    game = RULES.get(opened["rules"])
    if game is None:
        return hides
    if hides is not None and hides != list(game.hides):
        raise Wrong(1, "not_opened", "its rules list other commands with hidden fields (M18)")
    return game.hides


def _is_list_of_tags(value: object) -> bool:
    """Return True for a list of distinct tags in ascending order."""
    if not isinstance(value, list) or not all(_is_text(tag, _TAG) for tag in value):
        return False
    return value == sorted(set(value))


def _check_unsigned(stored: StoredCommit) -> None:
    """Check that a commit without a signing key is unsigned. Raises Wrong."""
    if "signature" in stored["commit"] or _audiences_with(stored, "signature"):
        raise _not_signed(stored, "it carries a signature, and must not be signed")


def _check_signature(stored: StoredCommit, key: str) -> None:
    """Check that a key has signed a commit. Raises Wrong.

    The signature must not lie in a missing part.
    """
    content = stored["commit"]
    own = stored["secrets"].get(content["actor"], {})
    is_hidden = "command" in own
    if ("signature" in own, "signature" in content) != (is_hidden, not is_hidden):
        raise _not_signed(stored, "its signature is missing or in the wrong place")

    command = {**content["command"], **own.get("command", {})}
    text = text_to_sign(content["match"], content["version"], content["prev"], key, command)
    if not fits(key, _signature_in(stored), text):
        raise _not_signed(stored, f"it is not signed by the key of {content['actor']}")


def _audiences_with(stored: StoredCommit, member: str) -> list[str]:
    """Return the audiences of the secret parts with a member."""
    return [audience for audience, part in stored["secrets"].items() if member in part]


def _signature_in(stored: StoredCommit) -> object:
    """Return the signature of a commit, None for a hidden signature of another form."""
    content = stored["commit"]
    if "signature" in content:
        return content["signature"]
    holder = stored["secrets"][content["actor"]]["signature"]
    return holder["hex"] if holder.keys() == {"hex"} else None


def _not_signed(stored: StoredCommit, detail: str) -> Wrong:
    return Wrong(stored["commit"]["version"], "signature_wrong", f"{detail} (M18)")
