"""The contract is what the code says, whole, and what is answered."""

import re
from typing import Any

import pytest
from flask import Flask

from service.api import problems
from service.api.contract import examples
from service.api.contract.openapi.document import document
from service.api.contract.operations import operation_of
from service.page.assets import tree
from tests.service.api.conftest import json
from tests.service.api.contract_file import CONTRACT, contract, quiet_app
from tests.service.api.recording import record


@pytest.fixture(scope="module")
def quiet() -> Flask:
    return quiet_app()


@pytest.fixture(scope="module")
def spec(quiet: Flask) -> dict[str, Any]:
    return document(quiet)


def test_the_file_is_what_the_code_says() -> None:
    """openapi.yaml is written anew with `make openapi` whenever the code says something else."""
    assert CONTRACT.read_text() == contract()


def test_the_examples_are_what_is_answered(quiet: Flask) -> None:
    """Every example is a real request and its real answer."""
    assert record(quiet_app()) == examples.recorded()


def test_every_route_is_in_the_contract(quiet: Flask) -> None:
    """Nothing under /v1 is served that the contract does not tell."""
    for rule in quiet.url_map.iter_rules():
        view = quiet.view_functions[rule.endpoint]
        if rule.rule.startswith("/v1/"):
            assert operation_of(view) is not None, rule.rule


def test_the_contract_is_served(quiet: Flask, spec: dict[str, Any]) -> None:
    """What is served is what is in the file."""
    assert json(quiet.test_client().get("/openapi.json")) == spec


def test_the_documentation_runs_its_search_and_nothing_else(quiet: Flask) -> None:
    """Its one script is a file of this service; without it everything is there to be read."""
    answer = quiet.test_client().get("/docs")

    scripts = re.findall(r"<script[^>]*>.*?</script>", answer.text, re.DOTALL)
    address = tree().address("docs/search.js")
    assert scripts == [f'<script type="module" src="{address}"></script>']
    assert "script-src 'self';" in answer.headers["Content-Security-Policy"]
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert "http://" not in answer.text
    assert "https://" not in answer.text
    for operation in ("openMatch", "listStates", "makeMove"):
        assert f'<a href="#{operation}">' in answer.text


@pytest.mark.parametrize("path", ["/problems", "/problems/stale-version", "/rules", "/rules/match"])
def test_pages_need_no_network(quiet: Flask, path: str) -> None:
    """Pages load nothing from elsewhere and run no script."""
    answer = quiet.test_client().get(path)

    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "<script" not in answer.text
    assert "http://" not in answer.text
    assert "https://" not in answer.text


def test_every_rule_has_its_place(quiet: Flask) -> None:
    """A refusal's rule_url leads to the rule."""
    assert '<li id="M4">' in quiet.test_client().get("/rules/match").text


@pytest.mark.parametrize(
    ("key", "title"),
    [
        ("calimala", "Calimala: the rules, numbered"),
        ("firenze", "Firenze: the rules, numbered"),
        ("match", "A match: the rules, numbered"),
    ],
)
def test_rules_have_titles_and_speak_to_players(quiet: Flask, key: str, title: str) -> None:
    """The window's title says whose rules they are; nothing in them is said to programmers."""
    page = quiet.test_client().get(f"/rules/{key}").text
    assert f"<title>{title}</title>" in page
    for word in ("docstring", "test id", "JSON or TOML", "in the code", "import ("):
        assert word not in page


def test_the_page_of_illegal_moves_shows_one(quiet: Flask) -> None:
    """The example is a move that a game's rules refuse, with what would be legal."""
    with quiet.app_context():
        example = examples.problem(problems.ILLEGAL)

    assert example["rule"].startswith("C")
    assert example["legal_moves"].endswith("/moves")
