"""`make new-game`: its files, its refusals, and the commands that it prints."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scaffold.__main__ import main
from scaffold.guide import files_of_the_guide
from scaffold.names import Refused
from scaffold.plan import Plan, write
from tests.checkout import ROOT, Checkout, changes

PROGRAMS = Path(sys.executable).parent
CheckRefused = Callable[[str, str, str], None]
REGISTERED = {"pyproject.toml", "page/static/verify/rules.js"}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A copy of the repository."""
    return Checkout(tmp_path / "copy")


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy without lasting writes."""
    return Checkout(tmp_path_factory.mktemp("untouched") / "copy")


@pytest.fixture(scope="module")
def zecca(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy with the game of the guide. The tests leave it as it is."""
    if (ROOT / "domain/zecca").exists():
        pytest.skip("the guide's own game is in the repository already")
    new_checkout = Checkout(tmp_path_factory.mktemp("zecca") / "copy")
    scaffold(new_checkout, "zecca")
    return new_checkout


@pytest.fixture
def refused(
    untouched: Checkout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CheckRefused:
    """Asserts that no game of these names is written, and that the reason is given."""
    monkeypatch.setattr("scaffold.__main__.ROOT", untouched.root)

    def check(key: str, title: str, why: str) -> None:
        before = untouched.files()
        assert main([key, title]) == 1
        assert why in capsys.readouterr().err
        assert changes(before, untouched.files()) == set()

    return check


def scaffold(checkout: Checkout, *names: str) -> subprocess.CompletedProcess[str]:
    """Write a game in a copy. Fail if it is refused."""
    completed = checkout.python("-m", "scaffold", *names)
    assert completed.returncode == 0, completed.stderr
    return completed


@pytest.mark.whole
def test_the_games_in_the_guide_and_of_the_scaffold_are_one(
    untouched: Checkout, zecca: Checkout
) -> None:
    """Under the guide's own name the files are the guide's blocks, to the letter."""
    before = untouched.files()
    after = zecca.files()

    blocks = files_of_the_guide(ROOT)
    written = {name: after[name].decode() for name in blocks}
    assert written == blocks
    directories = {str(parent) for name in blocks for parent in Path(name).parents}
    assert changes(before, after) - directories == blocks.keys() | REGISTERED


@pytest.mark.whole
def test_a_scaffolded_game_passes_the_checks(checkout: Checkout) -> None:
    """Lint, format, types, and the imports between packages, also with long names.

    Rules and tests have the game's own name and numbers. A second game of its key is refused.
    """
    scaffold(checkout, "a_game_of_the_longest", "The game with the longest title, No. 40!")
    assert "docs/rules/malaspina.md" in scaffold(checkout, "malaspina", "I Malaspina").stdout

    places = ("domain", "tests/domain")
    commands = [
        (sys.executable, "-m", "ruff", "check", "--no-cache", *places),
        (sys.executable, "-m", "ruff", "format", "--no-cache", "--check", *places),
        (sys.executable, "-m", "mypy", "-p", "domain.malaspina", "-p", "tests.domain.malaspina"),
        (str(PROGRAMS / "lint-imports"), "--no-cache"),
    ]
    for command in commands:
        completed = checkout.run(*command)
        assert completed.returncode == 0, completed.stdout + completed.stderr

    rules = (checkout.root / "docs/rules/malaspina.md").read_text()
    assert rules.startswith("# I Malaspina: the rules, numbered\n")
    assert re.findall(r"^- ([A-Z]+\d+) ", rules, re.MULTILINE) == [f"M{n}" for n in range(1, 11)]
    tests = (checkout.root / "tests/domain/malaspina/test_rules.py").read_text()
    assert "def test_m5_" in tests
    for path, text in checkout.files().items():
        if "malaspina" in path:
            assert not re.search(rb"(?i)zecca|\bZ\d", text), path

    again = checkout.python("-m", "scaffold", "malaspina", "Malaspina")
    assert again.returncode == 1
    assert "there is domain/malaspina" in again.stderr
    assert "Traceback" not in again.stderr


def test_a_game_has_the_files_of_the_other_games() -> None:
    """Its 18 modules are all in Calimala and Firenze, too."""
    modules = {
        name.removeprefix("domain/zecca/")
        for name in files_of_the_guide(ROOT)
        if name.startswith("domain/")
    }
    for home in (ROOT / "domain/calimala", ROOT / "domain/firenze"):
        assert modules <= {str(path.relative_to(home)) for path in home.rglob("*.py")}
    assert len(modules) == 18


@pytest.mark.whole
@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_passes_the_names_on(checkout: Checkout) -> None:
    """A title may hold characters with a meaning for a shell."""
    made_already = f"{sys.prefix}/.dev"
    names = ("KEY=malaspina", "TITLE=Lorenzo's Game & Co.")
    completed = checkout.run("make", "-o", made_already, f"VENV={sys.prefix}", "new-game", *names)

    assert completed.returncode == 0, completed.stdout + completed.stderr
    package = (checkout.root / "domain/malaspina/__init__.py").read_text()
    assert 'title="Lorenzo\'s Game & Co.",' in package


@pytest.mark.whole
@pytest.mark.parametrize(
    ("key", "why"),
    [
        pytest.param("", "Say which game", id="none"),
        pytest.param("Malaspina", "small letters", id="capital"),
        pytest.param("i__malaspina", "small letters", id="two-underscores"),
        pytest.param("../malaspina", "small letters", id="path"),
        pytest.param("malaspina\n", "small letters", id="two-lines"),
        pytest.param("m" * 22, "at most 21", id="long"),
        pytest.param("class", "Python's own", id="word-of-python"),
        pytest.param("kit", "there is domain/kit", id="room-of-the-domain"),
        pytest.param("game", "there is domain/game.py", id="module-of-the-domain"),
        pytest.param("match", "is taken", id="rules-of-every-match"),
        pytest.param("problem", "is taken", id="name-in-the-contract"),
    ],
)
def test_a_key_that_cannot_be_used_is_refused(refused: CheckRefused, key: str, why: str) -> None:
    """The answer says why, and nothing is written."""
    refused(key, "Malaspina", why)


@pytest.mark.whole
@pytest.mark.parametrize(
    "title",
    ['The "Malaspina"', "Malaspina\\", "Malaspina\nFamily", "{Malaspina}", " Malaspina", "M" * 41],
    ids=["quotes", "backslash", "two-lines", "braces", "space-first", "long"],
)
def test_a_title_that_cannot_be_used_is_refused(refused: CheckRefused, title: str) -> None:
    """It stands in code and on pages, so it is one plain line."""
    refused("malaspina", title, "cannot be used")


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("pyproject.toml", 'calimala = "domain.calimala:GAME"', 'calimala = "florin:GAME"'),
        ("pyproject.toml", '"calimala | firenze', '"calimala", "firenze'),
        ("pyproject.toml", '["domain.calimala", ', '["domain.florin", '),
    ],
    ids=["registered", "layer", "forbidden"],
)
def test_a_registry_of_another_form_is_left_alone(
    untouched: Checkout, refused: CheckRefused, path: str, old: str, new: str
) -> None:
    """Rather no game than a line in the wrong place."""
    place = untouched.root / path
    text = place.read_text()
    assert text.count(old) == 1
    place.write_text(text.replace(old, new))
    try:
        refused("malaspina", "Malaspina", f"{path} does not list the games")
    finally:
        place.write_text(text)


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
    """Files written before it go again, and it stays."""
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
    """The last change fails: new files go, and changed ones are as before."""
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


