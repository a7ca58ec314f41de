"""The configuration: variables are checked, problems are told together, and no secret is shown."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from service.base import config as config_module
from service.base.config import (
    FOLLOWS,
    Config,
    ConfigError,
    injected,
    variable,
)
from service.base.environment import PREFIX
from service.base.redis_urls import beside, mask
from service.base.release import with_extra

PAGE = Path(__file__).parents[3] / "docs/reference/settings.md"
SETTINGS = [variable(one.name) for one in fields(Config)]

WRONG = {
    "JOURNAL_URL": "http://localhost",
    "QUEUE_URL": "localhost:6379",
    "HOST": "two words",
    "PORT": "65536",
    "ALLOW_SEED": "perhaps",
    "OPERATOR_TOKEN": "a short one",
    "UNSAFE_JOURNAL": "2",
    "MAXMEMORY_MB": "some",
    "PARTITIONS": "0",
    "REPLICAS": "6",
    "WEB_WORKERS": "-1",
    "WEB_THREADS": "many",
    "WEB_ANY_CORE": "maybe",
    "MAX_BODY": "1",
    "PAGE_MAX": "9",
    "LOG_LEVEL": "loud",
    "ADDRESS_LIMIT": "-1",
    "CORS_ORIGINS": "https://a.example/path",
    "ALLOWED_HOSTS": "play.example:8000",
    "TRUSTED_PROXIES": "10.0.0.1/8",
    "PATH_PREFIX": "/giornale/",
    "SECRET": "short",
    "SCHEDULER_AFTER_MS": "99",
    "EXPIRE_OPEN_HOURS": "-1",
    "EXPIRE_RUNNING_HOURS": "a week",
    "ARCHIVE": "nothing://bucket",
    "ARCHIVE_AFTER": "a month",
    "SECURITY_CONTACT": "somebody",
    "PROT": "8000",
}


def problems(environ: dict[str, str], *, connected: bool = False) -> list[str]:
    """Return the problems of an environment."""
    with pytest.raises(ConfigError) as caught:
        Config.load(environ, connected=connected)
    return caught.value.problems


@pytest.mark.parametrize(("name", "text"), WRONG.items(), ids=WRONG)
def test_wrong_value_is_named(name: str, text: str) -> None:
    """A value that cannot be used, or an unknown name, is refused with the variable's name."""
    [problem] = problems({PREFIX + name: text})
    assert problem.startswith(PREFIX + name + " ")


def test_all_problems_are_told_at_once() -> None:
    """All problems of the settings are told at once.

    Only names that begin with GIORNALE_ are looked at.
    """
    environ = {PREFIX + name: text for name, text in WRONG.items()}
    assert len(problems(environ)) == len(WRONG)

    assert Config.load({"PORT": "nonsense"}) == Config.load({})


def test_a_journal_url_is_needed_without_a_bundled_server() -> None:
    """A web process or a worker without a journal's URL names the missing setting.

    The bundled server has no replicas to ask: every move would be refused for want of them.
    """
    [problem] = problems({}, connected=True)
    assert problem.startswith("GIORNALE_JOURNAL_URL is needed")

    [no_replicas] = problems({"GIORNALE_REPLICAS": "1"})
    config = Config.load({"GIORNALE_REPLICAS": "1", "GIORNALE_JOURNAL_URL": "redis://h"})

    assert no_replicas.startswith("GIORNALE_REPLICAS needs GIORNALE_JOURNAL_URL: ")
    assert config.replicas == 1


@pytest.mark.parametrize(
    "url",
    ["redis+cluster://h:7000,h:7001", "redis+sentinel://h:26379/journal"],
)
def test_queues_need_a_server_of_their_own_beside_several(url: str) -> None:
    """With a cluster or Sentinels the queues' URL must be given."""
    [missing] = problems({"GIORNALE_JOURNAL_URL": url})
    config = Config.load({"GIORNALE_JOURNAL_URL": url, "GIORNALE_QUEUE_URL": "redis://h/0"})

    assert missing.startswith("GIORNALE_QUEUE_URL is needed, such as redis://")
    assert (config.journal_url, config.queue_url) == (url, "redis://h/0")


