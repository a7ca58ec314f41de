"""One question over all partitions of a journal."""

from typing import Any

from service.journal.keys import Keys
from service.journal.redis.connection import connect
from service.journal.redis.store import Store
from tests.service.journal.entries import PARTITIONS

# Returns each key with what it holds, and the argument after the keys.
ECHO = """#!lua flags=no-writes,allow-cross-slot-keys
local found = {}
local count = tonumber(ARGV[1])
for number = 2, count + 1 do
  table.insert(found, { ARGV[number], redis.call('GET', ARGV[number]) })
end
return { ARGV[count + 2], found }
"""


def test_a_script_over_partitions_sees_each_of_them_once(redis_url: str, client: Any) -> None:
    """The answers of all servers together hold every partition's key, and each the argument."""
    keys = Keys(PARTITIONS).pending
    for key in keys:
        client.set(key, f"held by {key}")

    store = Store(connect(redis_url), PARTITIONS)
    script = store.client.register_script(ECHO)
    answers = store.ask_partitions(script, keys, ["word"])
    store.client.close()

    told: dict[bytes, bytes] = {}
    for argument, found in answers:
        assert argument == b"word"
        told |= dict(found)
    assert told == {key.encode(): f"held by {key}".encode() for key in keys}
