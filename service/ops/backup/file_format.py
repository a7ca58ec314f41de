"""The format of a backup: one gzipped tar of parts, with a manifest at its end.

- `matches/000001.ndjson` and so on: for each match a line with its metadata, then its commits, one
  a line, with the bytes of the journal. A deleted match is one line. A part ends with the match
  that fills it.
- `secret` and `keys.json`: the server's secret and the keys of receipts, unless they were left out.
- `manifest.json`: layout and release, the times, the numbers of matches and commits, and size and
  SHA-256 of every other member.

The manifest describes all other members, so it comes last. A file without a manifest was cut short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from service.base.config import Config
from service.base.datadir import DataUnusable
from service.base.private_files import locked, write_private
from service.matches.bots import version_of_evaluation
from service.record.commit import Json, canonical, clock, timestamp
from service.store.journal.values import Head, Metadata, Tombstone
from service.store.keys.signer import GRACE_MS

LAYOUT = 1  # number of a backup's layout; a reader refuses other layouts
MANIFEST = "manifest.json"
SECRET = "secret"  # noqa: S105 - the name of a member
KEYS = "keys.json"
SECRET_BACK = "the secret was put back"  # noqa: S105 - a sentence
MATCHES = "matches/"
PART_BYTES = 8 * 1024 * 1024  # a part ends with the match that reaches this size
MOST_LINE = 64 * 1024 * 1024  # bytes of a line, also of one with metadata and command ids
_AWAITING = "work"  # the name of a head's `awaiting` in a backup


class BadBackup(Exception):
    """The file is no complete and correct backup. The message names the fault."""


class Incomplete(Exception):
    """Some matches cannot be read, so existing files are not replaced. The message is a sentence.

    missing: ids of these matches.
    """

    def __init__(self, sentence: str, missing: Sequence[str]) -> None:
        super().__init__(sentence)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class MatchBackup:
    """A match in a backup. Its commits are the journal's own bytes, oldest first."""

    match: str
    metadata: Metadata
    commits: list[bytes]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of a backup.

    begun, ended: times at which the backup was begun and ended, as RFC 3339.
    parts: size in bytes and SHA-256 in hex of each other member, by name.
    missing: unreadable matches. Left out of the JSON if there are none.
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
    """Parse the manifest of a backup. Raises BadBackup."""
    try:
        fields = orjson.loads(manifest_bytes)
        layout = fields["layout"]
        if layout != LAYOUT:
            raise BadBackup(f"it has layout {layout}, and this program reads layout {LAYOUT}")

        parts = {
            str(name): (int(size), str(digest))
            for name, (size, digest) in fields.pop("parts").items()
        }
        missing = tuple(str(match) for match in fields.pop("missing", []))
        return Manifest(**fields, parts=parts, missing=missing)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BadBackup("its manifest cannot be read") from None


def first_line_of(match_id: str, metadata: Metadata) -> bytes:
    """Return the first line of a match, with its line feed."""
    if metadata.head is None:
        assert metadata.tombstone is not None, (
            "only a match that is there or was deleted is written"
        )
        # The visibility is a member beside `deleted`, so that older programs ignore it.
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
        "ids": {command_id: list(pair) for command_id, pair in metadata.ids.items()},
        "aside": dict(metadata.fields),
    }
    if metadata.thoughts:
        present["thoughts"] = [thought.decode() for thought in metadata.thoughts]
    return canonical(present) + b"\n"


def read_first_line(line: bytes) -> tuple[str, Metadata]:
    """Parse the first line of a match: its id and its metadata. Raises BadBackup."""
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
    """Return a head. JSON has a list in place of the tuple `waiting`."""
    awaiting = fields.pop(_AWAITING)
    waiting = tuple(fields.pop("waiting"))
    return Head(**fields, awaiting=awaiting, waiting=waiting)


def _read_thoughts(texts: list[str]) -> list[bytes]:
    """Return thoughts of bots. Raises ValueError, KeyError or TypeError for anything else."""
    thoughts = [text.encode() for text in texts]
    for thought in thoughts:
        if b"\n" in thought or version_of_evaluation(thought) < 1:
            raise ValueError("it is not a thought")
    return thoughts


def _read_ids(fields: Json) -> dict[str, tuple[int, str]]:
    """Return command ids, each with its version and the fingerprint of its request."""
    return {command_id: (int(version), str(mark)) for command_id, (version, mark) in fields.items()}


