"""Waiting for something slow while a person may say stop."""

import asyncio
import threading
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from bot.errors import Stopped
from bot.records import StopCheck

T = TypeVar("T")

POLL_S = 0.2
GRACE_S = 2.0


def run_watched(work: Coroutine[Any, Any, T], stop: StopCheck) -> T:
    """Run `work` to its end, or cancel it soon after `stop` says so and raise `Stopped`.

    The work has an event loop and a thread of its own, so that a caller with a running loop (a notebook) may call this.
    `stop` is asked on the caller's thread: it may belong to a database connection that is bound to it.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="model call", daemon=True)
    thread.start()
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        while True:
            try:
                return future.result(timeout=POLL_S)
            except TimeoutError:
                if future.done():
                    return future.result()
                if stop():
                    raise Stopped from None
    finally:
        _end(loop, thread)


def sleep_watched(seconds: float, stop: StopCheck) -> None:
    """Wait, or raise `Stopped` soon after `stop` says so."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if stop():
            raise Stopped
        time.sleep(min(POLL_S, left))


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """Cancel what still runs, so that connections are closed, and end the loop. A stuck resolver is left behind."""
    cancelling = asyncio.run_coroutine_threadsafe(_cancel_all(), loop)
    try:
        cancelling.result(timeout=GRACE_S)
    except TimeoutError:
        return
    loop.call_soon_threadsafe(loop.stop)
    thread.join(GRACE_S)
    loop.close()


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
