"""Attacks through the network: out, in, and to the processes of the same machine."""

from __future__ import annotations

from .attack import escaped, plain

_ADDRESSES = """
def inet(port, *address):
    return (2).to_bytes(2, 'little') + port.to_bytes(2, 'big') + bytes(address) + bytes(8)

def unix(name):
    return (1).to_bytes(2, 'little') + name

def connect(family, kind, address):
    number = k.syscall('socket', family, kind | 0o4000, 0)
    try:
        k.syscall('connect', number, address, len(address))
    except OSError as error:
        if error.errno != 115:
            raise
    return f'connected {number}'
"""


def _with_addresses(body: str) -> str:
    return f"{_ADDRESSES}\n{body}"


PLAIN = (
    plain("import_socket", "python", "import socket\nreturn {}", says="import of 'socket'"),
    plain("import_urllib", "python", "import urllib.request\nreturn {}", says="import of 'urllib"),
    plain(
        "socket_through_builtins",
        "python",
        """
        import statistics
        load = statistics.sys.modules['builtins'].__import__
        load('_socket').socket()
        return {}
        """,
    ),
)

ESCAPED = (
    escaped(
        "connect_tcp",
        "network",
        _with_addresses("""
for label, address in (('loopback', inet(host['tcp'], 127, 0, 0, 1)), ('public', inet(80, 192, 0, 2, 1))):
    k.attempt(label, lambda: connect(2, 1, address))
"""),
    ),
    escaped(
        "send_udp",
        "network",
        _with_addresses("""
def send(address):
    return k.syscall('sendto', k.syscall('socket', 2, 2, 0), b'attack', 6, 0, address, len(address))

for label, address in (('loopback', inet(host['udp'], 127, 0, 0, 1)), ('name server', inet(53, 192, 0, 2, 1))):
    k.attempt(label, lambda: send(address))
"""),
    ),
    escaped(
        "connect_unix",
        "network",
        _with_addresses("""
k.attempt('abstract', lambda: connect(1, 1, unix(b'\\0' + host['abstract'].encode())))
k.attempt('path', lambda: connect(1, 1, unix(host['unix'].encode() + b'\\0')))
"""),
    ),
    escaped(
        "any_socket",
        "calls",
        """
        families = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16, "packet": 17, "alg": 38, "vsock": 40, "xdp": 44}
        for name, family in families.items():
            for kind in (1, 2, 3, 5):
                k.attempt(f"{name} {kind}", lambda: [k.syscall("socket", family, kind, 0)])
        k.attempt("pair", lambda: k.syscall("socketpair", 1, 1, 0, bytes(8)) == 0)
        """,
    ),
    escaped(
        "listen",
        "network",
        _with_addresses("""
def listen(kind):
    number = k.syscall('socket', 2, kind, 0)
    k.syscall('bind', number, inet(0, 0, 0, 0, 0), 16)
    return kind == 2 or k.syscall('listen', number, 1) == 0

k.attempt('tcp', lambda: listen(1))
k.attempt('udp', lambda: listen(2))
"""),
    ),
)
