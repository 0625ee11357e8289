"""A few threads that share the rows of a batch.

A step of a thousand games takes less time than it takes to wake a thread, so a worker does not go to sleep at once: it
stays in compiled code, without the GIL, and looks for a while whether the next order has come. Only then does it wait
in Python. Orders and answers pass through the *desk*, an int64 array that all threads see.

Games never touch one another, so the bytes do not depend on the number of threads. Numba's own parallel layer is never
entered (after it has run, a forked child dies).
"""

import os
import sys
import threading
import time

import numpy as np
from numpy.typing import NDArray

from respublica_env.engine._jit import Task, jit
from respublica_env.engine.atomics import add, call_task, exchange, load, pause, store
from respublica_env.engine.strips import address

LINE = 8  # entries of a cache line: what different threads write lies on different ones

# The desk: the number of the order; its task (an address, 0 to stop), rows and threads; how many of its chunks are
# finished; arguments of the task; then a line for each thread and one for each chunk.
ORDER, TASK, TOTAL, SIZE, FINISHED = 0, LINE, LINE + 1, LINE + 2, 2 * LINE
ARGUMENTS, MOST_ARGUMENTS = 3 * LINE, 4 * LINE
THREADS = ARGUMENTS + MOST_ARGUMENTS
# A thread's line: chunks claimed of its part, whether it sleeps, whether the caller has to wake it.
CLAIMED, ASLEEP, WAKE = range(3)

CHUNKS = 8  # of each thread's part
# Another thread takes a chunk only while more than this are left: the last ones are faster done by the thread that had
# these rows in its cache, if it is at work at all.
OWN_CHUNKS = 2
PATIENCE = 6_000  # looks at the desk before a thread gives up: about 100 microseconds


@jit
def thread_at(number):
    """Where the line of a thread begins."""
    return THREADS + number * LINE


@jit
def chunk_at(desk, chunk):
    """Where the line of a chunk begins: room for what the task finds there."""
    return THREADS + (desk[SIZE] + chunk) * LINE


@jit
def work(desk, number, own):
    """Carry out chunks of the order: those of the thread's own part, then of others which have more than `own` left.

    Whoever claims a chunk reads the order after that. So a thread that comes late takes part in the order that stands.
    """
    size = desk[SIZE]
    chunks = size * CHUNKS
    for turn in range(size):
        part = (number + turn) % size
        while turn == 0 or CHUNKS - load(desk, thread_at(part) + CLAIMED) > own:
            claimed = add(desk, thread_at(part) + CLAIMED, 1)
            if claimed >= CHUNKS:
                break
            chunk, total = part * CHUNKS + claimed, desk[TOTAL]
            first, end = total * chunk // chunks, total * (chunk + 1) // chunks
            call_task(load(desk, TASK), address(desk, 0), number, chunk, first, end)
            add(desk, FINISHED, 1)


@jit
def attend(desk, number):
    """What a worker does: orders, one after the other. False when it shall stop, True when none came for a while."""
    mine = thread_at(number)
    order, looks = 0, 0
    while True:
        now = load(desk, ORDER)
        if now == order:
            pause()
            looks += 1
            if looks < PATIENCE:
                continue
            store(desk, mine + ASLEEP, 1)
            # If an order comes now, either it is taken here, or the caller has seen the sleeper and wakes it.
            if load(desk, ORDER) == order or not exchange(desk, mine + ASLEEP, 1, 0):
                return True
            continue
        order, looks = now, 0
        if load(desk, TASK) == 0:
            return False
        work(desk, number, OWN_CHUNKS)


@jit
def give_order(desk, task, total):
    """Put an order on the desk, when the one before is finished. Returns how many workers sleep: their `WAKE` is 1."""
    store(desk, TASK, task)
    desk[TOTAL], desk[FINISHED] = total, 0
    sleepers = 0
    for number in range(desk[SIZE] if task != 0 else 0):
        store(desk, thread_at(number) + CLAIMED, 0)
    store(desk, ORDER, desk[ORDER] + 1)
    for number in range(1, desk[SIZE]):
        if exchange(desk, thread_at(number) + ASLEEP, 1, 0):
            desk[thread_at(number) + WAKE] = 1
            sleepers += 1
    return sleepers


