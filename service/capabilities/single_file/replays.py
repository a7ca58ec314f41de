"""The match in a file: the public view of each version, the story, the curve."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from domain import wire
from domain.games import RULES
from domain.json_types import JsonMapping
from domain.match.state import Match
from service.capabilities.curve.answers import Curve
from service.capabilities.curve.use_cases import curve_of
from service.matches import views
from service.matches.stories import Names, Narrator
from service.record.codec import decode_events
from service.record.commit import Json, StoredCommit, digest
from service.record.replay import Loaded, apply, stamp_of
from service.record.verify.audit import RecordAudit
from service.record.verify.report import Wrong
from service.store import seat_holders
from service.store.keys.tokens import Caller

_PUBLIC = Caller()


@dataclass(frozen=True, slots=True)
class Replay:
    """A match from its first version on, as far as it could be folded.

    frames: the public view at each version.   lines: the commits in sentences.
    seats: holders of the seats at the end of the replay.   view_version: version of the views.
    seat_states: the views of each seat, by seat, then by version. Empty until all secrets are
        revealed, or if no seat sees more than the public.
    curve: chances to win. None until all secrets are revealed.
    """

    game: str
    title: str
    seats: Sequence[JsonMapping]
    frames: Sequence[Mapping[str, object]]
    lines: Sequence[Mapping[str, object]]
    view_version: int
    seat_states: list[list[Json | None]]
    curve: Curve | None


def replay(audit: RecordAudit, names: Mapping[int, str]) -> Replay:
    """Return the match of a record that passed the audit, as far as it could be folded.

    At least the first commit of the record must have been folded.

    names: known names of seats. A record holds no names.
    """
    commits = audit.unsealed[: audit.report.folded]
    rules = audit.report.rules
    moments = list(_moments(commits, rules))
    last = moments[-1].match

    narrator = Narrator(
        match=None,
        rules=rules,
        names=Names(names, last),
        redact=lambda event: wire.redact(event, None),
    )
    return Replay(
        game=last.game.key,
        title=last.game.title,
        seats=seat_holders.seat_holders(last, names),
        frames=[views.view(loaded, _PUBLIC) for loaded in moments],
        lines=[narrator.tell(stored) for stored in commits],
        view_version=last.game.view_version,
        seat_states=_seat_states(moments) if audit.report.ended else [],
        curve=curve_of(moments) if audit.report.ended else None,
    )


def replay_of_shown(
    audit: RecordAudit,
    seats: list[Json],
    frames: Sequence[Json],
    lines: Sequence[Json],
) -> Replay:
    """Return the match of a record with sealed parts, from a server's public answers.

    seats, frames, lines: as the service answers them. Frames and lines begin with version 1. Raises
    Wrong if a view differs from the digest in its commit.
    """
    pairs = zip(frames, audit.commits, strict=True)
    bound_frames = [_bound(frame, stored) for frame, stored in pairs]

    game = RULES[audit.report.rules]
    return Replay(
        game=game.key,
        title=game.title,
        seats=seats,
        frames=bound_frames,
        lines=list(lines),
        view_version=game.view_version,
        seat_states=[],
        curve=None,
    )


def _bound(frame: Json, stored: StoredCommit) -> Json:
    """Return a server's frame with the time and the hash of the commit.

    Raises Wrong if the view in the frame differs from the digest in the commit.
    """
    content = stored["commit"]
    state = frame.get("state")
    view = "" if state is None else digest(state)
    if (frame.get("version"), view) != (content["version"], content["view"]):
        detail = "the server's public view after it has another digest"
        raise Wrong(content["version"], "view_differs", detail)

    return {**frame, "time": content["time"], "hash": stored["hash"]}


def _seat_states(moments: Sequence[Loaded]) -> list[list[Json | None]]:
    """Return the view of each seat at each version, [] if all seats have the public view."""
    seats = range(len(moments[-1].match.seats))
    by_seat = [[_state(loaded.match, seat) for loaded in moments] for seat in seats]
    public = [_state(loaded.match, None) for loaded in moments]
    return [] if all(states == public for states in by_seat) else by_seat


def _state(match: Match, seat: int | None) -> Json | None:
    """Return the state in the view of a seat, or of the public (None). None before the start."""
    return None if match.state is None else dict(match.game.view(match.state, seat))


def _moments(commits: Sequence[StoredCommit], rules: str) -> Iterator[Loaded]:
    """Yield the match after each of its commits."""
    match: Match | None = None
    created = commits[0]["commit"]["time"]

    for stored in commits:
        before = None if match is None else match.copy()
        content = stored["commit"]
        match = apply(before, decode_events([stored], rules), stamp_of(content))
        yield Loaded(
            id=content["match"],
            version=content["version"],
            created=created,
            time=content["time"],
            hash=stored["hash"],
            match=match,
        )
