"""How many tokens a model takes, in the words of each kind of server."""

import json

import pytest

from bot.agent.windows import fit_of, window_in_models


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        ({"meta": {"n_ctx": 8192, "n_ctx_train": 32768}}, 8192),
        ({"meta": {"n_ctx_train": 32768}}, 32768),
        ({"max_model_len": 4096}, 4096),
        ({"context_length": 131072, "top_provider": {"context_length": 65536}}, 131072),
        ({"context_window": 131072}, 131072),
        ({"max_context_length": 32768, "loaded_context_length": 4096}, 4096),
        ({"max_input_tokens": 200000}, 200000),
        ({"context_length": None}, None),
        ({"context_length": "big"}, None),
        ({"context_length": True}, None),
        ({"context_length": 0}, None),
        ({"context_length": "8192"}, 8192),
        ({"context_length": 8192.0}, 8192),
        ({"context_length": -1}, None),
        ({"context_length": 10**30}, None),
        ({"context_length": "9" * 5000}, None),
        ({}, None),
    ],
)
def test_the_window_stands_where_each_server_puts_it(entry: dict[str, object], window: int | None) -> None:
    assert window_in_models(json.dumps({"data": [{"id": "m", **entry}]}), "m") == window


def test_a_list_alone_will_do_and_an_alias_is_a_name() -> None:
    models = [{"id": "a", "context_length": 4096}, {"id": "b", "aliases": ["m"], "context_length": 8192}]

    assert window_in_models(json.dumps(models), "m") == 8192


@pytest.mark.parametrize("text", ["", "<html>", "null", "[]", "3", '{"data": 3}', '{"data": [3]}', "[" * 100_000])
def test_anything_else_tells_no_window(text: str) -> None:
    assert window_in_models(text, "m") is None


@pytest.mark.parametrize(
    ("message", "window", "prompt"),
    [
        ("This model's maximum context length is 8192 tokens. Your messages resulted in 9000 tokens.", 8192, 9000),
        (
            "maximum context length is 4096 tokens. However, you requested 4222 tokens (1222 in the messages, 3000",
            4096,
            1222,
        ),
        ("request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096, 9000),
        ("prompt is too long: 210000 tokens > 200000 maximum", 200000, 210000),
        ("input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000", 200000, 199759),
        ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32768, 40000),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1048576, 1200000),
        ("This model's maximum prompt length is 131072 but the request contains 150000 tokens.", 131072, 150000),
        ("Range of input length should be [1, 129024]", 129024, None),
        ("Input tokens exceed the configured limit of 272000 tokens.", 272000, None),
        ("the model is loaded with context length of only 4096 tokens", 4096, None),
        ("Please reduce the length of the messages or completion.", None, None),
    ],
)
def test_a_message_about_a_prompt_that_is_too_long_tells_what_it_names(
    message: str, window: int | None, prompt: int | None
) -> None:
    fit = fit_of(message.lower(), {})

    assert (fit.window, fit.prompt) == (window, prompt)


def test_figures_beside_the_message_go_first() -> None:
    fit = fit_of("the request exceeds the available context size", {"n_ctx": 4096, "n_prompt_tokens": 3000})

    assert (fit.window, fit.prompt, fit.room) == (4096, 3000, 1095)