def test_queues_lie_on_one_server_that_sentinels_may_watch_over() -> None:
    """Queues cannot lie on a cluster. Their Sentinels are named as those of a journal."""
    for url in ("redis+sentinel://h:26379/queue/1", "rediss+sentinel://:pw@a,b/queue"):
        assert Config.load({"GIORNALE_QUEUE_URL": url}).queue_url == url

    [cluster] = problems({"GIORNALE_QUEUE_URL": "redis+cluster://h:7000,h:7001"})
    assert cluster.startswith("GIORNALE_QUEUE_URL must begin with redis://")
    assert "redis+sentinel://" in cluster
    [nameless] = problems({"GIORNALE_QUEUE_URL": "redis+sentinel://h:26379"})
    assert nameless.startswith("GIORNALE_QUEUE_URL must end with the service's name")


def test_environment_makes_the_same_configuration() -> None:
    """The supervisor's settings for its children read back as its own."""
    environ = {
        "GIORNALE_JOURNAL_URL": "unix:///tmp/a.sock",
        "GIORNALE_PORT": "1",
        "GIORNALE_ALLOW_SEED": "yes",
        "GIORNALE_CORS_ORIGINS": "https://a.example http://b.example:81",
        "GIORNALE_SECRET": "s" * 32,
        "GIORNALE_TRUSTED_PROXIES": "10.0.0.0/8 ::1",
        "GIORNALE_ALLOWED_HOSTS": "a.example [::1]",
        "GIORNALE_RATE_LIMIT": "7",
        "GIORNALE_PATH_PREFIX": "/a/b",
        "GIORNALE_ARCHIVE": "memory://packed",
        "GIORNALE_ARCHIVE_AFTER": "30d",
    }
    config = Config.load(environ)
    assert Config.load(config.environment()) == config


def test_no_secret_is_shown() -> None:
    """Neither the printed configuration nor its repr holds the secret or a password."""
    environ = {
        "GIORNALE_JOURNAL_URL": "redis://ada:hush@h/0",
        "GIORNALE_QUEUE_URL": "rediss://:hush@h/1",
        "GIORNALE_SECRET": "hush" * 8,
        "GIORNALE_OPERATOR_TOKEN": "hush" * 8,
    }
    config = Config.load(environ)

    assert "hush" not in str(config.shown())
    assert "hush" not in repr(config)
    assert config.shown()["GIORNALE_OPERATOR_TOKEN"] == "(set)"
    assert Config.load({}).shown()["GIORNALE_OPERATOR_TOKEN"] == ""


@pytest.mark.parametrize(
    ("url", "queue"),
    [
        ("", ""),
        ("redis://h", "redis://h/1"),
        ("redis://u:p@h:7/0?timeout=3&db=4", "redis://u:p@h:7/1?timeout=3"),
        ("unix:///run/a.sock", "unix:///run/a.sock?db=1"),
        ("unix://u:p@/run/a.sock?db=0", "unix://u:p@/run/a.sock?db=1"),
    ],
)
def test_queues_lie_beside_the_journal(url: str, queue: str) -> None:
    """By default the queues use database 1 of the journal's server."""
    assert beside(url) == queue


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("redis://u:pw@h:1/0", "redis://u:***@h:1/0"),
        ("redis://:pw@h", "redis://:***@h"),
        ("redis://h:1", "redis://h:1"),
        ("redis://u:p:w@[::1]:6379/0", "redis://u:***@[::1]:6379/0"),
        ("redis://u:pw@h?db=1&password=pw", "redis://u:***@h?db=1&password=***"),
        ("redis://h?password=p@w&db=1", "redis://h?password=***&db=1"),
        ("redis://h?db=1&pass%77ord=pw", "redis://h?db=1&pass%77ord=***"),
        ("redis://h?PASSWORD=pw", "redis://h?PASSWORD=***"),
        ("rediss://h?ssl_password=pw&ssl_keyfile=k", "rediss://h?ssl_password=***&ssl_keyfile=k"),
        ("unix:///run/a.sock?password=pw&db=1", "unix:///run/a.sock?password=***&db=1"),
        ("unix://u:pw@/run/a.sock", "unix://u:***@/run/a.sock"),
        ("unix:///run/a@b.sock?db=1", "unix:///run/a@b.sock?db=1"),
        ("redis://u:p@w@h", "redis://u:***@h"),
        ("redis://:p/w@h/0", "redis://:***@h/0"),
        ("redis://:p?w@h", "redis://:***@h"),
        ("redis://:p#w@h", "redis://:***@h"),
        ("redis+cluster://u:pw@h:1,h:2", "redis+cluster://u:***@h:1,h:2"),
        (
            "redis+sentinel://u:pw@h:1,h:2/s/0?sentinel_password=pw",
            "redis+sentinel://u:***@h:1,h:2/s/0?sentinel_password=***",
        ),
        ("", ""),
    ],
)
def test_password_is_masked(url: str, masked: str) -> None:
    """A URL is shown without its password, in each place where a Redis client looks for one."""
    assert mask(url) == masked


