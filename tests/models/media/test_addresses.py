"""Which addresses a server may fetch from on behalf of a client."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from everlore.models.media.addresses import may_fetch

FORBIDDEN = [
    *("127.0.0.1", "127.8.9.10", "0.0.0.0", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("100.100.100.200", "192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1"),
    *("2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:0:7f00:1::1", "not an address", ""),
]
PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", FORBIDDEN)
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert not may_fetch(address, [])


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address: str) -> None:
    assert may_fetch(address, [])


def test_the_owner_of_the_server_may_allow_a_network() -> None:
    allowed = [ip_network("10.1.2.0/24"), ip_network("::1/128")]
    assert may_fetch("10.1.2.3", allowed)
    assert may_fetch("::ffff:10.1.2.3", allowed)
    assert may_fetch("::1", allowed)
    assert not may_fetch("10.1.3.3", allowed)
