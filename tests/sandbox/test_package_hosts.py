"""Which hosts an image's package managers are configured for."""

import pytest

from sandbox.setup.package_hosts import COMMON_HOSTS, configured_hosts


def printed(**sections: str) -> str:
    return "".join(f"\n\x1e{kind}\n{text}" for kind, text in sections.items())


DEFAULTS = [
    "pypi.org",
    "files.pythonhosted.org",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "deb.debian.org",
    "security.debian.org",
    "archive.ubuntu.com",
    "security.ubuntu.com",
]
NOT_PIPS = DEFAULTS[2:]
NOT_NPMS = DEFAULTS[:2] + DEFAULTS[4:]
NOT_APTS = DEFAULTS[:4]


@pytest.mark.parametrize("text", ["", "nothing of ours", printed(env="PATH=/bin\nHOME=/root\n"), printed(pip="")])
def test_an_image_that_says_nothing_uses_every_package_managers_own_default(text: str) -> None:
    assert list(configured_hosts(text)) == DEFAULTS


def test_pips_index_takes_the_place_of_its_default() -> None:
    found = configured_hosts(printed(pip="[global]\nindex-url = https://user:secret@pip.corp.example/simple\n"))

    assert list(found) == ["pip.corp.example", *NOT_PIPS]


def test_pips_further_indexes_come_beside_its_default_however_they_are_written() -> None:
    text = (
        "[global]\nextra-index-url =\n    https://one.example/simple\n    http://two.example:8081/simple  \n"
        "find_links: https://three.example/wheels\n# index-url = https://old.example\n"
        "proxy = http://proxy.example:3128\n"
    )

    assert list(configured_hosts(printed(pip=text))) == [
        *DEFAULTS,
        "one.example",
        "two.example:8081",
        "three.example",
    ]


def test_npms_registries_are_those_of_everything_and_of_scopes() -> None:
    text = (
        "; a comment\nregistry=https://npm.corp.example/repository/npm/\n"
        "@corp:registry = http://scope.example:4873\n//npm.corp.example/:_authToken=secret\n"
        "https-proxy=http://proxy.example\n"
    )

    assert set(configured_hosts(printed(npm=text))) == {*NOT_NPMS, "npm.corp.example", "scope.example:4873"}


def test_apts_sources_are_read_in_both_their_forms() -> None:
    line = (
        "# deb http://old.example/debian x main\n"
        "deb [arch=amd64 signed-by=/usr/share/keyrings/a.gpg] https://one.example/debian bookworm main\n"
        "deb-src http://deb.debian.org/debian bookworm main\ndeb cdrom:[disc]/ x main\ndeb file:/srv/apt x main\n"
    )
    stanzas = (
        "Types: deb\n# http://snapshot.example/debian\nURIs: http://two.example/debian\n"
        " https://three.example/debian\nSuites: bookworm\nSigned-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n"
        "\nTypes: deb\nEnabled: no\nURIs: https://off.example/debian\nSuites: x\n"
        "\nTypes: deb\nURIs: mirror+https://mirrors.example/list\nSuites: x\n"
    )

    assert list(configured_hosts(printed(apt=line, deb822=stanzas))) == [
        *NOT_APTS,
        "one.example",
        "deb.debian.org",
        "security.debian.org",
        "two.example",
        "three.example",
        "mirrors.example",
    ]


def test_what_the_images_environment_says_counts_as_well() -> None:
    text = (
        "PIP_INDEX_URL=https://pip.example/simple\nPIP_EXTRA_INDEX_URL=https://a.example/s https://b.example/s\n"
        "npm_config_registry=https://npm.example\nGOPROXY=https://go.example|direct\n"
        "HTTPS_PROXY=http://proxy.example:3128\nHOMEPAGE=https://unrelated.example\n"
    )

    assert set(configured_hosts(printed(env=text))) == {
        "pip.example",
        "a.example",
        "b.example",
        "npm.example",
        "go.example",
        *DEFAULTS[4:],
    }


@pytest.mark.parametrize(
    "url",
    [
        "https://10.1.2.3/simple",
        "http://127.0.0.1:3141/root/pypi",
        "http://169.254.169.254/latest",
        "https://[::1]/simple",
        "https://[fd00:ec2::254]/simple",
        "https://[2a04:4e42::223/simple",
        "https:///simple",
        "https://*/simple",
        "https://*.com/simple",
        "https://pip.example:22/simple",
        "https://pip.example:25/simple",
        "https://pip.example:99999/simple",
        "ftp://pip.example/simple",
        "file:///srv/wheels",
    ],
)
def test_what_is_no_web_servers_public_name_is_left_out(url: str) -> None:
    assert list(configured_hosts(printed(pip=f"[global]\nextra-index-url = {url}\n"))) == DEFAULTS


def test_the_common_hosts_are_names_without_a_wildcard_over_everything() -> None:
    assert all("." in host and not host.startswith(("*.com", "*.org")) and host != "*" for host in COMMON_HOSTS)
