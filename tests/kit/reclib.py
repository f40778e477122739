"""Recordings for replays, written by the format's description (docs/dev/rec-file.md): for tests of who reads them."""
import struct

MAGIC = b"\x89DCFGREC"
EVENTS, VALUES, IMAGE, END = 1, 2, 3, 4


def sum_of(data):
    """Returns spool_sum() of DATA."""
    mask, total = (1 << 64) - 1, len(data)
    whole = len(data) // 8 * 8
    for (word,) in struct.iter_unpack("<Q", data[:whole]):
        total = (total ^ word) * 0x100000001b3 & mask
        total ^= total >> 29
    for byte in data[whole:]:
        total = (total ^ byte) * 0x100000001b3 & mask
    return (total ^ total >> 32) & 0xffffffff


def text(pairs):
    return b"".join(k.encode() + b"=" + (v if isinstance(v, bytes) else str(v).encode()) + b"\0" for k, v in pairs)


def header(pairs, version=1):
    data = text(pairs)
    return MAGIC + struct.pack("<IIII", version, len(data), sum_of(data), 0) + data


def block(kind, number, data):
    return b"DRBK" + struct.pack("<IIIII", kind, number, len(data), len(data), sum_of(data)) + data


def recording(pairs, images=(), end=(("end", "exit"), ("status", 0), ("superblocks", 1000), ("threads", 1)), events=b"E"):
    """Returns a file whose events mean nothing; END is None for a process that was killed."""
    data = header(pairs) + block(EVENTS, 0, events)
    for i, (path, build) in enumerate(images):
        data += block(IMAGE, i, text((("build", build), ("path", path))))
    return data + (b"" if end is None else block(END, 0, text(end)))


def head_of(path):
    """Returns the header of the file at PATH as a list of pairs, and the offset behind it."""
    with open(path, "rb") as f:
        data = f.read()
    size, = struct.unpack_from("<I", data, 12)
    return [tuple(p.decode(errors="replace").split("=", 1)) for p in data[24:24 + size].split(b"\0")[:-1]], 24 + size
