"""`/numbers`: what became of issues and pull requests, and what it took."""

import time

from flask import Blueprint, render_template

from bot.records import NumbersChoice
from bot.web.pages.means import given, let_in, means, visitor
from bot.writing.numbers import numbers_by, numbers_of, pulls_chart, waits_chart

DAY_S = 86_400.0
DAYS = (7, 30, 90, 365)
ROWS_AT_MOST = 50

blueprint = Blueprint("numbers", __name__)
blueprint.before_request(let_in)


@blueprint.get("/numbers")
def numbers() -> str:
    """All of it, of the last days, in a repository, by a model."""
    looks, shown, now = visitor(), means().viewing, time.time()
    days = next((each for each in DAYS if str(each) == given("days")), 30)
    choice = NumbersChoice(
        since=now - days * DAY_S,
        repository=given("repository"),
        model=given("model"),
        among=looks.among,
    )
    issues = shown.issues(choice)
    return render_template(
        "numbers.html",
        sums=numbers_of(issues),
        by_repository=numbers_by(issues, lambda each: each.repository)[:ROWS_AT_MOST],
        by_model=numbers_by(issues, lambda each: each.model)[:ROWS_AT_MOST],
        pulls_chart=pulls_chart(issues, now=now),
        waits_chart=waits_chart(issues),
        choice=choice,
        choices=shown.choices(looks.among),
        days=days,
        all_days=DAYS,
        visitor=looks,
    )
