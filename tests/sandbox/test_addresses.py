"""Which addresses a setup may reach."""

import ipaddress

import pytest

from sandbox.setup.addresses import is_public, objection

PRIVATE = [ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd12::/16")]
EVERYTHING = [ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0")]


@pytest.mark.parametrize("address", ["8.8.8.8", "151.101.0.223", "2a04:4e42::223", "::ffff:8.8.8.8"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.9.9.9",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "fe80::1",
        "fc00::1",
        "fd00:ec2::254",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::1",
    ],
)
def test_addresses_of_this_machine_of_its_networks_and_of_clouds_metadata_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["10.1.2.3", "fd12::1", "::ffff:10.1.2.3", "8.8.8.8"])
def test_the_operators_networks_may_be_reached_as_well(address: str) -> None:
    assert objection(ipaddress.ip_address(address), networks=PRIVATE) is None


@pytest.mark.parametrize("address", ["192.168.1.1", "fd13::1", "::ffff:192.168.1.1"])
def test_other_private_networks_stay_closed_until_the_operator_opens_them(address: str) -> None:
    found = objection(ipaddress.ip_address(address), networks=PRIVATE)

    assert found is not None
    assert "not a public address" in found.reason
    assert not found.is_final


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "::1",
        "0.0.0.0",
        "::",
        "169.254.169.254",
        "169.254.170.2",
        "fe80::1",
        "fd00:ec2::254",
        "fd20:ce::254",
        "100.100.100.200",
        "168.63.129.16",
        "224.0.0.1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "::a9fe:a9fe",
        "::ffff:0:a9fe:a9fe",
        "64:ff9b:1::a9fe:a9fe",
    ],
)
def test_no_network_of_the_operators_opens_this_machine_or_a_clouds_metadata(address: str) -> None:
    found = objection(ipaddress.ip_address(address), networks=EVERYTHING)

    assert found is not None
    assert found.is_final
