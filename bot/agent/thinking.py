"""Reasoning that some models write beside their reply. Pure."""

import json
import re

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad"
_OPEN = re.compile(
    rf"(?:<(?:\w{{1,20}}:)?(?:{_NAMES})(?:\s[^<>\n]{{0,80}})?>|\[THINK\]|◁think▷|"
    r"<\|(?:begin|start)_of_(?:thought|thinking)\|>)",
    re.IGNORECASE,
)
_OPEN_AT_END = re.compile(rf"(?:{_OPEN.pattern})\s*$", re.IGNORECASE)
_CLOSE = re.compile(rf"</(?:\w+:)?(?:{_NAMES})>|\[/THINK\]|◁/think▷|<\|end_of_(?:thought|thinking)\|>", re.IGNORECASE)
TAIL_CHARS = 200
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_HARMONY = re.compile(r"\s*(?:(?:<\|start\|>assistant\s*)?<\|channel\|>|analysis<\|message\|>)")
_FINAL = re.compile(r"<\|channel\|>final[^<]*<\|message\|>")
_MARKS = ("<|end|>", "<|return|>", "<|im_end|>")


def without_thinking(text: str) -> str:
    """The reply without its reasoning, which may lack its opening tag (the server put it there) or its end (cut off).

    Tags inside a fenced block stay, for a file that a reply writes may well hold them; a block inside reasoning goes.
    """
    if _is_json(text):
        return text.strip()
    text = _final_channel(text)
    kept: list[str] = []
    fence, had_fence, at = "", False, 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        line = text[at:end]
        if not fence and (opened := _opened(line)):
            kept.append(line[: opened[0]])
            at = _after_reasoning(text, at + opened[1])
            continue
        if not fence and (closed := _closed(line, is_alone=had_fence)):
            kept.clear()
            at += closed
            had_fence = False
            continue
        fence = _fence_after(fence, line)
        had_fence = had_fence or bool(fence)
        kept.append(line)
        at = end
    return "".join(kept).strip()


def _final_channel(text: str) -> str:
    """What a model of the harmony format says aloud, where its server passed its channels on: maybe nothing."""
    if not _HARMONY.match(text):
        return text
    aloud = _FINAL.split(text, maxsplit=1)[1:]
    said = aloud[0].rstrip() if aloud else ""
    return next((said.removesuffix(mark) for mark in _MARKS if said.endswith(mark)), said)


def _opened(line: str) -> tuple[int, int] | None:
    """From where to where a tag stands that begins reasoning: at the beginning of a line, or at its end."""
    blanks = len(line) - len(line.lstrip(" \t"))
    found = _OPEN.match(line, blanks)
    tail = max(0, len(line) - TAIL_CHARS)
    found = found or _OPEN_AT_END.search(line, tail)
    return found.span() if found else None


def _closed(line: str, *, is_alone: bool) -> int:
    """Where the last tag of a line has ended that ends reasoning; 0 for none.

    `is_alone`: it counts at the beginning or end of the line, for elsewhere words may speak of it.
    """
    ends = [found.span() for found in _CLOSE.finditer(line)]
    if is_alone:
        ends = [(first, end) for first, end in ends if not line[:first].strip() or not line[end:].strip()]
    return ends[-1][1] if ends else 0


def _after_reasoning(text: str, at: int) -> int:
    """Where the reasoning that begins at `at` has ended: at the text's end where it was cut off."""
    found = _CLOSE.search(text, at)
    return found.end() if found else len(text)


def _is_json(text: str) -> bool:
    """Whether all of a text is a JSON object or list, in whose strings tags are no tags."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _fence_after(fence: str, line: str) -> str:
    """The fence that is open after a line, "" for none."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    if not fence:
        is_opener = found[1][0] == "~" or "`" not in found[2]
        return found[1] if is_opener else ""
    is_closer = found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip()
    return "" if is_closer else fence
