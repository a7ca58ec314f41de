"""Audits: of a record, and of a match as a journal holds it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.games import RULES
from domain.match.messages import SecretsRevealed
from service.ledger.canonical import Json
from service.ledger.commit import StoredCommit
from service.ledger.replay import Loaded, outcome
from service.verify import chain
from service.verify.comparing import check_salts
from service.verify.opening import check_sealing, checked_key, opening_of, sealed_key
from service.verify.people import check_people, is_beside_the_game
from service.verify.redecide import redecide
from service.verify.report import END, STUMBLES, Progress, Report, Wrong, quiet


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


def verify_record(lines: Iterable[bytes], progress: Progress = quiet) -> Audit:
    """Check a record line by line.

    A record that holds the house's secrets must end with their revelation: nobody is handed them
    before.
    """
    return _verify(chain.read_record(lines), progress, stored=False)


def verify_stored(many_commit_bytes: Iterable[bytes], progress: Progress = quiet) -> Audit:
    """Check a match as a journal holds it: with all its secrets, ended or not."""
    return _verify(chain.read_stored(many_commit_bytes), progress, stored=True)


def _verify(commits: Iterable[chain.Read], progress: Progress, *, stored: bool) -> Audit:
    audit = Audit()
    try:
        audit.commits = chain.check(commits)
        _introduce(audit)
        _check_end(audit, stored=stored)

        audit.unsealed = _unsealed(audit)
        _check_without_play(audit)
        _play(audit, progress)
        _note_beside_the_game(audit)
    except Wrong as wrong:
        audit.report.wrong = wrong
    except STUMBLES as error:
        detail = f"it cannot be checked to its end ({type(error).__name__})"
        audit.report.wrong = Wrong(0, "unreadable", detail)
    return audit


def _check_without_play(audit: Audit) -> None:
    """Check in every commit what needs no game: who acts and sits, and the salts (M10).

    Raises Wrong. Salts are checked where the match's secret is at hand.
    """
    first = audit.unsealed[0]
    house_part = first["secrets"].get("house")
    key = None if house_part is None else sealed_key(first["commit"], house_part)

    for stored in audit.unsealed:
        check_people(stored["commit"])
        if key is not None:
            check_salts(stored, key)


def _introduce(audit: Audit) -> None:
    """Let the report say which match it is about, as far as the commits tell by themselves."""
    report = audit.report
    first = audit.commits[0]["commit"]
    last = audit.commits[-1]
    opening = opening_of(first)

    report.match = first["match"]
    report.commits = len(audit.commits)
    report.hash = last["hash"]
    report.game = str(opening.get("game", ""))
    report.rules = str(opening.get("rules", ""))

    check_sealing(first)
    report.redacted = any(_lacks_parts(stored) for stored in audit.commits)
    last_events = last["commit"]["events"]
    report.ended = bool(last_events) and last_events[-1].get("type") == SecretsRevealed.tag


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
    report.status = match.standing.status
    report.outcome = outcome(loaded)


def _note_beside_the_game(audit: Audit) -> None:
    """Count the commits that somebody may have made only to move the next draw (M10)."""
    report = audit.report
    count = sum(is_beside_the_game(stored["commit"]) for stored in audit.commits)
    if count:
        report.notes.append(
            f"{count} of {report.commits} commits of match {report.match} changed tokens, names or "
            "who sits: each moved the next draws to another version, and no record tells why"
        )


def _unsealed(audit: Audit) -> Sequence[StoredCommit]:
    """Return the commits with every secret part that the revelation lays open in its place (M9)."""
    if not audit.report.ended:
        return audit.commits

    last_number = audit.report.commits
    revelation = audit.commits[-1]["commit"]["events"][-1]
    opening = opening_of(audit.commits[0]["commit"])
    checked_key(last_number, revelation.get("secret"), opening)

    revealed = _revealed_parts(audit, revelation.get("parts"))
    _check_revealed(audit, revealed)
    return [_with_parts(stored, revealed) for stored in audit.commits]


def _with_parts(stored: StoredCommit, revealed: dict[str, dict[str, Json]]) -> StoredCommit:
    """Return a commit with its secret parts as a revelation tells them, by version."""
    content = stored["commit"]
    parts = revealed.get(str(content["version"]), {})
    return {"commit": content, "hash": stored["hash"], "secrets": parts}


def _revealed_parts(audit: Audit, parts: Any) -> dict[str, dict[str, Json]]:
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
