"""Commits: appended once, also after a lost answer, and read again.

append.lua checks and writes stream, head, command ids, metadata, indexes and feed in one atomic
script. Any number of processes may append to a match at the same time. The script compares the
expected version with the length of the stream, so of several appends at one version at most one
lands, and the others get Conflict.

If an earlier commit has the same command id, nothing is written. The answer is `repeated` for the
same fingerprint. Another fingerprint is refused (KeyReused).

    sent -- answer ------------------> made, repeated or refused
    sent -- connection breaks -------> unknown: not landed, landed, or still on its way
    unknown -- found at its version -> made
    unknown -- not found ------------> sent a second time

With GIORNALE_REPLICAS a commit counts as done once replicas have confirmed it. If they do not
confirm in time, the caller gets Unconfirmed, although the commit is made.

Example: the connection breaks after the script has run and before its answer arrives.

1. `_append_once` raises one of the errors in BROKEN, and `append` calls
   `_append_after_lost_answer`.
2. `has_landed` reads the commit at the version after the expected one, and compares the bytes. If
   the entry has a command id, `has_landed` also compares the version and fingerprint stored for
   the id. If all are equal, the commit was made.
3. Otherwise the entry is sent a second time. If the first try lands before the second, the second
   gets Conflict, or `repeated` if it has a command id. After a Conflict `has_landed` decides again.
   A Conflict with another commit is raised.
4. If the server cannot be reached in step 2 or 3, the caller gets JournalUnavailable. The outcome
   is unknown. The caller may append again with the same command id.
"""

from collections.abc import Iterator, Mapping, Sequence

from redis.exceptions import WatchError

from service.store.journal import encoding, values
from service.store.journal.errors import ChainBroken, Conflict, Deleted, KeyReused
from service.store.journal.keys import COMMITS, FIELDS, HEAD, IDS, TOMBSTONE
from service.store.journal.redis import connection
from service.store.journal.redis.store import RedisPort, Request

_LINES = 1000  # lines of a feed read in one round trip