@pytest.mark.parametrize(
    ("rate", "setting", "limit"),
    [("100", "", 400), ("100", "250", 250), ("100", "0", 0), ("0", "", 0), ("0", "50", 50)],
)
def test_an_address_may_ask_as_much_as_four_tokens(rate: str, setting: str, limit: int) -> None:
    """The limit of an address follows that of a token, unless it is set."""
    config = Config.load({"GIORNALE_RATE_LIMIT": rate, "GIORNALE_ADDRESS_LIMIT": setting})
    assert config.address_limit == limit


def test_the_page_lists_every_setting() -> None:
    """The table in docs/reference/settings.md has the settings of Config and their defaults."""
    row = re.compile(r"^\| `(GIORNALE_\w+)` \| (?:`([^`]*)`)?", re.MULTILINE)
    listed = dict(row.findall(PAGE.read_text()))

    assert list(listed) == SETTINGS
    assert Config.load(listed) == Config.load({})

    defaults = Config.load({}).environment()
    unlisted = {name for name, text in listed.items() if not text and defaults[name]}
    assert unlisted == {*map(variable, FOLLOWS), "GIORNALE_ARCHIVE_AFTER"} - {
        "GIORNALE_QUEUE_URL",
        "GIORNALE_SECRET",
    }


ADDRESS_OF_VERSION_4 = {
    "SERVICE_HOST": "10.0.0.1",
    "SERVICE_PORT": "8000",
    "SERVICE_PORT_HTTP": "8000",
    "PORT": "tcp://10.0.0.1:8000",
    "PORT_8000_TCP": "tcp://10.0.0.1:8000",
    "PORT_8000_TCP_PROTO": "tcp",
    "PORT_8000_TCP_PORT": "8000",
    "PORT_8000_TCP_ADDR": "10.0.0.1",
}
ADDRESS_OF_VERSION_6 = {
    "SERVICE_HOST": "fd00::1",
    "PORT": "tcp://[fd00::1]:8000",
    "PORT_8000_TCP_ADDR": "fd00::1",
}


@pytest.mark.parametrize("service", ["GIORNALE", "GIORNALE_WEB", "GIORNALE_2"])
@pytest.mark.parametrize(
    "variables",
    [ADDRESS_OF_VERSION_4, ADDRESS_OF_VERSION_6],
    ids=["IPv4", "IPv6"],
)
def test_variables_of_a_kubernetes_service_are_no_settings(
    service: str, variables: dict[str, str]
) -> None:
    """A Service called `giornale` or `giornale-...` beside a container changes no setting."""
    environ = {f"{service}_{name}": value for name, value in variables.items()}
    assert Config.load(environ) == Config.load({})
    assert injected(environ | {"GIORNALE_HOST": "10.0.0.1"}) == sorted(environ)


NOT_OF_KUBERNETES = (
    ("PORT", "tcp://example.org:8000"),
    ("PORT", "http://10.0.0.1:8000"),
    ("PORT", "tcp://10.0.0.1:80000"),
    ("PORT", "tcp://10.0.0.1"),
    ("SERVICE_PORT", "http"),
    ("SERVICE_HOST", "localhost"),
    ("SERVICE_NAME", "10.0.0.1"),
    ("PORT_8000_TCP_PROTO", "http"),
    ("PORT_8000_ICMP", "tcp://10.0.0.1:8000"),
    ("PORT_TCP_ADDR", "10.0.0.1"),
)


def test_variables_unlike_those_of_kubernetes_are_refused() -> None:
    """Only names and values of exactly the form of Kubernetes are left out."""
    for name, value in NOT_OF_KUBERNETES:
        [problem] = problems({PREFIX + name: value})
        assert problem.startswith(PREFIX + name + " ")


@pytest.mark.parametrize("blank", ["", "  "], ids=["empty", "spaces"])
def test_an_empty_value_counts_as_unset(blank: str) -> None:
    """An empty value is the default, for every setting. An unknown name is ignored if empty."""
    environ = dict.fromkeys(SETTINGS, blank)
    assert Config.load({**environ, "GIORNALE_PROT": blank}) == Config.load({})

    [problem] = problems(environ, connected=True)
    assert problem.startswith("GIORNALE_JOURNAL_URL is needed")


