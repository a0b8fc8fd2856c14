"""A setup's way out, inside its container: a port on loopback that leads to the proxy's Unix socket.

    python3 relay.py SOCKET PORT

Returns when the port is open, and goes on in the background until it is killed. Runs on whatever Python 3 the image
has: nothing but the standard library, nothing new.
"""

import os
import socket
import sys
import threading
from contextlib import suppress


def main(path: str, port: int) -> None:
    """Listen, then go to the background."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(64)
    if os.fork():
        return
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, path), daemon=True).start()


def serve(client: socket.socket, path: str) -> None:
    """Carry one connection, both ways, until both are done."""
    upstream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    upstream.connect(path)
    back = threading.Thread(target=carry, args=(upstream, client), daemon=True)
    back.start()
    carry(client, upstream)
    back.join()
    client.close()
    upstream.close()


def carry(source: socket.socket, sink: socket.socket) -> None:
    """Carry bytes one way to their end."""
    try:
        while True:
            data = source.recv(65536)
            if not data:
                break
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
