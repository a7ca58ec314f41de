"""URLs of Redis servers: where the queues are, and how a URL is shown without its password."""

from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit, urlunsplit

SCHEMES = ("redis", "rediss", "unix")
HIDDEN = "***"


def beside(url: str) -> str:
    """Return the URL of database 1 on the same server, where the queues are by default.

    Without a URL there is none: "" for "".
    """
    if not url:
        return ""

    parts = urlsplit(url)
    query = [(name, value) for name, value in parse_qsl(parts.query) if name != "db"]
    if parts.scheme == "unix":
        # A path is that of the socket, so the number of the database stands in the query.
        with_database = urlencode([*query, ("db", "1")])
        return f"unix://{parts.netloc}{parts.path}?{with_database}"

    return urlunsplit(parts._replace(path="/1", query=urlencode(query)))


def mask(url: str) -> str:
    """Return a URL with *** for a password.

    Redis clients look for one before the host and in the query. Text that is not a proper URL is
    masked rather too much than too little.
    """
    scheme, separator, rest = url.partition("://")
    place, question_mark, query = rest.partition("?")
    pairs = [_mask_pair(pair) for pair in query.split("&")]
    masked = place + question_mark + "&".join(pairs)

    # The last @ ends the user's part: a password that should have been quoted may hold @, / or ?.
    user_part, at_sign, host_part = masked.rpartition("@")
    if ":" in user_part:
        user = user_part.partition(":")[0]
        masked = f"{user}:{HIDDEN}{at_sign}{host_part}"

    return scheme + separator + masked


def _mask_pair(pair: str) -> str:
    """Return a query's name=value with *** for the value of a password, such as `ssl_password`."""
    name = pair.partition("=")[0]
    is_password = "pass" in unquote_plus(name).lower()
    return f"{name}={HIDDEN}" if is_password else pair