class RedisEvents(RedisPort):
    """The streams of commits, one for each match, and the feeds, one for each partition."""

    @connection.translates_errors
    def append(self, entry: values.Entry) -> values.Appended:
        """Append one commit with one atomic script, and wait for replicas if the settings say so.

        Raises Unconfirmed, also for a commit of an earlier try.
        """
        try:
            return self._append_once(entry)
        except connection.BROKEN:
            return self._append_after_lost_answer(entry)

    def _append_once(self, entry: values.Entry) -> values.Appended:
        store = self._store
        channel = store.keys.channel(entry.match)
        command = store.scripts.append.on(
            store.keys.of_append(entry.match), encoding.append_arguments(entry, channel)
        )
        [(answer, *details)] = store.send(Request([command], "write"))

        if answer == b"conflict":
            raise Conflict(*details)
        if answer == b"deleted":
            raise Deleted
        if answer == b"reused":
            raise KeyReused(entry.command_id)
        if answer == b"broken":
            version = entry.expected + 1
            raise ChainBroken(
                f"commit {version} does not follow the last commit of match {entry.match}"
            )
        if answer == b"repeated":
            # This try has written nothing, so replicas must confirm the commit of the first try.
            self._confirm(entry.match)
            return values.Appended(version=details[0], repeated=True)
        return values.Appended(version=details[0], repeated=False)

    def _append_after_lost_answer(self, entry: values.Entry) -> values.Appended:
        """Look for the commit of an append without an answer. Append it again if it is missing.

        The first try may still be on its way. Both tries expect the same version, so only one of
        them can land.
        """
        appended = values.Appended(version=entry.expected + 1, repeated=False)
        if self.has_landed(entry):
            return appended

        try:
            return self._append_once(entry)
        except Conflict:
            # The first try may have landed by now, and cause the conflict.
            if self.has_landed(entry):
                return appended
            raise

    def has_landed(self, entry: values.Entry) -> bool:
        """Return True if the entry's commit is stored at its version, on replicas too.

        If the entry has a command id, equal bytes are no proof: another request for the same move
        of a seat makes the same bytes in the same millisecond. An equal command id is no proof
        either: the same request at another process makes other bytes a millisecond later.
        """
        version = entry.expected + 1
        stream = self._keys.of(entry.match, COMMITS)
        entry_id = _entry_id(version)
        span = ("XRANGE", stream, entry_id, entry_id)
        [entries] = self._store.send(Request([span], "read"))
        if encoding.commits_in(entries) != [entry.commit_bytes]:
            return False
        if not entry.command_id:
            return True

        ids = self._keys.of(entry.match, IDS)
        [packed] = self._store.send(Request([("HGET", ids, entry.command_id)], "read"))
        stored = None if packed is None else encoding.read_made(packed.decode())
        return stored == (version, entry.fingerprint)

    @connection.translates_errors
    def restore(self, entries: Sequence[values.Entry]) -> None:
        """Append all commits of a new match, all or none.

        Raises Conflict for an existing match, once replicas have confirmed that match. The caller
        then compares the two. Raises Unconfirmed if they do not confirm in time.
        """
        values.check_consecutive(entries)
        try:
            self._restore(entries)
        except Conflict:
            self._confirm(entries[0].match)
            raise
        self._confirm(entries[0].match)

    @connection.follows_moves
    def _restore(self, entries: Sequence[values.Entry]) -> None:
        """Append all commits in one transaction.

        The transaction watches stream, head and tombstone. If another process begins or deletes the
        match meanwhile, the transaction fails with Conflict. The head is read instead of the
        stream, since an archived match has a head and no stream.
        """
        store = self._store
        match = entries[0].match
        stream = store.keys.of(match, COMMITS)
        head_key = store.keys.of(match, HEAD)
        tombstone = store.keys.of(match, TOMBSTONE)

        with store.transaction(stream) as transaction:
            transaction.watch(stream, head_key, tombstone)
            head = encoding.read_head(match, transaction.get(head_key))
            if head is not None:
                raise Conflict(head.version)
            if transaction.exists(tombstone):
                raise Deleted

            transaction.multi()
            keys = store.keys.of_append(match)
            channel = store.keys.channel(match)
            for entry in entries:
                arguments = encoding.append_arguments(entry, channel)
                store.scripts.append(keys=keys, args=arguments, client=transaction)

            try:
                transaction.execute()
            except WatchError:
                raise Conflict(store.client.xlen(stream)) from None

    def _confirm(self, match_id: str) -> None:
        """Have replicas confirm everything stored of a match. Raises Unconfirmed."""
        stream = self._keys.of(match_id, COMMITS)
        self._store.send(Request([("XLEN", stream)], "read"))

    # ---- commits and heads are read ---------------------------------------------------------

    @connection.retries_once
    def version_made(self, match_id: str, command_id: str, fingerprint: str) -> int | None:
        """Return the version of a command id. Raises KeyReused."""
        # The caller answers with this commit, so replicas must confirm it like a new one.
        command = ("HGET", self._keys.of(match_id, IDS), command_id)
        [packed] = self._store.send(Request([command], "read"))
        if packed is None:
            return None

        ids = {command_id: encoding.read_made(packed.decode())}
        return values.made_by(ids, command_id, fingerprint)

    @connection.retries_once
    def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return commits after a version."""
        [entries] = self._store.send(Request([self._range(match_id, after, limit)]))
        return encoding.commits_in(entries)

    @connection.retries_once
    def tail(self, match_id: str, after: int, field: str, limit: int | None = None) -> values.Tail:
        """Return commits after a version, one field of the metadata and the head."""
        keys = self._keys
        # The head is read first. Commits made after that may go beyond the head, but none up to the
        # head is missing.
        commands: list[connection.Command] = [
            ("GET", keys.of(match_id, HEAD)),
            self._range(match_id, after, limit),
            ("HGET", keys.of(match_id, FIELDS), field),
        ]
        packed_head, entries, value = self._store.send(Request(commands))
        return values.Tail(
            commits=encoding.commits_in(entries),
            value=encoding.text_or_none(value),
            head=encoding.read_head(match_id, packed_head),
        )

    def head(self, match_id: str) -> values.Head | None:
        """Return the head of a match."""
        [head] = self.heads([match_id])
        return values.undamaged(head)

    @connection.retries_once
    def heads(self, matches: Sequence[str]) -> list[values.FoundHead]:
        """Return the heads of many matches in one round trip."""
        commands = [("GET", self._keys.of(match, HEAD)) for match in matches]
        answers = self._store.send(Request(commands))
        return [
            encoding.found_head(match, packed)
            for match, packed in zip(matches, answers, strict=True)
        ]

    def overview(
        self, match_id: str, fields: Sequence[str]
    ) -> tuple[values.Head | None, dict[str, str]]:
        """Return the head and fields of metadata of a match."""
        [(head, values_by_field)] = self.overviews([(match_id, fields)])
        return values.undamaged(head), values_by_field

    @connection.retries_once
    def overviews(
        self, requests: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[values.FoundHead, dict[str, str]]]:
        """Return heads and fields of metadata of many matches in one round trip."""
        keys = self._keys
        commands: list[connection.Command] = []
        for match, fields in requests:
            commands.append(("GET", keys.of(match, HEAD)))
            commands.append(("HMGET", keys.of(match, FIELDS), *fields))
        answers = self._store.send(Request(commands))

        # Each match has two answers: its head and the values of its fields.
        overviews = []
        for number, (match, fields) in enumerate(requests):
            packed_head, contents = answers[2 * number : 2 * number + 2]
            present = encoding.present_fields(fields, contents)
            overviews.append((encoding.found_head(match, packed_head), present))
        return overviews

    def _range(self, match_id: str, after: int, limit: int | None) -> connection.Command:
        """Return the command that reads commits after a version."""
        stream = self._keys.of(match_id, COMMITS)
        span: connection.Command = ("XRANGE", stream, _entry_id(after + 1), "+")
        return span if limit is None else (*span, "COUNT", limit)

    # ---- the feeds: the commits of each partition, in the order they were made ---------------

    @connection.retries_once
    def feed(self, partition: int, after: str, limit: int) -> list[tuple[str, str, int]]:
        """Return (id, match, version) of a partition's commits after an id."""
        start = f"({after}" if after else "-"
        feed = self._keys.feed[partition]
        entries = self._store.client.xrange(feed, min=start, count=limit)

        lines = []
        for entry_id, fields in entries:
            commit = encoding.read_feed_line(entry_id, fields.get(b"m", b""))
            if commit is not None:
                lines.append((entry_id.decode(), *commit))
        return lines

    @connection.retries_once
    def feed_ends(self, noted: Mapping[int, values.Line]) -> values.FeedEnds:
        """Return the last line of each feed, and the partitions without their noted line."""
        feeds = self._keys.feed
        looked_for: list[str] = []
        for number, (entry_id, _match, _version) in noted.items():
            looked_for += (feeds[number], entry_id)

        answers = self._store.send_each(self._store.scripts.ends, feeds, looked_for)
        numbers = {key.encode(): number for number, key in enumerate(feeds)}
        last: dict[int, values.Line] = {}
        lines_by_number: dict[int, values.Line] = {}
        for last_of_server, found_of_server, gone_of_server in answers:
            lines = encoding.read_feed_lines(last_of_server, numbers)
            last |= {number: line for number, line in lines if line}
            # A trimmed or damaged noted line does not count as missing.
            there = [numbers[key] for key in gone_of_server]
            for number, line in encoding.read_feed_lines(found_of_server, numbers):
                if line is None:
                    there.append(number)
                else:
                    lines_by_number[number] = line
            lines_by_number |= {number: noted[number] for number in there if number in noted}

        missing = [number for number, line in noted.items() if lines_by_number.get(number) != line]
        return values.FeedEnds(last, frozenset(missing))

    def matches(self) -> Iterator[str]:
        """Yield every match that was ever begun, also those trimmed from the feeds."""
        for partition in range(self._keys.partitions):
            count, last_id, is_over = 0, "-", False
            while not is_over:
                names, new_id = self._begun(partition, count, last_id)
                yield from names
                is_over = not names and new_id == last_id
                count, last_id = count + len(names), new_id

    @connection.retries_once
    def _begun(self, partition: int, count: int, last_id: str) -> tuple[list[str], str]:
        """Return the next matches of a partition, and the id of the last line read."""
        keys = [self._keys.begun[partition], self._keys.feed[partition]]
        names, new_id = self._store.scripts.begun(keys=keys, args=[count, last_id, _LINES])
        # The name in a damaged line belongs to no match, and has no head.
        return [name.decode(errors="replace") for name in names], new_id.decode()

    @connection.retries_once
    def commit_count(self) -> int:
        """Return the number of all lines that the feeds ever had."""
        script = self._store.scripts.count
        return sum(self._store.send_each(script, self._keys.feed))


def _entry_id(version: int) -> str:
    """Return the stream id of a version."""
    return f"{version}-0"
