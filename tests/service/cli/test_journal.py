"""`giornale journal accept`: an operator confirms that the journal has gone back."""

from dataclasses import replace

from service.journal.values import Epoch, GoneBack
from service.matches.desk import Desk
from tests.service.cli.conftest import Run, runner

LOST = GoneBack(had=90, noted=1_700_000_000_000, has=70, noticed=1_700_000_060_000)


def test_a_loss_is_accepted_once(run: Run, served: Desk) -> None:
    """The command says what was lost; the epoch stays as it is, and nothing warns any more."""
    epoch = Epoch(id="two", since=1, superseded=("one",), gone_back=LOST)
    served.journal.replace_epoch(None, epoch)

    accepted = run("journal", "accept")
    again = run("journal", "accept")

    assert accepted.exit_code == again.exit_code == 0
    assert accepted.stdout.startswith("accepted: the journal has gone back: it had 90 commits at")
    assert again.stdout.startswith("there is nothing to accept")
    assert served.journal.epoch() == replace(epoch, gone_back=None)


def test_a_journal_that_is_away_is_told(environ: dict[str, str]) -> None:
    """One sentence, and exit code 1."""
    away = runner({**environ, "GIORNALE_JOURNAL_URL": "unix:///nowhere/server.sock"})

    result = away("journal", "accept")

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: the journal cannot be written: ")


def test_the_command_is_listed(run: Run) -> None:
    """With what it does."""
    assert "\n  journal " in run("--help").stdout
    assert "has gone back" in run("journal", "--help").stdout
