"""The demo, in the sandbox that was named or in the strongest that answers."""

from collections.abc import Callable, Mapping

from bot.demo.show import run_demo
from bot.records import Outcome
from bot.settings import Settings
from bot.wire.sandboxes import answering_sandbox, sandbox_options
from bot.writing.outcomes import title
from sandbox import Sandbox, SandboxError, backends
from sandbox.docker import DockerSandbox


def demo(
    settings: Settings, environment: Mapping[str, str], *, keep: bool, as_json: bool, say: Callable[[str], None]
) -> int:
    """Run the demo; returns the exit code. Raises `ConfigError` where the sandbox that was named does not answer."""
    sandbox, notes = _sandbox_of_the_demo(settings, say, named=bool(environment.get("SELFCODE_SANDBOX")))
    return run_demo(
        environ=environment,
        sandbox=sandbox,
        notes=notes,
        titles={title(outcome): str(outcome) for outcome in Outcome},
        settings={"SELFCODE_SECONDS_BETWEEN_WRITES": "0"},
        as_json=as_json,
        keep=keep,
    )


def _sandbox_of_the_demo(settings: Settings, say: Callable[[str], None], *, named: bool) -> tuple[str, list[str]]:
    """The backend's name, and what is to be said of it: the one that was named, or the strongest that answers.

    Raises `ConfigError` where the one that was named does not answer.
    """
    if named:
        return settings.sandbox, _what_is_not_held(answering_sandbox(settings))
    notes: list[str] = []
    for name in backends.STRONGEST_FIRST:
        sandbox = backends.make(name, sandbox_options(settings))
        try:
            _with_its_image(sandbox, settings.sandbox_image, say)
            return name, [*notes, f"Sandbox: {sandbox.check()}.", *_what_is_not_held(sandbox)]
        except SandboxError as problem:
            notes.append(f"No {name} sandbox: {problem}.")
    return "process", [*notes, "The demo's own code therefore runs as a plain process of yours, which is no isolation."]


def _with_its_image(sandbox: Sandbox, image: str, say: Callable[[str], None]) -> None:
    if isinstance(sandbox, DockerSandbox) and sandbox.images.find(image) is None:
        say(f"Building the image {image} that code runs in, once; this may take some minutes.")
        sandbox.images.build_default(image)


def _what_is_not_held(sandbox: Sandbox) -> list[str]:
    return [f"Not held here: {guarantee} ({reason})." for guarantee, reason in sandbox.unheld.items()]
