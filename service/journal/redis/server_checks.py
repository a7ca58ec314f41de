"""Whether a server can hold a journal at all: its release, and whether it takes writes."""

from redis.exceptions import ResponseError

from service.journal.redis.servers import Node

# The scripts begin with a line that earlier ones do not understand. Valkey says that it is a Redis
# 7.2.4, whatever its own number.
_OLDEST = 7

_REPLICA = "slave"  # what a replica calls itself


def silent(node: Node) -> list[str]:
    """Return a complaint if a server does not let itself be checked, a sentence."""
    try:
        node.client.info()
    except ResponseError as error:
        return [f"{_called(node)} does not say what it is: {error}."]
    return []


def unusable(node: Node) -> list[str]:
    """Return why a server cannot hold a journal, as far as it says what it is; a sentence each."""
    redis = _called(node)
    try:
        info = node.client.info()
    except ResponseError:
        return []

    complaints = []
    version = str(info.get("redis_version", ""))
    major = version.partition(".")[0]
    if major.isdigit() and int(major) < _OLDEST:
        complaints.append(f"{redis} {version} is too old: Redis {_OLDEST} or Valkey is needed.")

    if node.is_master and info.get("role") == _REPLICA:
        master = f"{info.get('master_host')}:{info.get('master_port')}"
        complaints.append(
            f"{redis} is a replica of {master} and takes no moves: "
            "name its master in GIORNALE_JOURNAL_URL."
        )
    return complaints


def _called(node: Node) -> str:
    return f"Redis at {node.name}" if node.name else "Redis"
