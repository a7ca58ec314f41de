"""What a backup looks like: one gzipped tar of parts, and a manifest at its end.

- `matches/000001.ndjson` and so on: for each match a line that says what lies beside its commits,
  then its commits, one a line, as the bytes that the journal holds. A deleted match is one line. A
  part ends with the match that fills it.
- `secret` and `keys.json`: the server's secret and the keys of receipts, unless they were left out.
- `manifest.json`: the layout's version, the time, how much there is, and size and SHA-256 of every
  other member.

The manifest comes last because it tells what was written. A file without one was cut short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import orjson

from service.base.config import Config
from service.base.private_files import locked, write_private
from service.matches.evaluations import version_of
from service.record.commit import Json, canonical, clock, timestamp
from service.store.journal.values import Head, Metadata, Tombstone
from service.store.keys.signer import GRACE_MS

LAYOUT = 1  # of a backup; a reader refuses those that it does not know
MANIFEST = "manifest.json"
SECRET = "secret"  # noqa: S105 - the name of a member
KEYS = "keys.json"
SECRET_BACK = "the secret was put back"  # noqa: S105 - a sentence
MATCHES = "matches/"
PART_BYTES = 8 * 1024 * 1024  # a part ends with the match that reaches this size
MOST_LINE = 64 * 1024 * 1024  # bytes of a line, metadata and command ids of a match included
_AWAITING = "work"  # the name that a head's `awaiting` has in a backup


class BadBackup(Exception):
    """The file is no whole and right backup; the message says where it is wrong."""


class Incomplete(Exception):
    """Some matches cannot be read, and what is there is not replaced by less.

    missing: their ids.
    """

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__(f"{len(missing)} matches cannot be read")
        self.missing = missing


@dataclass(frozen=True, slots=True)
class MatchBackup:
    """A match as a backup holds it: its commits are the journal's own bytes, oldest first."""

    match: str
    metadata: Metadata
    commits: list[bytes]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself.

    begun, ended: when it was made, as RFC 3339.
    parts: size in bytes and SHA-256 in hex of each other member, by name.
    missing: the matches that could not be read; it stands in the file only if there are some.
    """

    layout: int
    giornale: str
    begun: str
    ended: str
    matches: int
    deleted: int
    commits: int
    parts: Mapping[str, tuple[int, str]]
    missing: tuple[str, ...] = ()

    def written(self) -> bytes:
        """Return the manifest as JSON."""
        fields = asdict(self)
        if not self.missing:
            del fields["missing"]
        return orjson.dumps(fields, option=orjson.OPT_INDENT_2)


def read_manifest(manifest_bytes: bytes) -> Manifest:
    """Return the manifest of a backup; raises BadBackup."""
    try:
        fields = orjson.loads(manifest_bytes)
        layout = fields["layout"]
        if layout != LAYOUT:
            raise BadBackup(f"it is of layout {layout}, and this program reads layout {LAYOUT}")

        parts = {
            str(name): (int(size), str(digest))
            for name, (size, digest) in fields.pop("parts").items()
        }
        missing = tuple(str(match) for match in fields.pop("missing", []))
        return Manifest(**fields, parts=parts, missing=missing)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BadBackup("its manifest cannot be read") from None


def first_line_of(match_id: str, metadata: Metadata) -> bytes:
    """Return the line that begins a match, line feed included."""
    if metadata.head is None:
        assert metadata.tombstone is not None, (
            "only a match that is there or was deleted is written"
        )
        # The visibility stands beside the rest, where programs that do not know it pass over it.
        tombstone = asdict(metadata.tombstone)
        visibility = tombstone.pop("visibility")
        deleted: Json = {"match": match_id, "deleted": tombstone}
        if visibility:
            deleted["visibility"] = visibility
        return canonical(deleted) + b"\n"

    head = asdict(metadata.head)
    head[_AWAITING] = head.pop("awaiting")
    head["waiting"] = list(metadata.head.waiting)
    present: Json = {
        "match": match_id,
        "head": head,
        "ids": {command_id: list(made) for command_id, made in metadata.ids.items()},
        "aside": dict(metadata.fields),
    }
    if metadata.thoughts:
        present["thoughts"] = [thought.decode() for thought in metadata.thoughts]
    return canonical(present) + b"\n"


def read_first_line(line: bytes) -> tuple[str, Metadata]:
    """Return the match that a line begins and what lies beside its commits; raises BadBackup."""
    try:
        fields = orjson.loads(line)
        match: str = fields["match"]
        if "deleted" in fields:
            visibility = str(fields.get("visibility", ""))
            tombstone = Tombstone(**fields["deleted"], visibility=visibility)
            return match, Metadata(head=None, ids={}, fields={}, tombstone=tombstone)

        return match, Metadata(
            head=_read_head(fields["head"]),
            ids=_read_ids(fields["ids"]),
            fields=dict(fields["aside"]),
            tombstone=None,
            thoughts=_read_thoughts(fields.get("thoughts", [])),
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BadBackup("a match begins with a line that cannot be read") from None


def _read_head(fields: Json) -> Head:
    """Return a head; JSON has a list where it has a tuple."""
    awaiting = fields.pop(_AWAITING)
    waiting = tuple(fields.pop("waiting"))
    return Head(**fields, awaiting=awaiting, waiting=waiting)


def _read_thoughts(texts: list[str]) -> list[bytes]:
    """Return what bots have thought; raises ValueError, KeyError or TypeError if it is not that."""
    thoughts = [text.encode() for text in texts]
    for thought in thoughts:
        if b"\n" in thought or version_of(thought) < 1:
            raise ValueError("it is no thought")
    return thoughts


def _read_ids(fields: Json) -> dict[str, tuple[int, str]]:
    """Return command ids, each with the version that it made and the mark of its request."""
    return {command_id: (int(version), str(mark)) for command_id, (version, mark) in fields.items()}


# ---- the secret and the keys ---------------------------------------------------------------------

# Both belong to the journal. With another secret, the repeat of an opening is no longer answered
# with the tokens of the first answer. Without the keys, receipts cannot be checked any more.


class Missing(Exception):
    """The secret or the keys are not where they must be; the message says which."""


class OtherSecret(Exception):
    """The environment sets another secret than the backup's."""


