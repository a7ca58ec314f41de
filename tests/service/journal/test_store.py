"""One question over all partitions of a journal, of one server and of a cluster."""

from typing import Any

import pytest

from service.journal.keys import Keys
from service.journal.redis.servers import open_servers
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


@pytest.mark.parametrize(("kind", "servers"), [("single", 1), ("cluster", 3)])
def test_a_script_over_partitions_sees_each_of_them_once(
    request: pytest.FixtureRequest, kind: str, servers: int
) -> None:
    """Each server is asked once, and all answers together tell every partition's key."""
    url = {
        "single": lambda: request.getfixturevalue("redis_url"),
        "cluster": lambda: request.getfixturevalue("redis_cluster").url,
    }[kind]()
    store = Store(open_servers(url), PARTITIONS)
    keys = Keys(PARTITIONS).pending
    for key in keys:
        store.client.set(key, f"held by {key}")

    script: Any = store.client.register_script(ECHO)
    answers = store.query_partitions(script, keys, ["word"])
    store.servers.close()

    assert [argument for argument, _found in answers] == [b"word"] * servers
    told = dict(pair for _argument, found in answers for pair in found)
    assert told == {key.encode(): f"held by {key}".encode() for key in keys}
