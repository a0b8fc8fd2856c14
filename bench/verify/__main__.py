"""The command line: `python -m bench.verify choose|setup|run|report`."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.verify.choosing import newest
from bench.verify.places import CACHE, Places
from bench.verify.records import FIXES, Break, Collection, Project, cases, read_collection
from bench.verify.report import report
from bench.verify.running import Run, go, verified_in
from bot.errors import ConfigError
from sandbox import backends


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked for; exit code 1: something is left to be done, 2: it can't be done as it was asked for."""
    chosen = _parser().parse_args(arguments)
    collection = read_collection(chosen.fixes)
    try:
        projects = collection.named(chosen.projects)
        match chosen.verb:
            case "setup":
                Places(chosen.into).set_up(projects, _say)
            case "choose":
                _choose(collection, projects, Places(chosen.into))
            case "run":
                return 0 if _run(chosen, projects) else 1
            case _:
                print(report(collection, verified_in(chosen.out)))
    except (ConfigError, ValueError) as problem:
        _say(f"bench.verify: {problem}")
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.verify", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    setup = verbs.add_parser("setup", help="clone the projects, and install what their tests need")
    choose = verbs.add_parser("choose", help="print the commits that the rule takes, as fixes.toml has them")
    run = verbs.add_parser("run", help="verify; run the same again to go on where it was cut")
    told = verbs.add_parser("report", help="print the tables")
    for verb in (setup, choose, run, told):
        verb.add_argument("projects", nargs="*", help="names of projects (default: all)")
        verb.add_argument("--fixes", type=Path, default=FIXES)
        verb.add_argument("--into", type=Path, default=CACHE, help="the folder that setup fills")
    for verb in (run, told):
        verb.add_argument("--out", type=Path, required=True, help="the folder of the results")
    run.add_argument("--break", dest="breaks", type=Break, choices=list(Break), action="append")
    run.add_argument("--sandbox", choices=backends.names(), default="bubblewrap")
    run.add_argument("--limit-minutes", type=float, help="stop between two verifications after so long")
    return parser


def _run(chosen: argparse.Namespace, projects: Sequence[Project]) -> bool:
    until = time.monotonic() + 60 * chosen.limit_minutes if chosen.limit_minutes else None
    run = Run(
        places=Places(chosen.into),
        results=chosen.out,
        sandbox=chosen.sandbox,
        tell=_say,
        over=lambda: until is not None and time.monotonic() > until,
    )
    return go(run, cases(projects, chosen.breaks or list(Break)))


def _choose(collection: Collection, projects: Sequence[Project], places: Places) -> None:
    for project in projects:
        repository = places.repository(project)
        print(f"# {project.name}")
        for commit in newest(repository, project, until=collection.until, count=collection.each):
            print(f'[[project.fix]]  # {commit.subject}\nbase = "{commit.parent}"\nhead = "{commit.sha}"')


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
