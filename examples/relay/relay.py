"""The feed of a server handed on to NATS JetStream: each line once, in the order of the feed.

pip install nats-py
python relay.py http://127.0.0.1:8000 nats://127.0.0.1:4222          # keep up with the server
python relay.py http://127.0.0.1:8000 nats://127.0.0.1:4222 --once   # end where nothing is new
"""

import asyncio
import json
import sys

import nats
from nats.js import JetStreamContext
from nats.js.errors import APIError, NotFoundError

from giornale_client import Client, Problem

STREAM = "GIORNALE"
PAGE = 1000  # positions read at once
WAIT = 20  # seconds that one request waits for more


async def relay(client: Client, address: str, *, once: bool = False) -> None:
    """Hand on page after page; once: end where nothing is new."""
    connection = await nats.connect(address)
    try:
        jetstream = connection.jetstream()
        seen = await handed_on(jetstream)
        wait = None if once else WAIT
        while True:
            page = await asyncio.to_thread(
                client.get, "/v1/commits", after=seen, limit=PAGE, wait=wait
            )
            for commit in page["commits"]:
                await hand_on(jetstream, commit)
            if once and page["next"] == seen:
                return
            seen = page["next"]
    finally:
        await connection.close()


async def handed_on(jetstream: JetStreamContext) -> int:
    """Return how many positions are in the stream, which is made if it is not there.

    Its last message says so.
    """
    try:
        stream = await jetstream.stream_info(STREAM)
    except NotFoundError:
        stream = await jetstream.add_stream(name=STREAM, subjects=["giornale.>"])
    if not stream.state.messages:
        return 0

    last = await jetstream.get_msg(STREAM, stream.state.last_seq)
    return int(last.headers["Nats-Msg-Id"]) + 1


async def hand_on(jetstream: JetStreamContext, commit: dict) -> None:
    """Add a line to the stream; raises APIError unless it is the next one, or there already.

    JetStream knows an id again for two minutes. The second header holds for ever.
    """
    position = commit["position"]
    headers = {"Nats-Msg-Id": str(position)}
    if position:
        headers["Nats-Expected-Last-Msg-Id"] = str(position - 1)
    await jetstream.publish(subject_of(commit), json.dumps(commit).encode(), headers=headers)


def subject_of(commit: dict) -> str:
    """Return where a line belongs; of a private match nothing but its hash is known."""
    if "match" in commit:
        return f"giornale.{commit['game']}.{commit['status']}"
    return "giornale.gone_back" if "gone_back" in commit else "giornale.private"


if __name__ == "__main__":
    with Client(sys.argv[1]) as server:
        try:
            asyncio.run(relay(server, sys.argv[2], once="--once" in sys.argv[3:]))
        except (Problem, APIError, nats.errors.Error, OSError) as failure:
            sys.exit(f"Error: {failure}")
        except KeyboardInterrupt:
            sys.exit(130)
