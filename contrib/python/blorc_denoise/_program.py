"""Finds the program, runs it with pipes, and turns its messages into exceptions."""

import json
import os
import queue
import subprocess
import threading
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

Progress = Optional[Callable[[float], object]]

PREFIXES = ("blorc-denoise: ", "stdin: ")  # of messages; they say nothing to the caller of a function


class DenoiseError(Exception):
    """The program has refused an array, or failed. The text is that of the program, code is its exit code."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


class ArgumentError(DenoiseError, ValueError):
    """An argument makes no sense."""


def find_program() -> str:
    """Returns the path of the program: that in the environment variable BLORC_DENOISE, that of the package, or its name for PATH."""
    given = os.environ.get("BLORC_DENOISE")
    if given:
        return given
    inside = Path(__file__).with_name("bin") / ("blorc-denoise.exe" if os.name == "nt" else "blorc-denoise")
    return str(inside) if inside.exists() else "blorc-denoise"


def run(flags: List[str], source: Iterable[Any], progress: Progress = None) -> Tuple[bytes, Dict[str, Any]]:
    """Passes the parts of a file through the program. Returns the file that comes out, and what the program says about it.

    Whatever ends this function ends the program too: Ctrl-C, or an exception of progress.
    """
    command = [find_program(), "--quiet", "--json", "--progress=json", *flags, "-"]
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # of a console on Windows
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, creationflags=hidden)
    except FileNotFoundError as e:
        text = "the program is missing: install the wheel for this system, or set BLORC_DENOISE to its path"
        raise FileNotFoundError(e.errno, text, command[0]) from None
    threads: List[threading.Thread] = []
    try:
        output, record, messages = _talk(process, source, progress, threads)
        code = process.wait()
    finally:
        _end(process, threads)
    if code:
        raise _error(code, messages)
    return b"".join(output), record


def _talk(
    process: "subprocess.Popen[bytes]", source: Iterable[Any], progress: Progress, threads: List[threading.Thread]
) -> Tuple[List[bytes], Dict[str, Any], List[str]]:
    """Feeds a process and listens until it has said all. Returns its output, its record and other messages, and adds its threads."""
    output: List[bytes] = []
    lines: "queue.Queue[Optional[bytes]]" = queue.Queue()
    threads.append(threading.Thread(target=_feed, args=(process.stdin, source), daemon=True))
    threads.append(threading.Thread(target=_read, args=(process.stdout, output), daemon=True))
    threads.append(threading.Thread(target=_collect, args=(process.stderr, lines), daemon=True))
    for t in threads:
        t.start()
    record, messages = _listen(lines, progress)
    for t in threads:
        t.join()
    return output, record, messages


def _feed(pipe: Any, source: Iterable[Any]) -> None:
    try:
        for part in source:
            pipe.write(part)
    except OSError:
        pass  # the program has ended, and says why
    finally:
        try:
            pipe.close()
        except OSError:
            pass


def _read(pipe: Any, output: List[bytes]) -> None:
    output.append(pipe.read())


def _collect(pipe: Any, lines: "queue.Queue[Optional[bytes]]") -> None:
    for line in pipe:
        lines.put(line)
    lines.put(None)


def _listen(lines: "queue.Queue[Optional[bytes]]", progress: Progress) -> Tuple[Dict[str, Any], List[str]]:
    """Reads messages to their end. Returns the record of the file, and lines of text."""
    record: Dict[str, Any] = {}
    messages: List[str] = []
    while True:
        try:
            line = lines.get(timeout=0.1)  # on Windows, Ctrl-C ends no longer wait
        except queue.Empty:
            continue
        if line is None:
            return record, messages
        text = line.decode("utf-8", "replace").rstrip()
        if not text.startswith("{"):
            messages.append(text)
            continue
        told = json.loads(text)
        if "status" in told:
            record = told
        elif progress is not None:
            progress(told["done"])


def _end(process: "subprocess.Popen[bytes]", threads: List[threading.Thread]) -> None:
    """Makes sure that nothing is left of a process: it may have come to its end, or be at work."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for t in threads:
        if t.ident is not None:  # Ctrl-C may have come before it was started
            t.join()  # its pipe has ended
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None and not pipe.closed:
            pipe.close()


def _error(code: int, messages: List[str]) -> DenoiseError:
    text = "\n".join(m for m in messages if not m.startswith("Try '")).strip()  # its help is about flags
    for prefix in PREFIXES:
        if text.startswith(prefix):
            text = text[len(prefix) :]
    kind = ArgumentError if code == 2 else DenoiseError
    return kind(text or "the program failed with exit code %d" % code, code)
