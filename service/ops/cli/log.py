"""`giornale feed` and `giornale log`: all commits in one order, with proofs and witnesses."""

import json
import sys
from pathlib import Path

import click

from giornale_client import Client
from service.base.private_files import private_file
from service.ops.cli import interruptible, sources
from service.ops.cli.bot import problems_told
from service.ops.cli.errors import failed_reads
from service.ops.cli.output import (
    Output,
    failed_writes,
    printable,
    with_output,
    with_patience,
    with_token,
)
from service.ops.cli.witness import witness
from service.record.tlog import tree
from service.record.tlog.checkpoint import BadNote, read_checkpoint, read_note
from service.record.tlog.proof import NONE, BadProof, Policy, Trusted, read_proof
from service.record.verify.files import Unreadable
from service.record.verify.report import Wrong

_WRONG = 1  # exit code if a proof does not show a commit, or a log has two histories
_WAIT_SECONDS = 20

_with_policy = click.option(
    "--policy",
    required=True,
    metavar="FILE",
    help="Trusted logs and witnesses (tlog-policy).",
)


@click.command()
@click.argument("url")
@click.option(
    "--after",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Number of positions that you have read.",
)
@click.option("--log", metavar="ID", help="ID of the log that --after counts in.")
@click.option("--game", metavar="KEY", help="Only commits of this game.")
@click.option("--once", is_flag=True, help="End after the last commit instead of waiting.")
@with_patience
@with_token("Token for a private match, to read its commits whole.")
def feed(url: str, after: int, once: bool, patience: float, **options: str | None) -> None:
    """Print all commits of the server at URL.

    Each commit is a line of JSON, in the one order of the log. New commits follow as they come. To
    continue after a stop, give --after the last printed `position` plus one, and --log its `log`.
    The command fails if the server has begun another log.
    """
    with interruptible(), problems_told(), Client(url, patience=patience) as client:
        wait = None if once else _WAIT_SECONDS
        for commit in client.feed(after, wait=wait, **options):
            # Only ASCII: no text of a server may move the cursor of a terminal.
            click.echo(json.dumps(commit, separators=(",", ":")))


@click.group()
def log() -> None:
    """Proofs and witnesses of a server's log.

    The log has all commits in one order.
    """


log.add_command(witness)


@log.command()
@click.argument("url")
@click.option(
    "--version", type=click.IntRange(1), help="Version of the commit. Default: the last one."
)
@with_output
@with_token("Token for a private match.")
def prove(url: str, version: int | None, target: Output, token: str | None) -> None:
    """Fetch the proof of a commit in the log.

    The match is at URL. `giornale verify RECORD --proof FILE --policy FILE` checks the proof
    (.tlog-proof) without the server.
    """
    target.check()
    query = f"?version={version}" if version else ""
    with failed_reads(), sources.asked_for_match(url):
        address = f"{sources.match_url(url)}/proof{query}"
        proof = sources.fetched(address, token)
        _check_form(proof, address)
    target.write([proof])


def _check_form(proof: bytes, address: str) -> None:
    """Raise Unreadable unless an answer has the form of a proof. Signatures are not checked."""
    try:
        read_checkpoint(read_note(read_proof(proof).checkpoint))
    except (BadProof, BadNote) as error:
        text = f"{address} answers with no proof: {error}. Is it a Giornale server?"
        raise Unreadable(text) from None

    # The output may be a terminal: no text of a server may move the cursor.
    text = proof.decode(errors="surrogateescape")
    if not text.replace("\n", "").isprintable():
        raise Unreadable(f"{address} answers with invisible characters in a proof")


