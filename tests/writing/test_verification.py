"""What `selfcode verify` prints, and how two proofs of one pull request are told apart."""

import json
from dataclasses import replace

from bot.records import Outcome, ReportState
from bot.writing.comparison import StoredProof, reasons, verdict
from bot.writing.verification import Verification, summary, terminal_text
from tests.writing.builders import a_plan, a_proof, a_provenance, a_report, a_result, hunks
from tests.writing.foreign import PIECES, TOKEN

HOSTILE = "".join(PIECES)
BASE, HEAD = "1f0c" * 10, "2a9b" * 10
UNPROVEN = a_result(
    Outcome.UNPROVEN,
    reason="Existing tests were altered: tests/test_prices.py.",
    proof=a_proof(missing=("Existing tests were altered: tests/test_prices.py.",), provenance=a_provenance()),
)
PROVEN = a_result(proof=a_proof(provenance=a_provenance()))


def stored(**changed: object) -> StoredProof:
    whole = StoredProof("run-1", Outcome.PROVEN, a_proof(provenance=a_provenance()), BASE, HEAD)
    return replace(whole, **changed)  # type: ignore[arg-type]


# --- For people


def test_the_outcome_comes_first_then_the_pull_request_s_table() -> None:
    first, empty, *rows = terminal_text(Verification("here", PROVEN)).splitlines()

    assert first.startswith("PROVEN: 2 tests fail without this change and pass with it")
    assert empty == ""
    assert rows[0].split("  ")[0] == "✅ Fail without the change, pass with it"
    assert [row.index(cell) for row, cell in zip(rows[:3], ("2 tests", "12 of 12", "untouched"), strict=True)] == [
        rows[0].index("2 tests")
    ] * 3


def test_what_lacks_is_named_and_so_are_the_tests() -> None:
    text = terminal_text(Verification("here", UNPROVEN))

    assert "UNPROVEN" in text
    assert "  missing: Existing tests were altered: tests/test_prices.py." in text
    assert "  red: tests/test_total.py::test_one_price" in text


def test_what_it_was_made_of_is_told() -> None:
    made = a_provenance(build="make", directory="lib", base_image="debian:12", base_image_digest="sha256:" + "cd" * 32)

    text = terminal_text(Verification("here", a_result(proof=a_proof(provenance=made))))

    assert f"  base:     {BASE}" in text
    assert f"  head:     {HEAD}" in text
    assert "  tests:    python -m pytest" in text
    assert "  build:    make" in text
    assert "  folder:   lib" in text
    assert "  image:    python:3.13-slim (sha256:abababababab), prepared from debian:12 (sha256:cdcdcdcdcdcd)" in text
    assert "  versions: selfcode 0.5.0, pytest 8.3.4" in text


def test_a_base_that_can_t_be_tested_shows_what_it_said() -> None:
    broken = a_report(passed=0, state=ReportState.COMMAND_NOT_FOUND, output="sh: 1: no-such-runner: not found")
    result = a_result(
        Outcome.BASELINE_BROKEN, reason="The test command on the untouched base: command not found.", baseline=broken
    )

    text = terminal_text(Verification("here", result))

    assert text.startswith("THE TESTS CAN'T BE RUN: The test command on the untouched base")
    assert f"  base:     {BASE}" in text
    assert text.endswith("  | sh: 1: no-such-runner: not found")


def test_a_setup_that_failed_shows_what_it_said() -> None:
    result = a_result(Outcome.BASELINE_BROKEN, reason="The set-up command failed: exit code 1\nno such package")

    text = terminal_text(Verification("here", replace(result, baseline=None)))

    assert text.splitlines()[0] == "THE TESTS CAN'T BE RUN: The set-up command failed: exit code 1"
    assert text.endswith("  | no such package")
    assert text.count("no such package") == 1


def test_where_existing_tests_were_altered_it_says_how_to_let_that_stand() -> None:
    altered = a_proof(missing=("Existing tests were altered: a.",), tests_altered=("a: test_b changed",))

    shown, accepted = (
        terminal_text(Verification("here", a_result(Outcome.UNPROVEN, proof=replace(altered, accepted_by=login))))
        for login in ("", "grace")
    )

    assert "--accept-tests" in shown
    assert "--accept-tests" not in accepted


def test_foreign_words_are_harmless_in_a_terminal() -> None:
    proof = a_proof(missing=(HOSTILE,), red=(HOSTILE, "x"), provenance=a_provenance(command=HOSTILE, image=HOSTILE))

    text = terminal_text(Verification(HOSTILE, a_result(Outcome.UNPROVEN, proof=proof, plan=a_plan(test=HOSTILE))))

    assert "\x1b" not in text
    assert "\r" not in text
    assert TOKEN not in text


# --- For programs


