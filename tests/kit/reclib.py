"""Reads and changes records, by docs/dev/rec-file.md alone: shares nothing with the tool.

    Record(bytes)         .header, .blocks; bytes() writes it again, with the right check sums
    unpack(bytes, n)      the contents of a packed block
    events(bytes)         the events, one after the other
"""
import re
import struct

MAGIC = b"\x89DCFGREC"
EVENTS, VALUES, IMAGE, END = 1, 2, 3, 4

# KILLED: a replay's words for a process that was killed, maybe while it wrote a block.
KILLED = re.compile("the process was killed|is cut")


def check_sum(data):
    """spool_sum() of format/spool_file.h."""
    mask, total = (1 << 64) - 1, len(data)
    whole = len(data) - len(data) % 8
    for word, in struct.iter_unpack("<Q", data[:whole]):
        total = (total ^ word) * 0x100000001b3 & mask
        total ^= total >> 29
    for byte in data[whole:]:
        total = (total ^ byte) * 0x100000001b3 & mask
    return (total ^ total >> 32) & 0xffffffff


def unpack(data, length):
    """Returns the LENGTH bytes that DATA stands for."""
    out, at = bytearray(), 0

    def rest(n):
        nonlocal at
        more = 255 if n == 15 else 0
        while more == 255:
            more = data[at]
            at += 1
            n += more
        return n

    while at < len(data):
        step = data[at]
        at += 1
        n = rest(step >> 4)
        out += data[at:at + n]
        at += n
        if at == len(data):
            break
        distance = data[at] | data[at + 1] << 8
        at += 2
        for _ in range(rest(step & 15) + 4):
            out.append(out[-distance])
    assert len(out) == length, (len(out), length)
    return bytes(out)


class Record:
    def __init__(self, data, is_cut=False):
        """IS_CUT: what stands behind the last whole block is left out."""
        assert data[:8] == MAGIC
        version, n, total, zero = struct.unpack_from("<4I", data, 8)
        assert (version, zero) == (1, 0)
        text = data[24:24 + n]
        assert check_sum(text) == total
        self.header = [tuple(s.split(b"=", 1)) for s in text.split(b"\0")[:-1]]
        self.blocks, at, numbers = [], 24 + n, {}
        while at < len(data):
            if is_cut and at + 24 > len(data):
                break
            magic, kind, number, stored, length, total = struct.unpack_from("<4s5I", data, at)
            if is_cut and at + 24 + stored > len(data):
                break
            contents = data[at + 24:at + 24 + stored]
            assert magic == b"DRBK" and check_sum(contents) == total and number == numbers.get(kind, 0)
            numbers[kind] = number + 1
            self.blocks.append([kind, contents if stored == length else unpack(contents, length)])
            at += 24 + stored

    def values(self, key):
        return [v.decode(errors="replace") for k, v in self.header if k == key.encode()]

    def all(self, kind):
        return b"".join(contents for k, contents in self.blocks if k == kind)

    def texts(self, kind):
        """Returns the blocks of a kind that are texts, as dictionaries."""
        return [dict(s.decode().split("=", 1) for s in c.split(b"\0")[:-1]) for k, c in self.blocks if k == kind]

    def bytes(self):
        text = b"".join(k + b"=" + v + b"\0" for k, v in self.header)
        out, numbers = bytearray(MAGIC + struct.pack("<4I", 1, len(text), check_sum(text), 0) + text), {}
        for kind, contents in self.blocks:
            number = numbers.get(kind, 0)
            numbers[kind] = number + 1
            out += struct.pack("<4s5I", b"DRBK", kind, number, len(contents), len(contents), check_sum(contents)) + contents
        return bytes(out)


# By platform: the numbers of calls that map, and of shmat().  Whether a call of x86's ipc() attaches, only its arguments tell.
CALLS = {"amd64-linux": ((9,), 30), "x86-linux": ((90, 192), 397), "arm64-linux": ((222,), 196)}


class Events:
    """Goes over the contents of blocks of events."""

    def __init__(self, data, platform="amd64-linux"):
        self.data, self.at = data, 0
        self.maps, self.attach = CALLS[platform]

    def number(self):
        n = shift = 0
        while True:
            b = self.data[self.at]
            self.at += 1
            n |= (b & 127) << shift
            shift += 7
            if b < 128:
                return n

    def signed(self):
        n = self.number()
        return n >> 1 ^ -(n & 1)

    def bytes(self, n):
        self.at += n
        assert self.at <= len(self.data)
        return self.data[self.at - n:self.at]

    def text(self):
        return self.bytes(self.number()).decode()

    def begin(self):
        number, hashed = self.number(), self.bytes(4)
        return number, hashed, [(self.signed(), self.number()) for _ in range(self.number())]

    def ranges(self):
        found = []
        for _ in range(self.number()):
            a, n = self.number(), self.number()
            found.append((a, self.bytes(n)))
        return found

    def mapping(self):
        kind = self.bytes(1)[0]
        if kind == 1:
            return self.text(), self.text()
        if kind == 2:
            return self.text(), self.number(), self.number(), self.bytes(self.number())
        assert kind == 0
        return ()

    def result(self, number):
        value = self.signed()
        found = [value, self.ranges(), self.ranges()]
        if not -4096 < value < 0 and number in self.maps:
            found.append(self.mapping())
        if not -4096 < value < 0 and number == self.attach:
            found.append((self.number(), self.bytes(self.number())))
        return found


def events(data, platform="amd64-linux"):
    """Yields (where it begins, its letter, the superblocks before it, the thread, more)."""
    e, now, thread, begun = Events(data, platform), 0, 0, {}
    while e.at < len(data):
        at, letter = e.at, chr(e.bytes(1)[0])
        more = None
        if letter == "B":
            more = e.bytes(e.number()), e.number(), e.bytes(e.number()), e.number(), e.number(), e.number(), [
                (e.number(), e.text()) for _ in range(e.number())]
            yield at, letter, now, thread, more
            continue
        if e.at == len(data):
            return
        now += e.number()
        if letter == "T":
            thread = more = e.number()
        elif letter == "S":
            more = e.begin()
            more += tuple(e.result(more[0]))
        elif letter == "C":
            more = begun[thread] = e.begin()
        elif letter == "R":
            more = begun.pop(thread)
            more += tuple(e.result(more[0]))
        elif letter == "I":
            del begun[thread]
        elif letter == "G":
            more = e.bytes(128)
        elif letter == "P":
            more = e.bytes(4)
        else:
            assert letter in "XYE", letter
        yield at, letter, now, thread, more
