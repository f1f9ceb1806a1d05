"""TIFF files in memory, as they pass through the pipes: uncompressed pages of one size and kind."""

import struct
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

KINDS = {"u": 1, "i": 2, "f": 3}  # kind of numpy -> tag SampleFormat
SHORT, LONG = 3, 4
LIMIT = (1 << 32) - (1 << 16)  # of a file, whose places are numbers of 32 bits


def encode(pages: Array) -> Iterator[Any]:
    """Returns the parts of a file of pages x height x width (x colours). Samples are not copied more than a page at a time."""
    at = 8
    yield struct.pack("<2sHI", b"II", 42, at)
    for i, page in enumerate(pages):
        head, padding = _head(page, at, i == len(pages) - 1)
        samples = np.ascontiguousarray(page, dtype=page.dtype.newbyteorder("<"))
        yield head
        yield samples.reshape(-1).view(np.uint8).data
        yield padding
        at += len(head) + samples.nbytes + len(padding)


def size(pages: Array) -> int:
    """Returns how large the file of these pages is."""
    head, padding = _head(pages[0], 8, False)
    return 8 + len(pages) * (len(head) + int(pages[0].nbytes) + len(padding))


def _head(page: Array, at: int, last: bool) -> Tuple[bytes, bytes]:
    """Returns the directory of a page that begins at a place of the file, and what follows its samples."""
    height, width = page.shape[:2]
    n = page.shape[2] if page.ndim == 3 else 1
    tags: List[Tuple[int, int, List[int]]] = [
        (256, LONG, [width]),
        (257, LONG, [height]),
        (258, SHORT, [8 * page.itemsize] * n),
        (259, SHORT, [1]),  # not compressed
        (262, SHORT, [2 if n > 1 else 1]),
        (273, LONG, [0]),  # where samples begin; set below
        (277, SHORT, [n]),
        (278, LONG, [height]),
        (279, LONG, [page.nbytes]),
        (284, SHORT, [1]),
        (339, SHORT, [KINDS[page.dtype.kind]] * n),
    ]
    if n == 4:
        tags.insert(-1, (338, SHORT, [2]))  # alpha, not multiplied
    values = {tag: struct.pack("<%d%s" % (len(v), "H" if kind == SHORT else "I"), *v) for tag, kind, v in tags}
    far = b""
    end = at + 2 + 12 * len(tags) + 4
    fields = {}
    for tag, value in values.items():
        if len(value) > 4:
            fields[tag] = struct.pack("<I", end + len(far))
            far += value + b"\0" * (len(value) % 2)
    start = end + len(far)
    values[273] = struct.pack("<I", start)
    padding = b"\0" * (page.nbytes % 2)
    following = 0 if last else start + page.nbytes + len(padding)
    directory = struct.pack("<H", len(tags))
    for tag, kind, v in tags:
        directory += struct.pack("<HHI", tag, kind, len(v)) + fields.get(tag, values[tag].ljust(4, b"\0"))
    return directory + struct.pack("<I", following) + far, padding


def decode(data: bytes, dtype: "np.dtype[Any]") -> Iterator[Array]:
    """Returns the pages of a file that the program has written for such samples. It writes them as they came: uncompressed."""
    order: Any = {b"II": "<", b"MM": ">"}.get(data[:2])
    if order is None or struct.unpack_from(order + "H", data, 2)[0] != 42:
        raise ValueError("what the program has written is no TIFF file")
    (at,) = struct.unpack_from(order + "I", data, 4)
    while at:
        tags, at = _directory(data, at, order)
        n = tags.get(277, (1,))[0]
        shape = (tags[257][0], tags[256][0]) + ((n,) if n > 1 else ())
        if tags.get(259, (1,))[0] != 1 or tags[258][0] != 8 * dtype.itemsize:
            raise ValueError("the program has written samples of another kind")
        page = np.empty(shape, dtype)
        flat, done = page.reshape(-1), 0
        for offset, count in zip(tags[273], tags[279]):
            strip = np.frombuffer(data, dtype.newbyteorder(order), count // dtype.itemsize, offset)
            flat[done : done + len(strip)] = strip
            done += len(strip)
        if done != flat.size:
            raise ValueError("what the program has written is cut off")
        yield page


def _directory(data: bytes, at: int, order: str) -> Tuple[Dict[int, Tuple[int, ...]], int]:
    """Returns the whole numbers of a directory by their tags, and where the next directory is."""
    (count,) = struct.unpack_from(order + "H", data, at)
    tags: Dict[int, Tuple[int, ...]] = {}
    for i in range(count):
        entry = at + 2 + 12 * i
        tag, kind, n = struct.unpack_from(order + "HHI", data, entry)
        code = {SHORT: "H", LONG: "I"}.get(kind)
        if code is None:
            continue
        place = entry + 8
        if n * struct.calcsize(code) > 4:
            (place,) = struct.unpack_from(order + "I", data, place)
        tags[tag] = struct.unpack_from("%s%d%s" % (order, n, code), data, place)
    (following,) = struct.unpack_from(order + "I", data, at + 2 + 12 * count)
    return tags, following
