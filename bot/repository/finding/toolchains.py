"""Go and Rust: their tests without the network, from caches in the image that the tests' user can read. Pure."""

import re
from collections.abc import Iterator

from bot.repository.finding.apt import programs
from bot.repository.finding.formats import table
from bot.repository.finding.proposal import Proposal, Step
from bot.repository.finding.python_build import RUST
from bot.repository.finding.shell import quoted, with_variables
from bot.repository.finding.tree import Tree

_GO = (("GOMODCACHE", "/opt/selfcode/go"),)
_GO_TEST = re.compile(r"_test\.go$")


def go_proposal(tree: Tree) -> Proposal | None:
    """`go test` over all packages; over all modules where there is a go.work."""
    if not (file := tree.first("go.work", "go.mod")) or not any(tree.matching(_GO_TEST)):
        return None
    packages = "$(go list -f '{{.Dir}}/...' -m)" if file == "go.work" else "./..."
    is_vendored = "vendor/modules.txt" in tree
    setup = [
        programs(
            [("go", "golang-go"), ("gcc", "gcc"), ("ld", "libc6-dev")], reason=f"{file}: Go, where the image has none"
        )
    ]
    if (
        re.search(r"^\s*require\b|^\s+\S+\.\S+\s+v\d", tree.text("go.mod") + tree.text("go.work"), re.MULTILINE)
        and not is_vendored
    ):
        setup.append(
            Step(with_variables("go mod download", _GO), f"{file}: its modules, kept where the tests can read them")
        )
    test = with_variables(f"go test {packages}", () if is_vendored else (*_GO, ("GOPROXY", "off")))
    reason = f"{file}: a Go module with tests" + ("; its modules are in vendor/" if is_vendored else "")
    return Proposal(test=Step(test, reason), source=file, setup=tuple(setup))


def rust_proposal(tree: Tree) -> Proposal | None:
    """`cargo test`, over the whole workspace where there is one, and on after a program whose tests fail."""
    if "Cargo.toml" not in tree:
        return None
    manifest = tree.toml("Cargo.toml")
    words = ["cargo", "test", "--offline", "--no-fail-fast"]
    words += ["--workspace"] if "workspace" in manifest else []
    words += ["--locked"] if "Cargo.lock" in tree else []
    return Proposal(
        test=Step(
            with_variables(quoted(words), RUST),
            "Cargo.toml: " + ("a workspace" if "workspace" in manifest else "a package"),
        ),
        source="Cargo.toml",
        setup=tuple(_rust_setup(tree, table(manifest, "dependencies"), table(manifest, "dev-dependencies"))),
    )


def _rust_setup(tree: Tree, *dependencies: object) -> Iterator[Step]:
    yield programs([("cargo", "cargo"), ("cc", "gcc")], reason="Cargo.toml: Rust, where the image has none")
    if any(dependencies) or "Cargo.lock" in tree:
        locked = " --locked" if "Cargo.lock" in tree else ""
        yield Step(
            with_variables(f"cargo fetch{locked}", RUST), "Cargo.toml: its crates, kept where the tests can read them"
        )
