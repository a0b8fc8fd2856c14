"""A second model that reads change and test output between two iterations and suggests one concrete fix."""

import json
import time

from bot.agent.context import issue_text
from bot.agent.edits import fenced
from bot.agent.hands import printable
from bot.agent.llm import Message, Model, system, user
from bot.agent.openai_replies import read_reply
from bot.agent.prompts import prompt, version
from bot.agent.reports import report_text
from bot.agent.thinking import without_thinking
from bot.records import Call, Change, Iteration, StopCheck, Task, TestReport
from sandbox.contract import clipped

KIND = "critic"
PATCH_CHARS = 12_000
WORDS_CHARS = 2_000
REPLY_TOKENS = 2_048


def criticise(
    critic: Model,
    task: Task,
    change: Change,
    report: TestReport,
    *,
    baseline: TestReport | None,
    stop: StopCheck,
) -> Call:
    """Ask the critic, and return the call as the trace keeps it."""
    messages = critic_messages(task, change, report, baseline=baseline)
    began = time.monotonic()
    reply = critic.complete(messages, tools=None, temperature=None, max_tokens=REPLY_TOKENS, stop=stop)
    return Call(
        model=critic.name,
        prompt_version=version(KIND),
        messages=json.dumps([message.as_json() for message in messages], ensure_ascii=False),
        reply=reply.raw,
        actions=(),
        usage=reply.usage,
        duration_s=time.monotonic() - began,
        problem="" if reply.text else f"the critic said nothing ({reply.finish_reason})",
    )


def critic_messages(
    task: Task, change: Change, report: TestReport, *, baseline: TestReport | None
) -> tuple[Message, Message]:
    """What the critic reads: the issue, the change, the test output."""
    patch = fenced(clipped(change.patch, PATCH_CHARS), "diff")
    parts = [issue_text(task), f"# The change\n\n{patch}", f"# The tests\n\n{report_text(report, baseline)}"]
    return system(prompt(KIND)), user(printable("\n\n".join(parts)))


def is_critics(call: Call) -> bool:
    """Whether a call was the critic's."""
    return call.prompt_version.startswith(f"{KIND}-")


def critics_words(iteration: Iteration) -> str:
    """What the critic said after an iteration, or ""."""
    said = [read_reply(call.reply, prompt="", prices=None).text for call in iteration.calls if is_critics(call)]
    return clipped(without_thinking(said[-1] or ""), WORDS_CHARS) if said else ""