def collect(config: Config) -> dict[str, bytes]:
    """Return the secret and the keys by the names of their members; raises Missing."""
    secret_path = config.data / "secret"
    keys_path = config.data / "keys.json"
    if not config.secret and not secret_path.exists():
        raise Missing(f"there is no secret: neither GIORNALE_SECRET nor {secret_path}")
    if not keys_path.exists():
        raise Missing(f"there is no {keys_path}, which holds the keys of receipts")

    secret = config.secret.encode() if config.secret else secret_path.read_bytes()
    return {SECRET: secret, KEYS: keys_path.read_bytes()}


def demand_fitting(config: Config, private: Mapping[str, bytes]) -> None:
    """Raise OtherSecret if GIORNALE_SECRET is not the backup's, which a restore cannot change."""
    if config.secret and SECRET in private and config.secret.encode() != private[SECRET]:
        raise OtherSecret


def put_back(config: Config, private: Mapping[str, bytes], *, merge: bool) -> list[str]:
    """Put the secret and the keys into the data directory; return what was done, a sentence each.

    merge: the service here lives on, so its secret and its signing key stay, and the backup's keys
    are only listed. It takes the backup's secret and signing key if it has none. Without merge the
    backup's take their place, and keys that were here stay on the list. Raises BadBackup.
    """
    said = []
    keys = _read_keys(private[KEYS]) if KEYS in private else []
    secret_path = config.data / "secret"
    takes_secret = not config.secret and not (merge and secret_path.exists())
    if SECRET in private and takes_secret:
        write_private(secret_path, private[SECRET], replace=True)
        said.append(SECRET_BACK)
    if keys and merge:
        _put_back_keys(config, keys, merge=True)
        said.append("the backup's keys were listed")
    elif keys:
        _put_back_keys(config, keys, merge=False)
        said.append("the keys of receipts were put back")
    return said


def _put_back_keys(config: Config, backup_keys: list[Json], *, merge: bool) -> None:
    """Write a list of keys in which one side's sign and the other's are only listed."""
    path = config.data / "keys.json"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(path):
        own_keys = _read_keys(path.read_bytes()) if path.exists() else []
        if merge and own_keys:
            all_keys = _signing_after_others(own_keys, backup_keys)
        else:
            all_keys = _signing_after_others(backup_keys, own_keys)

        content = orjson.dumps({"keys": all_keys}, option=orjson.OPT_INDENT_2)
        write_private(path, content, replace=True)


def _signing_after_others(signing: list[Json], others: list[Json]) -> list[Json]:
    """Return the keys of two sides: those of one sign on, those of the other are retired."""
    known_ids = {key["id"] for key in signing}
    retired = [_retired(key) for key in others if key["id"] not in known_ids]
    return [*retired, *signing]


def _retired(key: Json) -> Json:
    """Return the public part of a key that signs no more."""
    public = {name: value for name, value in key.items() if name != "private"}
    if not public["until"]:
        public["until"] = timestamp(clock() + GRACE_MS)
    return public


def _read_keys(content: bytes) -> list[Json]:
    """Return the keys of a file, oldest first and the last one signing; raises BadBackup."""
    try:
        keys: list[Json] = orjson.loads(content)["keys"]
        if keys[-1]["private"] and all(key["id"] and "until" in key for key in keys):
            return keys
    except (ValueError, TypeError, KeyError, IndexError):
        pass
    raise BadBackup("its keys cannot be read")
