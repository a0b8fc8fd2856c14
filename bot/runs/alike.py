"""A request to a model, made alike: two tellings of one step ask the same, but for what no telling can repeat. Pure."""

import hashlib
import json
import re
from functools import lru_cache

from bot.agent.asking import LITTLE_LEFT
from bot.runs.wrapped_model import Request


def digest(model: str, asked: Request) -> str:
    """What a request of a model is known again by."""
    offered = [[tool.name, tool.description, tool.parameters] for tool in asked.tools or ()]
    said = [{**message.as_json(), "content": alike(message.content or "")} for message in asked.messages]
    whole = [model, said, offered, asked.schema, asked.temperature, asked.max_tokens]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode("utf-8", "replace")).hexdigest()


@lru_cache(maxsize=256)
def alike(text: str) -> str:
    """The text, with one mark for each thing that differs from time to time and from machine to machine."""
    return _PADDED.sub(" ", _UNREPEATABLE.sub(_mark, _SOMETIMES.sub("", _CUT.sub("<cut>", text))))


def _mark(found: re.Match[str]) -> str:
    if found.lastgroup == "path" and not _TEMPORARY.search(found[0]):
        return found[0]
    return f"<{found.lastgroup}>"


_TEMPORARY = re.compile(r"/(?:tmp|temp|shm|folders|selfcode-worker-\w+)/")


_CUT = re.compile(r"^[^\n]*\n\[… [\d,]+ characters left out …\]\n[^\n]*", re.MULTILINE)
"""Where a text was cut depends on the lengths of what differs in it."""

_SOMETIMES = re.compile(
    r" \(\d+(?:[.,]\d+)? ?(?:ms|s|m)\)| \(\d+:\d\d:\d\d\)|, estimated \d+ ?s"
    rf"|\n\n{re.escape(LITTLE_LEFT)}\d+ more minutes\b[^\n]*"
)
"""How long something took, where that is told of the slow alone, and that time runs out: kept replies take none."""

_PADDED = re.compile(r" *(?:={3,}|-{3,}|─{3,}| {2}) *")
"""Rules and columns are as wide as what differs in them leaves."""

_UNREPEATABLE = re.compile(
    r"""
    (?P<address>\b0x[0-9a-fA-F]{4,}\b|\b1[34]\d{13}\b)
    | (?P<path>(?<![\w.+@/-])/[^\s'"`:,;()<>\[\]{}]+)
    | (?P<folder>\btmp[a-z0-9_]{8}\b|\bpytest-\d+\b)
    | (?P<nonce>
        \b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b
        | (?<![0-9a-zA-Z])(?:[0-9a-f]{12}|[0-9a-f]{16})(?![0-9a-zA-Z]))
    | (?P<moment>
        \b\d{4}-\d\d-\d\d(?:[T\ ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|\ ?[+-]\d\d:?\d\d)?)?
        | \b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\ +)?
          (?:\d{1,2}\ )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\ +\d{1,2}\b(?:,?\ \d{4}\b)?
        | \b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\ ?[AP]M\b)?
        | \bdatetime\.(?:datetime|date|time)\([^()]*\)
        | \b1[6-9]\d{8}(?:\d{3})?(?:\.\d+)?\b)
    | (?P<duration>
        \b\d+(?:[.,]\d+)?(?:e-\d+)?\ ?(?:m\d+(?:\.\d+)?s|[mnuµ]?s|secs?|(?:milli|micro)?seconds?|minutes?)\b
        | \bduration_ms[\ :=]+\d+(?:\.\d+)?
        | \b(?:time|duration)="\d+(?:\.\d+)?"
        | \b\d+(?:\.\d+)?\ ?[KMG]i?B\b
        | \b\d+(?:\.\d+)?\ (?:runs|tests|assertions)/s\b)
    | (?P<port>(?:(?<=localhost:)|(?<=\d\.\d\.\d:)|(?<=\d\.\d\.\d',\ )|(?<=\bport[\ =:]))\d{2,5}\b)
    | (?P<process>(?:(?<=\bpid[\ =:])|(?<=\bpid:\ )|(?<=\bPID[\ =:]))\d+\b)
    | (?P<seed>\bseed[\ =:]+\d+\b)
    """,
    re.VERBOSE,
)
"""Addresses in memory, temporary paths, names of planted tests, moments, durations, ports, processes, random seeds."""
