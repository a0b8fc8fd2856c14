"""A service that is away for long costs a run its place for a while, and nothing else."""

from pathlib import Path

from bot.records import Outcome
from bot.runs.store import RunRow
from tests.story import recordings
from tests.story.town import town


def test_while_github_keeps_one_run_waiting_another_has_its_place_and_then_it_goes_on(tmp_path: Path) -> None:
    played = [recordings.right_at_once(match=match) for match in ("case-held", "case-next")]
    with town(tmp_path, *played, settings={"SELFCODE_RUNS_AT_ONCE": "1"}) as built:
        held, other = (built.repository(f"octo/{name}", recordings.files()) for name in ("held", "other"))
        at_held = held.open_issue(recordings.TITLE, "case-held", by="ada")
        at_other = other.open_issue(recordings.TITLE, "case-next", by="ada")
        built.hub.fail_next("POST", f"{held.full_name}/pulls$", 503, headers={"Retry-After": "3000"})
        at_held.label("selfcode", by="ada")

        def waiting() -> RunRow | None:
            found = built.runs(held, at_held)
            return found[0] if found and found[0].resumes_at else None

        run: RunRow = built.wait_for("that the run waits", waiting)
        (said,) = built.said(at_held)
        assert "Held up" in said.body
        at_other.label("selfcode", by="ada")
        built.wait_for_outcome(other, at_other, Outcome.PROVEN)
        assert built.runs(held, at_held)[0].resumes_at == run.resumes_at

        built.store.give_back(run.id, wait_s=0.0, waits_for="it is over sooner than was said")

        built.wait_for_outcome(held, at_held, Outcome.PROVEN)
        paid = [call.iteration for call in built.model.calls]
        assert (len(held.pulls), len(paid)) == (1, 2 * len(set(paid)))
        assert "Held up" not in built.said(at_held)[0].body
