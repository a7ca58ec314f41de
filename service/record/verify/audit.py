"""Audits of records, and of matches in a journal (docs/reference/record.md).

An audit takes these steps. The first fault ends the audit.

    chain.read_record, read_stored   canonical bytes
    chain.check                      form, hashes, order, digests of secret parts
    _introduce                       the opening: its sealed secret, the form of its base
    _check_end                       the revelation, or a note that the end is not known
    _unseal                          secret parts that the revelation lays open
    _check_without_play              actors, seats, pledges, signatures, salts
    _play                            a new decision of every command (`redecide`)
    _check_base                      comparison of a fork with its base
    _note_beside_the_game            commits that moved the next draws

Only `_play` and `_check_base` need the game. So form, chain, seals, actors and seats of every
record are checked, even if its rules are unknown here. The verdict is "wrong" after a fault,
"partly_checked" if something is left unchecked, else "right".

An audit changes only its own RecordAudit, so any number may run at once. `files.in_order` spreads
audits over processes.

Example: a forged value raises an error in the code of a game. `redecide` catches the errors in
STUMBLES and blames the commit ("not_played"). Outside of the game `_verify` catches these errors
and blames the record ("unreadable"). All other errors pass through, since a lack of memory or an
unreadable journal is no fault of the record. If a process dies at a record, `files.in_order` raises
ProcessDied.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from domain.chance import bound_key
from domain.games import RULES
from domain.match import messages
from domain.match.match_rules import FIRST, NEWEST, UnknownMatchRules
from service.record.commit import Content, Json, StoredCommit, is_digest, is_match_id
from service.record.replay import Loaded, outcome
from service.record.verify import chain
from service.record.verify.people import People, is_beside_the_game
from service.record.verify.redecide import check_salts, compare_with_base, not_at_hand, redecide
from service.record.verify.report import (
    END,
    STUMBLES,
    AuditReport,
    Progress,
    Visit,
    Wrong,
    no_visit,
    quiet,
)

_MEMBERS_OF_BASE = {"match", "version", "hash", "state"}


@dataclass(slots=True)
class RecordAudit:
    """A report with its commits and its match.

    commits: the commits if form and chain are right, oldest first.
    unsealed: the same commits, with all secret parts of the revelation if there is one.
    loaded: the match after the last commit, None unless all commits could be folded.
    unknown_rules: the match's rules or match rules if they are unknown here (RulesUnknown.name).
    """

    report: AuditReport = field(default_factory=AuditReport)
    commits: list[StoredCommit] = field(default_factory=list)
    unsealed: Sequence[StoredCommit] = ()
    loaded: Loaded | None = None
    unknown_rules: str = ""

    def commit(self, version: int) -> StoredCommit:
        """Return the commit that made a version, from 1."""
        return self.commits[version - 1]


# find_base(match, version): the audit of a fork's base, at least up to that version. None if the
# base is not available (M21).
FindBase = Callable[[str, int], RecordAudit | None]


def no_base(_match: str, _version: int) -> None:
    """Find no base: only the fork's own record is available."""


def verify_record(
    lines: Iterable[bytes], progress: Progress = quiet, find_base: FindBase = no_base
) -> RecordAudit:
    """Check a record line by line.

    A record with the house's secrets must end with the revelation, since nobody gets these secrets
    before it.
    """
    return _verify(chain.read_record(lines), progress, find_base, stored=False)


def verify_stored(
    many_commit_bytes: Iterable[bytes],
    progress: Progress = quiet,
    find_base: FindBase = no_base,
    visit: Visit = no_visit,
) -> RecordAudit:
    """Check a match of a journal, with all its secrets, ended or not."""
    commits = chain.read_stored(many_commit_bytes)
    return _verify(commits, progress, find_base, visit, stored=True)


def _verify(
    commits: Iterable[chain.Read],
    progress: Progress,
    find_base: FindBase,
    visit: Visit = no_visit,
    *,
    stored: bool,
) -> RecordAudit:
    audit = RecordAudit()
    try:
        audit.commits = chain.check(commits)
        _introduce(audit)
        _check_end(audit, stored=stored)

        audit.unsealed = _unseal(audit)
        _check_without_play(audit)
        _play(audit, progress, visit)
        _check_base(audit, find_base)
        _note_beside_the_game(audit)
    except Wrong as wrong:
        audit.report.wrong = wrong
    except STUMBLES as error:
        detail = f"it cannot be checked to its end ({type(error).__name__})"
        audit.report.wrong = Wrong(0, "unreadable", detail)
    return audit


def _check_without_play(audit: RecordAudit) -> None:
    """Check actors, seats, pledges, signatures and salts of all commits, without the game.

    Salts are checked if the match's secret is present. Raises Wrong.
    """
    report = audit.report
    people = People()
    first = audit.unsealed[0]
    house_part = first["secrets"].get("house")
    key = None if house_part is None else _read_sealed_key(first["commit"], house_part)

    for stored in audit.unsealed:
        people.check(stored)
        if key is not None:
            check_salts(stored, key)

    if people.vetoes:
        report.notes.append(
            f"pledges of match {report.match} were dropped after all had pledged (times: "
            f"{people.vetoes}). Anybody who knew the draws then may have prevented them, and no "
            "record tells why"
        )
    report.signed = people.signed
    if people.hidden:
        report.unchecked.append(
            f"{people.hidden} signatures: they lie in secret parts that are not here (M18)"
        )