KEY = "malaspina"
COMMAND = re.compile(r"^    (make .+)$", re.MULTILINE)

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


@pytest.fixture
def complete(tmp_path: Path) -> Checkout:
    """A copy of the whole repository."""
    new_checkout = Checkout(tmp_path / "copy")
    new_checkout.complete()
    return new_checkout


def give(complete: Checkout, command: str) -> str:
    """Give a command of make in a copy that takes the tools from this environment.

    Return its output. Fail if it fails.
    """
    _make, target, *settings = shlex.split(command)
    completed = complete.run(
        "make",
        f"--old-file={sys.prefix}/.dev",
        f"VENV={sys.prefix}",
        "NODE_PACKAGES=true",
        f"PYTEST={sys.executable} -m pytest",
        target,
        *settings,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


@pytest.mark.whole
def test_every_printed_command_can_be_given(complete: Checkout) -> None:
    """The laws and the game's tests hold, the rest is made, and then all tests of games hold."""
    printed = COMMAND.findall(give(complete, f"make new-game KEY={KEY}"))
    assert len(printed) == 4

    for command in printed:
        printed_last = give(complete, command)

    counted = re.search(r"^(\d+) passed", printed_last, re.MULTILINE)
    assert counted is not None, printed_last
    assert int(counted[1]) > 100
