"""Data of a match beside its commits: fields, thoughts and the snapshot."""

from collections.abc import Mapping

from service.store.journal import encoding
from service.store.journal.errors import Conflict
from service.store.journal.keys import COMMITS, FIELDS, HEAD, SNAPSHOT, THOUGHTS
from service.store.journal.redis.connection import retries_if_not_landed, retries_once
from service.store.journal.redis.store import RedisPort, Request
from service.store.journal.values import Metadata

_UNKNOWN_MATCH = 0
_CHANGED = 1
_THERE = -1


class RedisMetadata(RedisPort):
    """A hash of fields for each match, and two strings."""

    @retries_once
    def field(self, match_id: str, field: str) -> str | None:
        """Return one field of a match's metadata."""
        return encoding.text_or_none(
            self._store.client.hget(self._keys.of(match_id, FIELDS), field)
        )

    @retries_once
    def fields(self, match_id: str) -> dict[str, str]:
        """Return all fields of a match's metadata."""
        return encoding.texts(self._store.client.hgetall(self._keys.of(match_id, FIELDS)))

    def _has_landed(
        self,
        match_id: str,
        fields: Mapping[str, str | None],
        precondition: tuple[str, str] = ("", ""),  # noqa: ARG002 - it held before
    ) -> bool:
        """Return True if all fields have the values of a change, on replicas too."""
        if not fields:
            return False
        key = self._keys.of(match_id, FIELDS)
        [contents] = self._store.send(Request([("HMGET", key, *fields)], "read"))
        return [encoding.text_or_none(value) for value in contents] == list(fields.values())

    @retries_if_not_landed(_has_landed)
    def put(
        self,
        match_id: str,
        fields: Mapping[str, str | None],
        precondition: tuple[str, str] = ("", ""),
    ) -> bool:
        """Change fields with one script. Return True if the precondition held."""
        store = self._store
        keys = [store.keys.of(match_id, HEAD), store.keys.of(match_id, FIELDS)]
        changes = encoding.split_changes(fields)
        arguments: list[str | int] = [
            *precondition,
            len(changes.put),
            *changes.put,
            *changes.drop,
        ]

        command = store.scripts.metadata.on(keys, arguments)
        [answer] = store.send(Request([command], "write"))
        if answer == _UNKNOWN_MATCH:
            raise Conflict(0)
        return bool(answer == _CHANGED)

    @retries_once
    def put_if_missing(self, match_id: str, field: str, value: str) -> None:
        """Set a missing field of a known match. Replicas have confirmed it afterwards."""
        store = self._store
        head_key, fields_key = store.keys.of(match_id, HEAD), store.keys.of(match_id, FIELDS)
        command = store.scripts.fill.on([head_key, fields_key], [field, value])
        [answer] = store.send(Request([command], "write"))
        # Another caller or a first try has set the field, perhaps without a confirmation. This
        # caller may rely on the field, so replicas must confirm it now.
        if answer == _THERE and store.replicas:
            store.send(Request([("HEXISTS", fields_key, field)], "read"))

    @retries_once
    def thoughts(self, match_id: str) -> list[bytes]:
        """Return the thoughts of bots in a match."""
        return encoding.read_thoughts(self._store.client.get(self._keys.of(match_id, THOUGHTS)))

    @retries_once
    def snapshot(self, match_id: str) -> bytes | None:
        """Return the stored snapshot."""
        key = self._keys.of(match_id, SNAPSHOT)
        stored: bytes | None = self._store.client.get(key)
        return stored

    @retries_once
    def put_snapshot(self, match_id: str, data: bytes) -> None:
        """Store a snapshot of a known match."""
        keys = [self._keys.of(match_id, part) for part in (HEAD, SNAPSHOT, COMMITS)]
        self._store.scripts.snapshot(keys=keys, args=[data])

    @retries_once
    def dump(self, match_id: str) -> Metadata:
        """Return head, command ids, fields, tombstone and thoughts, read in one transaction."""
        keys = self._keys.of_metadata(match_id)
        head_key, ids_key, fields_key, tombstone_key, thoughts_key = keys
        with self._store.transaction(head_key) as transaction:
            transaction.get(head_key)
            transaction.hgetall(ids_key)
            transaction.hgetall(fields_key)
            transaction.get(tombstone_key)
            transaction.get(thoughts_key)
            packed_head, packed_ids, fields, packed_tombstone, thoughts = transaction.execute()

        ids = {
            command_id: encoding.read_made(packed)
            for command_id, packed in encoding.texts(packed_ids).items()
        }
        return Metadata(
            head=encoding.read_head(match_id, packed_head),
            ids=ids,
            fields=encoding.texts(fields),
            tombstone=encoding.read_tombstone(match_id, packed_tombstone),
            thoughts=encoding.read_thoughts(thoughts),
        )
