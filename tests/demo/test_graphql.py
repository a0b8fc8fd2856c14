"""The part of GraphQL that the stand-in speaks."""

from collections.abc import Mapping
from typing import Any

import pytest

from bot.demo.graphql import Wrong, answer, connection

ROOTS: Mapping[str, Mapping[str, Any]] = {
    "query": {
        "__typename": "Query",
        "hero": lambda given: {"__typename": "Human", "name": given["name"], "age": None, "pets": ["Rex"]},
        "list": lambda given: connection([{"__typename": "Item", "n": n} for n in range(5)], given, named="list"),
    },
    "mutation": {"__typename": "Mutation", "rename": lambda given: given["input"]["name"]},
}


def asked(text: str, **variables: Any) -> dict[str, Any]:
    return answer(text, variables, ROOTS)


def test_what_is_asked_for_is_answered_and_nothing_else() -> None:
    assert asked('{ hero(name: "Ada ü") { called: name age pets } }') == {
        "hero": {"called": "Ada ü", "age": None, "pets": ["Rex"]}
    }


def test_variables_lists_objects_and_comments_are_understood() -> None:
    text = "mutation Name($new: String!, $all: [Int!] = [1, 2]) { # rename it\n rename(input: {name: $new}) }"

    assert asked(text, new="Eve") == {"rename": "Eve"}


def test_a_fragment_counts_for_its_own_type() -> None:
    text = '{ hero(name: "Ada") { ... on Human { name } ... on Robot { model } } }'

    assert asked(text) == {"hero": {"name": "Ada"}}


def test_a_list_is_turned_page_by_page() -> None:
    fields = "totalCount nodes { n } pageInfo { hasNextPage endCursor }"
    text = f"query($after: String) {{ list(first: 3, after: $after) {{ {fields} }} }}"

    first = asked(text, after=None)["list"]
    second = asked(text, after=first["pageInfo"]["endCursor"])["list"]

    assert [item["n"] for item in (*first["nodes"], *second["nodes"])] == [0, 1, 2, 3, 4]
    assert (first["pageInfo"]["hasNextPage"], second["pageInfo"]["hasNextPage"]) == (True, False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{ heroine }", "Field 'heroine' doesn't exist on type 'Query'"),
        ('{ hero(name: "Ada") }', "must have selections"),
        ("query($id: ID!) { hero(name: $id) { name } }", r"Variable \$id"),
        ("{ list { nodes { n } } }", "`first` or `last`"),
        ("{ list(first: 101) { nodes { n } } }", "limit of 100"),
        ("{ hero(name: ", "end of file"),
        ("{ list(first: 1) { totalCount } } }", "Parse error"),
        ("{ hero(name: %) }", "Parse error"),
    ],
)
def test_a_question_that_is_wrong_is_told_why(text: str, words: str) -> None:
    with pytest.raises(Wrong, match=words):
        asked(text)
