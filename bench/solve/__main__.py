"""The command line of the benchmark: `python -m bench.solve setup|check|run|report`."""

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.solve import building, humaneval
from bench.solve.judging import Judge
from bench.solve.loading import load
from bench.solve.packages import NotFetched
from bench.solve.provisions import CACHE, Provisions
from bench.solve.records import Budget, Endpoint, System, Task
from bench.solve.report import write_report
from bench.solve.running import Plan, Run, go, sample
from bench.solve.selfcheck import check
from bench.solve.systems.mini_swe_agent import MiniSweAgent, Speech
from bench.solve.systems.plain import Plain
from bench.solve.systems.selfcode import Selfcode
from bench.solve.viewing import WINDOWS, viewed
from bot.agent import known_prices
from bot.agent.prices import Prices, Pricing
from bot.backtest.tasks import RepositoryTask, task_folders
from bot.errors import ConfigError, Refused, Unavailable
from bot.records import Reproduce
from bot.settings import read_settings
from bot.wire.sandboxes import answering_sandbox, sandbox_options
from sandbox import SandboxUnavailable, backends

SYSTEMS = ("plain", "mini-swe-agent", "selfcode")
OWN_TASKS = Path(__file__).parent / "tasks"
AGENT_SETTINGS = (
    "SELFCODE_CANDIDATES",
    "SELFCODE_CANDIDATES_AT_ONCE",
    "SELFCODE_CRITIC_MODEL",
    "SELFCODE_DIALECT",
    "SELFCODE_MAX_CALLS",
)
OPENAI = "https://api.openai.com/v1"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked for; exit code 1: something is left or failed, 2: it can't be done as it was asked for."""
    chosen = _parser().parse_args(arguments)
    try:
        match chosen.verb:
            case "check":
                return 0 if check(_tasks(chosen), _judge(chosen), _say) else 1
            case "run":
                return _measure(chosen)
            case "setup":
                _set_up(chosen)
            case "view":
                _tell_views([task for task in _tasks(chosen) if isinstance(task, RepositoryTask)])
            case _:
                print(write_report(chosen.folder, SYSTEMS))
    except (ConfigError, Refused) as problem:
        print(f"bench.solve: {problem}", file=sys.stderr)
        return 2
    except Unavailable as away:
        print(f"bench.solve: {away}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.solve", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    setup = verbs.add_parser("setup", help="fetch HumanEval and mini-swe-agent, once")
    tested = verbs.add_parser("check", help="see that known solutions pass the judges and that nothing else does")
    view = verbs.add_parser("view", help="see how often the lines to change are in what a model is shown at first")
    run = verbs.add_parser("run", help="measure; run the same again to go on where it was cut")
    report = verbs.add_parser("report", help="print and write the figures of a run")
    report.add_argument("folder", type=Path)
    for verb in (setup, tested, view, run):
        verb.add_argument("--cache", type=Path, default=CACHE)
        verb.add_argument("--tasks", type=Path, nargs="*", default=[], help="folders of tasks")
    for verb in (tested, view, run):
        verb.add_argument("--sample", type=int, help="so many of these tasks (default: all)")
        verb.add_argument("--humaneval", type=int, default=0, metavar="N", help="so many of HumanEval's problems")
        verb.add_argument("--seed", type=int, default=1)
    for verb in (tested, run):
        verb.add_argument("--sandbox", choices=backends.names(), help="default: the strongest that answers")
        verb.add_argument("--image", default="", help="the image of the docker sandbox")
    _add_measuring(run)
    return parser


def _add_measuring(run: argparse.ArgumentParser) -> None:
    budget = Budget()
    run.add_argument("--systems", default=",".join(SYSTEMS))
    run.add_argument("--model", default=os.environ.get("SELFCODE_MODEL", ""))
    run.add_argument("--base-url", default=os.environ.get("OPENAI_BASE_URL", OPENAI))
    run.add_argument("--out", type=Path, required=True)
    run.add_argument("--replace", action="append", choices=SYSTEMS, default=[], help="measure this system again")
    run.add_argument("--limit-minutes", type=float, help="stop between two attempts after so long")
    run.add_argument("--tokens", type=int, default=budget.tokens, help="of one attempt")
    run.add_argument("--seconds", type=float, default=budget.seconds, help="of one attempt")
    run.add_argument("--steps", type=int, default=budget.steps, help="calls of mini-swe-agent in one attempt")
    run.add_argument("--reply-tokens", type=int, help="the longest reply, for all systems alike")
    run.add_argument("--window", type=int, metavar="TOKENS", help="a small window, told to those that heed one")
    run.add_argument("--no-seed", action="store_true", help="for servers that refuse `seed`")
    run.add_argument("--reproduce", choices=[str(each) for each in Reproduce], help="of selfcode, in repositories")
    run.add_argument("--mini-in-words", action="store_true", help="mini-swe-agent without tool calls")
    run.add_argument("--usd", type=float, nargs=2, metavar=("IN", "OUT"), help="prices of a million tokens")


def _measure(chosen: argparse.Namespace) -> int:
    if not chosen.model:
        raise ConfigError("there is no model: name one with --model, or set SELFCODE_MODEL")
    tasks = _tasks(chosen)
    settings = _settings(chosen)
    endpoint = Endpoint(chosen.base_url.rstrip("/"), chosen.model, os.environ.get("OPENAI_API_KEY") or "none")
    pricing, prices = _pricing(chosen)
    plan = Plan(
        model=chosen.model,
        seed=chosen.seed,
        sends_seed=not chosen.no_seed,
        budget=Budget(
            steps=chosen.steps, tokens=chosen.tokens, seconds=chosen.seconds, reply_tokens=chosen.reply_tokens
        ),
        sandbox=settings["SELFCODE_SANDBOX"],
        tasks=tuple(task.id for task in tasks),
        prices=prices,
        began=datetime.now(UTC).isoformat(timespec="seconds"),
        settings=_own_settings(chosen),
    )
    until = time.monotonic() + 60 * chosen.limit_minutes if chosen.limit_minutes else None
    judge = _judge(chosen)
    names = [name for name in chosen.systems.split(",") if name]
    run = Run(
        plan=plan,
        endpoint=endpoint,
        tasks=tasks,
        systems=[_system(name, chosen, judge, settings) for name in names],
        judge=judge,
        pricing=pricing,
        folder=chosen.out,
        tell=_say,
        over=lambda: until is not None and time.monotonic() > until,
    )
    is_done = go(run, again=chosen.replace)
    write_report(chosen.out, SYSTEMS)
    _say(f"report: {chosen.out / 'report.md'}")
    return 0 if is_done else 1


def _tasks(chosen: argparse.Namespace) -> Sequence[Task]:
    """The fixed random sample, in a fixed random order: what is measured of a cut run is a random sample too."""
    given = load(chosen.tasks, cache=chosen.cache) if chosen.tasks else ()
    found = [*sample(given, len(given) if chosen.sample is None else chosen.sample, seed=chosen.seed)]
    if chosen.humaneval:
        problems = humaneval.tasks_of(Provisions(chosen.cache).problems())
        found += sample(problems, chosen.humaneval, seed=chosen.seed)
    if not found:
        raise ConfigError("there are no tasks: name folders with --tasks, or problems with --humaneval N")
    return sample(found, len(found), seed=chosen.seed)


def _tell_views(tasks: Sequence[RepositoryTask]) -> None:
    print("| window, tokens | lines to change in view | mean length, characters |\n| --- | --- | --- |")
    for window in WINDOWS:
        found = viewed(tasks, window)
        print(f"| {window:,} | {found.in_view} of {found.count} | {found.mean_chars:,} |", flush=True)


def _set_up(chosen: argparse.Namespace) -> None:
    Provisions(chosen.cache).set_up(_say)
    try:
        building.fetch(task_folders(chosen.tasks or [OWN_TASKS]), chosen.cache)
    except NotFetched as problem:
        raise ConfigError(f"the set-up failed: {problem}") from problem


def _system(name: str, chosen: argparse.Namespace, judge: Judge, settings: Mapping[str, str]) -> System:
    match name:
        case "plain":
            return Plain(judge, chosen.window)
        case "selfcode":
            reproduce = Reproduce(chosen.reproduce) if chosen.reproduce else None
            return Selfcode(settings, reproduce, chosen.out / "traces")
        case "mini-swe-agent":
            provisions = Provisions(chosen.cache)
            speech = Speech.WORDS if chosen.mini_in_words else Speech.TOOLS
            return MiniSweAgent(provisions.mini_swe_agent, provisions.cache / "sockets", speech)
        case _:
            raise ConfigError(f"there is no system {name!r}: choose from {', '.join(SYSTEMS)}")


def _judge(chosen: argparse.Namespace) -> Judge:
    return Judge(answering_sandbox(read_settings(_settings(chosen))))


def _settings(chosen: argparse.Namespace) -> Mapping[str, str]:
    """The environment's settings, with the sandbox that was named, or the strongest that answers."""
    settings = {**os.environ, "SELFCODE_HOME": str(chosen.cache / "home")}
    if window := getattr(chosen, "window", None):
        settings["SELFCODE_WINDOW_TOKENS"] = str(window)
    if chosen.image:
        settings["SELFCODE_SANDBOX_IMAGE"] = chosen.image
    return {**settings, "SELFCODE_SANDBOX": chosen.sandbox or _strongest(settings)}


def _strongest(settings: Mapping[str, str]) -> str:
    try:
        return backends.strongest(sandbox_options(read_settings(settings))).name
    except SandboxUnavailable as problem:
        _say(f"NO SANDBOX: {problem}\nWhat models write runs with your own rights.")
        return "process"


def _own_settings(chosen: argparse.Namespace) -> Mapping[str, str]:
    """What the agents are told that is not their default, for the report."""
    given = {name: os.environ[name] for name in AGENT_SETTINGS if os.environ.get(name)}
    given |= {"reproduce": chosen.reproduce} if chosen.reproduce else {}
    given |= {"window": f"{chosen.window:,} tokens"} if chosen.window else {}
    return given | ({"mini-swe-agent": str(Speech.WORDS)} if chosen.mini_in_words else {})


def _pricing(chosen: argparse.Namespace) -> tuple[Pricing | None, str]:
    """What calls cost, and where that is known from."""
    if chosen.usd:
        given = Prices(*chosen.usd)
        return given, f"{given.input_usd:g} USD in, {given.output_usd:g} USD out for a million tokens, as given"
    listed = known_prices(chosen.model, endpoint=chosen.base_url)
    return listed, "the provider's list prices" if listed else ""


def _say(text: str) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
