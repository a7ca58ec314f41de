"""`giornale feed` and `giornale log`: all commits in one order, its proofs, and its witnesses."""

import json
import sys
from pathlib import Path

import click

from giornale_client import Client
from service.base.private_files import private_file
from service.ops.cli import interruptible, sources
from service.ops.cli.bot import problems_told
from service.ops.cli.errors import failed_requests
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

_WRONG = 1  # the exit code where a proof shows nothing, or a log two histories
_WAIT_SECONDS = 20

_with_policy = click.option(
    "--policy",
    required=True,
    metavar="FILE",
    help="Which log and which witnesses are trusted (tlog-policy).",
)


@click.command()
@click.argument("url")
@click.option(
    "--after",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="How many positions were seen before.",
)
@click.option("--log", metavar="ID", help="ID of the log that --after counts in.")
@click.option("--game", metavar="KEY", help="Only commits of this game.")
@click.option("--once", is_flag=True, help="End where nothing is new, instead of waiting.")
@with_patience
@with_token("Of a private match, whose commits are shown whole.")
def feed(url: str, after: int, once: bool, patience: float, **asked: str | None) -> None:
    """Print all commits of the server at URL in their one order, a line of JSON each.

    Then each commit as it comes. To go on after a stop, give --after the last `position` that was
    printed plus one, and --log its `log`. The command fails if the server has begun another log.
    """
    with interruptible(), problems_told(), Client(url, patience=patience) as client:
        wait = None if once else _WAIT_SECONDS
        for commit in client.feed(after, wait=wait, **asked):
            # ASCII alone: no text of a server moves the cursor of a terminal.
            click.echo(json.dumps(commit, separators=(",", ":")))


@click.group()
def log() -> None:
    """Proofs of a server's log, in which all commits lie in one order, and its witnesses."""


log.add_command(witness)


@log.command()
@click.argument("url")
@click.option("--version", type=click.IntRange(1), help="Which commit; the last one by default.")
@with_output
@with_token("Of a private match.")
def prove(url: str, version: int | None, target: Output, token: str | None) -> None:
    """Fetch the proof that a commit of the match at URL is in the log (.tlog-proof).

    `giornale verify RECORD --proof FILE --policy FILE` checks it without the server.
    """
    target.check()
    query = f"?version={version}" if version else ""
    with failed_requests(), sources.asked_for_match(url):
        address = f"{sources.match_url(url)}/proof{query}"
        proof = sources.fetched(address, token)
        _check_form(proof, address)
    target.write([proof])


def _check_form(proof: bytes, address: str) -> None:
    """Raise Unreadable unless an answer has the form of a proof. Its signatures are not checked."""
    try:
        read_checkpoint(read_note(read_proof(proof).checkpoint))
    except (BadProof, BadNote) as error:
        text = f"{address} answers with no proof: {error}. Is the server one of Giornale?"
        raise Unreadable(text) from None

    # The output may be a terminal. No text of a server moves its cursor.
    text = proof.decode(errors="surrogateescape")
    if not text.replace("\n", "").isprintable():
        raise Unreadable(f"{address} answers with a proof that holds invisible characters")


@log.command()
@click.argument("proof", metavar="PROOF")
@click.option(
    "--receipt",
    required=True,
    metavar="FILE",
    help="The receipt of the commit; the whole answer to a move will do.",
)
@_with_policy
def verify(proof: str, receipt: str, policy: str) -> None:
    """Check that the proof in a file shows the commit of a receipt in the log.

    No server is asked, and no record is needed; `giornale verify RECORD --proof` checks one with
    its whole match. Ends with 0 if it is there, with 1 if the proof shows nothing of it, with 2 if
    something cannot be read.
    """
    with failed_requests():
        named = sources.read_receipt(receipt)
        commit = named.get("match"), named.get("version"), named.get("hash")
        match commit:
            case str(match_id), int(version), str(commit_hash):
                found = [(match_id, version, commit_hash)]
            case _:
                raise Unreadable(f"{receipt} is no receipt: it has no match, version and hash")
        try:
            sentence = sources.proven(proof, sources.policy_in(policy), found)
        except Wrong as wrong:
            click.echo(f"wrong: {printable(wrong.detail)}")
            sys.exit(_WRONG)
        click.echo(f"right: match {printable(match_id)}, {printable(sentence)}")


@log.command()
@click.argument("url")
@click.argument("kept", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@_with_policy
def consistency(url: str, kept: Path, policy: str) -> None:
    """Check that the log of the server at URL goes on from the checkpoint in FILE.

    The new one is kept in its place; where there is no FILE yet, it is kept for the next time. Ends
    with 0 if the log goes on, with 1 if it shows another history than before: then the new
    checkpoint is kept in FILE.fork, and both together convict the log. Ends with 2 if something
    cannot be read.
    """
    with failed_requests(), interruptible():
        trusted = sources.policy_in(policy)
        base = f"{url.rstrip('/')}/v1/log"
        newest = f"{base}/{'checkpoint' if trusted.quorum == NONE else 'cosigned'}"
        note = sources.fetched(newest)
        new = _trusted(note, trusted, newest)
        if kept.exists():
            old = _trusted(sources.of_file(str(kept)).content, trusted, str(kept))
            if not _goes_on(base, old, new):
                _keep(kept.with_name(f"{kept.name}.fork"), note)
                click.echo(
                    f"the log {printable(new.origin)} shows another history at {new.size} than it "
                    f"did at {old.size}: {kept} and {kept}.fork together convict it",
                    err=True,
                )
                sys.exit(_WRONG)
            click.echo(f"{printable(new.origin)}: {new.size} entries go on from {old.size}")
        else:
            click.echo(f"{printable(new.origin)}: {new.size} entries; the checkpoint is kept")
        _keep(kept, note)


def _trusted(note: bytes, policy: Policy, name: str) -> Trusted:
    """Return the checkpoint of a note that a policy trusts; raises Unreadable."""
    try:
        return Trusted.of(note, policy)
    except BadProof as error:
        raise Unreadable(f"{name}: {error}") from None


def _goes_on(base: str, old: Trusted, new: Trusted) -> bool:
    """Return whether a log goes on from an old checkpoint to a new one, as its tiles show.

    base: where the log is served. Raises Unreadable.
    """
    if old.origin != new.origin:
        raise Unreadable(f"the checkpoints are of two logs, {old.origin} and {new.origin}")
    if old.size == 0:
        return True  # nothing was there: every log goes on from it
    if new.size < old.size:
        raise Unreadable(f"the server shows a checkpoint of {new.size} entries, not of {old.size}")

    def pyramid(level: int, number: int, width: int) -> tree.Pyramid:
        url = f"{base}/tile/{level}/{tree.tile_path(number, width)}"
        tile = sources.fetched(url)
        if len(tile) != width * tree.HASH_BYTES:
            raise Unreadable(f"{url} has not {width} hashes")
        return tree.pyramid_of(tree.split(tile))

    # What the tiles hold need not be trusted: the proof fits both roots, or it does not.
    hashes = tree.consistency(old.size, new.size, tree.Nodes(new.size, pyramid))
    return tree.is_consistent(old.size, old.root, new.size, new.root, hashes)


def _keep(path: Path, note: bytes) -> None:
    """Write a checkpoint to a file, whole or not at all."""
    with failed_writes(path), private_file(path) as file:
        file.write(note)
