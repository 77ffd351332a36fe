"""Each peer: a server in its own idiom (`*_server.py`) and what drives it with its own client (`*_peer.py`).

These modules import the peers' packages, which conflict with each other: each runs in its peer's interpreter only.
"""
