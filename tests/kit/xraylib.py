"""XRay logs and their maps made by hand, from the format's description and not from the tool: the tests of `dcfg xray`
read them, and break one rule at a time.

A log is a Log with a list of Buffers, and a buffer is a list of records, each of them bytes; pack() gives the file.
"""
import copy
import struct

ENTER, EXIT, TAIL_EXIT, ENTER_ARGS, OTHERS = range(5)
MAP_BASE, MAP_STEP = 0x1000, 16


# ---- records -----------------------------------------------------------------------------------------------------

def metadata(kind, data):
    return (bytes([kind << 1 | 1]) + data).ljust(16, b"\0")


def new_buffer(thread):
    return metadata(0, struct.pack("<i", thread))


def end_of_buffer():
    return metadata(1, b"")


def new_cpu(tick, cpu=0):
    return metadata(2, struct.pack("<HQ", cpu, tick))


def tsc_wrap(tick):
    return metadata(3, struct.pack("<Q", tick))


def wall_clock(seconds, micros):
    return metadata(4, struct.pack("<QI", seconds, micros))


def call_argument(value):
    return metadata(6, struct.pack("<Q", value))


def extents(size):
    return metadata(7, struct.pack("<Q", size))


def pid(n):
    return metadata(9, struct.pack("<i", n))


def event(data, tick, version=1):
    """An event of the program: version 1 has its tick, version 5 the ticks since the record before, here none."""
    return metadata(5, struct.pack("<IQ" if version == 1 else "<Ii", len(data), tick if version == 1 else 0)) + data


def others(n, tick, version=1):
    """Instructions of all other threads, before the record at TICK."""
    return tsc_wrap(tick) + event(b"\0others\0" + struct.pack("<Q", n), tick, version)


def function(fid, action, delta):
    return struct.pack("<II", fid << 4 | action << 1, delta)


# ---- logs --------------------------------------------------------------------------------------------------------

class Buffer:
    """A buffer.  .head and .body are lists of records; version 1 has an end, version 5 the extents before the head."""

    def __init__(self, head, body):
        self.head, self.body = head, body
        self.end, self.padding, self.extents = [end_of_buffer()], None, None

    def pack(self, version, size):
        data = b"".join(self.head + self.body)
        if version == 5:
            return (self.extents or extents(len(data))) + data
        data += b"".join(self.end)
        return data + (self.padding if self.padding is not None else b"\0" * (-len(data) % size))


class Log:
    def __init__(self, version=1, size=256):
        self.version, self.type, self.flags, self.frequency, self.size, self.reserved = version, 1, 3, 1000000, size, 0
        self.buffers, self.tail = [], b""

    def copy(self):
        return copy.deepcopy(self)

    def pack(self):
        header = struct.pack("<HHIQQQ", self.version, self.type, self.flags, self.frequency, self.size, self.reserved)
        return header + b"".join(b.pack(self.version, self.size) for b in self.buffers) + self.tail


def make_log(threads, version=1, size=256, process=4711):
    """Makes a log of {thread: [(action, function, tick[, arguments])]}; the threads' buffers take turns.  OTHERS has the
    instructions of other threads in place of a function."""
    log = Log(version, size)
    room = size - 5 * 16 - (16 if version == 5 else 0)
    parts = []
    for thread, events in threads.items():
        body, used, last, first, mine = [], 0, events[0][2], events[0][2], []
        for action, fid, tick, *args in events:
            if action == OTHERS:
                records = [others(fid, tick, version)]
            elif tick - last > 0xFFFFFFFF:
                records = [tsc_wrap(tick), function(fid, action, 0)]
            else:
                records = [function(fid, action, tick - last)]
            records += [call_argument(a) for a in (args[0] if args else ())]
            more = sum(map(len, records))
            if used + more > room:
                mine.append((thread, first, body))
                body, used, first = [], 0, last
            body += records
            used, last = used + more, tick
        mine.append((thread, first, body))
        parts.append(mine)
    n = 0
    while any(parts):
        for mine in parts:
            if mine:
                thread, first, body = mine.pop(0)
                head = [new_buffer(thread), wall_clock(n, n)] + ([pid(process)] if version == 5 else []) + [new_cpu(first)]
                log.buffers.append(Buffer(head, body))
                n += 1
    return log


# ---- maps --------------------------------------------------------------------------------------------------------

def uleb(n):
    out = b""
    while True:
        out += bytes([n & 127 | (128 if n > 127 else 0)])
        n >>= 7
        if not n:
            return out


def sleb(n):
    out = b""
    while True:
        byte, n = n & 127, n >> 7
        if (n == 0 and not byte & 64) or (n == -1 and byte & 64):
            return out + bytes([byte])
        out += bytes([byte | 128])


