"""What a proof was made of, so that anybody's difference from it can be explained. Pure, but for `versions_in`."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

from bot.records import ImageIdentity, Proof, Provenance, TestPlan
from sandbox import Workspace

SECONDS = 30.0
KEPT_AT_MOST = 20
_WORDS = re.compile(r"[\s;&|(){}'\"]+")
_PYTHON = re.compile(r"(.*/)?(python|pypy)[\d.]*")
_PROGRAMS: Mapping[str, tuple[str, frozenset[str]]] = {
    "pytest": ("--version", frozenset({"pytest"})),
    "uv": ("--version", frozenset({"uv"})),
    "go": ("version", frozenset({"go"})),
    "cargo": ("--version", frozenset({"cargo"})),
    "rustc": ("--version", frozenset({"cargo", "rustc"})),
    "deno": ("--version", frozenset({"deno"})),
    "bun": ("--version", frozenset({"bun"})),
}
"""Each with what asks it for its version, and the programs and readers that it belongs to."""

_PYTHONS = ("python3", "python")
_PYTHONS_OWN = frozenset({"pytest"})
"""What a Python that the command names tells by itself: the program of that name may be another one's."""
_OF_PYTHON = frozenset({"pytest", "py.test", "unittest", "tox", "nox", "coverage", "trial", "nose2", "zope-testrunner"})
_PACKAGES_OF_PYTHON: Mapping[str, frozenset[str]] = {
    "pytest": frozenset({"pytest", "py.test"}),
    "pytest-xdist": frozenset({"pytest", "py.test"}),
    "hypothesis": frozenset({"pytest", "py.test", "unittest"}),
    "tox": frozenset({"tox"}),
    "nox": frozenset({"nox"}),
}
_OF_NODE = frozenset({"node", "npm", "npx", "pnpm", "yarn"})
_PACKAGES_OF_NODE = ("jest", "vitest", "mocha", "tape", "tap", "ava")
_ASK_PYTHON = """\
import importlib.metadata as metadata, sys
print("python", sys.version.split()[0])
for name in {names}:
    try:
        print(name, metadata.version(name))
    except metadata.PackageNotFoundError:
        pass
"""
_ASK_NODE = """\
console.log("node " + process.version);
for (const name of {names}) {
  try { console.log(name + " " + require(process.cwd() + "/node_modules/" + name + "/package.json").version); } catch {}
}
"""
_LINE = re.compile(r"(?P<name>[a-z][a-z0-9.-]{0,30})\b.*?\bv?(?:go)?(?P<version>\d[\w.+!-]{0,40})\b.*")


def provenance_of(
    base: str, head: str, *, plan: TestPlan, sandbox: str, image: ImageIdentity, versions: Mapping[str, str]
) -> Provenance:
    """The provenance of a proof; `versions` are those of the programs in its workspaces."""
    return Provenance(
        base=base,
        head=head,
        command=plan.test,
        build=plan.build,
        directory=plan.directory,
        sandbox=sandbox,
        image=image.name,
        image_digest=image.digest,
        base_image=image.base,
        base_image_digest=image.base_digest,
        versions={**own_version(), **versions},
    )


def with_head(proof: Proof, head: str) -> Proof:
    """The proof, its provenance naming the commit that its tree became."""
    if proof.provenance is None:
        return proof
    return replace(proof, provenance=replace(proof.provenance, head=head))


def staleness(provenance: Provenance, head_sha: str) -> str:
    """Why a proof says nothing of the commit that is the head now, in a sentence; "" where it is of that very one."""
    if provenance.head == head_sha:
        return ""
    if not provenance.head:
        return f"This proof does not name the commit that it is of; the head is `{head_sha[:12]}` now."
    return (
        f"This proof is of `{provenance.head[:12]}`; the head is `{head_sha[:12]}` now, of which it says nothing: "
        "it is stale."
    )


def own_version() -> Mapping[str, str]:
    """The version of selfcode itself, where it is installed as a package."""
    try:
        return {"selfcode": version("selfcode")}
    except PackageNotFoundError:
        return {}


def versions_in(workspace: Workspace, plan: TestPlan, reader: str = "") -> Mapping[str, str]:
    """The versions of what the plan's commands start, as the workspace's own programs tell them: data, and bounded.

    `reader` names the test programs that were seen to run, whatever started them. What is not there, or says nothing
    within seconds, is left out. Raises `SandboxError` when the sandbox fails.
    """
    asked = question(f"{plan.build}\n{plan.test}", reader)
    told = workspace.run(asked, timeout_s=SECONDS, directory=plan.directory)
    return versions_told(told.stdout)


def question(commands: str, reader: str = "") -> str:
    """One shell command that has what belongs to these commands tell its version, a line each: no other program."""
    words = dict.fromkeys(_WORDS.split(commands))
    return "\n".join(_questions([word for word in words if word], frozenset(reader.split(" + ")))) + "\ntrue"


def _questions(words: list[str], ran: frozenset[str]) -> Iterator[str]:
    named = {word.rpartition("/")[2]: word for word in words}
    all_of = named.keys() | ran
    python = next((word for word in words if _PYTHON.fullmatch(word)), "")
    if python or _OF_PYTHON & all_of:
        text = _ASK_PYTHON.replace("{names}", repr([name for name, of in _PACKAGES_OF_PYTHON.items() if of & all_of]))
        asked = (f"{shlex.quote(each)} -I -c {shlex.quote(text)}" for each in ([python] if python else _PYTHONS))
        yield f"{{ {' || '.join(asked)}; }} 2>/dev/null"
    for program, (flag, of) in _PROGRAMS.items():
        if of & all_of and not (python and program in _PYTHONS_OWN):
            yield f"{shlex.quote(named.get(program, program))} {flag} 2>/dev/null | head -n 1"
    packages = [name for name in _PACKAGES_OF_NODE if name in all_of]
    if _OF_NODE & all_of or set(packages) & (ran | named.keys()) - {"tap"}:
        text = _ASK_NODE.replace("{names}", json.dumps(packages))
        yield f"node -e {shlex.quote(text)} 2>/dev/null"


def versions_told(output: str) -> Mapping[str, str]:
    """What the lines say that name a program and its version."""
    found = (_LINE.fullmatch(line.strip()[:200]) for line in output.splitlines()[: 2 * KEPT_AT_MOST])
    told = {match["name"]: match["version"] for match in found if match}
    return dict(list(told.items())[:KEPT_AT_MOST])
