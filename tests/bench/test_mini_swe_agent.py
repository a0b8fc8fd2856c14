"""mini-swe-agent's adapter, as far as it goes without the package: its trajectory, and the way to the model."""

import json
import socket
import sys
import threading
from pathlib import Path

from bench.solve.systems import relay
from bench.solve.systems.mini_swe_agent import ended_as


def test_the_trajectory_says_how_it_ended() -> None:
    trajectory = {
        "info": {"exit_status": "LimitsExceeded", "submission": "", "model_stats": {"api_calls": 15}},
        "messages": [],
        "trajectory_format": "mini-swe-agent-1.1",
    }

    assert ended_as(json.dumps(trajectory).encode()) == "LimitsExceeded"


def test_a_trajectory_that_was_cut_off_says_nothing() -> None:
    assert ended_as(b'{"info": {"exit_st') == ""
    assert ended_as(b"") == ""


def test_a_program_behind_the_relay_reaches_the_socket_outside(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as outside, socket.create_server(("127.0.0.1", 0)) as free:
        outside.bind(str(tmp_path / "s"))
        outside.listen()
        port = free.getsockname()[1]
        free.close()
        heard: list[bytes] = []

        def serve() -> None:
            connection, _ = outside.accept()
            with connection:
                heard.append(connection.recv(100))
                connection.sendall(b"answer")

        thread = threading.Thread(target=serve)
        thread.start()
        said = tmp_path / "said"
        program = (
            "import socket\n"
            f"c = socket.create_connection(('127.0.0.1', {port}))\n"
            "c.sendall(b'question')\n"
            f"open({str(said)!r}, 'wb').write(c.recv(100))\n"
        )

        exit_code = relay.main([str(tmp_path / "s"), str(port), sys.executable, "-c", program])
        thread.join()

    assert (exit_code, heard, said.read_bytes()) == (0, [b"question"], b"answer")
