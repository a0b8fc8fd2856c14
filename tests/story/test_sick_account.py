"""A GitHub that keeps one account waiting, and what that is to everybody else."""

import signal
from pathlib import Path

from bot.records import Outcome
from tests.story import recordings
from tests.story.town import BOT, town

LONG_S = 60.0


def test_a_stop_and_the_workers_end_wait_for_nothing_that_github_does_not_answer_about_another_account(
    tmp_path: Path,
) -> None:
    played = [recordings.right_at_once(match=match) for match in ("case-sick", "case-well")]
    settings = {"SELFCODE_RUNS_AT_ONCE": "3"}
    with town(tmp_path, *played, settings=settings, commands=("web", "worker")) as built:
        sick, well = (built.repository(f"octo/{name}", recordings.files()) for name in ("sick", "well"))
        at_sick = sick.open_issue(recordings.TITLE, "case-sick", by="eve")
        at_well = well.open_issue(recordings.TITLE, "case-well", by="eve")
        built.model.hold()
        for issue in (at_sick, at_well):
            issue.label("selfcode", by="ada")
        assert built.model.wait_for_calls(2, timeout_s=120)

        built.hub.fail_next("*", f"{sick.full_name}/", 502, times=100, delay_s=LONG_S)
        for words in ("/selfcode stop", "/selfcode note be quick", "/selfcode retry", "/selfcode status"):
            at_sick.comment(words, by="ada")
        stop = at_well.comment("/selfcode stop", by="ada")

        built.wait_for_outcome(well, at_well, Outcome.STOPPED)
        assert built.runs(sick, at_sick)[0].stop_because is None
        built.wait_for("the reaction", lambda: stop.reactions)
        assert [(found.user.login, found.content) for found in stop.reactions] == [(BOT, "eyes")]

        worker = built.bot.processes["worker"]
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(LONG_S / 2) == 0
