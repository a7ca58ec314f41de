"""What only the journal in Redis can show: durability, lost answers, settings, one slot."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.client import Pipeline
from redis.connection import UnixDomainSocketConnection
from redis.crc import key_slot
from redis.exceptions import ConnectionError as Unreachable

from service.journal.errors import Conflict, JournalFull, JournalUnavailable
from service.journal.keys import LAYOUT, Keys, partition_of, wake_channel
from service.journal.port import Journal
from service.journal.redis import RedisJournal, appending, open_journal
from service.journal.redis.appending import has_landed
from service.journal.redis.store import Store
from service.journal.values import STATUSES, Appended, Entry, Head, Tombstone
from service.process import valkey
from service.process.valkey import Server
from tests.service.journal.entries import entry, everything, grow

Lose = Callable[[str, int], None]


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may kill or spoil."""
    with Server(tmp_path) as server:
        yield server


@pytest.fixture
def own_journal(own_server: Server) -> Iterator[RedisJournal]:
    """A journal on a server that a test may kill or spoil."""
    journal = open_journal(own_server.url, 16)
    yield journal
    journal.close()


@pytest.fixture
def client(redis_url: str) -> Iterator[Any]:
    """A plain client of the shared server."""
    with Redis.from_url(redis_url, decode_responses=True) as plain:
        yield plain


def test_a_killed_server_loses_no_answered_commit(
    own_server: Server, own_journal: RedisJournal, tmp_path: Path
) -> None:
    """What was appended before a SIGKILL is there after the restart, and the match goes on from there."""
    commits = grow(own_journal, "m", 20, work="bots")
    before = everything(own_journal, "m", partition_of("m", 16))
    os.kill(own_server.pid, signal.SIGKILL)
    with Server(tmp_path):
        assert own_journal.read("m") == commits
        assert everything(own_journal, "m", partition_of("m", 16)) == before
        assert own_journal.append(entry(version=21)) == Appended(21, repeated=False)


@pytest.fixture
def lose(monkeypatch: pytest.MonkeyPatch) -> Lose:
    """Break the connection while a script is sent ("request") or after it has run ("reply"), a number of times."""

    def arrange(which: str, times: int) -> None:
        left = iter(range(times))
        send: Any = UnixDomainSocketConnection.send_command
        receive: Any = UnixDomainSocketConnection.read_response
        scripts: set[UnixDomainSocketConnection] = set()

        def break_off(connection: Any) -> None:
            if next(left, None) is not None:
                connection.disconnect()
                raise Unreachable("the connection was lost")

        def send_command(
            self: UnixDomainSocketConnection, *args: object, **options: object
        ) -> None:
            (scripts.add if args[0] == "EVALSHA" else scripts.discard)(self)
            if which == "request" and self in scripts:
                break_off(self)
            send(self, *args, **options)

        def read_response(
            self: UnixDomainSocketConnection, *args: object, **options: object
        ) -> object:
            response = receive(self, *args, **options)
            if which == "reply" and self in scripts:
                break_off(self)
            return response

        monkeypatch.setattr(UnixDomainSocketConnection, "send_command", send_command)
        monkeypatch.setattr(UnixDomainSocketConnection, "read_response", read_response)

    return arrange


@pytest.mark.parametrize("command_id", ["", "c"])
@pytest.mark.parametrize("which", ["request", "reply"])
def test_a_lost_answer_is_found_out(
    redis_journal: RedisJournal, lose: Lose, which: str, command_id: str
) -> None:
    """When the connection breaks in an append it lands exactly once, and is told as an append, not a repetition."""
    grow(redis_journal, "m", 3)
    lose(which, 1)
    assert redis_journal.append(entry(version=4, command_id=command_id)) == Appended(
        4, repeated=False
    )
    assert len(redis_journal.read("m")) == 4


