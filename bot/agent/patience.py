"""How long a model is borne with whose replies lead nowhere: counted in a row, so that what it costs is bounded."""

from dataclasses import dataclass

BAD_IN_A_ROW = 3
SAME_IN_A_ROW = 3
USELESS_IN_A_ROW = 6
SAME_LOOKS_IN_A_ROW = 4


@dataclass(slots=True)
class Patience:
    """What one conversation's replies came to so far. Each method returns why to give up now, or ""."""

    _bad: int = 0
    _useless: int = 0
    _same: int = 0
    _said: str = ""
    _looks: int = 0
    _looked: tuple[str, ...] = ()

    @property
    def is_wearing_thin(self) -> bool:
        """Whether the next reply that leads nowhere is the last: a small model needs to be asked more warmly then."""
        return max(self._bad + 1, self._same + 1) >= BAD_IN_A_ROW or self._useless + 1 >= USELESS_IN_A_ROW

    def unusable(self, problem: str) -> str:
        """Count a reply that asks for nothing."""
        self._bad += 1
        self._useless += 1
        if self._bad >= BAD_IN_A_ROW:
            return f"no usable reply {BAD_IN_A_ROW} times in a row; the last: {problem}"
        return self._worn_out(problem)

    def fruitless(self, said: str, result: str) -> str:
        """Count a reply of which nothing could be done."""
        self._bad = 0
        self._useless += 1
        self._same = self._same + 1 if said == self._said else 1
        self._said = said
        if self._same >= SAME_IN_A_ROW:
            return f"the same reply {SAME_IN_A_ROW} times, each time: {result}"
        return self._worn_out(result)

    def useful(self, said: str, results: tuple[str, ...]) -> str:
        """Count a reply that was carried out: one that asks for the same and hears the same leads nowhere, too."""
        self._bad = self._useless = self._same = 0
        self._said = ""
        looked = (said, *results)
        self._looks = self._looks + 1 if looked == self._looked else 1
        self._looked = looked
        if self._looks >= SAME_LOOKS_IN_A_ROW:
            return f"the same reply {SAME_LOOKS_IN_A_ROW} times, each time answered with the same"
        return ""

    def _worn_out(self, problem: str) -> str:
        if self._useless < USELESS_IN_A_ROW:
            return ""
        return f"nothing could be done with {USELESS_IN_A_ROW} replies in a row; the last: {problem}"
