from bot.proof.readers.mocha import MOCHA
from bot.proof.results import Results
from bot.records import TestStatus
from tests.proof.laboratory import a_report
from tests.proof.readers.recordings import ids, left, recording


def read(name: str = "mocha.results") -> Results | None:
    return MOCHA.read(left({"mocha-1-1-1.results": recording(name)}))


def test_each_test_is_known_by_its_file_and_titles() -> None:
    assert ids(read(), TestStatus.PASSED) == ["test/a.spec.js::cart > adds"]
    assert ids(read(), TestStatus.SKIPPED) == ["test/a.spec.js::cart > skipped", "test/a.spec.js::cart > pending"]


def test_a_test_that_fails_after_it_has_passed_has_failed_and_is_one() -> None:
    assert ids(read(), TestStatus.FAILED) == ["test/a.spec.js::cart > adds #2", "test/a.spec.js::cart > twice"]


def test_a_hook_that_fails_is_an_error() -> None:
    (broken,) = ids(read(), TestStatus.ERROR)

    assert broken == 'test/a.spec.js::cart > deep > "before each" hook for "never"'


def test_a_file_that_can_not_be_loaded_is_an_error_though_nothing_runs() -> None:
    results = read("mocha-unloadable.results")

    assert ids(results, *TestStatus) == ["broken/x.js"]
    assert results is not None
    assert results.cases[0].status is TestStatus.ERROR
    assert "Cannot find module './nowhere'" in results.cases[0].message


def test_a_plant_in_typescript_uses_what_its_types_declare() -> None:
    (plant,) = MOCHA.plants(a_report(passed=["test/a.spec.ts::works"], reader="mocha"), "abcd")

    assert plant.path == "test/zz-selfcode-abcd.spec.ts"
    assert plant.content.startswith(b'it("zz selfcode abcd"')


def test_a_title_may_hold_half_a_character() -> None:
    data = recording("mocha.results").replace(b'"adds"', b'"adds \\udc80"')

    results = MOCHA.read(left({"mocha-1-1-1.results": data}))

    assert results is not None
    assert results.contradiction == ""
    assert "test/a.spec.js::cart > adds ?" in ids(results, TestStatus.PASSED)
