"""Reads and writes the TIFF files that pass between a host and blorc-denoise: uncompressed, gray or RGB, 8 or 16 bits or float.

It needs nothing but the standard library, since the Python of a host often has nothing else.
"""

import struct
import sys
from array import array

KINDS = {"B": (8, 1), "H": (16, 1), "f": (32, 3)}  # type code of array -> bits and sample format


def write(path, width, height, channels, samples):
    """Writes an array of samples (type code B, H or f) in rows, with interleaved channels."""
    bits, kind = KINDS[samples.typecode]
    order = "<" if sys.byteorder == "little" else ">"
    tags = [
        (256, "I", [width]),
        (257, "I", [height]),
        (258, "H", [bits] * channels),
        (259, "H", [1]),
        (262, "H", [1 if channels == 1 else 2]),
        (273, "I", [0]),  # set below
        (277, "H", [channels]),
        (278, "I", [height]),
        (279, "I", [len(samples) * samples.itemsize]),
        (284, "H", [1]),
        (339, "H", [kind] * channels),
    ]
    values = {number: struct.pack("%s%d%s" % (order, len(v), code), *v) for number, code, v in tags}
    at = 8 + 2 + 12 * len(tags) + 4
    places = {}
    for number, data in values.items():
        if len(data) > 4:
            places[number] = at
            at += len(data) + len(data) % 2
    values[273] = struct.pack(order + "I", at)
    with open(path, "wb") as f:
        f.write((b"II" if order == "<" else b"MM") + struct.pack(order + "HIH", 42, 8, len(tags)))
        for number, code, v in tags:
            data = values[number]
            field = struct.pack(order + "I", places[number]) if number in places else data.ljust(4, b"\0")
            f.write(struct.pack(order + "HHI", number, 3 if code == "H" else 4, len(v)) + field)
        f.write(struct.pack(order + "I", 0))
        for number in places:
            f.write(values[number] + b"\0" * (len(values[number]) % 2))
        samples.tofile(f)


def read(path):
    """Returns width, height, channels and samples of a file that blorc-denoise has written for such an input."""
    with open(path, "rb") as f:
        data = f.read()
    order = {b"II": "<", b"MM": ">"}.get(data[:2])
    if order is None or len(data) < 8:
        raise ValueError("%s is not a TIFF file" % path)
    (start,) = struct.unpack_from(order + "I", data, 4)
    (count,) = struct.unpack_from(order + "H", data, start)
    tags = {}
    for i in range(count):
        at = start + 2 + 12 * i
        number, kind, n = struct.unpack_from(order + "HHI", data, at)
        code = {3: "H", 4: "I"}.get(kind)
        if code is None:
            continue
        size = n * struct.calcsize(code)
        if size > 4:
            (at,) = struct.unpack_from(order + "I", data, at + 8)
            at -= 8
        tags[number] = struct.unpack_from("%s%d%s" % (order, n, code), data, at + 8)
    width, height, channels = tags[256][0], tags[257][0], tags.get(277, (1,))[0]
    code = {(8, 1): "B", (16, 1): "H", (32, 3): "f"}.get((tags[258][0], tags.get(339, (1,))[0]))
    if code is None or tags.get(259, (1,))[0] != 1:
        raise ValueError("%s is not what blorc-denoise writes" % path)
    samples = array(code)
    for offset, size in zip(tags[273], tags[279]):
        samples.frombytes(data[offset : offset + size])
    if len(samples) != width * height * channels:
        raise ValueError("%s is cut off" % path)
    if (order == "<") != (sys.byteorder == "little"):
        samples.byteswap()
    return width, height, channels, samples
