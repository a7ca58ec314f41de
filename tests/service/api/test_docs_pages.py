"""The documentation as pages: a light first page, and a place for each operation and schema."""

import re
from collections.abc import Iterator

import pytest
from flask import Flask

from service.api.contract.document import document
from service.api.contract.texts import TAGS
from tests.service.api.contract_file import quiet_app

MOST_BYTES = 150_000  # of the first page with its scripts, styles and pictures
PARTS = [f"/docs/{tag}" for tag in TAGS]
LINK = re.compile(r'<a href="(/docs[^"#]*)(?:#([^"]+))?"')


@pytest.fixture(scope="module")
def app() -> Flask:
    return quiet_app()


def page_of(app: Flask, address: str) -> str:
    answer = app.test_client().get(address)
    assert answer.status_code == 200
    return answer.text


def loaded_by(page: str) -> Iterator[str]:
    """Yield the addresses of all files loaded by a page."""
    yield from re.findall(r'<link [^>]*href="([^"]+)"', page)
    yield from re.findall(r'<(?:script|img) [^>]*src="([^"]+)"', page)


def test_the_beginning_loads_few_bytes(app: Flask) -> None:
    """The first page and its files are small even uncompressed. Its modules load no others."""
    client = app.test_client()
    page = client.get("/docs")
    files = {address: client.get(address) for address in loaded_by(page.text)}
    imported = [
        module
        for answer in files.values()
        for module in re.findall(r'\bfrom "[^"]*?([^/"]+\.js)"', answer.text)
    ]

    assert {address.rsplit(".", 1)[1] for address in files} == {"css", "js", "svg"}
    assert set(imported) <= {address.rsplit("/", 1)[1] for address in files}
    assert len(page.data) + sum(len(answer.data) for answer in files.values()) <= MOST_BYTES


@pytest.mark.whole
def test_each_operation_and_schema_stands_on_one_page(app: Flask) -> None:
    """An operation is on the page of its tag, and a schema on the page of all schemas."""
    contract = document(app)
    operations = [
        (operation["operationId"], f"/docs/{operation['tags'][0]}")
        for methods in contract["paths"].values()
        for operation in methods.values()
    ]
    schemas = [(name, "/docs/schemas") for name in contract["components"]["schemas"]]

    headings = [
        (name, address)
        for address in (*PARTS, "/docs/schemas")
        for name in re.findall(r'<article [^>]*id="(?:schema-)?([^"]+)"', page_of(app, address))
    ]

    assert sorted(headings) == sorted([*operations, *schemas])


def test_all_links_of_the_documentation_lead_somewhere(app: Flask) -> None:
    """Each linked page has the linked anchor. An unknown page is 404."""
    pages = {address: page_of(app, address) for address in ("/docs", *PARTS, "/docs/schemas")}
    ids = {address: set(re.findall(r'\bid="([^"]+)"', page)) for address, page in pages.items()}

    links = {link for page in pages.values() for link in LINK.findall(page)}

    assert {address for address, _ in links} == set(pages)
    assert [
        (address, place) for address, place in links if place and place not in ids[address]
    ] == []
    assert app.test_client().get("/docs/chess").status_code == 404


def test_the_beginning_links_to_all_that_can_be_found(app: Flask) -> None:
    """The first page links to each operation and schema, so the search finds them."""
    page = page_of(app, "/docs")
    contract = document(app)

    operations = set(re.findall(r'<a href="[^"]+#([^"]+)" data-found="operation ', page))
    names = page[page.index('<ul class="docs-names">') :]

    assert set(re.findall(r'#schema-([^"]+)">', names)) == contract["components"]["schemas"].keys()
    assert operations == {
        operation["operationId"]
        for methods in contract["paths"].values()
        for operation in methods.values()
    }