def test_the_object_holds_outcome_counts_names_hunks_and_provenance() -> None:
    proof = a_proof(provenance=a_provenance(), hunks=hunks(noticed=1, unnoticed=1), accepted_by="grace")

    said = json.loads(json.dumps(summary(Verification("octo/cat#7", a_result(proof=proof), notes=("a note",)))))

    assert (said["outcome"], said["missing"], said["what"]) == ("proven", [], "octo/cat#7")
    assert (said["base"], said["head"], said["test"]) == (BASE, HEAD, "python -m pytest")
    assert {name: run["passed"] for name, run in said["runs"].items()} == {"baseline": 12, "a": 12, "b": 14, "c": 12}
    assert said["evidence"]["red"] == list(proof.evidence.red)
    assert (len(said["hunks"]["noticed"]), len(said["hunks"]["unnoticed"])) == (1, 1)
    assert said["provenance"]["versions"]["pytest"] == "8.3.4"
    assert (said["accepted_by"], said["notes"], said["stored"]) == ("grace", ["a note"], None)


def test_without_a_proof_the_object_has_the_same_keys() -> None:
    early = summary(Verification("here", replace(a_result(Outcome.STOPPED), proof=None, baseline=None)))

    assert early.keys() == summary(Verification("here", PROVEN)).keys()
    assert (early["outcome"], early["evidence"], early["runs"]) == ("stopped", None, {})


# --- Beside the one that is kept


def test_the_same_of_the_same_is_said_so() -> None:
    assert reasons(stored(), PROVEN) == ()
    assert verdict(stored(), PROVEN) == "It comes to the same, of the same."
    text = terminal_text(Verification("octo/cat#7", PROVEN, stored=stored()))
    assert f"stored: proven, {HEAD[:12]} on {BASE[:12]} (run run-1)" in text


def test_what_differs_is_named_with_both_values() -> None:
    now = a_provenance(
        command="pytest -q",
        sandbox="bubblewrap",
        base_image="debian:13",
        base_image_digest="sha256:" + "ef" * 32,
        versions={"selfcode": "0.5.0", "pytest": "9.0.1", "python": "3.13.1"},
    )
    result = replace(UNPROVEN, base_sha="3d" * 20, proof=replace(UNPROVEN.proof or a_proof(), provenance=now))

    assert reasons(stored(), result) == (
        "base commit: 3d3d3d3d3d3d, was 1f0c1f0c1f0c",
        "test command: pytest -q, was python -m pytest",
        "sandbox: bubblewrap, was docker",
        "base image: debian:13, was none",
        "base image's digest: sha256:efefefefefef, was none",
        "pytest: 9.0.1, was 8.3.4",
        "python: 3.13.1, was none",
    )
    assert verdict(stored(), result) == "It was proven and is unproven now. What differs:"


def test_an_environment_that_was_prepared_anew_from_the_same_base_is_told_as_that() -> None:
    result = a_result(proof=a_proof(provenance=a_provenance(image_digest="sha256:" + "00" * 32)))

    assert reasons(stored(), result) == (
        "the environment was prepared anew from the same base image: sha256:000000000000, was sha256:abababababab",
    )
    assert verdict(stored(), result) == "It comes to the same, with these differences:"


def test_another_outcome_of_the_same_is_told_to_be_unsteady() -> None:
    result = replace(UNPROVEN, proof=a_proof(missing=("Tests fail with the change.",), provenance=a_provenance()))

    assert "not steady" in verdict(stored(), result)


def test_other_tests_are_named() -> None:
    result = a_result(proof=a_proof(red=("tests/test_new.py::test_it",), provenance=a_provenance()))

    found = reasons(stored(), result)

    assert any(
        line.startswith("fails without the change and passes with it, as it was, but not now: ") for line in found
    )
    assert "fails without the change and passes with it now, but not as it was: tests/test_new.py::test_it" in found


def test_what_only_the_stored_proof_can_have_is_told() -> None:
    kept = stored(proof=a_proof(provenance=a_provenance(), accepted_by="grace", acceptance_passed=3))

    found = reasons(kept, UNPROVEN)

    assert any("grace accepted" in line for line in found)
    assert any("acceptance tests" in line for line in found)


def test_a_proof_from_before_provenance_was_kept_says_so() -> None:
    assert "does not say which image" in reasons(stored(proof=a_proof()), PROVEN)[0]


def test_a_stale_proof_is_told_with_both_commits() -> None:
    stale = "This proof is of `aaaa`; the head is `bbbb` now, of which it says nothing: it is stale."
    done = Verification("octo/cat#7", PROVEN, stored=stored(head="a" * 40, stale=stale))

    assert f"  {stale}" in terminal_text(done).splitlines()
    told = summary(done)["stored"]
    assert isinstance(told, dict)
    assert (told["stale"], told["agrees"]) == (stale, True)
    assert told["differences"] == ["head commit: 2a9b2a9b2a9b, was aaaaaaaaaaaa"]
