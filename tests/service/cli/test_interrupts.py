"""Ctrl-C while the command is still being loaded."""

import subprocess
import sys
from importlib.abc import MetaPathFinder
from typing import Any

import pytest

from service import cli


class Interrupted(MetaPathFinder):
    """Ctrl-C at the moment when a file is looked for."""

    def __init__(self, module: str) -> None:
        self._module = module

    def find_spec(self, fullname: str, *_where: Any) -> None:
        """Find nothing, and do not come to an end over that file."""
        if fullname == self._module:
            raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["commands", "journal"])
def test_an_interruption_while_it_loads_is_one_word(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether all commands are loaded or the one that is called."""
    module = f"service.cli.{name}"
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.delattr(cli, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(module), *sys.meta_path])
    monkeypatch.setattr(sys, "argv", ["giornale", "keys", "show"])

    with pytest.raises(SystemExit) as ended:
        cli.main()

    assert ended.value.code == 130
    assert capsys.readouterr().err == "Interrupted.\n"


def test_next_to_nothing_is_loaded_before() -> None:
    """What takes its time comes when Ctrl-C is heeded."""
    loaded = "import sys, service.cli; print(*sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    ).stdout.split()

    assert {"click", "redis", "flask", "domain.games"}.isdisjoint(told)