def _introduce(audit: RecordAudit) -> None:
    """Describe the match in the report, and check its opening. Raises Wrong."""
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
    _base_of(first)
    report.redacted = any(_lacks_parts(stored) for stored in audit.commits)
    last_events = last["commit"]["events"]
    report.ended = bool(last_events) and last_events[-1].get("type") == messages.SecretsRevealed.tag


def _lacks_parts(stored: StoredCommit) -> bool:
    """Return True if secret parts of a commit are missing."""
    return stored["secrets"].keys() != stored["commit"]["secrets"].keys()


def _check_end(audit: RecordAudit, *, stored: bool) -> None:
    """Check that a record ends with the revelation, or note that the record's end is not known.

    If the end is not known, only a receipt or the server can show missing later commits. Raises
    Wrong for a record with the house's secrets and no revelation.
    """
    report = audit.report
    if report.ended:
        return
    if not stored and "house" in audit.commits[0]["secrets"]:
        detail = "the record has the house's secrets but not their revelation (M9)"
        raise Wrong(report.commits, "not_ended", detail)
    report.unchecked.append(END)


def _play(audit: RecordAudit, progress: Progress, visit: Visit) -> None:
    """Decide all commits again. If all could be folded, report the match after the last one.

    Raises Wrong.
    """
    report = audit.report
    if report.rules not in RULES:
        report.unchecked.append(f"the play: this program does not know the rules {report.rules}")
        audit.unknown_rules = report.rules
        return
    number = _match_rules_of(audit.commits[0]["commit"])
    if number > NEWEST:
        report.unchecked.append(f"the play: this program does not know match rules {number}")
        audit.unknown_rules = UnknownMatchRules(number).name
        return

    match = redecide(audit.unsealed, report, progress, visit)
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


def _check_base(audit: RecordAudit, find_base: FindBase) -> None:
    """Compare a fork with its base, if the base is available. Raises Wrong (M21)."""
    first = audit.commits[0]["commit"]
    claim = _base_of(first)
    if claim is None:
        return

    base = find_base(claim["match"], claim["version"])
    if base is None:
        audit.report.unchecked.append(not_at_hand(claim))
    else:
        left_open = compare_with_base(first, claim, base.report, base.unsealed)
        audit.report.unchecked += left_open


def _note_beside_the_game(audit: RecordAudit) -> None:
    """Count the commits that somebody may have made only to move the next draw (M10).

    Such commits move the draw only if draws go by versions, not by moves.
    """
    if "draws" in _opening_of(audit.commits[0]["commit"]):
        return
    report = audit.report
    count = sum(is_beside_the_game(stored["commit"]) for stored in audit.commits)
    if count:
        report.notes.append(
            f"{count} of {report.commits} commits of match {report.match} changed tokens, names "
            "or seat holders, or were about taking moves back. Each moved the next draws to "
            "another version, and no record tells why"
        )


def _unseal(audit: RecordAudit) -> Sequence[StoredCommit]:
    """Return the commits with every secret part that the revelation lays open (M9).

    Without a revelation the commits stay the same. Raises Wrong.
    """
    if not audit.report.ended:
        return audit.commits

    last_number = audit.report.commits
    revelation = audit.commits[-1]["commit"]["events"][-1]
    opening = _opening_of(audit.commits[0]["commit"])
    _check_key(last_number, revelation.get("secret"), opening)

    revealed = _read_revealed_parts(audit, revelation.get("parts"))
    _check_revealed(audit, revealed)
    return [_with_parts(stored, revealed) for stored in audit.commits]


def _with_parts(stored: StoredCommit, revealed: dict[str, dict[str, Json]]) -> StoredCommit:
    """Return a commit with its secret parts from a revelation. revealed: the parts by version."""
    content = stored["commit"]
    parts = revealed.get(str(content["version"]), {})
    return {"commit": content, "hash": stored["hash"], "secrets": parts}


def _read_revealed_parts(audit: RecordAudit, parts: object) -> dict[str, dict[str, Json]]:
    """Return the secret parts of a revelation by version and audience.

    Raises Wrong if the revelation has no parts, or a part of another form.
    """
    last_number = audit.report.commits
    if not isinstance(parts, dict) or not all(isinstance(one, dict) for one in parts.values()):
        raise Wrong(last_number, "unreadable", "its revelation has no parts")

    for stored in audit.commits:
        content = stored["commit"]
        revealed = parts.get(str(content["version"]), {}).values()
        if not all(chain.is_part(part, len(content["events"])) for part in revealed):
            number = content["version"]
            detail = (
                f"its revelation of commit {number} does not have the form of secret parts (M9)"
            )
            raise Wrong(last_number, "unreadable", detail)
    return parts


