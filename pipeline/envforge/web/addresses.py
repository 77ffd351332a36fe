"""Which IP addresses belong to the public internet; an address inside an address is judged as well."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

# What `is_global` lets through although nothing of the public web is there (or only on newer Pythons).
_NEVER_4 = tuple(
    IPv4Network(block)
    for block in (
        "192.0.0.0/24",  # protocol assignments, among them a cloud's metadata service
        "192.88.99.0/24",  # the retired relays of 6to4
        "168.63.129.16/32",  # a cloud's own service, answered inside of its machines only
    )
)
_UNICAST_6 = IPv6Network("2000::/3")
_NEVER_6 = tuple(IPv6Network(block) for block in ("2001:db8::/32", "3fff::/20", "2001:10::/28", "2001:20::/28"))
# Prefixes of 96 bits after which an IPv4 address follows; packets to them end at that address.
_CARRIERS = tuple(
    IPv6Network(block)
    for block in (
        "::/96",  # IPv4-compatible
        "::ffff:0:0/96",  # IPv4-mapped
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
    )
)
_MAPPED, _NAT64 = _CARRIERS[1], _CARRIERS[3]
_ISATAP = (0x00005EFE, 0x02005EFE)


def parse_address(text: str) -> Address | None:
    """The address that `text` spells in the usual way; None for anything else, scope ids included."""
    if "%" in text:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


def dialled(address: Address) -> Address:
    """What is really dialled: a mapped IPv4 address is that address."""
    if isinstance(address, IPv6Address) and address in _MAPPED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def why_not_public(address: Address) -> str | None:
    """Why nothing of the public web is at `address`; None if something may be."""
    if isinstance(address, IPv6Address):
        return _why_not_public_6(address)
    if reason := _kind(address):
        return reason
    reserved = not address.is_global or any(address in block for block in _NEVER_4)
    return "which is reserved" if reserved else None


def _why_not_public_6(address: IPv6Address) -> str | None:
    tunnel = address in _MAPPED or address in _NAT64 or address.sixtofour is not None or address.teredo is not None
    if not tunnel and (reason := _kind(address)):
        return reason
    for inner in _carried(address):
        if reason := why_not_public(inner):
            return f"it carries {inner}, {reason}"
    if tunnel:
        return None
    reserved = address not in _UNICAST_6 or not address.is_global or any(address in block for block in _NEVER_6)
    return "which is reserved" if reserved else None


def _kind(address: Address) -> str | None:
    """The usual kinds of address that are not public, in words."""
    kinds = (
        (address.is_unspecified, "which is this machine"),
        (address.is_loopback, "which is this machine"),
        (address.is_link_local, "which is link-local"),
        (address.is_multicast, "which is multicast"),
        (address.is_private, "which is private"),
    )
    return next((words for holds, words in kinds if holds), None)


def _carried(address: IPv6Address) -> Iterator[IPv4Address]:
    """IPv4 addresses inside an IPv6 address."""
    if any(address in block for block in _CARRIERS):
        yield IPv4Address(int(address) & 0xFFFFFFFF)
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        yield IPv4Address(int(address) & 0xFFFFFFFF)
