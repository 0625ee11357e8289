"""A few threads that share the rows of a batch.

Compiled loops release the GIL, so plain threads are enough: Numba's own parallel layer is never entered (after it
has run, a forked child dies). Games never touch one another, so the bytes do not depend on the number of threads.
"""

import os
import threading
from collections.abc import Callable

Task = Callable[[int, int, int], None]  # part, first, end


class _Worker:
    """One thread that waits for a part of the work; it ends when `stop` is called."""

    def __init__(self) -> None:
        self._begin = threading.Lock()
        self._finished = threading.Lock()
        self._begin.acquire()
        self._finished.acquire()
        self._task: Task | None = None
        self._part = (0, 0, 0)
        self._error: BaseException | None = None
        threading.Thread(target=self._work, name="respublica-batch", daemon=True).start()

    def _work(self) -> None:
        while True:
            self._begin.acquire()
            if self._task is None:
                return
            try:
                self._task(*self._part)
            except BaseException as error:  # noqa: BLE001 - whatever it is, `wait` hands it to the caller
                self._error = error
            self._finished.release()

    def start(self, task: Task, part: int, first: int, end: int) -> None:
        self._task, self._part = task, (part, first, end)
        self._begin.release()

    def wait(self) -> None:
        self._finished.acquire()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def stop(self) -> None:
        self._task = None
        self._begin.release()


class Crew:
    """`size` threads, the caller's own among them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._workers: list[_Worker] = []
        self._process = 0

    def share(self, task: Task, total: int) -> None:
        """Call `task(part, first, end)` on parts that cover `range(total)` at the same time; wait for all."""
        if self._process != os.getpid():  # first use, or a forked child, in which the threads do not live
            self._workers = [_Worker() for _ in range(self.size - 1)]
            self._process = os.getpid()
        bounds = [total * i // self.size for i in range(self.size + 1)]
        for part, worker in enumerate(self._workers, 1):
            worker.start(task, part, bounds[part], bounds[part + 1])
        try:
            task(0, bounds[0], bounds[1])
        finally:
            for worker in self._workers:
                worker.wait()

    def __del__(self) -> None:
        if os is not None and self._workers and self._process == os.getpid():  # os is gone when Python shuts down
            for worker in self._workers:
                worker.stop()