@log.command()
@click.argument("proof", metavar="PROOF")
@click.option(
    "--receipt",
    required=True,
    metavar="FILE",
    help="Receipt of the commit, or the whole answer to a move.",
)
@_with_policy
def verify(proof: str, receipt: str, policy: str) -> None:
    """Check a proof against a receipt.

    The proof must show the commit of the receipt in the log. No server is asked, and no record is
    needed. `giornale verify RECORD --proof` checks it with its whole match. Ends with 0 if the
    commit is in the log, 1 if the proof does not show it, 2 if something cannot be read.
    """
    with failed_reads():
        fields = sources.read_receipt(receipt)
        commit = fields.get("match"), fields.get("version"), fields.get("hash")
        match commit:
            case str(match_id), int(version), str(commit_hash):
                commits = [(match_id, version, commit_hash)]
            case _:
                raise Unreadable(f"{receipt} is not a receipt: it has no match, version and hash")
        try:
            sentence = sources.proven(proof, sources.policy_in(policy), commits)
        except Wrong as wrong:
            click.echo(f"wrong: {printable(wrong.detail)}")
            sys.exit(_WRONG)
        click.echo(f"right: match {printable(match_id)}, {printable(sentence)}")


@log.command()
@click.argument("url")
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@_with_policy
def consistency(url: str, file: Path, policy: str) -> None:
    """Check that a log extends a checkpoint.

    The log is that of the server at URL, the checkpoint is in FILE. The new checkpoint replaces
    it, or begins FILE if there is none. Ends with 0 if the log extends the old one. Ends with 1 if
    the log shows another history. Then the new checkpoint is saved in FILE.fork, and both together
    convict the log. Ends with 2 if something cannot be read.
    """
    with failed_reads(), interruptible():
        trusted = sources.policy_in(policy)
        base = f"{url.rstrip('/')}/v1/log"
        newest = f"{base}/{'checkpoint' if trusted.quorum == NONE else 'cosigned'}"
        note = sources.fetched(newest)
        new = _trusted(note, trusted, newest)
        if file.exists():
            old = _trusted(sources.of_file(str(file)).content, trusted, str(file))
            if not _extends(base, old, new):
                _keep(file.with_name(f"{file.name}.fork"), note)
                click.echo(
                    f"the log {printable(new.origin)} shows another history at {new.size} than "
                    f"at {old.size}. {file} and {file}.fork together convict it",
                    err=True,
                )
                sys.exit(_WRONG)
            click.echo(f"{printable(new.origin)}: {new.size} entries extend the old {old.size}")
        else:
            click.echo(f"{printable(new.origin)}: {new.size} entries, checkpoint saved")
        _keep(file, note)


def _trusted(note: bytes, policy: Policy, name: str) -> Trusted:
    """Return the checkpoint of a note trusted by a policy. Raises Unreadable."""
    try:
        return Trusted.of(note, policy)
    except BadProof as error:
        raise Unreadable(f"{name}: {error}") from None


def _extends(base: str, old: Trusted, new: Trusted) -> bool:
    """Return True if the new checkpoint extends the old one, by the tiles of the log.

    base: the URL of the log. Raises Unreadable.
    """
    if old.origin != new.origin:
        raise Unreadable(f"the checkpoints belong to two logs, {old.origin} and {new.origin}")
    if old.size == 0:
        return True  # every log extends an empty one
    if new.size < old.size:
        raise Unreadable(
            f"the server shows a checkpoint of {new.size} entries, less than {old.size}"
        )

    def pyramid(level: int, number: int, width: int) -> tree.Pyramid:
        url = f"{base}/tile/{level}/{tree.tile_path(number, width)}"
        tile = sources.fetched(url)
        if len(tile) != width * tree.HASH_BYTES:
            raise Unreadable(f"{url} does not have {width} hashes")
        return tree.pyramid_of(tree.split(tile))

    # The tiles need no trust: a proof from false tiles does not fit both roots.
    hashes = tree.consistency(old.size, new.size, tree.Nodes(new.size, pyramid))
    return tree.is_consistent(old.size, old.root, new.size, new.root, hashes)


def _keep(path: Path, note: bytes) -> None:
    """Write a checkpoint to a file, whole or not at all."""
    with failed_writes(path), private_file(path) as file:
        file.write(note)
