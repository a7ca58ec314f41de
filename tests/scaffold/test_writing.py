"""A plan is carried out whole or not at all."""

from pathlib import Path

import pytest

from scaffold.names import Refused
from scaffold.plan import Plan, write

NEW = {"a/b/first.py": "first\n", "a/second.py": "second\n"}
CHANGED = {"registry.py": "new\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a registry alone."""
    (tmp_path / "registry.py").write_text("old\n")
    return tmp_path


def names_in(root: Path) -> set[str]:
    """Return the paths of all that is there."""
    return {str(path.relative_to(root)) for path in root.rglob("*")}


def test_a_file_that_is_there_already_stops_everything(root: Path) -> None:
    """What was written before it goes again; it stays."""
    (root / "a").mkdir()
    (root / "a/second.py").write_text("mine\n")

    with pytest.raises(Refused, match=r"a/second\.py"):
        write(root, Plan(NEW, CHANGED))
    assert names_in(root) == {"a", "a/second.py", "registry.py"}
    assert (root / "a/second.py").read_text() == "mine\n"


NO_SPACE = OSError(28, "No space left on device", "contract.toml")


@pytest.mark.parametrize(
    ("failure", "raised"),
    [
        pytest.param(NO_SPACE, Refused, id="no-space"),
        pytest.param(KeyboardInterrupt(), KeyboardInterrupt, id="ctrl-c"),
    ],
)
def test_a_change_that_fails_takes_all_back(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
    raised: type[BaseException],
) -> None:
    """The last change fails: new files go, and what was changed is as before."""
    (root / "contract.toml").write_text("old\n")
    plan = Plan(NEW, {**CHANGED, "contract.toml": "new\n"})
    write_text = Path.write_text

    def fail_at_the_contract(path: Path, text: str, **how: str) -> int:
        if path.name == "contract.toml":
            raise failure
        return write_text(path, text, **how)

    monkeypatch.setattr(Path, "write_text", fail_at_the_contract)
    with pytest.raises(raised):
        write(root, plan)

    assert names_in(root) == {"registry.py", "contract.toml"}
    assert (root / "registry.py").read_text() == "old\n"
