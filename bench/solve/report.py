"""The figures of a run as Markdown, and its pictures."""

from collections.abc import Sequence
from pathlib import Path

from bench.solve.figures import ITERATIONS, Compared, Figures, compared
from bench.solve.records import Attempt, Kind
from bench.solve.running import Plan, attempts_in, plan_in
from bot.errors import ConfigError
from bot.writing.curves import Curve, curves
from bot.writing.palette import Caption
from bot.writing.shares import Share, sign_test

TITLES = {Kind.PROGRAM: "Programs", Kind.REPOSITORY: "Repositories"}
EVERYTHING = "All tasks"


def write_report(folder: Path, systems: Sequence[str]) -> str:
    """Write `report.md` and a picture for each part beside the attempts; return the Markdown.

    Raises `ConfigError` where nothing was measured yet.
    """
    plan, attempts = plan_in(folder), attempts_in(folder)
    everything = compared(attempts, systems)
    if not everything.tasks:
        raise ConfigError(f"{folder} holds no task yet that every system was measured on: run it first")
    parts = _parts(everything)
    lines = [f"# Solved tasks: {plan.model}", "", _about(plan, attempts, everything), ""]
    for name, part in parts:
        file = f"solved-{name.lower().replace(' ', '-')}.svg"
        caption = Caption(f"{name} solved by iteration, n = {len(part.tasks)}", _subtitle(plan, attempts))
        drawn = [Curve(each.system, each.solved, each.count) for each in part.figures()]
        (folder / file).write_text(curves(drawn, caption), encoding="utf-8")
        lines += [f"## {name}", "", f"![{caption.title}]({file})", "", *_table(part), "", *_pairs(part), ""]
    lines += ["## Task by task", "", *_by_task(everything)]
    text = "\n".join(lines) + "\n"
    (folder / "report.md").write_text(text, encoding="utf-8")
    return text


def _parts(everything: Compared) -> Sequence[tuple[str, Compared]]:
    kinds = [(TITLES[kind], everything.of_kind(kind)) for kind in Kind]
    found = [(name, part) for name, part in kinds if part.tasks]
    return found if len(found) == 1 else [*found, (EVERYTHING, everything)]


def _about(plan: Plan, attempts: Sequence[Attempt], everything: Compared) -> str:
    budget = plan.budget
    seed = f"seed {plan.seed}" + ("" if plan.sends_seed else " (for the sample alone)")
    tasks = f"n = {len(everything.tasks)} of {len(plan.tasks)} tasks"
    reply = f", {budget.reply_tokens:,} tokens a reply" if budget.reply_tokens else ""
    limits = f"{budget.iterations} iterations (mini-swe-agent: {budget.steps} calls), {budget.tokens:,} tokens"
    words = [
        f"Model {plan.model}, {seed}, {_dates(attempts)}, sandbox {plan.sandbox}, {tasks}.",
        f"One attempt: at most {limits}, {budget.seconds:g} s{reply}.",
        "Shares with 95 % intervals by Wilson's score.",
        "mini-swe-agent knows no iterations: what it leaves counts as the first.",
        f"Settings that are no defaults: {_settings(plan)}.",
        f"Prices: {plan.prices}." if plan.prices else "No price is known.",
    ]
    if everything.left_out:
        words.append(f"{everything.left_out} tasks that not every system was measured on are left out.")
    if failed := sum(attempt.failed for attempt in attempts):
        words.append(f"{failed} attempts could not be made, and are left out.")
    if any(attempt.used.estimated for attempt in attempts):
        words.append("The server gave no figures for some calls: their tokens are estimated.")
    return "\n".join(words)


def _settings(plan: Plan) -> str:
    return ", ".join(f"{name} {value}" for name, value in plan.settings.items()) or "none"


def _subtitle(plan: Plan, attempts: Sequence[Attempt]) -> str:
    return f"{plan.model} · seed {plan.seed} · {_dates(attempts)} · bands: 95 % intervals"


def _dates(attempts: Sequence[Attempt]) -> str:
    days = sorted({attempt.at[:10] for attempt in attempts})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _table(part: Compared) -> Sequence[str]:
    solved = [f"solved@{number}" for number in range(1, ITERATIONS + 1)]
    columns = [
        "system",
        "n",
        *solved,
        "tokens / solved",
        "tokens / task",
        "of them cached",
        "calls / task",
        "USD / solved",
    ]
    head = [*columns, "median s"]
    return [_row(head), _row(["---"] * len(head)), *(_row(_cells(figures)) for figures in part.figures())]


def _cells(figures: Figures) -> Sequence[str]:
    n = figures.count
    cost = figures.cost_per_solved
    return [
        figures.system,
        str(n),
        *(_share(solved, n) for solved in figures.solved),
        "–" if figures.tokens_per_solved is None else f"{figures.tokens_per_solved:,.0f}",
        f"{figures.tokens / n:,.0f}",
        f"{100 * figures.cached_tokens / figures.tokens:.0f} %" if figures.tokens else "–",
        f"{figures.calls / n:.1f}",
        "–" if cost is None else f"{cost:.4f}",
        f"{figures.median_s:.1f}",
    ]


def _share(solved: int, count: int) -> str:
    share = Share(solved, count)
    return f"{solved} · {share} ({share.range.removesuffix(' %')})"


def _pairs(part: Compared) -> Sequence[str]:
    if not part.pairs():
        return []
    head = ["side by side", "both", "only the first", "only the second", "neither", "p (exact McNemar)"]
    rows = [
        [
            f"{pair.one}, {pair.other}",
            *map(str, (pair.both, pair.only_one, pair.only_other, pair.neither)),
            f"{sign_test(pair.only_one, pair.only_other):.3f}",
        ]
        for pair in part.pairs()
    ]
    return [_row(head), _row(["---"] * len(head)), *map(_row, rows)]


def _by_task(everything: Compared) -> Sequence[str]:
    """The iteration after which each task was solved for good, and the tokens that it took."""
    head = ["task", *everything.attempts]
    rows = [[task, *(_told(made[task]) for made in everything.attempts.values())] for task in everything.tasks]
    return [_row(head), _row(["---"] * len(head)), *map(_row, rows)]


def _told(attempt: Attempt) -> str:
    tokens = f"{attempt.used.tokens:,} tokens"
    if not attempt.solved:
        return f"no, {tokens}"
    return f"yes, at {next(number for number, solved in enumerate(attempt.steps, 1) if solved)}, {tokens}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
