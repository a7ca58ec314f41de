"""Audits: of a record, and of a match as a journal holds it (docs/fairness.md).

What needs no game is checked of every record, whether it can be played or not: the form, the chain,
the seals, who acts and who sits.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from domain.chance import bound_key
from domain.games import RULES
from domain.match import messages
from domain.seats import HOUSE_ACTOR, INVITATION, OWNER, PUBLIC, SEAT_ACTOR, seat_actor
from service.ledger.commit import Content, Json, StoredCommit, digest, is_digest
from service.ledger.replay import Loaded, outcome
from service.ledger.signatures import BadSignature, SignedSeats
from service.verify import bases, chain
from service.verify.redecide import check_salts, redecide
from service.verify.report import END, STUMBLES, Progress, Report, Wrong, quiet

_OWNERS_COMMANDS = (
    messages.Open.tag,
    messages.Start.tag,
    messages.Abort.tag,
    messages.Replace.tag,
    messages.Restore.tag,
)
_CHANGES = (messages.ReplaceToken.tag, messages.RevokeToken.tag, messages.EraseName.tag)
_SEAT_CHANGES = (
    messages.Leave.tag,
    messages.Replace.tag,
    messages.Restore.tag,
    messages.RunOut.tag,
    messages.Return.tag,
    messages.Resign.tag,
)
_TAKE_BACKS = (
    messages.AskTakeBack.tag,
    messages.AgreeTakeBack.tag,
    messages.RefuseTakeBack.tag,
)
# The commands in which an event may change who sits. All but `lapse` name the seat.
_SEATED_BY: dict[object, tuple[str, ...]] = {
    messages.SeatJoined.tag: (messages.Join.tag,),
    messages.SeatLeft.tag: (messages.Leave.tag, messages.Lapse.tag),
    messages.SeatReplaced.tag: (messages.Replace.tag, messages.RunOut.tag, messages.Resign.tag),
    messages.SeatRestored.tag: (messages.Restore.tag, messages.Return.tag),
}
_BESIDE_THE_GAME = (*_CHANGES, *_SEAT_CHANGES, *_TAKE_BACKS)
_SEAT = re.compile(SEAT_ACTOR)
_JOINERS = re.compile("|".join((OWNER, PUBLIC, INVITATION, SEAT_ACTOR)))

_MOST_SEATS = 16
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


@dataclass(slots=True)
class Audit:
    """A report with what it is about.

    commits: those whose form is right, oldest first.   unsealed: the same with every secret part in
    its place that the match's revelation lays open.   loaded: the match they make if it could be
    played to its end.
    """

    report: Report = field(default_factory=Report)
    commits: list[StoredCommit] = field(default_factory=list)
    unsealed: Sequence[StoredCommit] = ()
    loaded: Loaded | None = None

    def commit(self, version: int) -> StoredCommit:
        """Return the commit that made a version, from 1."""
        return self.commits[version - 1]


FindBase = Callable[[str, int], Audit | None]
"""find_base(match, version): the audit of what a fork goes on from, None where it is not at hand.

