"""Which network addresses a server may fetch from on behalf of a client: public ones, and those its owner allows.

The question is asked of the address that is connected to, never of a name or of the text of a URL: so it does not
matter how a host is written (decimal, octal, hex, mapped) or what its name resolves to a moment later.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_NAT64 = IPv6Network("64:ff9b::/96")
_SPECIAL: tuple[Network, ...] = (
    IPv4Network("168.63.129.16/32"),  # public by number, but answered by the cloud's own host (Azure)
    IPv4Network("192.0.0.0/24"),  # protocols; one cloud's metadata (Oracle). Older Pythons know only a part of it
    IPv4Network("192.88.99.0/24"),
    IPv6Network("64:ff9b:1::/48"),
    IPv6Network("100::/64"),
    IPv6Network("3fff::/20"),
    IPv6Network("5f00::/16"),
)


def may_fetch(text: str, allowed: Sequence[Network]) -> bool:
    """Whether `text`, an address as the resolver gives it, may be connected to."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return _listed(address, allowed) or all(_public(one) or _listed(one, allowed) for one in _meant(address))


def _listed(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)


def _meant(address: Address) -> list[Address]:
    """The address, and the IPv4 addresses that it leads to through a tunnel or a translation."""
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address in _NAT64:
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    inner: list[Address] = [address]
    if address.sixtofour is not None:
        inner.append(address.sixtofour)
    if address.teredo is not None:
        inner.extend(address.teredo)
    return inner


def _public(address: Address) -> bool:
    if _listed(address, _SPECIAL):
        return False
    special = address.is_multicast or address.is_reserved or address.is_loopback or address.is_link_local
    site = isinstance(address, IPv6Address) and address.is_site_local
    return address.is_global and not (special or site or address.is_private or address.is_unspecified)
