"""Log lines as JSON, for programs that collect them."""

import logging
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from bot.seen.about import FIELDS, bound
from bot.seen.lines import Mask

SHOWN = ("time", "level", "logger", "message", *FIELDS, "exception", "stack")


class JsonLines(JsonFormatter):
    """One JSON object a line, tracebacks in it. What is not known of an event is left out, as is what others add.

    Secrets are masked before a text becomes JSON: its escapes hide none, and no mask breaks it.
    """

    def __init__(self, mask: Mask) -> None:
        renamed = {"levelname": "level", "name": "logger", "exc_info": "exception", "stack_info": "stack"}
        super().__init__(("levelname", "name", "message"), rename_fields=renamed, json_default=str)
        self._mask = mask

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        super().add_fields(log_data, record, message_dict)
        log_data["time"] = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        log_data.update(bound())

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        shown = {name: log_data[name] for name in SHOWN if log_data.get(name) is not None}
        texts = {name: str(value) for name, value in shown.items() if not isinstance(value, int)}
        together = "\n".join(texts.values())
        if self._mask(together) == together:  # nearly always, and much sooner known
            return shown
        return shown | {name: self._mask(text) for name, text in texts.items()}
