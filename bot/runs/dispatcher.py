"""Takes waiting triggers in turn: what is done at once, and what starts a run when there is room."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from bot.records import Caps, GitHub
from bot.runs.acting import Acting
from bot.runs.admission import Gate
from bot.runs.controls import Wanted
from bot.runs.deciding import AtOnce
from bot.runs.errands import Errands
from bot.runs.filling import Filling, Starter
from bot.runs.judging import Judge
from bot.runs.lines import Send, at_once
from bot.runs.past import Past
from bot.runs.placing import Opening, Placing
from bot.runs.queueing import Queueing
from bot.runs.ranking import Ranking
from bot.runs.reception import Reception
from bot.runs.rounds import Rounds
from bot.runs.settling import Settling
from bot.runs.shelf import Shelf
from bot.runs.sorting import AT_ONCE, Sorting
from bot.runs.standing import CapsOf
from bot.runs.store import RUNS, Store, Waiting, run_id_for

FACTS_AT_ONCE = 200
"""How many facts that end runs are acted on in one go."""

PUT_AWAY_AT_MOST = 100
"""How much is put away in one turn, as of people who are not listened to: it keeps nobody waiting, and no stop."""

_LOOKED_AT = 5
_LAID_BY = (Shelf.ASIDE, Shelf.BEHIND, Shelf.UNPLACED)
"""Where that lies which waits for something that this process has to watch for."""


@dataclass
class Dispatcher:
    """Acts on waiting triggers: one over all workers. `allowed_owners` are lower case; empty means nobody.

    One thread alone calls it, and it waits for nobody: what GitHub is asked and told, `send` has done elsewhere.
    `pages` is as in `House`. `clock` is monotonic, `now` is seconds since the epoch.
    """

    store: Store
    github: GitHub
    starter: Starter
    allowed_owners: frozenset[str]
    label: str
    min_permission: str
    limits: Callable[[], AtOnce]
    trusted_bots: frozenset[str] = frozenset()
    caps_of: CapsOf = field(default=lambda _: Caps())
    secrets: tuple[str, ...] = field(default=(), repr=False)
    pages: str = ""
    send: Send = at_once
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    _wanted: Wanted = field(default_factory=Wanted, init=False)
    _opening: dict[int, Opening] = field(default_factory=dict, init=False)
    _may_have_missed: bool = field(default=True, init=False)
    """That something was waited for may have come about, as nobody came through with a turn since."""
    _has_more: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        store = self.store
        errands = self._errands = Errands(self.github, self.send, self.clock)
        gate = Gate(store, errands.permission_of, self.min_permission, self.trusted_bots, self.now)
        reception = Reception(store, errands, gate, self.secrets, self.now)
        settling = self._settling = Settling(store, errands, self.clock)
        placing = self._placing = Placing(store)
        queueing = self._queueing = Queueing(store, errands, placing, self.pages, self.clock)
        ranking = self._ranking = Ranking(store)
        rounds = self._rounds = Rounds(store)
        past = self._past = Past()
        judge = Judge(store)
        self._sorting = Sorting(store, placing, judge, settling, queueing, rounds, self.allowed_owners)
        self._filling = Filling(
            store,
            self.starter,
            reception,
            settling,
            queueing,
            placing,
            judge,
            past,
            rounds,
            self._room,
        )
        self._acting = Acting(
            store, errands, reception, settling, queueing, placing, ranking, self.label, self.caps_of, self.pages
        )

    def wait(self, seconds: float) -> None:
        """Wait until GitHub has answered something, but no longer than this: then another turn is worth while.

        Not at all where the last turn left something to sort; a turn that came to nothing has left nothing.
        """
        has_more, self._has_more = self._has_more, False
        if not has_more:
            self._errands.wait(seconds)

    def turn(self) -> None:
        """Look once at what can be done, however much waits.

        Notes come first, then places are filled, then answers are given and one word is said of the queue. An account
        gets one of each at a time: GitHub wants pauses between writes, and people come before housekeeping. What ends
        runs waits for none of it, nor for a place: it goes before each.

        Where it raises, as with a database that is away, all that was laid by is sorted again in the next one: what
        some of it has waited for may be known by now, and not be acted on.
        """
        may_have_missed, self._may_have_missed = self._may_have_missed, True
        self._heed_the_operator()
        self._rounds.next()
        if self._look_again(everywhere=may_have_missed):
            self._go_round()
        self._may_have_missed = False

    def _go_round(self) -> None:
        self._has_more = self._sort() >= AT_ONCE // 2
        for each in self._first_of_accounts(Shelf.NOTES):
            self._act(each)
        self._fill()
        self._end()
        for each in self._first_to_talk_to():
            self._act(each)
        if Shelf.PLACES in self._rounds.look():
            first, others = self._ranking.first(self.store.unfinished()), self._ranking.others()
            self._queueing.tell_one(first, others, is_paused=self._wanted.is_paused)

    def _heed_the_operator(self) -> None:
        """Know whether anything may begin, and drop or stop what is to be cancelled."""
        controls = self.store.controls
        self._wanted = controls.wanted()
        if not self._wanted.cancelled:
            return
        for each in self.store.shelves.named(self._wanted.cancelled):
            because = self._wanted.cancelled[run_id_for(each.trigger)]
            self._settling.settle(each, f"dropped: {because}")
            self._queueing.take_back(each, because)
        for run_id, because in self._wanted.cancelled.items():
            self.store.request_stop_of_run(run_id, because)
            controls.cancelled(run_id)

    def _room(self) -> AtOnce:
        return replace(self.limits(), is_paused=self._wanted.is_paused)

    # --- What has waited for something that is over

    def _look_again(self, *, everywhere: bool) -> bool:
        """Have that sorted again which has waited for something that has happened. Whether anything waits at all.

        `everywhere`: whatever has waited for something.
        """
        shelves, filled = self.store.shelves, self._rounds.look()
        if not filled:
            return False
        if everywhere:
            for shelf in filled.intersection(_LAID_BY):
                shelves.sort_again_of_shelf(shelf)
        if rested := self._settling.rested():
            shelves.sort_again(rested)
        for repository_id, number in self._past.changed(self.store.unfinished()):
            self._placing.sort_again(repository_id, number)
        if Shelf.UNPLACED in filled:
            self._look_where_they_belong()
        return True

    def _look_where_they_belong(self) -> None:
        """Have what could not be placed sorted again where a run has opened its pull request since, or ended."""
        known, self._opening = self._opening, {}
        for front in self._rounds.fronts(Shelf.UNPLACED):
            opening = self._placing.opening_in(front.repository_id)
            self._opening[front.repository_id] = opening
            if opening != known.get(front.repository_id):
                self.store.shelves.sort_again_of_shelf(Shelf.UNPLACED, front.repository_id)

    # --- Acting

    def _end(self) -> frozenset[Shelf]:
        """End everything that is to end. Returns where something lay before."""
        filled = self._rounds.look()
        if Shelf.ENDS in filled:
            self._sorting.ends()
            filled = self._rounds.look()
        if Shelf.FACTS in filled:
            for each in self._placed(self._rounds.some(Shelf.FACTS, FACTS_AT_ONCE)):
                self._act(each)
        if Shelf.STOPS in filled:
            for each in self._first_of_accounts(Shelf.STOPS):
                self._act(each)
        return filled

    def _fill(self) -> None:
        """Fill the places, and see what ends runs, and what is new, before each."""
        put_away, filled = 0, self._filling.fill()
        while filled.is_more and put_away < PUT_AWAY_AT_MOST:
            put_away += filled.put_away
            put_away += self._sort()
            filled = self._filling.fill()

    def _sort(self) -> int:
        """End what is to end, and sort some of what is new. Returns how much."""
        if Shelf.NEW not in self._end():
            return 0
        count = self._sorting.new()
        self._rounds.look()
        return count

    def _first_to_talk_to(self) -> list[Waiting]:
        """Of each account what is to be answered; where nothing is, what keeps house."""
        talk, house = (self._first_of_accounts(shelf) for shelf in (Shelf.TALK, Shelf.HOUSE))
        answered = {each.trigger.issue.repository.installation_id for each in talk}
        others = (each for each in house if each.trigger.issue.repository.installation_id not in answered)
        return [*talk, *others]

    def _first_of_accounts(self, shelf: Shelf) -> list[Waiting]:
        """Of each account the oldest that can be acted on, of what a repository of it has in front."""
        found: list[Waiting] = []
        for front in self._rounds.first_of_accounts(shelf):
            there = self.store.shelves.first(shelf, front.repository_id, _LOOKED_AT)
            awake = (each for each in self._placed(there) if self._settling.is_awake(each))
            first = next(awake, None)
            if first is not None:
                found.append(first)
        return found

    def _placed(self, waiting: Iterable[Waiting]) -> list[Waiting]:
        """The triggers where they belong; what can't be told of that is put away."""
        found = [(each.seq, self._placing.placed(each)) for each in waiting]
        lost = [seq for seq, placed in found if placed is None]
        if lost:
            self.store.shelves.put(Shelf.UNPLACED, lost)
        return [placed for _, placed in found if placed is not None]

    def _act(self, each: Waiting) -> None:
        if each.trigger.kind in RUNS:
            self._filling.tell(each)
        else:
            self._settling.act(each, lambda each: self._acting.act(each, is_paused=self._wanted.is_paused))
