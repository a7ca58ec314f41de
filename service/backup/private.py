"""The server's secret and the keys of receipts: into a backup and out of it.

Both belong to the journal. With another secret, the repeat of an opening is no longer answered with
the tokens of the first answer; without the keys, receipts that were handed out cannot be checked
any more.
"""

from collections.abc import Mapping

import orjson

from service.backup.form import KEYS, SECRET, BadBackup
from service.bootstrap import clock
from service.config import Config
from service.keys.private_files import locked, write_private
from service.keys.signer import GRACE_MS
from service.ledger.canonical import Json
from service.ledger.times import timestamp


class Missing(Exception):
    """The secret or the keys are not where they must be; the message says which."""


class OtherSecret(Exception):
    """The environment sets another secret than the backup's."""


def collect(config: Config) -> dict[str, bytes]:
    """Return the secret and the keys by the names of their members; raises Missing."""
    secret_path = config.data / "secret"
    keys_path = config.data / "keys.json"
    if not config.secret and not secret_path.exists():
        raise Missing(f"there is no secret: neither GIORNALE_SECRET nor {secret_path}")
    if not keys_path.exists():
        raise Missing(f"there is no {keys_path}, which holds the keys of receipts")

    secret = config.secret.encode() if config.secret else secret_path.read_bytes()
    return {SECRET: secret, KEYS: keys_path.read_bytes()}


def demand_fitting(config: Config, private: Mapping[str, bytes]) -> None:
    """Raise OtherSecret if GIORNALE_SECRET is not the backup's, which a restore cannot change."""
    if config.secret and SECRET in private and config.secret.encode() != private[SECRET]:
        raise OtherSecret


def put_back(config: Config, private: Mapping[str, bytes], *, merge: bool) -> list[str]:
    """Put the secret and the keys into the data directory; return what was done, a sentence each.

    merge: the service here lives on, so its secret and its signing key stay, and the backup's keys
    are only listed. Else the backup's take their place, and keys that were here stay on the list.
    Raises BadBackup.
    """
    said = []
    takes_secret = not config.secret and not merge
    if SECRET in private and takes_secret:
        write_private(config.data / "secret", private[SECRET], replace=True)
        said.append("the secret was put back")
    if KEYS in private and merge:
        _put_back_keys(config, _read_keys(private[KEYS]), merge=True)
        said.append("the backup's keys were listed")
    elif KEYS in private:
        _put_back_keys(config, _read_keys(private[KEYS]), merge=False)
        said.append("the keys of receipts were put back")
    return said


def _put_back_keys(config: Config, backup_keys: list[Json], *, merge: bool) -> None:
    """Write a list of keys in which one side's sign and the other's are only listed."""
    path = config.data / "keys.json"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(path):
        own_keys = _read_keys(path.read_bytes()) if path.exists() else []
        if merge and own_keys:
            all_keys = _signing_after_others(own_keys, backup_keys)
        else:
            all_keys = _signing_after_others(backup_keys, own_keys)

        content = orjson.dumps({"keys": all_keys}, option=orjson.OPT_INDENT_2)
        write_private(path, content, replace=True)


def _signing_after_others(signing: list[Json], others: list[Json]) -> list[Json]:
    """Return the keys of two sides: those of one sign on, those of the other are retired."""
    known_ids = {key["id"] for key in signing}
    retired = [_retired(key) for key in others if key["id"] not in known_ids]
    return [*retired, *signing]


def _retired(key: Json) -> Json:
    """Return the public part of a key that signs no more."""
    public = {name: value for name, value in key.items() if name != "private"}
    if not public["until"]:
        public["until"] = timestamp(clock() + GRACE_MS)
    return public


def _read_keys(content: bytes) -> list[Json]:
    """Return the keys of a file, oldest first and the last one signing; raises BadBackup."""
    try:
        keys: list[Json] = orjson.loads(content)["keys"]
        if keys[-1]["private"] and all(key["id"] and "until" in key for key in keys):
            return keys
    except (ValueError, TypeError, KeyError, IndexError):
        pass
    raise BadBackup("its keys cannot be read")
