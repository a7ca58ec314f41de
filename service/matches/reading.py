"""What a match is, its state, its history and its receipts, as each caller may see them."""

from collections.abc import Mapping, Sequence

from service.errors import NotFound
from service.keys.tokens import Caller
from service.ledger.canonical import Json, parse_object
from service.ledger.commit import StoredCommit, parse_commit
from service.ledger.receipts import Accepted
from service.ledger.replay import Loaded, outcome
from service.ledger.secrets import put_back
from service.matches import seating
from service.matches.desk import Desk
from service.matches.loading import at_version

IMPORTED = "imported"  # the field of the sidecar that tells when and by whom a match was imported


def document(loaded: Loaded, names: Mapping[int, str]) -> Json:
    """Return what a match is: game, seats with their names, status, version, who must act."""
    match = loaded.match
    return {
        "id": loaded.id,
        "game": match.game.key,
        "rules": match.rules,
        "options": dict(match.options),
        "visibility": match.visibility,
        "advice": match.advice,
        "status": match.standing.status,
        "version": loaded.version,
        "hash": loaded.hash,
        "created": loaded.created,
        "updated": loaded.time,
        "waiting_for": waiting_for(loaded),
        "seats": seating.seats(match, names),
        "commitment": match.commitment,
        "outcome": outcome(loaded),
    }


def imported_in(sidecar: Mapping[str, str]) -> Json | None:
    """Return when (`at`) and by whom (`by`) a match was imported, None if it was played here."""
    note = sidecar.get(IMPORTED)
    return None if note is None else parse_object(note.encode())


def waiting_for(loaded: Loaded) -> Json:
    """Return whom the match waits for: the house, or seats, and which of them are bots'."""
    standing = loaded.match.standing
    return {
        "house": standing.work == "house",
        "seats": list(standing.seats),
        "bots": list(standing.bots),
    }


def view(loaded: Loaded, caller: Caller) -> Json:
    """Return the state as the caller may see it; it is None before the match has started.

    `known` stands beside it, because commits hold digests of the public `state`.
    """
    match = loaded.match
    has_started = match.state is not None
    state = match.game.view(match.state, caller.seat) if has_started else None
    known = match.game.known(match.state) if has_started else None
    return {
        "match": loaded.id,
        "game": match.game.key,
        "version": loaded.version,
        "time": loaded.time,
        "hash": loaded.hash,
        "status": match.standing.status,
        "waiting_for": waiting_for(loaded),
        "seat": caller.seat,
        "state": state,
        "known": known,
    }


def state_at(desk: Desk, loaded: Loaded, version: int | None) -> Loaded:
    """Return the match as it was at a version (None: as it is); raises NotFound."""
    if version is None or version == loaded.version:
        return loaded

    check_version(loaded, version)
    return at_version(desk, loaded.id, version)


def check_version(loaded: Loaded, version: int) -> None:
    """Raise NotFound for a version that the match does not have."""
    if not 1 <= version <= loaded.version:
        raise NotFound(f"match {loaded.id} has the versions 1 to {loaded.version}, not {version}")


def commits(desk: Desk, loaded: Loaded, caller: Caller, after: int, limit: int) -> list[Json]:
    """Return commits after a version, oldest first, as the caller may see them."""
    entries = desk.journal.read(loaded.id, after, limit)
    return [shown(parse_commit(entry), caller) for entry in entries]


def shown(entry: StoredCommit, caller: Caller) -> Json:
    """Return a commit for reading, with the caller's own secrets in it and nobody else's."""
    commit = entry["commit"]
    command, events = put_back(entry, audiences(caller))
    return {
        "match": commit["match"],
        "version": commit["version"],
        "time": commit["time"],
        "actor": commit["actor"],
        "command": command,
        "events": events,
        "hash": entry["hash"],
        "prev": commit["prev"],
    }


def audiences(caller: Caller) -> Sequence[str]:
    """Return the audiences whose secret parts a caller may see."""
    return [caller.name] if caller.seat is not None else []


def receipt(desk: Desk, entry: StoredCommit) -> Json | None:
    """Return the receipt of a commit, None where nobody signs."""
    return desk.signer.sign(Accepted.of(entry)) if desk.signer else None


def head_receipt(desk: Desk, loaded: Loaded) -> Json | None:
    """Return the receipt of a match's last commit, None where nobody signs."""
    last = Accepted(
        match=loaded.id,
        version=loaded.version,
        hash=loaded.hash,
        time=loaded.time,
    )
    return desk.signer.sign(last) if desk.signer else None
