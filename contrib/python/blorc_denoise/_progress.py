"""Shows how far the work is: with tqdm if it is there, else in a line of text."""

import sys
from contextlib import contextmanager
from typing import Any, Iterator, Union

from ._program import Progress


@contextmanager
def shown(progress: Union[Progress, bool]) -> Iterator[Progress]:
    """Gives what is called with the share that is done. True shows it on stderr, and in notebooks as tqdm does."""
    if not isinstance(progress, bool):
        yield progress
        return
    if not progress:
        yield None
        return
    show, close = _bar()
    try:
        yield show
    finally:
        close()


def _bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _line()
    bar = tqdm(total=100, desc="denoising", bar_format="{l_bar}{bar}| {elapsed}<{remaining}")

    def show(share: float) -> None:
        bar.update(round(100 * share) - bar.n)

    return show, bar.close


def _line() -> Any:
    last = [-1]

    def show(share: float) -> None:
        if int(100 * share) > last[0]:
            last[0] = int(100 * share)
            sys.stderr.write("\rdenoising: %d %%" % last[0])
            sys.stderr.flush()

    def close() -> None:
        sys.stderr.write("\n")

    return show, close
