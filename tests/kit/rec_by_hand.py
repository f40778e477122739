"""Recordings for replays, written by the format's description (docs/dev/rec-file.md): for tests of who reads them."""
import struct

from reclib import check_sum

MAGIC = b"\x89DCFGREC"
EVENTS, VALUES, IMAGE, END = 1, 2, 3, 4


def text(pairs):
    return b"".join(k.encode() + b"=" + (v if isinstance(v, bytes) else str(v).encode()) + b"\0" for k, v in pairs)


def header(pairs, version=1):
    data = text(pairs)
    return MAGIC + struct.pack("<IIII", version, len(data), check_sum(data), 0) + data


def block(kind, number, data):
    return b"DRBK" + struct.pack("<IIIII", kind, number, len(data), len(data), check_sum(data)) + data


def recording(pairs, images=(), end=(("end", "exit"), ("status", 0), ("superblocks", 1000), ("threads", 1)), events=b"E"):
    """Returns a file whose events mean nothing; END is None for a process that was killed."""
    data = header(pairs) + block(EVENTS, 0, events)
    for i, (path, build) in enumerate(images):
        data += block(IMAGE, i, text((("build", build), ("path", path))))
    return data + (b"" if end is None else block(END, 0, text(end)))
