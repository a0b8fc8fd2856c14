"""The mirror: bringing a remote here, pushing to it, and what goes wrong on the way."""

import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.errors import Gone, Refused, Stopped, Unavailable
from bot.repository import Credentials, Mirror, Moved
from bot.repository.git import run_git
from bot.repository.locking import locked
from sandbox.contract import File
from tests.repository.conftest import NOON, Bench, Origin
from tests.repository.hub import TOKEN, Hub, git, serving

BRANCH = "selfcode/issue-7"


def a_commit(mirror: Mirror, base: str, text: bytes = b"fixed\n") -> str:
    tree = mirror.tree_with(base, {"fix.py": File(text)})
    return mirror.commit(tree, parents=[base], message="Fix", author_name="b", author_email="b@x", when=NOON)


@pytest.fixture
def base(mirror: Mirror, origin: Origin, credentials: Credentials) -> str:
    """The remote's first commit, brought into the mirror."""
    sha = origin.commit({"a.py": b"a\n"})
    mirror.update(origin.url, credentials=credentials)
    return sha


def test_a_repository_without_commits_is_empty_and_no_error(
    mirror: Mirror, origin: Origin, credentials: Credentials
) -> None:
    mirror.update(origin.url, credentials=credentials)

    assert mirror.is_empty
    assert mirror.head("main") is None


@pytest.mark.parametrize("branch", ["redhat-3.17", "master", "release/2026", "naïve", "x$(id)", 'q";touch$HOME/x;#'])
def test_the_default_branch_may_have_any_name(
    mirror: Mirror, origin: Origin, credentials: Credentials, branch: str
) -> None:
    sha = origin.commit({"a": b"a"}, branch=branch)

    mirror.update(origin.url, credentials=credentials)

    assert mirror.head(branch) == sha
    assert mirror.fetch_branch(origin.url, branch, credentials=credentials) == sha
    assert mirror.head("main") is None


def test_a_mirror_is_read_as_any_repository_by_where_it_stands(
    mirror: Mirror, base: str, origin: Origin, credentials: Credentials, tmp_path: Path
) -> None:
    newer = origin.commit({"b.py": b"b\n"}, onto=base)
    assert mirror.fetch_branch(origin.url, "HEAD", credentials=credentials) == newer
    other = Mirror(tmp_path / "other.git")

    mirror.stand_at(base)

    assert other.fetch_branch(str(mirror.path), "HEAD") == base
    assert mirror.head("main") == base


