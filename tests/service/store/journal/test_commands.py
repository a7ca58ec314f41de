"""Commands of the scripts, each with the first Redis to have it.

They show the oldest usable one.
"""

import re
from pathlib import Path
from typing import Any

import service.store.journal
from service.store.journal.redis.server import _OLDEST

LUA = Path(service.store.journal.__file__).parent / "lua"

# Commands of the scripts, each with the first Redis to have it.
COMMANDS = {
    "APPEND": "2.0.0",
    "EXISTS": "1.0.0",
    "GET": "1.0.0",
    "HDEL": "2.0.0",
    "HEXISTS": "2.0.0",
    "HGET": "2.0.0",
    "HLEN": "2.0.0",
    "HSET": "2.0.0",
    "HSETNX": "2.0.0",
    "INCRBY": "1.0.0",
    "LRANGE": "1.0.0",
    "LTRIM": "1.0.0",
    "PUBLISH": "2.0.0",
    "RPUSH": "1.0.0",
    "SET": "1.0.0",
    "SPUBLISH": "7.0.0",  # in a cluster alone
    "STRLEN": "2.2.0",
    "TIME": "2.6.0",
    "UNLINK": "4.0.0",
    "XADD": "5.0.0",
    "XLEN": "5.0.0",
    "XRANGE": "5.0.0",
    "XREVRANGE": "5.0.0",
    "XTRIM": "5.0.0",
    "ZADD": "1.2.0",
    "ZCARD": "1.2.0",
    "ZCOUNT": "2.0.0",
    "ZLEXCOUNT": "2.8.9",
    "ZRANGE": "1.2.0",
    "ZREM": "1.2.0",
    "ZREVRANGEBYLEX": "2.8.9",
    "ZSCORE": "1.2.0",
}

# Options of these, and flags in the first lines, each with the first Redis to have it.
OPTIONS = {
    "BYSCORE": "6.2.0",  # of ZRANGE
    "COUNT": "5.0.0",  # of XRANGE and XREVRANGE
    "LIMIT": "2.8.9",  # of ZREVRANGEBYLEX; of ZRANGE since 6.2.0
    "MINID": "6.2.0",  # of XTRIM
    "NX": "3.0.2",  # of ZADD
    "PX": "2.6.12",  # of SET
    "WITHSCORES": "1.2.0",  # of ZRANGE
}
FLAGS = {"allow-cross-slot-keys": "7.0.0", "allow-oom": "7.0.0", "no-writes": "7.0.0"}
FIRST_LINE = re.compile(r"#!lua(?: flags=([a-z,-]+))?\n")


def scripts() -> list[str]:
    """Return the scripts without their comments."""
    return [re.sub("--.*", "", path.read_text()) for path in sorted(LUA.glob("*.lua"))]


def test_the_scripts_use_only_listed_commands() -> None:
    """The lists have all commands, options and flags of the scripts, so a new one must be added."""
    commands = {"ZLEXCOUNT"}  # named in Python, for sum.lua
    words: set[str] = set()
    flags: set[str] = set()
    for script in scripts():
        first_line = FIRST_LINE.match(script)
        assert first_line is not None
        flags |= set((first_line[1] or "").split(",")) - {""}
        commands |= set(re.findall(r"redis\.call\(\s*'([A-Z]+)'", script))
        commands |= set(re.findall(r"'(S?PUBLISH)'", script))
        words |= set(re.findall(r"'([A-Z]{2,})'", script))

    assert commands == COMMANDS.keys()
    assert words - commands == OPTIONS.keys()
    assert flags == FLAGS.keys()


def test_the_list_says_since_when_a_command_is_there(client: Any) -> None:
    """The server documents the same releases. The oldest supported Redis has all that is listed."""
    for name, since in COMMANDS.items():
        [facts] = client.execute_command("COMMAND DOCS", name).values()
        assert facts["since"] == since, name

    for since in (*COMMANDS.values(), *OPTIONS.values(), *FLAGS.values()):
        assert int(since.partition(".")[0]) <= _OLDEST