MISSPELLED = {
    "PROT": ". Did you mean GIORNALE_PORT?",
    "JOURNAL_URI": ". Did you mean GIORNALE_JOURNAL_URL?",
    "WEB_THREAD": ". Did you mean GIORNALE_WEB_THREADS?",
    "LOGLEVEL": ". Did you mean GIORNALE_LOG_LEVEL?",
    "FLUX": "",
}


def test_a_misspelled_name_is_answered_with_the_nearest_setting() -> None:
    """A misspelled name is answered with the setting that is most like it, if any is."""
    for name, hint in MISSPELLED.items():
        sentence = f"GIORNALE_{name} is not a setting of Giornale{hint}"
        assert problems({PREFIX + name: "1"}) == [sentence]


def test_options_overrule_the_environment() -> None:
    """The command line takes precedence. A mistake there is told by the option's name."""
    environ = {"GIORNALE_PORT": "1", "GIORNALE_HOST": "::1"}
    config = Config.load(environ, options={"port": "2"})
    assert (config.port, config.host) == (2, "::1")

    with pytest.raises(ConfigError) as caught:
        Config.load(environ, options={"port": "http"})
    assert caught.value.problems == ["--port must be a whole number from 0 to 65535"]


def test_source_of_each_value_is_known() -> None:
    """A value comes from the command line, the environment, the default or another setting."""
    environ = {
        "GIORNALE_JOURNAL_URL": "redis://h",
        "GIORNALE_HOST": "::1",
        "GIORNALE_LOG_LEVEL": "",
    }
    options = {"port": "2"}
    sources = Config.load(environ, options=options).sources(environ, options)

    assert set(sources) == set(SETTINGS)
    not_default = {name: source for name, source in sources.items() if source != "default"}
    assert not_default == {
        "GIORNALE_JOURNAL_URL": "environment",
        "GIORNALE_QUEUE_URL": "GIORNALE_JOURNAL_URL",
        "GIORNALE_HOST": "environment",
        "GIORNALE_PORT": "command line",
        "GIORNALE_ADDRESS_LIMIT": "GIORNALE_RATE_LIMIT",
        "GIORNALE_SECRET": "GIORNALE_DATA",
        "GIORNALE_ARCHIVE": "GIORNALE_DATA",
    }


HOURS = {"": 0, "0": 0, "36": 36, "36h": 36, "30d": 720, "2 d": 48}


def test_the_archive_and_the_age_of_its_matches_are_parsed() -> None:
    """An age is in hours unless it says days. The archive is a directory or an address.

    By default the archive lies in the data directory.
    """
    for text, hours in HOURS.items():
        assert Config.load({"GIORNALE_ARCHIVE_AFTER": text}).archive_after == hours

    assert Config.load({"GIORNALE_DATA": "/srv/giornale"}).archive == "/srv/giornale/archive"
    for place in ("/mnt/packed", "file:///mnt/packed", "memory://packed"):
        assert Config.load({"GIORNALE_ARCHIVE": place}).archive == place


def test_the_setting_of_an_age_may_be_never() -> None:
    """The setting of an age can be "never". An option of a command cannot: 0 is no minimum age."""
    [problem] = problems({"GIORNALE_ARCHIVE_AFTER": "a month"})
    assert problem.endswith("a number of hours or days, such as 36h or 30d, or 0 for never")


def test_an_archive_without_its_package_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An archive in S3 needs an extra.

    Without it the settings are refused, with the extra's name.
    """
    monkeypatch.setattr(config_module, "find_spec", lambda _name: None)
    [problem] = problems({"GIORNALE_ARCHIVE": "s3://bucket/path"})

    assert problem.startswith("GIORNALE_ARCHIVE needs the package s3fs")
    assert with_extra("s3") in problem


@pytest.mark.parametrize(
    ("host", "prefix", "url"),
    [
        ("127.0.0.1", "", "http://127.0.0.1:8001"),
        ("::1", "/giornale", "http://[::1]:8001/giornale"),
    ],
    ids=["plain", "ipv6-and-prefix"],
)
def test_the_url_is_that_of_the_service_on_this_machine(host: str, prefix: str, url: str) -> None:
    """The URL that `giornale serve` prints is that of the service on this machine."""
    environ = {"GIORNALE_HOST": host, "GIORNALE_PORT": "8001", "GIORNALE_PATH_PREFIX": prefix}
    assert Config.load(environ).url == url