def test_a_second_update_brings_new_commits_and_drops_branches_that_are_gone(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    origin.commit({"b.py": b"b\n"}, branch="topic", onto=base)
    mirror.update(origin.url, credentials=credentials)
    assert mirror.head("topic")

    origin.delete("topic")
    nested = origin.commit({"c.py": b"c\n"}, branch="topic/nested", onto=base)
    rewritten = origin.commit({"z.py": b"z\n"}, branch="main", onto=nested)
    mirror.update(origin.url, credentials=credentials)

    assert (mirror.head("topic"), mirror.head("topic/nested"), mirror.head("main")) == (None, nested, rewritten)


def test_refs_of_pull_requests_and_tags_stay_on_the_server(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    run_git(["update-ref", "refs/pull/1/head", base], repository=origin.path)
    run_git(["update-ref", "refs/tags/v1", base], repository=origin.path)

    mirror.update(origin.url, credentials=credentials)

    refs = run_git(["for-each-ref", "--format=%(refname)"], repository=mirror.path).decode().split()
    assert refs == ["refs/heads/main"]


@pytest.mark.parametrize("damage", ["rm -r objects", "echo junk > HEAD", "rm HEAD", "echo junk > refs/heads/main"])
def test_a_broken_mirror_is_made_anew(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str, damage: str
) -> None:
    assert os.system(f"cd '{mirror.path}' && rm -f packed-refs && {damage}") == 0

    mirror.update(origin.url, credentials=credentials)

    assert mirror.head("main") == base
    assert mirror.read(base, "a.py") == b"a\n"
    assert sorted(path.name for path in mirror.path.parent.iterdir()) == ["7.git", "7.git.lock"]


def test_lock_files_of_a_killed_git_are_cleared_away(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    inode = mirror.path.stat().st_ino
    for name in ("packed-refs.lock", "refs/heads/main.lock", "HEAD.lock"):
        (mirror.path / name).touch()
    new = origin.commit({"b.py": b"b\n"})

    mirror.update(origin.url, credentials=credentials)

    assert mirror.head("main") == new
    assert mirror.path.stat().st_ino == inode


def test_many_updates_at_once_are_safe(mirror: Mirror, origin: Origin, credentials: Credentials) -> None:
    sha = origin.commit({f"{number}.py": b"x" * number for number in range(50)})

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: Mirror(mirror.path).update(origin.url, credentials=credentials), range(12)))

    assert mirror.head("main") == sha
    assert len(mirror.entries(sha)) == 50


def test_a_stop_ends_the_wait_for_another_process(mirror: Mirror, origin: Origin, credentials: Credentials) -> None:
    with locked(mirror.path.with_name("7.git.lock")), pytest.raises(Stopped):
        mirror.update(origin.url, credentials=credentials, stop=lambda: True)


def test_a_lock_is_held_as_long_as_a_child_that_was_given_it(tmp_path: Path) -> None:
    with locked(tmp_path / "lock") as lock:
        child = subprocess.Popen(["sleep", "0.6"], pass_fds=(lock,))
    with child, pytest.raises(Unavailable), locked(tmp_path / "lock", timeout_s=0.1):
        pass

    with locked(tmp_path / "lock", timeout_s=0.1):
        assert child.returncode == 0


def test_a_local_repository_without_a_commit_has_no_head(mirror: Mirror, tmp_path: Path) -> None:
    git("init", "-q", str(tmp_path / "unborn"))

    assert mirror.fetch_branch(str(tmp_path / "unborn"), "HEAD") is None


def test_a_stop_ends_a_fetch_that_hangs(mirror: Mirror, origin: Origin, hub: Hub, credentials: Credentials) -> None:
    asked = threading.Event()
    released = threading.Event()

    def hang() -> None:
        asked.set()
        released.wait(30)

    hub.before_answer = hang
    try:
        with pytest.raises(Stopped):
            mirror.update(origin.url, credentials=credentials, stop=asked.is_set)
    finally:
        released.set()


@pytest.mark.parametrize(
    "status", ["408 Request Timeout", "500 Oops", "502 Bad Gateway", "503 Service Unavailable", "429 Too Many Requests"]
)
def test_a_server_in_trouble_is_unavailable(
    mirror: Mirror, origin: Origin, hub: Hub, credentials: Credentials, status: str
) -> None:
    hub.answer = status

    with pytest.raises(Unavailable, match=status[:3]):
        mirror.update(origin.url, credentials=credentials)


@pytest.mark.parametrize("status", ["403 Forbidden", "404 Not Found", "410 Gone", "451 Unavailable For Legal Reasons"])
def test_a_repository_that_may_not_be_read_is_gone(
    mirror: Mirror, origin: Origin, hub: Hub, credentials: Credentials, status: str
) -> None:
    hub.answer = status

    with pytest.raises(Gone):
        mirror.update(origin.url, credentials=credentials)


def test_a_server_that_does_not_listen_is_unavailable(mirror: Mirror) -> None:
    with pytest.raises(Unavailable):
        mirror.update("http://127.0.0.1:9/acme/tool.git")


def test_a_token_that_ran_out_is_unavailable_so_that_a_fresh_one_is_tried(
    mirror: Mirror, origin: Origin, hub: Hub
) -> None:
    with pytest.raises(Unavailable, match="Authentication failed"):
        mirror.update(origin.url, credentials=Credentials(hub.url, "ghs_expired"))


def test_a_private_repository_without_a_token_is_gone(mirror: Mirror, origin: Origin) -> None:
    with pytest.raises(Gone):
        mirror.update(origin.url)


def test_a_renamed_repository_is_gone_under_its_old_name_and_no_redirect_is_followed(
    mirror: Mirror, origin: Origin, hub: Hub, credentials: Credentials, tmp_path: Path
) -> None:
    with serving(Hub(tmp_path / "elsewhere")) as elsewhere:
        hub.redirect_to = elsewhere.url

        with pytest.raises(Gone, match="301"):
            mirror.update(origin.url, credentials=credentials)

    assert elsewhere.authorizations == []


def test_the_token_is_told_to_its_own_origin_alone(mirror: Mirror, credentials: Credentials, tmp_path: Path) -> None:
    with serving(Hub(tmp_path / "elsewhere")) as elsewhere:
        elsewhere.create()

        with pytest.raises(Gone):
            mirror.update(elsewhere.url_of(), credentials=credentials)

    assert set(elsewhere.authorizations) == {""}


def test_the_mirror_on_disk_holds_neither_token_nor_address(
    mirror: Mirror, origin: Origin, hub: Hub, credentials: Credentials, base: str
) -> None:
    mirror.push(origin.url, a_commit(mirror, base), BRANCH, expect=None, credentials=credentials)

    written = b"".join(path.read_bytes() for path in mirror.path.rglob("*") if path.is_file())
    assert TOKEN.encode() not in written
    assert hub.url.encode() not in written
    assert "x-access-token" not in repr(credentials) + str(mirror)
    assert TOKEN not in repr(credentials)


def test_an_address_with_a_user_name_or_another_protocol_is_refused(mirror: Mirror) -> None:
    for url in ("https://x:y@example.com/a.git", "ext::sh -c id", "ssh://example.com/a", "--upload-pack=x", "a/b"):
        with pytest.raises(Refused):
            mirror.update(url)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to another user")
def test_a_clone_owned_by_another_user_works(mirror: Mirror, bench: Bench) -> None:
    sha = bench.origin.commit({"a.py": b"a\n"})
    for path in (bench.mirror.path, *bench.mirror.path.rglob("*")):
        os.chown(path, 1000, 1000)

    mirror.update(str(bench.mirror.path))
    for path in (mirror.path, *mirror.path.rglob("*")):
        os.chown(path, 1000, 1000)
    mirror.update(str(bench.mirror.path))

    assert mirror.read(sha, "a.py") == b"a\n"
    assert bench.mirror.head("main") == sha


# --- What is brought to a server without a branch


def test_a_commit_is_brought_to_the_server_beside_all_branches_and_taken_away_again(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    first, second = a_commit(mirror, base), a_commit(mirror, base, b"again\n")

    mirror.stage(origin.url, first, "a1", credentials=credentials)
    mirror.stage(origin.url, second, "a1", credentials=credentials)

    assert refs_of(origin) == {"refs/heads/main": base, "refs/selfcode/a1": second}
    mirror.unstage(origin.url, "a1", credentials=credentials)
    mirror.unstage(origin.url, "a1", credentials=credentials)
    assert refs_of(origin) == {"refs/heads/main": base}
    assert Mirror(origin.path).has(second)


def test_a_server_that_takes_no_such_refs_says_so_in_its_words(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    origin.hook("pre-receive", "echo 'only branches here' >&2; exit 1")

    with pytest.raises(Refused, match="only branches here"):
        mirror.stage(origin.url, a_commit(mirror, base), "a1", credentials=credentials)


def test_a_name_that_is_no_word_is_no_ref(mirror: Mirror, origin: Origin, base: str) -> None:
    for name in ("", "../heads/main", "a b", "a.lock"):
        with pytest.raises(Refused):
            mirror.stage(origin.url, base, name)


def test_the_few_commits_that_others_do_not_hold_are_told_whole_parents_first(mirror: Mirror, base: str) -> None:
    first = a_commit(mirror, base)
    second = a_commit(mirror, first, b"again\n")

    written = mirror.written(second, besides=[base])

    assert [(commit.sha, commit.parents) for commit in written] == [(first, (base,)), (second, (first,))]
    assert written[1].tree == mirror.tree_with(second, {})
    assert written[1].message == "Fix"
    assert mirror.written(base, besides=[base]) == ()


def refs_of(origin: Origin) -> dict[str, str]:
    told = run_git(["for-each-ref", "--format=%(refname) %(objectname)"], repository=origin.path).decode()
    return dict(line.split(" ") for line in told.splitlines())


# --- Pushing


def test_a_push_creates_the_branch_and_the_same_push_again_finds_it_done(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    sha = a_commit(mirror, base)

    mirror.push(origin.url, sha, BRANCH, expect=None, credentials=credentials)
    mirror.push(origin.url, sha, BRANCH, expect=None, credentials=credentials)

    assert origin.head(BRANCH) == sha


def test_a_push_over_one_megabyte_arrives(mirror: Mirror, origin: Origin, credentials: Credentials, base: str) -> None:
    sha = a_commit(mirror, base, os.urandom(3_000_000))

    mirror.push(origin.url, sha, BRANCH, expect=None, credentials=credentials)

    assert origin.head(BRANCH) == sha


def test_a_branch_of_an_earlier_run_is_fetched_and_replaced_with_a_lease_on_its_commit(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    earlier = origin.commit({"old.py": b"old\n"}, branch=BRANCH, onto=base)
    sha = a_commit(mirror, base)

    found = mirror.fetch_branch(origin.url, BRANCH, credentials=credentials)
    mirror.push(origin.url, sha, BRANCH, expect=found, credentials=credentials)

    assert found == earlier
    assert origin.head(BRANCH) == sha


def test_a_branch_that_was_deleted_between_is_told_apart_from_a_network_failure(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    earlier = origin.commit({"old.py": b"old\n"}, branch=BRANCH, onto=base)
    sha = a_commit(mirror, base)
    origin.delete(BRANCH)

    with pytest.raises(Moved) as moved:
        mirror.push(origin.url, sha, BRANCH, expect=earlier, credentials=credentials)

    assert moved.value.found is None
    assert mirror.fetch_branch(origin.url, BRANCH, credentials=credentials) is None


def test_a_persons_commit_on_our_branch_is_never_pushed_over(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    ours = a_commit(mirror, base)
    mirror.push(origin.url, ours, BRANCH, expect=None, credentials=credentials)
    theirs = origin.commit({"human.py": b"mine\n"}, branch=BRANCH)

    with pytest.raises(Moved) as moved:
        mirror.push(origin.url, a_commit(mirror, base, b"again\n"), BRANCH, expect=ours, credentials=credentials)

    assert moved.value.found == origin.head(BRANCH) == theirs
    assert mirror.fetch_branch(origin.url, BRANCH, credentials=credentials) == theirs
    assert mirror.is_ancestor(ours, theirs)


def test_a_persons_commit_that_arrives_during_our_push_is_kept(
    mirror: Mirror, origin: Origin, hub: Hub, credentials: Credentials, base: str
) -> None:
    ours = a_commit(mirror, base)
    mirror.push(origin.url, ours, BRANCH, expect=None, credentials=credentials)
    hub.before_push = lambda: origin.commit({"human.py": b"mine\n"}, branch=BRANCH, onto=ours)

    with pytest.raises(Moved) as moved:
        mirror.push(origin.url, a_commit(mirror, base, b"again\n"), BRANCH, expect=ours, credentials=credentials)

    assert moved.value.found == origin.head(BRANCH)
    assert mirror.has(ours)


def test_a_branch_that_someone_else_made_first_is_not_taken(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    theirs = origin.commit({"human.py": b"mine\n"}, branch=BRANCH, onto=base)

    with pytest.raises(Moved):
        mirror.push(origin.url, a_commit(mirror, base), BRANCH, expect=None, credentials=credentials)

    assert origin.head(BRANCH) == theirs


def test_a_rule_that_refuses_the_push_is_told_in_its_own_words_without_secrets(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    origin.hook(
        "pre-receive",
        f"echo 'error: GH013: Repository rule violations found' >&2; echo 'saw {TOKEN}' >&2;"
        "echo '- Commits must have verified signatures.' >&2; exit 1",
    )

    with pytest.raises(Refused) as refused:
        mirror.push(origin.url, a_commit(mirror, base), BRANCH, expect=None, credentials=credentials)

    assert "GH013" in str(refused.value)
    assert "Commits must have verified signatures." in str(refused.value)
    assert TOKEN not in str(refused.value)
    assert origin.head(BRANCH) is None


def test_a_workflow_file_that_github_refuses_is_told_in_its_own_words(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    said = "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml`"
    origin.hook("update", f"echo '{said} without `workflows` permission' >&2; exit 1")

    with pytest.raises(Refused, match=r"\.github/workflows/ci\.yml` without `workflows` permission"):
        mirror.push(origin.url, a_commit(mirror, base), BRANCH, expect=None, credentials=credentials)


def test_a_push_to_a_server_in_trouble_is_unavailable(
    mirror: Mirror, origin: Origin, hub: Hub, credentials: Credentials, base: str
) -> None:
    hub.answer = "503 Service Unavailable"

    with pytest.raises(Unavailable):
        mirror.push(origin.url, a_commit(mirror, base), BRANCH, expect=None, credentials=credentials)


def test_an_internal_error_of_the_server_is_not_taken_for_a_rule(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    origin.hook("pre-receive", "echo 'Internal Server Error' >&2; exit 1")

    with pytest.raises(Unavailable):
        mirror.push(origin.url, a_commit(mirror, base), BRANCH, expect=None, credentials=credentials)


def test_deleting_a_branch_that_is_gone_is_done(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    sha = a_commit(mirror, base)
    mirror.push(origin.url, sha, BRANCH, expect=None, credentials=credentials)

    mirror.delete_branch(origin.url, BRANCH, expect=sha, credentials=credentials)
    mirror.delete_branch(origin.url, BRANCH, expect=sha, credentials=credentials)

    assert origin.head(BRANCH) is None


def test_a_branch_that_someone_pushed_to_is_not_deleted(
    mirror: Mirror, origin: Origin, credentials: Credentials, base: str
) -> None:
    sha = a_commit(mirror, base)
    theirs = origin.commit({"human.py": b"mine\n"}, branch=BRANCH, onto=base)

    with pytest.raises(Moved):
        mirror.delete_branch(origin.url, BRANCH, expect=sha, credentials=credentials)

    assert origin.head(BRANCH) == theirs


def test_pointer_files_of_lfs_go_through_unchanged_and_no_filter_runs(
    mirror: Mirror, origin: Origin, credentials: Credentials
) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 5\n"
    attributes = b"*.bin filter=lfs diff=lfs merge=lfs -text\n"
    base = origin.commit({".gitattributes": attributes, "big.bin": File(pointer)})
    mirror.update(origin.url, credentials=credentials)
    sha = a_commit(mirror, base)

    mirror.push(origin.url, sha, BRANCH, expect=None, credentials=credentials)

    assert Mirror(origin.path).read(sha, "big.bin") == pointer
    assert mirror.read(base, "big.bin") == pointer


def test_a_commit_written_twice_is_one(mirror: Mirror, base: str) -> None:
    assert a_commit(mirror, base) == a_commit(mirror, base)
