"""The forms that settings have: what is read from a text, and what is refused with words for the operator."""

import re
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, BeforeValidator, DirectoryPath, IPvAnyNetwork

from sandbox import backends


def _names(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _url(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("a URL begins with https:// or http://")
    return value.rstrip("/")


def _backend(value: str) -> str:
    if value not in backends.names():
        raise ValueError(f"there is no sandbox {value!r}: choose one of {', '.join(backends.names())}")
    return value


Url = Annotated[str, AfterValidator(_url)]
"""A web address, without a slash at its end."""

Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
"""A comma-separated list."""

Paths = Annotated[tuple[Annotated[DirectoryPath, AfterValidator(Path.absolute)], ...], BeforeValidator(_names)]
"""A comma-separated list of folders that are there, by the names that they were given: one may be a link."""


def _host(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9*?._-]+(:[0-9]{1,5})?", value):
        raise ValueError(
            f"{value!r} is no host, HOST:PORT or pattern, such as `nexus.example.com:8443` or `*.example.com`"
        )
    return value.lower()


def _reachable(value: IPvAnyNetwork) -> IPvAnyNetwork:
    if value.is_loopback or value.is_link_local or value.is_multicast:
        raise ValueError(f"{value} is never open to a setup: loopback, link-local and multicast addresses stay closed")
    return value


Hosts = Annotated[tuple[Annotated[str, AfterValidator(_host)], ...], BeforeValidator(_names)]
"""A comma-separated list of hosts, with a port where it is not 80 or 443; `*` stands for anything."""

Backend = Annotated[str, AfterValidator(_backend)]
"""The name of a sandbox that is installed."""

Networks = Annotated[tuple[Annotated[IPvAnyNetwork, AfterValidator(_reachable)], ...], BeforeValidator(_names)]
"""A comma-separated list of networks, `10.1.0.0/16`."""


class ModelPrice(NamedTuple):
    """What one model costs, in USD for a million tokens."""

    model: str
    input_usd: float
    output_usd: float
    cached_usd: float | None


def _model_price(text: str) -> ModelPrice:
    found = re.fullmatch(rf"([^\s=]+)\s*=\s*({_USD})\s*/\s*({_USD})(?:\s*/\s*({_USD}))?", text)
    if found is None:
        raise ValueError(
            f"{text!r} is no price: write MODEL=INPUT/OUTPUT or MODEL=INPUT/OUTPUT/CACHED in USD for a million tokens, "
            "such as `qwen3-coder=0.22/0.95`, or `=0/0` for a model of your own"
        )
    model, input_usd, output_usd, cached_usd = found.groups()
    return ModelPrice(model, float(input_usd), float(output_usd), float(cached_usd) if cached_usd else None)


def _tariff(value: object) -> object:
    if not isinstance(value, str):
        return value
    prices = [_model_price(part.strip()) for part in value.split(",") if part.strip()]
    twice = {price.model for price in prices if [other.model for other in prices].count(price.model) > 1}
    if twice:
        raise ValueError(f"more than one price for {', '.join(sorted(twice))}")
    return tuple(prices)


_USD = r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+"

Tariff = Annotated[tuple[ModelPrice, ...], BeforeValidator(_tariff)]
"""A comma-separated list of `MODEL=INPUT/OUTPUT[/CACHED]`."""
