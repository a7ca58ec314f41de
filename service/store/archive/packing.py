"""A packed match: one file with a readable header and compressed content.

The file has two frames of zstd (RFC 8878): a skippable frame with the header in canonical JSON, and
a compressed frame with canonical JSON, either

    {"ids":{ID:[VERSION,FINGERPRINT]},"rows":[...]}        form "rows": see `rows` in this file
    {"ids":{ID:[VERSION,FINGERPRINT]},"commits":["..."]}   form "whole": commits as stored

"ids" has each command id with its version and the fingerprint of its request. A match with thoughts
of bots has one more member, "thoughts", with their stored texts. `pack` tries the form "rows", and
uses it if the commits can be rebuilt byte for byte.
"""

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
from zstandard import ZstdCompressionDict, ZstdCompressor, ZstdDecompressor, ZstdError

from domain.match.messages import Reveal, SecretsRevealed
from domain.match.state import Match, Stamp
from service.record.codec import decode_events, salt, stored_bytes, view_digest
from service.record.commit import (
    Content,
    Json,
    StoredCommit,
    canonical,
    digest,
    milliseconds,
    parse_commit,
    parse_commits,
    rules_of,
    timestamp,
)
from service.record.replay import apply
from service.store.journal.values import Whole

LAYOUT = 1  # number of a packed match's layout; a reader refuses other layouts
LEVEL = 19  # level of compression
MOST_BYTES = 1 << 30  # largest size of the unpacked content

_SKIPPABLE = 0x184D2A50  # the magic number of a skippable frame
_FRAME_HEAD = struct.Struct("<II")  # magic number and length, little-endian
_HASH = re.compile(r"[0-9a-f]{64}")

Row = list[Any]

_REVELATION = (Reveal.tag, SecretsRevealed.tag)
_LAID_OPEN = ("secret", "parts")

HOME = Path(__file__).parent / "zstd"
SUFFIX = ".dictionary"

# The dictionary for new packed matches in the form "rows", by rules. A name ends in the first eight
# digits of the dictionary's SHA-256. Other matches are packed without a dictionary.
NEWEST = {
    "calimala/1": "calimala-1-7fe16fc1",
    "firenze/1": "firenze-1-9edcb696",
}