def _check_revealed(audit: RecordAudit, revealed: dict[str, dict[str, Json]]) -> None:
    """Check that the revelation has all secret parts and no others (M9). Raises Wrong.

    Each part must fit the digest in its commit.
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
            detail = f"a revealed part of commit {version} does not fit its digest (M9)"
            raise Wrong(last_number, "revelation_differs", detail) from None


# ---- the secret of a match, sealed in its opening (M10) ------------------------------------------


def _check_sealing(first: Content) -> None:
    """Check that a first commit opens a match, seals a secret and is bound to no other match (M10).

    Raises Wrong. Only the public part is checked, so nothing secret is needed.
    """
    command, opening = first["command"], _opening_of(first)
    is_opening = (command.get("type"), opening.get("type")) == (
        messages.Open.tag,
        messages.MatchOpened.tag,
    )
    rules = opening.get("rules")
    if not is_opening or not isinstance(rules, str) or rules != command.get("rules"):
        detail = "the first commit must open a match by the rules in its command"
        raise Wrong(1, "not_opened", detail)
    draws = [message["draws"] for message in (command, opening) if "draws" in message]
    if draws not in ([], [messages.DRAWS_BY_MOVES] * 2):
        raise Wrong(1, "not_opened", "it does not state the counting of its draws (M10)")
    _check_match_rules(command, opening)
    if "house" not in first["secrets"]:
        raise _not_sealed("the first commit does not seal the match's secret for the house (M10)")
    if not is_digest(opening.get("commitment")):
        raise _not_sealed(
            "the first commit is not committed to a secret: its commitment is no digest (M10)"
        )

    bound_to = [message["match"] for message in (command, opening) if "match" in message]
    if bound_to not in ([], [first["match"]] * 2):
        detail = "its commits belong to another match than its secret (M10)"
        raise Wrong(1, "relabelled", detail)


def _check_match_rules(command: Json, opening: Json) -> None:
    """Check that command and event name the same match rules, if any. Raises Wrong."""
    numbers = [message["match_rules"] for message in (command, opening) if "match_rules" in message]
    if not numbers:
        return
    is_number = all(type(number) is int and number > FIRST for number in numbers)
    if not is_number or len(numbers) == 1 or numbers[0] != numbers[1]:
        detail = "command and event do not name the same match rules, a number above 1"
        raise Wrong(1, "not_opened", detail)


def _match_rules_of(first: Content) -> int:
    """Return the number of the match rules in a checked opening."""
    number: int = _opening_of(first).get("match_rules", FIRST)
    return number


def _read_sealed_key(first: Content, house_part: Json) -> bytes:
    """Return the match's key, if the house's part of the first commit holds its secret twice (M10).

    house_part: must have the form of a secret part.   Raises Wrong.
    """
    in_command, in_event = (house_part.get(place, {}).get("secret") for place in ("command", "0"))
    if in_command is None or in_event is None:
        detail = "the house's part of the first commit does not hold the match's secret (M10)"
        raise _not_sealed(detail)

    opening = _opening_of(first)
    _check_key(1, in_command, opening)
    return _check_key(1, in_event, opening)


def _not_sealed(detail: str) -> Wrong:
    return Wrong(1, "not_sealed", detail)


def _opening_of(first: Content) -> Json:
    """Return the first event of a first commit, {} if it has no event at all."""
    events = first["events"]
    return events[0] if events else {}


def _check_key(number: int, secret: object, opening: Json) -> bytes:
    """Return the key derived from a secret, if the match's opening is committed to it (M10).

    number: number of the commit with the secret.   Raises Wrong. The secret must have 32 bytes, so
        that nobody can pass off the longer key of another match as a secret.
    """
    if not is_digest(secret):
        raise Wrong(number, "commitment_broken", "the match's secret is not 32 bytes in hex")

    key = bytes.fromhex(secret)
    if "match" in opening:
        key = bound_key(key, opening["match"])
    if hashlib.sha256(key).hexdigest() != opening.get("commitment"):
        detail = "the match's secret does not fit its commitment (M10)"
        raise Wrong(number, "commitment_broken", detail)
    return key


# ---- the base in a first commit (M21) ------------------------------------------------------------


def _base_of(first: Content) -> Json | None:
    """Return the base in a first commit, None if it opens no fork.

    Command and event must name the same base, in the right form. Raises Wrong.
    """
    in_command: Json | None = first["command"].get("base")
    forks = [event for event in first["events"] if event.get("type") == messages.Forked.tag]
    if in_command is None and not forks:
        return None

    is_second = len(forks) == 1 and first["events"][1:2] == forks
    if not is_second or not _is_base(in_command) or forks[0].get("base") != in_command:
        detail = "command and event do not name the same base, with a version, hash and state (M21)"
        raise Wrong(1, "bad_base", detail)
    return in_command


def _is_base(value: object) -> bool:
    """Return True if a value names a version of a match, and holds a state."""
    if not isinstance(value, dict) or value.keys() != _MEMBERS_OF_BASE:
        return False
    return (
        isinstance(value["match"], str)
        and is_match_id(value["match"])
        and is_digest(value["hash"])
        and type(value["version"]) is int
        and value["version"] > 0
        and isinstance(value["state"], dict)
    )