# ---- the secret and the keys ---------------------------------------------------------------------

# Secret and keys belong to the journal. With another secret, the response to a repeated opening no
# longer has the tokens of the first opening. Without the keys, the server no longer lists the
# public keys of earlier receipts.


class Missing(Exception):
    """The secret or the keys are missing. The message names them."""


class OtherSecret(Exception):
    """The environment sets another secret than the backup's."""


def collect(config: Config) -> dict[str, bytes]:
    """Return the secret and the keys by the names of their members. Raises Missing."""
    secret_path = config.data / "secret"
    keys_path = config.data / "keys.json"
    if not config.secret and not secret_path.exists():
        raise Missing(f"there is no secret: neither GIORNALE_SECRET nor {secret_path}")
    if not keys_path.exists():
        raise Missing(f"there is no {keys_path}, the file of the receipts' keys")

    secret = config.secret.encode() if config.secret else secret_path.read_bytes()
    return {SECRET: secret, KEYS: keys_path.read_bytes()}


def demand_fitting(config: Config, private: Mapping[str, bytes]) -> None:
    """Raise OtherSecret if GIORNALE_SECRET differs from the backup's secret.

    A restore cannot change the environment.
    """
    if config.secret and SECRET in private and config.secret.encode() != private[SECRET]:
        raise OtherSecret


def put_back(config: Config, private: Mapping[str, bytes], *, merge: bool) -> list[str]:
    """Put the secret and the keys into the data directory. Return a sentence for each change.

    merge: True to keep the secret and the signing key here, if there are any. The backup's keys are
        then only listed. False to use the backup's secret and signing key instead. Replaced keys
        stay listed. GIORNALE_SECRET is kept in either case.

    Raises BadBackup, and DataUnusable for damaged keys here.
    """
    sentences = []
    keys = _read_keys(private[KEYS]) if KEYS in private else []
    secret_path = config.data / "secret"
    takes_secret = not config.secret and not (merge and secret_path.exists())
    if SECRET in private and takes_secret:
        write_private(secret_path, private[SECRET], replace=True)
        sentences.append(SECRET_BACK)
    if keys and merge:
        _put_back_keys(config, keys, merge=True)
        sentences.append("the backup's keys were listed")
    elif keys:
        _put_back_keys(config, keys, merge=False)
        sentences.append("the keys of receipts were put back")
    return sentences


def _put_back_keys(config: Config, backup_keys: list[Json], *, merge: bool) -> None:
    """Write the keys of this server and the backup. Keys of the side that does not sign retire."""
    path = config.data / "keys.json"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(path):
        own_keys = _read_own_keys(path)
        if merge and own_keys:
            all_keys = _signing_after_others(own_keys, backup_keys)
        else:
            all_keys = _signing_after_others(backup_keys, own_keys)

        content = orjson.dumps({"keys": all_keys}, option=orjson.OPT_INDENT_2)
        write_private(path, content, replace=True)


def _read_own_keys(path: Path) -> list[Json]:
    """Return the keys of this server, none without a file. Raises DataUnusable."""
    if not path.exists():
        return []
    try:
        return _read_keys(path.read_bytes())
    except BadBackup:
        advice = "Put it back from a copy, or move it away"
        raise DataUnusable(f"GIORNALE_DATA: {path} is damaged. {advice}") from None


def _signing_after_others(signing: list[Json], others: list[Json]) -> list[Json]:
    """Return the keys of two sides: `others`, retired, and after them `signing` as they are."""
    known_ids = {key["id"] for key in signing}
    retired = [_retire(key) for key in others if key["id"] not in known_ids]
    return [*retired, *signing]


def _retire(key: Json) -> Json:
    """Return the public part of a retired key, with the end of its validity."""
    public = {name: value for name, value in key.items() if name != "private"}
    if not public["until"]:
        public["until"] = timestamp(clock() + GRACE_MS)
    return public


def _read_keys(content: bytes) -> list[Json]:
    """Return the keys of a file, oldest first. The last one signs. Raises BadBackup."""
    try:
        keys: list[Json] = orjson.loads(content)["keys"]
        if keys[-1]["private"] and all(key["id"] and "until" in key for key in keys):
            return keys
    except (ValueError, TypeError, KeyError, IndexError):
        pass
    raise BadBackup("its keys cannot be read")
