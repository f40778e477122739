#!/usr/bin/python3
"""Replays the memory of an amd64 program, or of one for x86, from the output of wet_state.c with "all", and checks each load that it can read.

usage: wet_memory.py LISTED [x86]  prints: loads known, loads unknown, loads that disagree; then up to 20 of these

Memory begins as the contents of the state; and, if the program begins, mapped files as they are on disk, and zeros.  Then come the stores of the
instructions below, what the kernel wrote, and how mappings change.  Other instructions that store make what is near their
accesses unknown.  A load of the instructions below must find its value, unless some byte of it is unknown; from then on it is
known.
"""
import struct
import sys

FRESH, MOVED = 4, 7
PAGE = 4096


class Memory:
    def __init__(self):
        self.pages = {}                 # number: (bytes, which of them are known)

    def set(self, at, data, known=1):
        done = 0
        while done < len(data):
            page, start = divmod(at + done, PAGE)
            n = min(PAGE - start, len(data) - done)
            here, mask = self.pages.setdefault(page, (bytearray(PAGE), bytearray(PAGE)))
            here[start:start + n] = data[done:done + n]
            mask[start:start + n] = bytes([known]) * n
            done += n

    def forget(self, at, n):
        first, last = -(-at // PAGE), (at + n) // PAGE
        if n > 1 << 16:
            for page in [p for p in self.pages if first <= p < last]:
                del self.pages[page]
            self.forget(at, first * PAGE - at)
            self.forget(last * PAGE, at + n - last * PAGE)
            return
        self.set(at, bytes(n), 0)

    def get(self, at, n):
        """The bytes, and whether all are known."""
        data, known = b"", True
        while n > 0:
            page, start = divmod(at, PAGE)
            k = min(PAGE - start, n)
            here, mask = self.pages.get(page, (bytes(PAGE), bytes(PAGE)))
            data, known = data + bytes(here[start:start + k]), known and all(mask[start:start + k])
            at, n = at + k, n - k
        return data, known


def file_bytes(path, offset, size, writable):
    """The contents of a mapping; a program's data that do not stand in the file are zeros."""
    try:
        with open(path, "rb") as f:
            head = f.read(64)
            f.seek(offset)
            data = f.read(size)
            if not writable or head[:4] != b"\x7fELF":
                return data.ljust(size, b"\0")
            wide = head[4] == 2
            f.seek(struct.unpack_from(*("<Q", head, 32) if wide else ("<I", head, 28))[0])
            one = 56 if wide else 32
            table = f.read(one * struct.unpack_from("<H", head, 56 if wide else 44)[0])
    except OSError:
        return b""
    end = offset
    for at in range(0, len(table), one):
        kind, flags, begin, _, _, length = struct.unpack_from("<IIQQQQ", table, at) if wide else \
            (lambda kind, begin, v, p, length, size, flags: (kind, flags, begin, v, p, length))(*struct.unpack_from("<7I", table, at))
        if kind == 1 and flags & 2:
            end = max(end, begin + length)
    return data[:max(0, end - offset)].ljust(size, b"\0")


def decode(code, wide):
    """(load, store, size): what is read to the value, or is it the value that is stored; None if this is another instruction."""
    at, narrow, repeat = 0, False, 0
    while code[at] in (0x66, 0x64, 0xf2, 0xf3):
        narrow |= code[at] == 0x66
        repeat = code[at] if code[at] >= 0xf2 else repeat
        at += 1
    rex = code[at] if wide and code[at] & 0xf0 == 0x40 else 0
    at += rex != 0
    op, size = code[at], 8 if rex & 8 else 2 if narrow else 4
    memory = len(code) > at + 1 and code[at + 1] >> 6 != 3
    if not repeat and op in (0x8b, 0x89, 0xc7, 0x88, 0xc6) and memory:
        return op == 0x8b, op != 0x8b, 1 if op in (0x88, 0xc6) else size
    if not repeat and 0x58 <= op <= 0x5f and not narrow:
        return True, False, 8 if wide else 4
    if not repeat and (0x50 <= op <= 0x57 or op in (0x68, 0x6a, 0xe8)) and not narrow:
        return False, True, 8 if wide else 4
    if op == 0x0f:
        op, memory = code[at + 1], len(code) > at + 2 and code[at + 2] >> 6 != 3
        vector = (op in (0x28, 0x10, 0x29, 0x11) and not repeat) or (op in (0x6f, 0x7f) and (narrow or repeat == 0xf3))
        if memory and vector:
            return op in (0x28, 0x10, 0x6f), op in (0x29, 0x11, 0x7f), 16
        if memory and op in (0xb6, 0xb7) and not repeat:
            return True, False, 1 if op == 0xb6 else 2
    return None


class Replay:
    def __init__(self, wide):
        self.wide = wide
        self.memory, self.known, self.unknown, self.wrong = Memory(), 0, 0, []
        self.kinds, self.starts = {}, False

    def mapping(self, words, begins):
        at, size, how, offset, path = int(words[1], 16), int(words[2], 16), words[3], int(words[4], 16), " ".join(words[6:])
        if how == "-":
            self.memory.forget(at, size)
        elif how[-1] == "+" or (begins and self.starts):
            self.memory.forget(at, size)
            if path:
                self.memory.set(at, file_bytes(path, offset, size, begins and how[1] == "w"))
            elif size <= 64 << 20:
                self.memory.set(at, bytes(size))

    def instruction(self, words, line):
        stores, code, accesses = words[3][0] == "+", words[3][1:], [int(a, 16) for a in words[5:]]
        if not accesses:
            return
        if code not in self.kinds:
            self.kinds[code] = decode(bytes.fromhex(code), self.wide)
        what = self.kinds[code]
        if what is None and stores and words[4] != "-" and len(set(accesses)) == 1 and accesses[0]:
            self.memory.set(accesses[0], bytes.fromhex(words[4])[::-1])     # the value is the number that is stored
            return
        if what is None or words[4] == "-" or len(accesses) != 1:
            for at in accesses if stores else ():
                far = 4096 if code.startswith(("0fae", "0fc7", "480fc7", "480fae")) else 64
                if at:
                    self.memory.forget(at, far)
            return
        value = bytes.fromhex(words[4])[::-1][:what[2]]
        if what[1]:
            self.memory.set(accesses[0], value)
            return
        found, known = self.memory.get(accesses[0], what[2])
        self.known += known
        self.unknown += not known
        if known and found != value:
            self.wrong.append("%s: has %s" % (line.strip(), found[::-1].hex()))
        self.memory.set(accesses[0], value)

    def event(self, words):
        kind, at, size, start = int(words[2]), *(int(w, 16) for w in words[3:6])
        if kind == FRESH:
            self.memory.forget(at, size)
        elif kind == MOVED:
            for done in range(0, size, PAGE):
                data, known = self.memory.get(start + done, min(PAGE, size - done))
                self.memory.set(at + done, data, known)

    def run(self, lines):
        begins = True
        for line in lines:
            words = line.split(" ")
            if words[0] == "P":
                self.starts = words[4] == "1"
            elif words[0] == "M":
                self.mapping(line.rstrip("\n").split(" "), begins)
            elif words[0] == "C":
                self.memory.set(int(words[1], 16), bytes.fromhex(words[2]))
            elif words[0] == "O":
                begins = False
                self.instruction(line.split(), line)
            elif words[0] == "X":
                begins = False
                self.event(words)


def main(args):
    replay = Replay("x86" not in args[1:])
    with open(args[0]) as f:
        replay.run(f)
    print(replay.known, replay.unknown, len(replay.wrong))
    print("\n".join(replay.wrong[:20]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