class NotReadable(Exception):
    """A packed match cannot be unpacked here, for the reason in the message."""


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a packed match.

    giornale: the release that packed the match.   dictionary: name of the dictionary, "" for none.
    commits: number of commits.   hash: hash of the last commit.
    """

    layout: int
    giornale: str
    match: str
    form: str
    dictionary: str
    commits: int
    hash: str


def pack(match_id: str, whole: Whole) -> bytes:
    """Return a match as one file, in the form "rows" if that rebuilds the same commits."""
    try:
        packed = _pack(match_id, whole, form="rows")
        if unpack(packed).commits == whole.commits:
            return packed
    except Exception:  # noqa: BLE001, S110 - after any failure commits are packed as stored
        pass
    return _pack(match_id, whole, form="whole")


def _pack(match_id: str, whole: Whole, form: str) -> bytes:
    commits = whole.commits
    content: Json = {"ids": {name: list(entry) for name, entry in whole.ids.items()}}
    if whole.thoughts:
        content["thoughts"] = [thought.decode() for thought in whole.thoughts]

    dictionary_name = ""
    if form == "rows":
        content["rows"] = rows_of(commits)
        dictionary_name = newest(rules_of(parse_commit(commits[0])))
    else:
        content["commits"] = [commit_bytes.decode() for commit_bytes in commits]

    header = Header(
        layout=LAYOUT,
        giornale=version("giornale"),
        match=match_id,
        form=form,
        dictionary=dictionary_name,
        commits=len(commits),
        hash=parse_commit(commits[-1])["hash"],
    )
    compressor = ZstdCompressor(level=LEVEL, dict_data=dictionary(dictionary_name))
    header_bytes = canonical(asdict(header))
    frame_head = _FRAME_HEAD.pack(_SKIPPABLE, len(header_bytes))
    return frame_head + header_bytes + compressor.compress(canonical(content))


def read_header(packed: bytes) -> Header:
    """Return the header of a packed match. Raises NotReadable."""
    header, _ = _split(packed)
    return header


def unpack(packed: bytes) -> Whole:
    """Return the match in a packed file. Raises NotReadable.

    The last commit must have the hash in the header, and each commit contains the hash of the
    commit before.
    """
    header, compressed = _split(packed)
    try:
        content = _decompress(header, compressed)
        ids = {
            name: (int(version_made), str(fingerprint))
            for name, (version_made, fingerprint) in content["ids"].items()
        }
        commits = _commits(header, content)
        thoughts = [thought.encode() for thought in content.get("thoughts", ())]
    except (OtherView, NoDictionary) as error:
        raise NotReadable(f"{error}. It was packed by Giornale {header.giornale}") from None
    except ZstdError:
        raise NotReadable("its compressed part is damaged") from None
    except Exception as error:  # noqa: BLE001 - damaged rows may raise any error in a game
        reason = f"its rows cannot be folded ({type(error).__name__})"
        raise NotReadable(f"{reason}. It was packed by Giornale {header.giornale}") from None

    if len(commits) != header.commits or parse_commit(commits[-1])["hash"] != header.hash:
        detail = "it unpacks to something else"
        raise NotReadable(f"{detail}. It was packed by Giornale {header.giornale}")
    return Whole(commits, ids, thoughts)


def _split(packed: bytes) -> tuple[Header, bytes]:
    """Return the header of a packed match, and its compressed part. Raises NotReadable."""
    try:
        magic, length = _FRAME_HEAD.unpack_from(packed)
        header_end = _FRAME_HEAD.size + length
        fields: Any = orjson.loads(packed[_FRAME_HEAD.size : header_end])
        layout = fields["layout"]
        if layout != LAYOUT:
            detail = f"it has layout {layout}, and this program reads layout {LAYOUT}"
            raise NotReadable(detail)

        header = Header(**fields)
        is_right = magic == _SKIPPABLE and _HASH.fullmatch(header.hash) is not None
    except (struct.error, ValueError, TypeError, KeyError):
        is_right = False

    if not is_right:
        raise NotReadable("its header is damaged")
    return header, packed[header_end:]


def _decompress(header: Header, compressed: bytes) -> Json:
    decompressor = ZstdDecompressor(dict_data=dictionary(header.dictionary))
    content_bytes = decompressor.decompress(compressed, max_output_size=MOST_BYTES)
    content: Json = orjson.loads(content_bytes)
    return content


def _commits(header: Header, content: Json) -> list[bytes]:
    if header.form == "whole":
        return [commit.encode() for commit in content["commits"]]
    return list(commits_of(header.match, content["rows"]))


# ---- rows ----------------------------------------------------------------------------------------
#
# A whole match as rows: its commits without the derived parts.
# A row is `[ELAPSED,ACTOR,COMMAND,EVENTS]`, and `[..., PARTS]` for a commit with secret parts. For
# a commit with a signature it is `[..., PARTS, SIGNATURE]`, with PARTS {} if there are no secret
# parts. ELAPSED is the number of milliseconds since the commit before, in the first row since the
# epoch. COMMAND and EVENTS are the public messages. PARTS are the secret parts by audience, without
# salts.
#
# The derived parts are computed again: the version from the order of the rows, the match from the
# header, hashes from the contents, salts from the match's key (M10), digests of views from the
# states, and the revelation from the secret parts (M9). Events are stored, so no command is decided
# again (docs/decisions/0051).


class OtherView(Exception):
    """The view digests of the match are of a version of the view that this program lacks."""


def rows_of(commits: Sequence[bytes]) -> list[Row]:
    """Return the rows of a whole match.

    commits: all of them, as stored in the journal.
    """
    rows = []
    time_before = 0

    for stored in parse_commits(commits):
        content = stored["commit"]
        time = milliseconds(content["time"])
        row: Row = [
            time - time_before,
            content["actor"],
            _without_revelation(content["command"]),
            [_without_revelation(event) for event in content["events"]],
        ]
        signature = content.get("signature")
        if stored["secrets"] or signature:
            row.append({name: _without_salt(part) for name, part in stored["secrets"].items()})
        if signature:
            row.append(signature)

        rows.append(row)
        time_before = time

    return rows


def commits_of(match_id: str, rows: Sequence[Row]) -> Iterator[bytes]:
    """Yield the commits of rows, as they were stored in the journal.

    Raises OtherView. Any other error means that the rows cannot be folded: they are damaged, or
    their rules are unknown.
    """
    rebuilt = _Rebuilt(match_id)
    for row in rows:
        yield rebuilt.commit_bytes(row)


@dataclass(slots=True)
class _Rebuilt:
    """A match after the rows read so far.

    time: time of the last commit, in milliseconds.
    revealed: the secret parts so far, by version.
    """

    match_id: str
    version: int = 0
    time: int = 0
    hash: str = ""
    match: Match | None = None
    revealed: dict[str, dict[str, Json]] = field(default_factory=dict)

    def commit_bytes(self, row: Row) -> bytes:
        """Return the commit of the next row."""
        elapsed, actor, command, events, *rest = row
        bare_parts: dict[str, Json] = rest[0] if rest else {}
        signature = rest[1:]

        self.version += 1
        self.time += elapsed

        command = self._with_revelation(command)
        events = [self._with_revelation(event) for event in events]
        match = self._fold(actor, command, events, bare_parts)
        parts = self._add_salts(match, bare_parts)

        content: Content = {
            "match": self.match_id,
            "version": self.version,
            "time": timestamp(self.time),
            "actor": actor,
            "command": command,
            "events": events,
            "prev": self.hash,
            "view": _view_digest(match),
            "secrets": {audience: digest(part) for audience, part in parts.items()},
        }
        if signature:
            [content["signature"]] = signature
        content_bytes = canonical(content)
        self.hash = sha256(content_bytes).hexdigest()
        return stored_bytes(content_bytes, self.hash, parts)

    def _with_revelation(self, message: Json) -> Json:
        """Return a message. A revelation gets the secret and the parts back."""
        if message["type"] not in _REVELATION:
            return message
        assert self.match is not None, "a match is revealed after its opening"
        return {**message, "secret": self.match.secret, "parts": self.revealed}

    def _fold(self, actor: str, command: Json, events: list[Json], parts: dict[str, Json]) -> Match:
        """Return the match after the next commit. The fold needs no salts of secret parts."""
        public: Any = {"command": command, "events": events}
        stored: StoredCommit = {"commit": public, "hash": "", "secrets": parts}
        rules = self.match.rules if self.match else events[0]["rules"]
        stamp = Stamp(self.version, actor, self.time)
        self.match = apply(self.match, decode_events([stored], rules), stamp)
        return self.match

    def _add_salts(self, match: Match, bare_parts: dict[str, Json]) -> dict[str, Json]:
        """Return the secret parts of the commit with their salts, and note them as revealed."""
        parts = {
            audience: {**part, "salt": salt(match.key, self.version, audience)}
            for audience, part in bare_parts.items()
        }
        if parts:
            self.revealed[str(self.version)] = parts
        return parts


def _without_revelation(message: Json) -> Json:
    """Return a message. A revelation loses the secret and the parts."""
    if message["type"] not in _REVELATION:
        return message
    return {name: value for name, value in message.items() if name not in _LAID_OPEN}


def _without_salt(part: Json) -> Json:
    return {name: value for name, value in part.items() if name != "salt"}


def _view_digest(match: Match) -> str:
    """Return the digest of the public view. Raises OtherView."""
    if match.views != match.game.view_version:
        raise OtherView(
            f"its views are of version {match.views}, and this program makes version "
            f"{match.game.view_version}"
        )
    return view_digest(match)


# ---- dictionaries --------------------------------------------------------------------------------
#
# The zstd dictionaries for packed matches. `python -m tests.records.train` makes one for each
# version of the rules that lacks one, from the golden records. A dictionary is never removed,
# because archived matches need it. A better one gets another name, and only NEWEST changes.


class NoDictionary(Exception):
    """There is no dictionary of this name in this release."""


def newest(rules: str) -> str:
    """Return the name of the dictionary for rules, "" for none."""
    return NEWEST.get(rules, "")


def path_of(name: str) -> Path:
    """Return the file of a dictionary."""
    return HOME / f"{name}{SUFFIX}"


@cache
def dictionary(name: str) -> ZstdCompressionDict | None:
    """Return a dictionary by its name, None for no name. Raises NoDictionary."""
    if not name:
        return None
    try:
        content = path_of(name).read_bytes()
    except OSError:
        raise NoDictionary(f"this release has no dictionary {name}") from None
    return ZstdCompressionDict(content)
