"""The critic: what it reads, how its words are taken, and that it never ends a run."""

import pytest

from bot.agent.critic import doubts_of, refusal
from bot.errors import Stopped, Unavailable
from bot.records import Call, Reproduce, Usage, Verdict
from tests.agent.fakes import ScriptedModel, red, says
from tests.agent.runs import a_bench, a_test, change, judge, run


def answer(words: str) -> Call:
    return Call("critic", "critic_patch-1", "[]", says(words).raw, (), Usage(), 1.0)


@pytest.mark.parametrize(
    ("words", "doubts"),
    [
        ("NONE", ""),
        ("None.", ""),
        ("**NONE** — it does what the issue says.", ""),
        ("DOUBTS: it fails for 0.", "it fails for 0."),
        ("doubts\n\nIt fails for 0.", "It fails for 0."),
        ("It fails for 0.", "It fails for 0."),
        ("<think>none?</think>DOUBTS: it fails for 0.", "it fails for 0."),
        ("", ""),
    ],
)
def test_a_fixed_first_word_says_that_there_is_no_doubt(words: str, doubts: str) -> None:
    assert doubts_of(answer(words)) == doubts


@pytest.mark.parametrize(
    ("words", "refused"),
    [("YES", ""), ("No. It asks for 4.", "It asks for 4."), ("NO", "NO"), ("Perhaps.", ""), ("Nothing is wrong.", "")],
)
def test_only_a_clear_no_refuses_a_test(words: str, refused: str) -> None:
    assert refusal(answer(words)) == refused


def test_its_doubts_about_the_final_change_are_kept_and_its_cost_is_counted_apart() -> None:
    critic = ScriptedModel([says("DOUBTS: Zero is not tested.")], name="critic")

    progress = run(ScriptedModel([says(change("a + b"))]), a_bench(judge=judge), critic=critic)

    assert (progress.verdict, progress.doubts) == (Verdict.SOLVED, "Zero is not tested.")
    assert "return a + b" in critic.asked[0].last
    assert "`add(1, 2)` returns -1" in critic.asked[0].last
    assert (progress.spend.tokens, progress.spend.critic_tokens, progress.spend.critic_cost_usd) == (240, 120, 0.001)
    assert progress.iterations[-1].spend == progress.spend


def test_a_run_without_a_change_is_not_reviewed() -> None:
    critic = ScriptedModel([says("NONE")], name="critic")

    run(ScriptedModel([says("```finish\nFine.\n```\n")]), a_bench(judge=judge), critic=critic)

    assert critic.asked == []


def test_a_critic_whose_service_fails_is_noted_and_nothing_more() -> None:
    def fail() -> None:
        raise Unavailable("over quota")

    critic = ScriptedModel([says("NONE")], name="critic", before=fail)
    model = ScriptedModel([says(change("a * b")), says(change("a + b"))])

    progress = run(model, a_bench(judge=judge), critic=critic)

    assert (progress.verdict, progress.doubts) == (Verdict.SOLVED, "")
    assert [call.problem for call in progress.iterations[0].calls] == ["", "not answered: over quota"]


def test_without_a_critic_nobody_is_asked() -> None:
    model = ScriptedModel([says(change("a + b"))])

    progress = run(model, a_bench(judge=judge))

    assert (len(model.asked), progress.doubts, progress.spend.critic_tokens) == (1, "", 0)


def test_a_stop_while_the_critic_reads_counts_every_call_once_and_keeps_the_change() -> None:
    def stop() -> None:
        raise Stopped

    critic = ScriptedModel([says("NONE")], name="critic", before=stop)

    progress = run(ScriptedModel([says(change("a * b"))]), a_bench(judge=judge), critic=critic)

    assert (progress.verdict, progress.spend.calls) == (Verdict.STOPPED, 1)
    assert len(progress.iterations[0].calls) == 1
    assert "a * b" in progress.change.patch
    assert progress.iterations[0].report is not None


def test_a_stop_while_the_critic_reads_the_new_test_keeps_the_test() -> None:
    def stop() -> None:
        raise Stopped

    critic = ScriptedModel([says("YES")], name="critic", before=stop)
    bench = a_bench(reports=[red()], unreproducing=[None])

    progress = run(ScriptedModel([says(a_test())]), bench, critic=critic, reproduce=Reproduce.FIRST)

    assert (progress.verdict, progress.change.paths) == (Verdict.STOPPED, ("tests/test_add.py",))
    assert [len(each.calls) for each in progress.iterations] == [1]


def test_a_dear_critic_of_unknown_length_loses_no_change() -> None:
    critic = ScriptedModel([says("fix it " + "x" * 1_000_000, usage=Usage(10, 10, cost_usd=50.0))], name="critic")

    progress = run(ScriptedModel([says(change("a + b"))]), a_bench(judge=judge), critic=critic)

    assert (progress.verdict, progress.spend.critic_cost_usd) == (Verdict.SOLVED, 50.0)
    assert len(progress.doubts) < 3_000
