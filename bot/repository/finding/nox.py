"""What nox's sessions install and run, as far as a noxfile says it in so many words. Pure."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bot.repository.finding.formats import python_module, table
from bot.repository.finding.recipe import Recipe, Words
from bot.repository.finding.requirements import Need, from_words, of_group
from bot.repository.finding.setup_py import assigned, literal
from bot.repository.finding.tox import is_for_tests
from bot.repository.finding.tree import Tree


def nox_recipe(tree: Tree) -> Recipe | None:
    """The session that is called after tests, else the first that runs some; only literal arguments are read."""
    module = python_module(tree.text("noxfile.py"))
    names = assigned(module)
    sessions = [node for node in module.body if isinstance(node, ast.FunctionDef) and _is_session(node)]
    named = sorted(sessions, key=lambda node: not re.search(r"test|unit", node.name))
    recipes = (_recipe(node, names, tree) for node in named if is_for_tests(node.name))
    return next((recipe for recipe in recipes if recipe.commands), None)


def _is_session(node: ast.FunctionDef) -> bool:
    for decorator in node.decorator_list:
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(function, ast.Attribute) and function.attr == "session":
            return True
        if isinstance(function, ast.Name) and function.id in ("session", "nox_session"):
            return True
    return False


def _recipe(node: ast.FunctionDef, names: Mapping[str, Any], tree: Tree) -> Recipe:
    source = f"noxfile.py: session {node.name}"
    needs: list[Need] = []
    commands: list[Words] = []
    for name, words in _calls(node, names):
        if name == "run":
            commands.append(words)
        elif words[:1] == ("sync",) or name == "run_install":
            needs += _of_uv(words, source, tree)
        elif name in ("install", "conda_install"):
            needs += from_words(words, source, tree)
            needs += _of_groups(words, source, tree)
    return Recipe(source, tuple(commands), tuple(needs))


def _calls(node: ast.FunctionDef, names: Mapping[str, Any]) -> Iterator[tuple[str, Words]]:
    """The method of each call on the session, with those of its words that are literal."""
    for call in ast.walk(node):
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(), attr=("run" | "install" | "run_install") as name), args=args
            ):
                words = literal(ast.List(elts=args, ctx=ast.Load()), names)
                yield name, tuple(word for word in words if isinstance(word, str))


def _of_groups(words: Words, source: str, tree: Tree) -> Iterator[Need]:
    groups = table(tree.toml("pyproject.toml"), "dependency-groups")
    for place, word in enumerate(words):
        flag, _, value = word.partition("=")
        if flag in ("--group", "--only-group"):
            name = value or (words[place + 1] if place + 1 < len(words) else "")
            yield from of_group(groups, name, f"{source}, group {name}")


def _of_uv(words: Words, source: str, tree: Tree) -> Iterator[Need]:
    """What `uv sync` or `pip install` in a session's words asks for."""
    yield from _of_groups(words, source, tree)
    for place, word in enumerate(words):
        flag, _, value = word.partition("=")
        if flag == "--extra":
            name = value or (words[place + 1] if place + 1 < len(words) else "")
            yield from from_words(["-e", f".[{name}]"], source, tree)
    if "install" in words:
        yield from from_words(words[words.index("install") + 1 :], source, tree)