@pytest.mark.parametrize("which", ["request", "reply"])
def test_a_lost_answer_is_not_taken_from_another(
    redis_journal: RedisJournal, lose: Lose, which: str
) -> None:
    """When the connection breaks and another commit stands at that version, the append is a conflict."""
    grow(redis_journal, "m", 4)
    lose(which, 1)
    with pytest.raises(Conflict) as caught:
        redis_journal.append(entry(version=4, commit_bytes=b"mine"))
    assert caught.value.version == 4


def test_a_commit_that_lands_late_is_recognised(
    redis_journal: RedisJournal, lose: Lose, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first try that lands after it was looked for makes the second a conflict with itself: it is appended."""
    looks = iter([False])

    def look(store: Store, new: Entry) -> bool:
        return next(looks, None) is None and has_landed(store, new)

    monkeypatch.setattr(appending, "has_landed", look)
    lose("reply", 1)
    assert redis_journal.append(entry()) == Appended(1, repeated=False)
    assert len(redis_journal.read("m")) == 1


def test_an_append_that_finds_no_redis_says_so(redis_journal: RedisJournal, lose: Lose) -> None:
    """When the second try breaks too the journal is unavailable, in plain words."""
    lose("request", 2)
    with pytest.raises(
        JournalUnavailable, match="Redis cannot be reached: the connection was lost"
    ):
        redis_journal.append(entry())
    assert redis_journal.read("m") == []


@pytest.mark.parametrize("which", ["request", "reply"])
def test_what_may_be_asked_twice_is(redis_journal: RedisJournal, lose: Lose, which: str) -> None:
    """A question, or a change that may be made twice, survives one broken connection, not two."""
    grow(redis_journal, "m", 1)
    lose(which, 1)
    redis_journal.put_sidecar("m", {"x": "y"})
    assert redis_journal.sidecar("m") == {"x": "y"}
    lose(which, 2)
    with pytest.raises(JournalUnavailable):
        redis_journal.put_sidecar("m", {"x": "z"})


QUESTIONS: dict[str, Callable[[Journal], object]] = {
    "append": lambda journal: journal.append(entry()),
    "restore": lambda journal: journal.restore([entry()]),
    "version_made": lambda journal: journal.version_made("m", "c", "f"),
    "read": lambda journal: journal.read("m"),
    "tail": lambda journal: journal.tail("m", 0, "x"),
    "head": lambda journal: journal.head("m"),
    "heads": lambda journal: journal.heads(["m"]),
    "overviews": lambda journal: journal.overviews([("m", ["x"])]),
    "sidecar_field": lambda journal: journal.sidecar_field("m", "x"),
    "sidecar": lambda journal: journal.sidecar("m"),
    "put_sidecar": lambda journal: journal.put_sidecar("m", {"x": "y"}),
    "put_sidecar_if_missing": lambda journal: journal.put_sidecar_if_missing("m", "x", "y"),
    "pending": lambda journal: journal.pending(1, 1),
    "pending_count": lambda journal: journal.pending_count(),
    "listing": lambda journal: journal.listing("", None, 1),
    "idle": lambda journal: journal.idle(1, 1),
    "look_again": lambda journal: journal.look_again({"m": 1}),
    "delete": lambda journal: journal.delete("m", Tombstone(1, "ada")),
    "deleted": lambda journal: journal.deleted("m"),
    "upgrade": lambda journal: journal.upgrade(),
    "feed": lambda journal: journal.feed(0, "", 1),
    "matches": lambda journal: next(journal.matches()),
    "commit_count": lambda journal: journal.commit_count(),
    "metadata": lambda journal: journal.metadata("m"),
    "put_tombstone": lambda journal: journal.put_tombstone("m", Tombstone(1, "ada")),
    "listed_counts": lambda journal: journal.listed_counts(),
    "memory": lambda journal: journal.memory(),
    "snapshot": lambda journal: journal.snapshot("m"),
    "put_snapshot": lambda journal: journal.put_snapshot("m", b""),
    "check": lambda journal: journal.check(),
    "ping": lambda journal: journal.ping(),
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_without_redis_the_journal_is_unavailable(
    tmp_path: Path, question: Callable[[Journal], object]
) -> None:
    """Every method maps an unreachable Redis to JournalUnavailable."""
    journal = open_journal(f"unix://{tmp_path}/none.sock", 2)
    with pytest.raises(JournalUnavailable, match="Redis cannot be reached"):
        question(journal)


def test_every_method_of_the_port_is_asked() -> None:
    """The table above leaves out no method of the port."""
    assert set(QUESTIONS) == {name for name in vars(Journal) if not name.startswith("_")}


def test_a_question_outlives_a_restart(
    own_server: Server, own_journal: RedisJournal, tmp_path: Path
) -> None:
    """Reading, and appending, go on over new connections once the server is back."""
    commits = grow(own_journal, "m", 2)
    own_server.stop()
    with pytest.raises(JournalUnavailable):
        own_journal.ping()
    with Server(tmp_path):
        assert own_journal.read("m") == commits
        assert own_journal.append(entry(version=3)) == Appended(3, repeated=False)


def test_a_match_begun_meanwhile_is_not_restored_over(
    redis_journal: RedisJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match that somebody begins while it is being restored is left as they began it."""
    multi: Any = Pipeline.multi

    def begin_first(pipeline: Any) -> None:
        monkeypatch.undo()
        redis_journal.append(entry(commit_bytes=b"first"))
        multi(pipeline)

    monkeypatch.setattr(Pipeline, "multi", begin_first)
    with pytest.raises(Conflict) as caught:
        redis_journal.restore([entry(), entry(version=2)])
    assert caught.value.version == 1
    assert redis_journal.read("m") == [b"first"]


def test_a_forgotten_script_is_sent_again(redis_journal: RedisJournal, client: Any) -> None:
    """A server that has forgotten its scripts is told them again."""
    grow(redis_journal, "m", 1)
    client.script_flush()
    assert redis_journal.append(entry(version=2)) == Appended(2, repeated=False)
    client.script_flush()
    redis_journal.restore([entry("n"), entry("n", version=2)])
    assert len(redis_journal.read("n")) == 2


def test_a_full_server_refuses_an_append_whole(
    own_server: Server, own_journal: RedisJournal
) -> None:
    """Without memory to write in nothing of a commit is written, `ping` tells, and everything can still be read."""
    grow(own_journal, "m", 1)
    assert own_journal.check() == []
    before = everything(own_journal, "m", partition_of("m", 16))
    with Redis.from_url(own_server.url) as spoiler:
        spoiler.config_set("maxmemory", "1mb")
        for refused in (
            own_journal.ping,
            lambda: own_journal.append(entry(version=2, work="bots")),
        ):
            with pytest.raises(JournalFull, match=r"Redis refuses: .*maxmemory"):
                refused()
        assert own_journal.check() == []
    assert everything(own_journal, "m", partition_of("m", 16)) == before


def test_a_full_server_still_deletes(own_server: Server, own_journal: RedisJournal) -> None:
    """Deletion is how room is made, so it needs none."""
    grow(own_journal, "m", 2)
    own_journal.upgrade()
    with Redis.from_url(own_server.url) as spoiler:
        spoiler.config_set("maxmemory", "1mb")
        own_journal.delete("m", Tombstone(7, "ada"))
    assert own_journal.head("m") is None
    assert own_journal.deleted("m") == Tombstone(7, "ada")


def as_the_first_release_left_it(client: Any, journal: RedisJournal) -> None:
    """Take away the indexes, and what marks them, that the first release did not write."""
    for name in client.keys("*:listing"):
        client.zremrangebylex(name, "[@", "(A")
    for name in client.keys("*:idle"):
        client.delete(name)
    client.delete(LAYOUT)
    assert journal.listing("", None, 9, "calimala") == []
    assert journal.idle(10**9, 9) == []


def test_a_journal_of_the_first_release_is_given_what_it_lacks(
    redis_journal: RedisJournal, client: Any
) -> None:
    """Every match is put into the indexes of its game and, unless it is ended, of what may be idle; once."""
    for number, status in enumerate(STATUSES):
        redis_journal.append(
            entry(f"m{number}", status=status, created=1_000 + number, updated=2_000 + number)
        )
    redis_journal.append(entry("hidden", status="open", visibility="private"))
    games = {
        status: redis_journal.listing(status, None, 9, "calimala") for status in ("", *STATUSES)
    }
    idle = redis_journal.idle(10**9, 9)
    as_the_first_release_left_it(client, redis_journal)
    assert redis_journal.upgrade() == 5
    assert {
        status: redis_journal.listing(status, None, 9, "calimala") for status in ("", *STATUSES)
    } == games
    assert redis_journal.idle(10**9, 9) == idle
    assert redis_journal.upgrade() == 0


def test_an_upgrade_leaves_alone_what_was_put_off(redis_journal: RedisJournal, client: Any) -> None:
    """Done again, after an upgrade was cut short, it does not make due what a keeper has looked at."""
    redis_journal.append(entry(updated=2_000))
    client.delete(LAYOUT)
    redis_journal.look_again({"m": 5_000})
    redis_journal.upgrade()
    assert redis_journal.idle(4_999, 9) == []


def test_a_match_moves_on_before_the_upgrade(redis_journal: RedisJournal, client: Any) -> None:
    """A change of status lists a match in its game, whether or not it was listed there."""
    redis_journal.append(entry(status="open"))
    as_the_first_release_left_it(client, redis_journal)
    redis_journal.append(entry(version=2, status="running"))
    redis_journal.upgrade()
    listed = {
        status: redis_journal.listing(status, None, 9, "calimala")
        for status in ("", "open", "running")
    }
    assert listed == {"": [(1_000, "m")], "open": [], "running": [(1_000, "m")]}


def test_the_head_of_the_first_release_is_read(redis_journal: RedisJournal, client: Any) -> None:
    """Its nine fields are a head of a match that was played here."""
    client.set(Keys(16).of("m", "head"), "3|h3|open||0,2|public|1000|2000|calimala")
    assert redis_journal.head("m") == Head(
        3, "h3", "open", "", (0, 2), "calimala", "public", 1_000, 2_000
    )


@pytest.mark.parametrize(
    ("setting", "value", "mended"),
    [
        ("appendonly", "no", "yes"),
        ("appendfsync", "everysec", "always"),
        ("maxmemory-policy", "allkeys-lru", "noeviction"),
    ],
)
def test_check_names_what_is_unsafe_and_its_remedy(
    own_server: Server, own_journal: RedisJournal, setting: str, value: str, mended: str
) -> None:
    """An unsafe setting is told in one sentence that ends with the command that mends it; the command does."""
    with Redis.from_url(own_server.url) as spoiler:
        spoiler.config_set(setting, value)
        (complaint,) = own_journal.check()
        assert complaint.startswith(f"Redis has {setting} {value}: ")
        remedy = complaint.rpartition("mend it until the next start with: ")[2]
        assert remedy == f"CONFIG SET {setting} {mended}"
        spoiler.execute_command(*remedy.split())
        assert own_journal.check() == []
        while spoiler.info("persistence")[
            "aof_rewrite_in_progress"
        ]:  # until then the server does not stop
            pass


def test_check_says_that_it_could_not(own_server: Server) -> None:
    """Where CONFIG is forbidden the complaint is that the settings could not be checked."""
    with Redis.from_url(own_server.url) as spoiler:
        spoiler.execute_command(
            "ACL", "SETUSER", "guest", "on", ">word", "~*", "&*", "+@all", "-config"
        )
    journal = open_journal(own_server.url.replace("unix://", "unix://guest:word@"), 16)
    (complaint,) = journal.check()
    journal.close()
    assert complaint.startswith(
        "The settings appendonly, appendfsync, maxmemory-policy of Redis could not be checked: "
    )
    assert "word" not in complaint


def test_check_finds_another_number_of_partitions(
    redis_journal: RedisJournal, redis_url: str
) -> None:
    """A journal begun with 16 partitions complains when opened with 8, in which it would find no match."""
    assert redis_journal.check() == []
    other = open_journal(redis_url, 8)
    assert other.check() == [
        "The journal was begun with 16 partitions and is opened with 8: use 16."
    ]
    other.close()


def test_a_commit_is_one_entry_with_one_field(redis_journal: RedisJournal, client: Any) -> None:
    """The stream's entry n has the id n-0 and one field, the commit's bytes."""
    commits = grow(redis_journal, "m", 3)
    stored = client.xrange(Keys(16).of("m", "commits"))
    assert stored == [
        (f"{number}-0", {"c": data.decode()}) for number, data in enumerate(commits, 1)
    ]


def test_followers_are_woken_with_the_version(redis_journal: RedisJournal, client: Any) -> None:
    """Each commit is announced on its match's channel; a repeated command is not."""
    with client.pubsub(ignore_subscribe_messages=True) as follower:
        follower.subscribe(wake_channel("m"))
        follower.get_message(timeout=5)
        for version in (1, 2):
            redis_journal.append(entry(version=version, command_id=str(version)))
        redis_journal.append(entry(version=3, command_id="2"))
        client.publish(wake_channel("m"), "end")
        told = [follower.get_message(timeout=5) for _ in range(3)]
    assert [message and message["data"] for message in told] == ["1", "2", "end"]


@pytest.mark.parametrize(
    ("partitions", "tag"), [(1, "p0"), (16, "p{:x}"), (17, "p{:02x}"), (256, "p{:02x}")]
)
def test_a_partition_is_written_as_wide_as_the_largest(partitions: int, tag: str) -> None:
    """Hash tags of one journal have the same length."""
    assert f"{{{tag.format(partition_of('m', partitions))}}}" in Keys(partitions).of("m", "head")


@pytest.mark.parametrize("match", ["m", "a{b}c", "}{", "x" * 64])
def test_all_keys_of_a_match_lie_in_one_slot(match: str) -> None:
    """Whatever a match is called, an append touches keys of one slot of a Redis Cluster."""
    keys = Keys(256)
    assert (
        len(
            {
                key_slot(key.encode())
                for key in [
                    *keys.of_append(match),
                    *keys.of_deletion(match),
                    *keys.of_tombstone(match),
                ]
            }
        )
        == 1
    )


def test_scripts_keep_to_their_slot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server in cluster mode, where a script may not leave the slot of its keys, runs every path of the scripts."""
    monkeypatch.setitem(valkey.SETTINGS, "cluster-enabled", "yes")
    with Server(tmp_path) as server, Redis.from_url(server.url) as client:
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        journal = open_journal(server.url, 16)
        while b"cluster_state:ok" not in client.execute_command("CLUSTER", "INFO"):
            pass
        for version, status in enumerate(STATUSES, 1):
            sidecar = {"a": "1", "b": None}
            work = "bots" if version % 2 else ""
            journal.append(
                entry(
                    version=version,
                    command_id=str(version),
                    sidecar=sidecar,
                    status=status,
                    work=work,
                )
            )
        journal.put_sidecar("m", {"a": None, "c": "1"})
        journal.put_snapshot("m", b"state")
        journal.upgrade()
        keys = [key for key in client.scan_iter(count=1000) if b"{" in key]
        assert len({key_slot(key) for key in keys}) == 1
        assert len(keys) == 8
        journal.delete("m", Tombstone(1, "ada"))
        assert not journal.put_tombstone("m", Tombstone(1, "ada"))
        journal.close()
        assert sorted(
            key.rpartition(b":")[2] for key in client.scan_iter(count=1000) if b"{" in key
        ) == [
            b"deleted",
            b"feed",
        ]
