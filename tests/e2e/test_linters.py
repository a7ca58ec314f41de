"""Linters with their recommended rules find nothing in any document of the contract.

`make contract` lints the whole by Redocly. The documents hold every operation and every type of a
game. Spectral takes ten minutes for the whole, and seconds for each.
"""

from pathlib import Path

import pytest

from service.api.contract.document import document
from service.api.contract.parts import parts
from service.api.contract.yaml_text import yaml_text
from tests.e2e.node import CLIENT, TOOLS, need_packages, run
from tests.service.api.contract_file import quiet_app

QUIET = quiet_app()
PARTS = parts(QUIET)

SPECTRAL: list[str | Path] = [
    *(TOOLS / "spectral", "lint"),
    *("--ruleset", CLIENT / "spectral.yaml", "--fail-severity", "hint"),
]
REDOCLY: list[str | Path] = [TOOLS / "redocly", "lint", "--config", CLIENT / "redocly.yaml"]

pytestmark = pytest.mark.whole


@pytest.mark.parametrize("linter", [SPECTRAL, REDOCLY], ids=["spectral", "redocly"])
@pytest.mark.parametrize("name", PARTS)
def test_a_linter_finds_nothing(
    name: str, linter: list[str | Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A linter gives not even a hint."""
    need_packages()
    monkeypatch.setenv("REDOCLY_TELEMETRY", "off")
    monkeypatch.setenv("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true")
    file = tmp_path / "openapi.yaml"
    file.write_text(yaml_text(document(QUIET, PARTS[name])))
    run(*linter, file)


def test_spectral_reports_a_slip(tmp_path: Path) -> None:
    """Spectral finds a slip, so the test above can fail."""
    need_packages()
    file = tmp_path / "openapi.yaml"
    text = yaml_text(document(QUIET, PARTS["service"]))
    file.write_text(text.replace("contact:", "x-contact:"))
    with pytest.raises(AssertionError, match="info-contact"):
        run(*SPECTRAL, file)