@jit
def finished(desk):
    """Whether the whole order is carried out, after waiting for a while."""
    for _ in range(PATIENCE):
        if load(desk, FINISHED) == desk[SIZE] * CHUNKS:
            return True
        pause()
    return False


@jit
def join_in(desk, own):
    """The caller's share of the work, then `finished`."""
    work(desk, 0, own)
    return finished(desk)


@jit
def share_order(desk, task, total):
    """An order and `join_in`, if nobody has to be woken first. Returns how many sleep, and whether all is done."""
    sleepers = give_order(desk, task, total)
    return sleepers, sleepers == 0 and join_in(desk, OWN_CHUNKS)


def _work(desk: NDArray[np.int64], number: int, bell: threading.Lock) -> None:
    while attend(desk, number):
        bell.acquire()


class Crew:
    """`size` threads, the caller's own among them; for compiled code only, and for one caller at a time."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._process = 0

    @property
    def desk(self) -> NDArray[np.int64]:
        """The desk; the arguments of the next task go to `desk[ARGUMENTS:]`.

        Raises RuntimeError when the system starts no more threads.
        """
        if self._process != os.getpid():  # first use, or a forked child, in which the threads do not live
            self._open()
        return self._desk

    def _open(self) -> None:
        desk = np.zeros(THREADS + self.size * (1 + CHUNKS) * LINE, np.int64)
        desk[SIZE] = self.size
        desk[FINISHED] = self.size * CHUNKS  # as if there had been an order
        for number in range(self.size):
            desk[thread_at(number) + CLAIMED] = CHUNKS
        # Compiled here, not by a worker or a finalizer: a child forked meanwhile would inherit the compiler's lock.
        scratch = desk.copy()
        give_order(scratch, 0, 0)
        attend(scratch, 0)
        bells = [threading.Lock() for _ in range(self.size)]
        self._desk, self._bells = desk, bells
        try:
            for number, bell in enumerate(bells):
                bell.acquire()
                if number > 0:
                    worker = threading.Thread(
                        target=_work, args=(desk, number, bell), name="respublica-batch", daemon=True
                    )
                    worker.start()
        except RuntimeError as error:
            self._dismiss()
            raise RuntimeError(f"the system starts no {self.size} threads: {error}") from None
        self._process = os.getpid()

    def share(self, task: Task, total: int) -> None:
        """Carry out a task on chunks that cover `range(total)`, in all threads at the same time; wait for all."""
        desk, place = self.desk, task.address
        try:
            sleepers, done = share_order(desk, place, total)
            if sleepers > 0:
                self._wake()
                done = join_in(desk, OWN_CHUNKS)
            while not done:  # a worker has lost its core: it may need this one
                time.sleep(0)
                done = join_in(desk, 0)
        except BaseException:
            self._complete()
            raise

    def _complete(self) -> None:
        """Carry out what was ordered, whatever interrupts: no thread may work on behind the caller's back."""
        while True:
            try:
                self._wake()
                while not join_in(self._desk, 0):
                    pass
                return
            except BaseException:  # noqa: BLE001 - the first interrupt is the one that goes on
                continue

    def _wake(self) -> None:
        for number, bell in enumerate(self._bells):
            if self._desk[thread_at(number) + WAKE] == 1:
                if bell.locked():  # not when an interrupt came right after its release
                    bell.release()
                self._desk[thread_at(number) + WAKE] = 0

    def _dismiss(self) -> None:
        """Let all workers end."""
        give_order(self._desk, 0, 0)
        self._wake()

    def __del__(self) -> None:
        if os is None or sys.is_finalizing() or self._process != os.getpid():  # os is gone when Python shuts down
            return
        self._dismiss()
