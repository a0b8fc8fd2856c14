"""The agent: a model at work on a repository in a sandbox, and alone on a task. A library too: no GitHub, no web."""

from bot.agent.alone import run_agent, run_agent_with_tests, strongest_sandbox
from bot.agent.controller import Agent, nobody, silent
from bot.agent.llm import Message, Model, Reply, Role, ToolCall, ToolSpec
from bot.agent.openai_model import OpenAIModel
from bot.agent.prices import Prices, known_prices
from bot.agent.prompts import Dialect
from bot.agent.reopening import reopened
from bot.agent.replay import ReplayedModel, Unrecorded, calls_of

__all__ = [
    "Agent",
    "Dialect",
    "Message",
    "Model",
    "OpenAIModel",
    "Prices",
    "ReplayedModel",
    "Reply",
    "Role",
    "ToolCall",
    "ToolSpec",
    "Unrecorded",
    "calls_of",
    "known_prices",
    "nobody",
    "reopened",
    "run_agent",
    "run_agent_with_tests",
    "silent",
    "strongest_sandbox",
]
