"""docs/monitoring.md and docs/alerts.yml know the figures that there are. No more, no less."""

import re
from pathlib import Path

import pytest
import yaml

from bot.records import Outcome, TriggerKind
from bot.runs.owed import OWED
from bot.runs.store import RUNS, SqlInbox, Store
from bot.seen.figures import Figures
from bot.settings import read_settings
from bot.wire.database import database_of
from bot.wire.watching import PARTS, Readiness, Readings
from tests.runs.builders import a_trigger
from tests.wire.test_watching import beat

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "monitoring.md").read_text(encoding="utf-8")
RULES = [
    rule
    for group in yaml.safe_load((DOCS / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Every figure's name, with the names of its labels."""
    home = tmp_path_factory.mktemp("home")
    settings = read_settings({"SELFCODE_HOME": str(home)})
    engine = database_of(settings)
    beat(settings)
    store, inbox = Store(engine), SqlInbox(engine)
    for _ in range(3):
        inbox.accept(a_trigger())
    store.begin_run(store.waiting()[0])
    ended = store.begin_run(store.waiting()[0])
    store.learn(ended, **{OWED: {"result": "unsaid"}})
    store.finish(ended, Outcome.PROVEN, "")
    asked = {each.name: set(each.labels) for each in Readings(settings, engine, Readiness(settings, engine))()}
    engine.dispose()
    return asked | {name: set(labels) for name, labels in Figures().labels().items()}


def test_the_page_names_every_figure_with_its_labels_and_no_other(labels: dict[str, set[str]]) -> None:
    rows = re.findall(r"^\| `(selfcode_\w+)` \|([^|]*)\|", PAGE, re.MULTILINE)

    assert {name: set(re.findall(r"`(\w+)`", named)) for name, named in rows} == labels


def test_the_page_names_every_part_that_readyz_looks_at() -> None:
    assert {part for part in PARTS if f"| `{part}` | " not in PAGE} == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_asks_for_figures_and_labels_that_there_are(rule: dict[str, str], labels: dict[str, set[str]]) -> None:
    asked = re.findall(r"\b(selfcode_\w+)(?:\{([^}]*)\})?", rule["expr"])

    assert asked
    assert {name for name, _ in asked} <= set(labels)
    for name, matchers in asked:
        assert set(re.findall(r"(\w+)(?:=|!=|=~|!~)\"", matchers)) <= labels[name]
    grouped = {label for found in re.findall(r"by \(([^)]*)\)", rule["expr"]) for label in re.split(r",\s*", found)}
    known = set().union(*(labels[name] for name, _ in asked))
    told = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
    assert grouped <= known
    assert told - {"instance"} <= (grouped or known)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_says_how_bad_it_is_and_what_to_do(rule: dict[str, dict[str, str]]) -> None:
    assert set(rule) - {"for"} == {"alert", "expr", "labels", "annotations"}
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    assert set(rule["annotations"]) == {"summary", "description"}
    assert re.fullmatch(r"\d+[mh]", str(rule.get("for", "1m")))


def test_the_alert_on_what_needs_no_place_is_about_just_that() -> None:
    of_rule = {rule["alert"]: rule["expr"] for rule in RULES}
    named = [
        re.findall(rf'kind{is_one}"([^"]+)"', of_rule[alert])
        for alert, is_one in (("SelfcodeDispatcherBehind", "=~"), ("SelfcodeQueueLong", "!~"))
    ]

    assert [set(kinds.split("|")) for [kinds] in named] == [set(TriggerKind) - set(RUNS)] * 2
