"""Processes of the program that wait for pictures: 'blorc-denoise worker --help' has what they are asked, and what they answer."""

import json
import os
import queue
import subprocess
import threading
import weakref
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple

from ._program import Progress, error, find_program

PREFIX = "blorc-denoise: "  # of messages; it says nothing to the caller of a function
PATIENCE = 5.0  # seconds for a process to end by itself


class Request(NamedTuple):
    flags: List[str]
    size: int  # bytes of the file
    parts: Callable[[], Iterable[Any]]  # of the file


class Ended(Exception):
    """The process has ended. Answered says whether it had begun to answer."""

    def __init__(self, answered: bool, text: str, code: int) -> None:
        super().__init__(text)
        self.answered, self.code = answered, code


class Worker:
    """A process. It ends when this object goes, or the interpreter."""

    def __init__(self, program: str, idle: float) -> None:
        self.program = program
        command = [program, "worker"] + ["--idle=%gs" % idle] * (idle > 0)
        hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # of a console on Windows
        pipe = subprocess.PIPE
        try:
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, creationflags=hidden)
        except FileNotFoundError as e:
            text = "the program is missing: install the wheel for this system, or set BLORC_DENOISE to its path"
            raise FileNotFoundError(e.errno, text, program) from None
        self._answers: "queue.SimpleQueue[Any]" = queue.SimpleQueue()  # lines as dicts, parts as bytes, and None at the end
        self._messages: List[bytes] = []
        threads = [
            threading.Thread(target=_listen, args=(self.process, self._answers), daemon=True),
            threading.Thread(target=_collect, args=(self.process.stderr, self._messages), daemon=True),
        ]
        self._end = weakref.finalize(self, _end, self.process, threads)
        for t in threads:
            t.start()
        EVERY.add(self)

    def ask(self, request: Request, progress: Progress) -> Tuple[bytes, Dict[str, Any], Dict[str, Any]]:
        """Returns the file that comes back, what the program says about it, and its last line."""
        output: List[bytes] = []
        record: Dict[str, Any] = {}
        answered = False
        self._say(request)
        while True:
            try:
                told = self._answers.get(timeout=0.1)  # on Windows, Ctrl-C ends no longer wait
            except queue.Empty:
                continue
            if told is None:
                raise self._ended(answered)
            answered = True
            if isinstance(told, bytes):
                output.append(told)
            elif "code" in told:
                return b"".join(output), record, told
            elif "status" in told:
                record = told
            elif progress is not None:
                progress(told["done"])

    def _say(self, request: Request) -> None:
        pipe: Any = self.process.stdin
        try:
            pipe.write(json.dumps({"flags": request.flags, "bytes": request.size}).encode() + b"\n")
            for part in request.parts():
                pipe.write(part)
            pipe.flush()
        except OSError:
            pass  # the program has ended; its answers say why

    def _ended(self, answered: bool) -> Ended:
        self.stop()
        text = b"".join(self._messages).decode("utf-8", "replace").strip()
        code = self.process.returncode
        text = text[len(PREFIX) :] if text.startswith(PREFIX) else text
        return Ended(answered, text or "the program was ended while it worked (exit code %d)" % code, code)

    def close(self) -> None:
        """Lets the process end. It waits for nothing but pictures."""
        self._end()

    def stop(self) -> None:
        """Ends the process, whatever it does."""
        self.process.terminate()  # under a limit of memory it has a process for the work, which it ends too
        self._end()

    def forget(self) -> None:
        """Leaves the process to the one that this process was made of: they share its pipes."""
        self._end.detach()
        self.process.returncode = 0
        empty = os.open(os.devnull, os.O_RDWR)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                os.dup2(empty, pipe.fileno())
        os.close(empty)


EVERY: "weakref.WeakSet[Worker]" = weakref.WeakSet()


class Pool:
    """Processes that wait for pictures: as many as there were calls at the same time."""

    def __init__(self, idle: float = 0) -> None:
        self._idle = idle  # seconds after which a process ends; 0 means never
        self._reset()
        if hasattr(os, "register_at_fork"):
            own = weakref.WeakMethod(self._reset)
            os.register_at_fork(after_in_child=lambda: _call(own()))

    def _reset(self) -> None:
        self._free: List[Worker] = []
        self._lock = threading.Lock()
        self._closed = False

    def ask(self, request: Request, progress: Progress) -> Tuple[bytes, Dict[str, Any]]:
        """Passes a file through the program. Returns the file that comes out, and what the program says about it.

        Whatever ends this function ends the process too: Ctrl-C, or an exception of progress.
        """
        while True:
            worker, is_new = self._take()
            try:
                output, record, last = worker.ask(request, progress)
            except Ended as e:
                if e.answered or is_new:
                    raise error(str(e), e.code) from None
                continue  # it had ended before, since nobody needed it, or somebody had ended it
            except BaseException:
                worker.stop()
                raise
            self._give(worker)
            if last["code"]:
                raise error(last.get("error", ""), last["code"])
            return output, record

    def close(self) -> None:
        """Ends all processes. Those at work end when they are done."""
        with self._lock:
            free, self._free, self._closed = self._free, [], True
        for worker in free:
            worker.close()

    def _take(self) -> Tuple[Worker, bool]:
        program = find_program()
        while True:
            with self._lock:
                worker: Optional[Worker] = self._free.pop() if self._free else None
            if worker is None:
                return Worker(program, self._idle), True
            if worker.program == program:
                return worker, False
            worker.close()

    def _give(self, worker: Worker) -> None:
        with self._lock:
            if not self._closed:
                self._free.append(worker)
                return
        worker.close()


def _call(function: Optional[Callable[[], None]]) -> None:
    if function is not None:
        function()


def _forget_all() -> None:
    for worker in list(EVERY):
        worker.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def _listen(process: "subprocess.Popen[bytes]", answers: "queue.SimpleQueue[Any]") -> None:
    pipe: Any = process.stdout
    try:
        for line in iter(pipe.readline, b""):
            told = json.loads(line)
            answers.put(pipe.read(told["part"]) if "part" in told else told)
    except ValueError:
        process.kill()  # it is not this program
    process.wait()
    answers.put(None)


def _collect(pipe: Any, messages: List[bytes]) -> None:
    for line in pipe:
        if len(messages) < 100:  # a fault begins with its reason
            messages.append(line)


def _end(process: "subprocess.Popen[bytes]", threads: List[threading.Thread]) -> None:
    """Makes sure that nothing is left of a process."""
    stdin, stdout, stderr = (process.stdin, process.stdout, process.stderr)
    try:
        stdin.close()  # type: ignore[union-attr]
    except OSError:
        pass
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for t in threads:
        if t.ident is not None and t is not threading.current_thread():  # Ctrl-C may have come before it was started
            t.join()  # its pipe has ended
    stdout.close()  # type: ignore[union-attr]
    stderr.close()  # type: ignore[union-attr]