def line_table(functions):
    """Makes a line table, DWARF 4: a sequence of one row for each function; line 0 means none."""
    files = sorted({f.get("file", "???") for f in functions})
    header = bytes([1, 1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + b"\0"
    header += b"".join(f.encode() + b"\0\0\0\0" for f in files) + b"\0"
    program = b""
    for i, f in enumerate(functions):
        program += line_row(MAP_BASE + MAP_STEP * i, files.index(f.get("file", "???")) + 1, f.get("line", 0))
    body = struct.pack("<HI", 4, len(header)) + header + program
    return struct.pack("<I", len(body)) + body


def line_row(address, file, line, size=MAP_STEP):
    return b"\0\x09\x02" + struct.pack("<Q", address) + b"\x04" + uleb(file) + b"\x03" + sleb(line - 1) + b"\x01" \
        + b"\x02" + uleb(size) + b"\0\x01\x01"


class Map:
    """An ELF file with the sections of xray.md; SECTIONS and SYMBOLS can be changed before pack()."""

    def __init__(self, functions):
        self.functions = functions
        self.size = MAP_STEP * len(functions)
        self.sleds = [struct.pack("<QQBBB13x", at, at, 0, 1, 0)
                      for at in range(MAP_BASE, MAP_BASE + self.size, MAP_STEP)]
        self.symbols = []       # name, info, section, value, size
        last = None
        for i, f in enumerate(functions):
            if f["image"] != last:
                self.symbols.append([f["image"], 4, 0xFFF1, 0, 0])
                last = f["image"]
            self.symbols.append([f["name"], 2, 1, MAP_BASE + MAP_STEP * i, MAP_STEP])
        self.text = [MAP_BASE, self.size, 8, 6]         # address, size, type, flags
        self.lines = line_table(functions)
        self.names = {"text": ".text", "sleds": "xray_instr_map", "symbols": ".symtab", "lines": ".debug_line"}
        self.ident = bytes([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1]) + bytes(9)
        self.machine = 62

    def copy(self):
        return copy.deepcopy(self)

    def pack(self):
        strings, table = b"\0", bytes(24)
        for name, info, section, value, size in self.symbols:
            table += struct.pack("<IBBHQQ", len(strings), info, 0, section, value, size)
            strings += name.encode(errors="surrogateescape") + b"\0"
        abbrev = b"\x01\x11\x00\x10\x17\x11\x01\x12\x07\x03\x08\0\0\0"
        info = b"\x01" + struct.pack("<IQQ", 0, MAP_BASE, self.size) + b"\0"
        info = struct.pack("<HIB", 4, 0, 8) + info
        info = struct.pack("<I", len(info)) + info
        n = self.names
        # name, type, flags, address, bytes or size, link, info, entry
        sections = [("", 0, 0, 0, b"", 0, 0, 0), (n["text"], self.text[2], self.text[3], self.text[0], self.text[1], 0, 0, 0),
                    (n["sleds"], 1, 2, 0, b"".join(self.sleds), 0, 0, 0),
                    (n["symbols"], 2, 0, 0, table, 4, len(self.symbols) + 1, 24), (".strtab", 3, 0, 0, strings, 0, 0, 0),
                    (".debug_abbrev", 1, 0, 0, abbrev, 0, 0, 0), (".debug_info", 1, 0, 0, info, 0, 0, 0),
                    (n["lines"], 1, 0, 0, self.lines, 0, 0, 0), (".shstrtab", 3, 0, 0, None, 0, 0, 0)]
        heads = b"".join(s[0].encode() + b"\0" for s in sections)
        body, headers, at, name_at = b"", b"", 64, 0
        for name, kind, flags, address, data, link, more, entry in sections:
            data = heads if data is None else data
            size = data if isinstance(data, int) else len(data)
            headers += struct.pack("<IIQQQQIIQQ", name_at, kind, flags, address, at if kind else 0, size, link, more,
                                   8 if kind else 0, entry)
            name_at += len(name) + 1
            if not isinstance(data, int):
                body += data + b"\0" * (-len(data) % 8)
                at = 64 + len(body)
        header = self.ident + struct.pack("<HHIQQQIHHHHHH", 3, self.machine, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64,
                                          len(sections), len(sections) - 1)
        return header + body + headers


# ---- a small run -------------------------------------------------------------------------------------------------

FUNCTIONS = [{"name": "_start", "image": "/lib/ld.so"},
             {"name": "main", "image": "/bin/prog", "file": "prog.c", "line": 10},
             {"name": "work", "image": "/bin/prog", "file": "prog.c", "line": 3},
             {"name": "box<int>::area(int) const", "image": "/bin/prog", "file": "box.h", "line": 7},
             {"name": "thread", "image": "/lib/libc.so.6"}]


def small_threads():
    """Returns calls, a tail call, recursion, arguments, and a pause that needs a TSCWrap."""
    one = [(ENTER, 1, 1), (ENTER, 2, 11)]
    tick = 11
    for i in range(20):
        one += [(ENTER_ARGS, 3, tick + 1, [i, 2 * i, 3]), (ENTER, 4, tick + 3), (EXIT, 4, tick + 3 + i),
                (TAIL_EXIT, 3, tick + 30), (ENTER, 4, tick + 30), (EXIT, 4, tick + 40)]
        tick += 50
    one += [(ENTER, 3, tick), (ENTER, 3, tick + 5), (EXIT, 3, tick + 15), (EXIT, 3, tick + 20)]
    tick += 1 << 33
    one += [(ENTER, 4, tick), (EXIT, 4, tick + 2), (EXIT, 2, tick + 3), (EXIT, 1, tick + 4)]
    return {1: one, 2: [(ENTER, 5, 1), (ENTER, 4, 7), (EXIT, 4, 70), (EXIT, 5, 1001)]}


def small_log(version=1):
    return make_log(small_threads(), version)


def small_map():
    return Map(FUNCTIONS)
