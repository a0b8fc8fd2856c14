"""A pull request whose proof is there already, described once more for what happened to it since."""

from bot.records import PullRequest
from bot.runs.continuing import branch_of
from bot.runs.judgement import Judgement, result_of
from bot.runs.known import Known
from bot.runs.voice import Voice
from bot.writing.pull_request import pull_request


def describe_again(known: Known, pull: PullRequest, before: Judgement) -> None:
    """Give the pull request the body that it is to have now: what was proven, and where its branch is since."""
    house = known.house
    text = pull_request(
        result_of(house, before),
        Known(house, before.origin).task,
        branch=branch_of(house.store, known.at),
        run_id=before.run_id,
        repository=known.info.ref.full_name,
        moved_to=pull.head_sha if pull.head_sha != before.head else "",
    )
    house.github.describe_pull_request(known.at.repository, pull.number, Voice(known).masked(text.body))
