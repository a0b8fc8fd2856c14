"""unittest and the runners that derive from it, Django's among them: by the recorder alone. Pure."""

from collections.abc import Iterator
from dataclasses import replace

from bot.proof.plant import Plant
from bot.proof.readers.pytest import PYTEST, plant_for
from bot.proof.readers.reader import Left, Preparation, Site
from bot.proof.readers.recorded import recorded
from bot.proof.readers.recording import let_in
from bot.proof.results import Results, together
from bot.records import TestReport


class _Unittest:
    name = "unittest"
    reads_output = False
    takes_plants = True

    def prepare(self, site: Site) -> Preparation:
        return let_in(site)

    def read(self, left: Left) -> Results | None:
        runs = recorded(left, self.name)
        return together(runs) if runs else None

    def plants(self, baseline: TestReport, token: str) -> Iterator[Plant]:
        """Where pytest runs beside it, the same are pytest's already."""
        if PYTEST.name not in baseline.reader.split(" + "):
            plant = plant_for(baseline, token)
            yield replace(plant, injected=True)
            yield plant


UNITTEST = _Unittest()
