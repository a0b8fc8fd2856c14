"""Reasoning that some models write beside their reply. Pure."""

import re

_OPEN = re.compile(r"[ \t]*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_CLOSE = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_CLOSE_ALONE = re.compile(rf"\s*{_CLOSE.pattern}\s*", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_FINAL = re.compile(r"<\|channel\|>final[^<]*<\|message\|>")
_MARKS = ("<|end|>", "<|return|>", "<|im_end|>")


def without_thinking(text: str) -> str:
    """The reply without its reasoning, which may lack its opening tag (the server put it there) or its end (cut off).

    Tags inside a fenced block stay, for a file that a reply writes may well hold them; a block inside reasoning goes.
    """
    text = _final_channel(text)
    kept: list[str] = []
    fence, had_fence, at = "", False, 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        line = text[at:end]
        if not fence and (opened := _OPEN.match(line)):
            at = _after_reasoning(text, at + opened.end(), opened[1])
            continue
        if not fence and (closed := (_CLOSE_ALONE.fullmatch if had_fence else _CLOSE.search)(line)):
            kept.clear()
            at += closed.end()
            had_fence = False
            continue
        fence = _fence_after(fence, line)
        had_fence = had_fence or bool(fence)
        kept.append(line)
        at = end
    return "".join(kept).strip()


def _final_channel(text: str) -> str:
    """What a model of the harmony format says aloud, where its server passed its channels on."""
    text = _FINAL.split(text)[-1].rstrip()
    return next((text.removesuffix(mark) for mark in _MARKS if text.endswith(mark)), text)


def _after_reasoning(text: str, at: int, tag: str) -> int:
    """Where the reasoning that begins at `at` has ended: at the text's end where it was cut off."""
    found = re.compile(rf"</{tag}>", re.IGNORECASE).search(text, at)
    return found.end() if found else len(text)


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