The audit goes up to that version at least (M21).
"""


def no_base(_match: str, _version: int) -> None:
    """Find no base: of a fork its record alone is at hand."""


def verify_record(
    lines: Iterable[bytes], progress: Progress = quiet, find_base: FindBase = no_base
) -> Audit:
    """Check a record line by line.

    A record that holds the house's secrets must end with their revelation: nobody is handed them
    before.
    """
    return _verify(chain.read_record(lines), progress, find_base, stored=False)


def verify_stored(
    many_commit_bytes: Iterable[bytes],
    progress: Progress = quiet,
    find_base: FindBase = no_base,
) -> Audit:
    """Check a match as a journal holds it: with all its secrets, ended or not."""
    return _verify(chain.read_stored(many_commit_bytes), progress, find_base, stored=True)


def _verify(
    commits: Iterable[chain.Read], progress: Progress, find_base: FindBase, *, stored: bool
) -> Audit:
    audit = Audit()
    try:
        audit.commits = chain.check(commits)
        _introduce(audit)
        _check_end(audit, stored=stored)

        audit.unsealed = _unsealed(audit)
        _check_without_play(audit)
        _play(audit, progress)
        _check_base(audit, find_base)
        _note_beside_the_game(audit)
    except Wrong as wrong:
        audit.report.wrong = wrong
    except STUMBLES as error:
        detail = f"it cannot be checked to its end ({type(error).__name__})"
        audit.report.wrong = Wrong(0, "unreadable", detail)
    return audit


def _check_without_play(audit: Audit) -> None:
    """Check in every commit what needs no game: who acts and sits, pledges, signatures, and salts.

    Raises Wrong. Salts are checked where the match's secret is at hand.
    """
    report = audit.report
    seats = SignedSeats()
    lobby = Lobby()
    first = audit.unsealed[0]
    house_part = first["secrets"].get("house")
    key = None if house_part is None else _sealed_key(first["commit"], house_part)

    for stored in audit.unsealed:
        check_people(stored["commit"])
        lobby.check(stored["commit"])
        _check_signature(stored, seats)
        if key is not None:
            check_salts(stored, key)

    if lobby.vetoes:
        report.notes.append(
            f"pledges of match {report.match} were dropped after all had pledged (so often: "
            f"{lobby.vetoes}): who knew the draws then may have prevented them, and no record "
            "tells why"
        )
    report.signed = seats.signed
    if seats.hidden:
        report.unchecked.append(
            f"{seats.hidden} signatures: they lie in secret parts that are not here (M18)"
        )


def _check_signature(stored: StoredCommit, seats: SignedSeats) -> None:
    """Check that a commit is signed if it must be, and let the seats follow it; raises Wrong."""
    try:
        seats.check(stored)
    except BadSignature as bad:
        raise Wrong(stored["commit"]["version"], bad.code, str(bad)) from None


def _introduce(audit: Audit) -> None:
    """Let the report say which match it is about, as far as the commits tell by themselves."""
    report = audit.report
    first = audit.commits[0]["commit"]
    last = audit.commits[-1]
    opening = _opening_of(first)

    report.match = first["match"]
    report.commits = len(audit.commits)
    report.hash = last["hash"]
    report.game = str(opening.get("game", ""))
    report.rules = str(opening.get("rules", ""))

    _check_sealing(first)
    bases.named_by(first)
    report.redacted = any(_lacks_parts(stored) for stored in audit.commits)
    last_events = last["commit"]["events"]
    report.ended = bool(last_events) and last_events[-1].get("type") == messages.SecretsRevealed.tag


def _lacks_parts(stored: StoredCommit) -> bool:
    """Return whether a commit has digests of secret parts that are not here."""
    return stored["secrets"].keys() != stored["commit"]["secrets"].keys()


def _check_end(audit: Audit, *, stored: bool) -> None:
    """Check that a record ends as it may: with the revelation, or with its end not known.

    If it is not known, only a receipt or the server can tell that no commit was cut off.
    """
    report = audit.report
    if report.ended:
        return
    if not stored and "house" in audit.commits[0]["secrets"]:
        detail = "the record holds the house's secrets but not their revelation (M9)"
        raise Wrong(report.commits, "not_ended", detail)
    report.unchecked.append(END)


def _play(audit: Audit, progress: Progress) -> None:
    """Decide all commits again; if all could be folded, say where the match stands after them."""
    report = audit.report
    if report.rules not in RULES:
        report.unchecked.append(f"the play: this program does not know the rules {report.rules}")
        return

    match = redecide(audit.unsealed, report, progress)
    if match is None or report.folded < report.commits:
        return

    loaded = Loaded(
        id=report.match,
        version=report.commits,
        created=audit.commits[0]["commit"]["time"],
        time=audit.commits[-1]["commit"]["time"],
        hash=report.hash,
        match=match,
    )
    audit.loaded = loaded
    report.status = match.status.name
    report.outcome = outcome(loaded)


def _check_base(audit: Audit, find_base: FindBase) -> None:
    """Hold a fork against its base, where that is at hand; raises Wrong (M21)."""
    first = audit.commits[0]["commit"]
    named = bases.named_by(first)
    if named is None:
        return

    base = find_base(named["match"], named["version"])
    if base is None:
        audit.report.unchecked.append(bases.not_at_hand(named))
    else:
        left_open = bases.compare(first, named, base.report, base.unsealed)
        audit.report.unchecked += left_open


def _note_beside_the_game(audit: Audit) -> None:
    """Count the commits that somebody may have made only to move the next draw (M10).

    They do where draws go by versions, and change nothing where draws go by moves.
    """
    if "draws" in _opening_of(audit.commits[0]["commit"]):
        return
    report = audit.report
    count = sum(is_beside_the_game(stored["commit"]) for stored in audit.commits)
    if count:
        report.notes.append(
            f"{count} of {report.commits} commits of match {report.match} changed tokens, names or "
            "who sits, or were about taking moves back: each moved the next draws to another "
            "version, and no record tells why"
        )


def _unsealed(audit: Audit) -> Sequence[StoredCommit]:
    """Return the commits with every secret part that the revelation lays open in its place (M9)."""
    if not audit.report.ended:
        return audit.commits

    last_number = audit.report.commits
    revelation = audit.commits[-1]["commit"]["events"][-1]
    opening = _opening_of(audit.commits[0]["commit"])
    _checked_key(last_number, revelation.get("secret"), opening)

    revealed = _revealed_parts(audit, revelation.get("parts"))
    _check_revealed(audit, revealed)
    return [_with_parts(stored, revealed) for stored in audit.commits]


def _with_parts(stored: StoredCommit, revealed: dict[str, dict[str, Json]]) -> StoredCommit:
    """Return a commit with its secret parts as a revelation tells them, by version."""
    content = stored["commit"]
    parts = revealed.get(str(content["version"]), {})
    return {"commit": content, "hash": stored["hash"], "secrets": parts}


def _revealed_parts(audit: Audit, parts: object) -> dict[str, dict[str, Json]]:
    """Return the secret parts of a revelation by version and audience.

    Raises Wrong where it has none, or one that has not the form of a secret part.
    """
    last_number = audit.report.commits
    if not isinstance(parts, dict) or not all(isinstance(one, dict) for one in parts.values()):
        raise Wrong(last_number, "unreadable", "its revelation has no parts")

    for stored in audit.commits:
        content = stored["commit"]
        revealed = parts.get(str(content["version"]), {}).values()
        if not all(chain.is_part(part, len(content["events"])) for part in revealed):
            number = content["version"]
            detail = f"what it reveals of commit {number} has not the form of secret parts (M9)"
            raise Wrong(last_number, "unreadable", detail)
    return parts


def _check_revealed(audit: Audit, revealed: dict[str, dict[str, Json]]) -> None:
    """Check that the revelation has all secret parts and no others (M9).

    Each must be the one that its commit holds the digest of.
    """
    last_number = audit.report.commits
    digests = {
        str(stored["commit"]["version"]): stored["commit"]["secrets"]
        for stored in audit.commits
        if stored["commit"]["secrets"]
    }

    sealed_audiences = {version: sealed.keys() for version, sealed in digests.items()}
    revealed_audiences = {version: parts.keys() for version, parts in revealed.items()}
    if revealed_audiences != sealed_audiences:
        detail = "it must reveal all secret parts and no others (M9)"
        raise Wrong(last_number, "revelation_differs", detail)

    for version, parts in revealed.items():
        try:
            chain.check_parts(last_number, digests[version], parts)
        except Wrong:
            detail = f"a part that it reveals of commit {version} does not fit its digest (M9)"
            raise Wrong(last_number, "revelation_differs", detail) from None


# ---- the secret that a match is committed to from its opening (M10) ------------------------------


def _check_sealing(first: Content) -> None:
    """Check that a first commit opens a match, seals a secret and is bound to no other match (M10).

    Raises Wrong.
    Nothing secret is needed: what is checked is the public part.
    """
    command, opening = first["command"], _opening_of(first)
    is_opening = (command.get("type"), opening.get("type")) == (
        messages.Open.tag,
        messages.MatchOpened.tag,
    )
    rules = opening.get("rules")
    if not is_opening or not isinstance(rules, str) or rules != command.get("rules"):
        detail = "the first commit must open a match by the rules that its command names"
        raise Wrong(1, "not_opened", detail)
    draws = [message["draws"] for message in (command, opening) if "draws" in message]
    if draws not in ([], [messages.DRAWS_BY_MOVES] * 2):
        raise Wrong(1, "not_opened", "it does not say how its draws are counted (M10)")
    if "house" not in first["secrets"]:
        raise _not_sealed("the first commit does not seal the match's secret for the house (M10)")
    if not is_digest(opening.get("commitment")):
        raise _not_sealed(
            "the first commit is not committed to a secret: its commitment is no digest (M10)"
        )

    bound_to = [message["match"] for message in (command, opening) if "match" in message]
    if bound_to not in ([], [first["match"]] * 2):
        detail = "its commits are of another match than the one that its secret is bound to (M10)"
        raise Wrong(1, "relabelled", detail)


def _sealed_key(first: Content, house_part: Json) -> bytes:
    """Return the match's key, if the house's part of the first commit holds its secret twice (M10).

    house_part: has the form of a secret part.   Raises Wrong.
    """
    in_command, in_event = (house_part.get(place, {}).get("secret") for place in ("command", "0"))
    if in_command is None or in_event is None:
        detail = "the house's part of the first commit does not hold the match's secret (M10)"
        raise _not_sealed(detail)

    opening = _opening_of(first)
    _checked_key(1, in_command, opening)
    return _checked_key(1, in_event, opening)


def _not_sealed(detail: str) -> Wrong:
    return Wrong(1, "not_sealed", detail)


def _opening_of(first: Content) -> Json:
    """Return the event of a first commit that opens the match, {} if it has no event at all."""
    events = first["events"]
    return events[0] if events else {}


def _checked_key(number: int, secret: object, opening: Json) -> bytes:
    """Return the key that a secret makes, if the match's opening is committed to it (M10).

    number: of the commit that tells the secret.   Raises Wrong. The secret's length is checked,
    too: the key of another match is longer than any secret.
    """
    if not is_digest(secret):
        raise Wrong(number, "commitment_broken", "the match's secret is not 32 bytes in hex")

    key = bytes.fromhex(secret)
    if "match" in opening:
        key = bound_key(key, opening["match"])
    if hashlib.sha256(key).hexdigest() != opening.get("commitment"):
        detail = "the match's secret is not the one that was committed to (M10)"
        raise Wrong(number, "commitment_broken", detail)
    return key


# ---- who acts, and who sits ----------------------------------------------------------------------

# No message is decoded here (docs/fairness.md, section 2).


def check_people(content: Content) -> None:
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
    return content["command"].get("type") in _BESIDE_THE_GAME


def _check_actor(version: int, actor: str, command: Json) -> None:
    """Check that an actor is one that could give a command; raises Wrong.

    A command of a seat is the seat's, one of no seat the house's, but the owner's are the owner's
    (M4, M6-M9), and time runs out by the house's word (M15). Tokens and names are changed by the
    owner or by the seat named (M13).
    """
    tag = command.get("type")
    if tag in _CHANGES:
        if not _may_change(actor, command):
            detail = "its command is not one that its actor could give (M13)"
            raise Wrong(version, "actor_wrong", detail)
        return

    if tag == messages.Join.tag and _JOINERS.fullmatch(actor):
        return
    if actor != _actor_of(command):
        detail = "its command is not one that its actor could give"
        raise Wrong(version, "actor_wrong", detail)


def _may_change(actor: str, command: Json) -> bool:
    """Return whether an actor may change a token or a name (M13)."""
    is_of_name = command["type"] == messages.EraseName.tag
    holder = _holder_of(command) if is_of_name else command.get("holder")
    held_by_seat = isinstance(holder, str) and _SEAT.fullmatch(holder) is not None

    return actor == OWNER or (held_by_seat and actor == holder)


def _actor_of(command: Json) -> str | None:
    """Return the one actor who can give a command, None if nobody can."""
    if command.get("type") in _OWNERS_COMMANDS:
        return OWNER
    is_of_seat = "seat" in command and command.get("type") != messages.RunOut.tag
    return _holder_of(command) if is_of_seat else HOUSE_ACTOR


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
    causes = _SEATED_BY.get(kind) if isinstance(kind, str) else None
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


# ---- who sits before the start, and what they pledge and disclose --------------------------------


class Lobby:
    """Who holds each seat before the start, and what they have pledged and disclosed (M2, M3, M19).

    Folded from the commits; no message is decoded (docs/fairness.md, sections 2 and 13).
    """

    def __init__(self) -> None:
        self._has_started = False
        self._is_joint = False
        self._kinds: list[object] = []
        self._pledged: list[object] = []
        self._disclosed: list[bool] = []
        self._must_drop = False
        self.vetoes = 0  # how often pledges were dropped that all had given

    def check(self, content: Content) -> None:
        """Check who comes and goes in the next commit, and what is pledged; raises Wrong."""
        version = content["version"]
        for number, event in enumerate(content["events"]):
            if version == 1 and number == 0:
                self._open(event)
            else:
                self._check_coming(version, event)
                fault = "" if self._has_started else self._apply(event)
                self._refuse(version, fault)
        if self._must_drop:
            self._refuse(version, "a human's seat changes hands, and all pledges still count")

    def _open(self, opened: Json) -> None:
        self._is_joint = "joint_entropy" in opened
        by_moves = opened.get("draws") == messages.DRAWS_BY_MOVES
        if self._is_joint and not (opened["joint_entropy"] is True and by_moves):
            detail = "who draws together says so, and draws by moves (M19)"
            raise Wrong(1, "not_opened", detail)
        for plan in opened["seats"]:
            self._kinds.append(plan["kind"])
            self._pledged.append(plan.get("pledge", ""))
            self._disclosed.append(False)

    def _refuse(self, version: int, fault: str) -> None:
        """Raise Wrong for a fault, "" for none; without joint entropy nothing is pledged."""
        if fault and self._is_joint:
            raise Wrong(version, "pledge_wrong", f"{fault} (M19)")

    def _check_coming(self, version: int, event: Json) -> None:
        """Check that an event lets somebody come to an open seat, and come or go before the start.

        Otherwise the house could take a player's key away by a commit that no player signs.
        """
        tag, seat = event.get("type"), self._seat_of(event)
        if tag == messages.MatchOpened.tag:
            raise Wrong(version, "unreadable", "only the first commit opens the match")
        if seat is None or tag not in (messages.SeatJoined.tag, messages.SeatLeft.tag):
            return
        if self._has_started:
            raise Wrong(version, "bad_seat", f"{seat_actor(seat)} changes hands after the start")
        if tag == messages.SeatJoined.tag and self._kinds[seat] != "open":
            raise Wrong(version, "bad_seat", f"{seat_actor(seat)} is not open, and is joined (M2)")

    def _seat_of(self, event: Json) -> int | None:
        """Return the seat of an event, None if there is no such seat."""
        seat = event.get("seat")
        return seat if type(seat) is int and 0 <= seat < len(self._kinds) else None

    def _apply(self, event: Json) -> str:
        """Apply an event; return what is wrong with it, "" if nothing is."""
        tag, seat = event.get("type"), self._seat_of(event)
        if tag == messages.PledgesDropped.tag:
            self.vetoes += self._must_drop
            self._pledged = [""] * len(self._kinds)
            self._disclosed = [False] * len(self._kinds)
            self._must_drop = False
        elif tag == messages.MatchStarted.tag:
            self._has_started = True
            held = zip(self._kinds, self._disclosed, strict=True)
            if any(kind == "human" and not disclosed for kind, disclosed in held):
                return "it starts, although somebody has not disclosed"
        elif tag in _KINDS_AFTER and seat is not None:
            is_join = tag == messages.SeatJoined.tag
            self._sit(seat, _KINDS_AFTER[tag], event.get("pledge", "") if is_join else "")
        elif tag == messages.EntropyPledged.tag and seat is not None:
            if self._is_complete():
                return "somebody pledges after all have pledged"
            self._pledged[seat] = event.get("digest")
        elif tag == messages.EntropyDisclosed.tag and seat is not None:
            return self._disclose(seat, event.get("entropy"))
        return ""

    def _is_complete(self) -> bool:
        """Return whether all seats are held, by a human at least, and all humans have pledged."""
        pledged = [
            is_digest(pledge)
            for kind, pledge in zip(self._kinds, self._pledged, strict=True)
            if kind == "human"
        ]
        return "open" not in self._kinds and pledged != [] and all(pledged)

    def _sit(self, seat: int, kind: str, pledge: object) -> None:
        """Let a seat be of a kind, which drops what was pledged and disclosed there.

        Where a human comes or goes once all have pledged, the same commit must drop all of that.
        """
        if "human" in (self._kinds[seat], kind) and self._is_complete():
            self._must_drop = True
        self._kinds[seat], self._pledged[seat], self._disclosed[seat] = kind, pledge, False

    def _disclose(self, seat: int, entropy: object) -> str:
        """Note what a seat discloses; return what is wrong with it, "" if nothing is."""
        if not self._is_complete():
            return "somebody discloses before all have pledged"
        is_right = is_digest(entropy)
        if not is_right or digest({"entropy": entropy, "seat": seat}) != self._pledged[seat]:
            return f"the entropy of {seat_actor(seat)} is not what was pledged"
        self._disclosed[seat] = True
        return ""


_KINDS_AFTER: dict[object, str] = {
    messages.SeatJoined.tag: "human",
    messages.SeatLeft.tag: "open",
    messages.SeatReplaced.tag: "bot",
    messages.SeatRestored.tag: "human",
}
