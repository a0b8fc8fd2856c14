"""A backtest from its beginning to its end."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from bot.backtest.attempts import INTERRUPTED, Attempts
from bot.backtest.checking import Look, checked
from bot.backtest.kept import KeptLook, Lines, key_of_look, looks_in
from bot.backtest.sources import Source, kept_source, source_of
from bot.backtest.wanted import Means, Tell, Wanted
from bot.errors import Refused, Stopped, Unavailable
from bot.records import Backtest, CheckedFix
from bot.repository.locking import locked

CHECKED_AT_LEAST = 30
CHECKED_FOR_ONE = 5
"""Fixes that are checked for each one that is wanted, before it is given up to find so many."""

BASES_IN_A_ROW = 3
"""So many bases that can't be tested, and none that can: it is the set-up, and no matter of one commit."""


def look(wanted: Wanted, means: Means, *, tell: Tell) -> Backtest:
    """Find the fixes and check them, without a model. What was checked before in the folder is not checked again.

    Raises `Refused` for a repository, range or folder that can't be used, `ConfigError` for tasks; `Unavailable` where
    the sandbox is away. A stop ends it with what is known, and says so in `stopped`.
    """
    with alone_in(wanted):
        return _looked(wanted, means, tell).backtest


def run(wanted: Wanted, means: Means, *, tell: Tell) -> Backtest:
    """As `look`; then every bot at every fit fix, as far as the budget goes. Run again, it goes on.

    Raises as `look`, and `Refused` for a budget where a model's price is not known.
    """
    _refuse_unknown_prices(wanted, means, tell)
    with alone_in(wanted):
        looked = _looked(wanted, means, tell)
        attempts = Attempts(wanted, means, looked.source, looked.looks, tell)
        if not looked.stopped:
            if not means.sight.sandbox.isolated:
                tell(_NOT_ISOLATED)
            attempts.make()
        stopped = looked.stopped or attempts.stopped
        return replace(looked.backtest, replays=attempts.replays(), stopped=stopped)


_NOT_ISOLATED = (
    "note: in this sandbox code can read all that is on this machine, the repository's later commits too. The others "
    "keep them from it."
)


@contextmanager
def alone_in(wanted: Wanted) -> Iterator[None]:
    """The backtest's folder, which no other one uses meanwhile. Raises `Refused`."""
    with ExitStack() as held:
        try:
            wanted.folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(locked(wanted.folder / "lock", timeout_s=0))
        except OSError as problem:
            said = f"{wanted.folder} can't be used as the folder of results: {problem.strerror}."
            raise Refused(said) from problem
        except Unavailable as away:
            said = f"Another backtest is at work in {wanted.folder}: wait for it, or name another folder."
            raise Refused(said) from away
        yield


@dataclass(slots=True)
class _Search:
    """The search for fixes, and what it has come to."""

    wanted: Wanted
    means: Means
    tell: Tell
    source: Source
    looks: list[Look] = field(default_factory=list)
    stopped: str = ""

    @property
    def backtest(self) -> Backtest:
        return Backtest(
            repository=self.wanted.name,
            version=self.means.version,
            bots=tuple(bot.name for bot in self.wanted.bots),
            fixes=tuple(look.checked for look in self.looks),
            stopped=self.stopped,
        )

    def go(self) -> None:
        """Look at one fix after the other, until there are as many as are wanted."""
        kept = looks_in(self.wanted.folder)
        known = {each.key: each.look for each in kept}
        try:
            for found in self.source.fixes():
                if self.means.stop():
                    self.stopped = INTERRUPTED
                    return
                self.looks.append(self._seen(found, known, kept))
                self.stopped = self._why_in_vain()
                if self.stopped or self._is_enough():
                    return
        except Stopped:
            self.stopped = INTERRUPTED

    def _is_enough(self) -> bool:
        """Whether so many are fit, or so many were run in vain; of a range or of tasks all are wanted."""
        last = self.wanted.last
        if self.wanted.tasks is not None or self.wanted.span:
            return False
        run = sum(look.checked.is_fit or look.checked.seconds > 0 for look in self.looks)
        fit = sum(look.checked.is_fit for look in self.looks)
        return fit >= last or run >= max(CHECKED_AT_LEAST, CHECKED_FOR_ONE * last)

    def _why_in_vain(self) -> str:
        """Why nothing would come of further fixes of this repository, or ""."""
        run = [look for look in self.looks if look.checked.seconds > 0]
        if self.wanted.tasks is not None or len(run) < BASES_IN_A_ROW or not all(look.blames_the_base for look in run):
            return ""
        last = run[-1].checked.reason.rstrip(".")
        return (
            f"the tests of {BASES_IN_A_ROW} bases in a row can't be run, the last: {last}: "
            "say how they are run with --test, --build, --directory or --image, or let `selfcode doctor` find out"
        )

    def _seen(self, found: CheckedFix, known: Mapping[str, Look], kept: Lines[KeptLook]) -> Look:
        """What is known of a fix, be it from before; its words are those of now."""
        if not found.is_fit:
            return Look(found)
        key = key_of_look(self.source, found.fix, self.means)
        if (before := known.get(key)) is not None and before.is_lasting:
            return replace(before, checked=replace(before.checked, fix=found.fix))
        seen = checked(self.source, found, self.means.sight, tell=self.tell)
        kept.add(KeptLook(key, seen))
        is_fit = f"fit, {len(seen.checked.judges)} tests judge it" if seen.checked.is_fit else seen.checked.reason
        self.tell(f"{found.fix.name}: {is_fit}")
        return seen


def _looked(wanted: Wanted, means: Means, tell: Tell) -> _Search:
    tell(f"looking for fixes in {wanted.tasks or wanted.name}")
    try:
        source = source_of(wanted, means.caps, stop=means.stop)
    except Stopped:  # while commits were brought here
        return _Search(wanted, means, tell, kept_source(wanted), stopped=INTERRUPTED)
    search = _Search(wanted, means, tell, source)
    search.go()
    return search


def _refuse_unknown_prices(wanted: Wanted, means: Means, tell: Tell) -> None:
    """A budget needs prices; without one it is said that only tokens bind."""
    critics = [means.crew.critic if bot.critic is None else bot.critic for bot in wanted.bots if bot.player is None]
    names = dict.fromkeys((*(bot.model for bot in wanted.bots), *critics))
    unknown = [name for name in names if name and not means.has_price(name)]
    if not unknown:
        return
    said = f"The price of {', '.join(unknown)} is not known"
    if wanted.budget_usd is not None:
        how = ", ".join(f"{name}=0/0" for name in unknown)
        raise Refused(
            f'{said}, so no budget can be kept to. Say it in USD for a million tokens, as in SELFCODE_PRICES="{how}" '
            "for models of your own, or leave the budget away: then tokens and time bind."
        )
    tell(f"note: {said}: only tokens and time bind")
