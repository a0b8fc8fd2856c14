"""`python -m bot.healthcheck`: does what runs in this container answer? The image asks; no other package is loaded."""

import os
import sys
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException

WEB_PORT = "8000"
TIMEOUT_S = 5.0


def ports_of(environment: Mapping[str, str]) -> Sequence[int]:
    """Where web and worker answer, if they run."""
    named = (environment.get("SELFCODE_PORT") or WEB_PORT, environment.get("SELFCODE_METRICS_PORT") or "")
    return [int(port) for port in named if port.isdigit()]


def is_healthy(ports: Sequence[int]) -> bool:
    """Somebody listens at one of these ports of loopback, and whoever does answers `/healthz`."""
    answers = [answer for port in ports if (answer := _answers(port)) is not None]
    return bool(answers) and all(answers)


def _answers(port: int) -> bool | None:
    """None where nobody listens."""
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except ConnectionRefusedError:
        return None
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(0 if is_healthy(ports_of(os.environ)) else 1)
