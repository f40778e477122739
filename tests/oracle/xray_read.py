"""Reads an XRay log of flight data recorder mode (versions 1 and 5) and the ELF file that names its functions.

It was written after LLVM's "XRay Flight Data Recorder Trace Format", version 1, the further requirements of llvm-xray,
and the ELF and DWARF 4 documents.  The caller passes report(rule, text), which is called for each broken rule.
"""
import struct
from collections import namedtuple

ENTER, EXIT, TAIL, ENTER_ARGS = range(4)
ACTIONS = ("ENTER", "EXIT", "TAIL_EXIT", "ENTER_ARGS")
NEW_BUFFER, END, NEW_CPU, WRAP, WALL, CUSTOM, ARGUMENT, EXTENTS, TYPED, PID = range(10)
METADATA = 16

OTHERS = b"\0others\0"             # begins the data of an event with what other threads had executed

# .time is the tick on the base of all threads.
Event = namedtuple("Event", "action id tick args time")
Named = namedtuple("Named", "object file line name")


class Thread:
    def __init__(self, number):
        self.number = number
        self.pid = None
        self.events = []
        self.marks = []             # (tick, text) of custom events
        self.clock = (0, 0)
        self.tick = None
        self.others = 0             # instructions of all other threads


class Log:
    """threads: {number: Thread}, in the order of their first buffers."""

    def __init__(self, path, report):
        with open(path, "rb") as f:
            self.data = f.read()
        self.report = report
        self.threads = {}
        self.buffers = 0
        if len(self.data) < 32:
            report("header", "the file has %d bytes" % len(self.data))
            return
        self.version, kind, flags, self.frequency, self.size, rest = struct.unpack_from("<HHIQQQ", self.data)
        for name, value, want in (("version", self.version, (1, 5)), ("type", kind, (1, )), ("flags", flags, (3, )),
                                  ("cycle frequency", self.frequency, (1000000, )), ("reserved", rest, (0, ))):
            if value not in want:
                report("header", "%s is %d" % (name, value))
        if self.size == 0 or self.size % 8:
            report("header", "buffers of %d bytes" % self.size)
            return
        at = 32
        while at < len(self.data):
            end = self.buffer(at)
            if end is None:
                return
            at = end
            self.buffers += 1

    def metadata(self, at, kind, form, zeros, what):
        """Return the fields of a record of METADATA bytes, which end with ZEROS zeros."""
        if at + METADATA > len(self.data):
            self.report("buffer", "no %s at %d, where the file ends" % (what, at))
            return None
        if self.data[at] != kind << 1 | 1:
            self.report("buffer", "no %s at %d but a byte 0x%02x" % (what, at, self.data[at]))
            return None
        if any(self.data[at + METADATA - zeros:at + METADATA]):
            self.report("reserved", "%s at %d has bytes that are not zero" % (what, at))
        return struct.unpack_from("<" + form, self.data, at + 1)

    def buffer(self, at):
        """Read a buffer.  Return its end, or None."""
        start, limit = at, at + self.size
        if self.version >= 3:
            got = self.metadata(at, EXTENTS, "Q", 7, "BufferExtents")
            if got is None:
                return None
            at += METADATA
            limit = at + got[0]
            if got[0] > self.size:
                self.report("buffer", "that at %d has %d bytes, more than %d" % (start, got[0], self.size))
        if limit > len(self.data):
            self.report("buffer", "that at %d ends at %d, behind the file" % (start, limit))
            return None
        got = self.metadata(at, NEW_BUFFER, "i", 11, "NewBuffer")
        if got is None:
            return None
        thread = self.threads.setdefault(got[0], Thread(got[0]))
        if got[0] < 1:
            self.report("thread", "number %d" % got[0])
        at += METADATA
        clock = self.metadata(at, WALL, "QI", 3, "WallClock")
        if clock is None:
            return None
        if not (clock[0] > thread.clock[0] and clock[1] > thread.clock[1]):
            self.report("clock", "thread %d: %s behind %s" % (thread.number, clock, thread.clock))
        thread.clock = clock
        at += METADATA
        # llvm-xray takes it in version 1, too.
        if self.version >= 3 or self.data[at] == PID << 1 | 1:
            pid = self.metadata(at, PID, "i", 11, "Pid")
            if pid is None:
                return None
            if thread.pid not in (None, pid[0]):
                self.report("pid", "thread %d: %d behind %d" % (thread.number, pid[0], thread.pid))
            thread.pid = pid[0]
            at += METADATA
        cpu = self.metadata(at, NEW_CPU, "HQ", 5, "NewCPUId")
        if cpu is None:
            return None
        self.tick(thread, cpu[1], at)
        end = self.records(thread, at + METADATA, limit)
        if end is None:
            return None
        if self.version < 3:
            if any(self.data[end:limit]):
                self.report("padding", "behind the end of the buffer at %d there are bytes that are not zero" % start)
        elif end != limit:
            self.report("buffer", "that at %d: its records end at %d, not at %d" % (start, end, limit))
        return limit

    def run_by_others(self, thread, data, at):
        n = int.from_bytes(data, "little")
        if len(data) != 8 or n < thread.others:
            self.report("others", "thread %d: %d behind %d, at %d" % (thread.number, n, thread.others, at))
        thread.others = n

    def tick(self, thread, tick, at):
        if thread.tick is not None and tick < thread.tick:
            self.report("tick", "thread %d: %d behind %d, at %d" % (thread.number, tick, thread.tick, at))
        if tick == 0:
            self.report("tick", "thread %d: 0, at %d" % (thread.number, at))
        thread.tick = tick

    def records(self, thread, at, limit):
        """Read records up to the end.  Return it, or None."""
        data, events, tick = self.data, thread.events, thread.tick
        args = None                     # arguments of the last record, if more may follow
        while True:
            if at == limit and self.version >= 3:
                break
            kind = data[at] if at < limit else None
            if kind is not None and kind & 1 == 0:
                if at + 8 > limit:
                    self.report("buffer", "a function at %d, where it ends" % at)
                    return None
                word, delta = struct.unpack_from("<II", data, at)
                at += 8
                tick += delta
                action, number = word >> 1 & 7, word >> 4
                if action > ENTER_ARGS or number < 1:
                    self.report("function", "number %d, action %d at %d" % (number, action, at - 8))
                    return None
                args = [] if action == ENTER_ARGS else None
                events.append(Event(action, number, tick, args, tick + thread.others))
                continue
            if kind is None or at + METADATA > limit:
                self.report("buffer", "no EndOfBuffer before %d" % limit)
                return None
            kind >>= 1
            if kind == ARGUMENT:
                got = self.metadata(at, ARGUMENT, "Q", 7, "CallArgument")
                if args is None:
                    self.report("argument", "at %d, but not behind ENTER_ARGS" % at)
                else:
                    args.append(got[0])
            elif kind in (WRAP, NEW_CPU):
                got = self.metadata(at, kind, "Q" if kind == WRAP else "HQ", 7 if kind == WRAP else 5, "a tick")
                thread.tick = tick
                self.tick(thread, got[-1], at)
                tick = got[-1]
                args = None
            elif kind == CUSTOM and at + METADATA <= limit:
                size, when = struct.unpack_from("<iQ" if self.version < 3 else "<ii", data, at + 1)
                if size < 0 or at + METADATA + size > limit or (when if self.version < 3 else tick + when) != tick:
                    self.report("buffer", "an event of %d bytes at %d, its tick %d" % (size, at, when))
                    return None
                text = bytes(data[at + METADATA:at + METADATA + size])
                if text.startswith(OTHERS):
                    self.run_by_others(thread, text[len(OTHERS):], at)
                else:
                    thread.marks.append((tick, text.decode(errors="replace")))
                at += size
                args = None
            elif kind == END and self.version < 3:
                self.metadata(at, END, "", 15, "EndOfBuffer")
                at += METADATA
                break
            else:
                self.report("buffer", "a record of kind %d at %d" % (kind, at))
                return None
            at += METADATA
        thread.tick = tick
        return at


class Call:
    """A function from an ENTER on.  .last is the tick when it was left, over the EXIT that ends it and all its
    replacements."""
    __slots__ = ("id", "start", "last", "over", "depth")

    def __init__(self, number, start, depth):
        self.id, self.start, self.depth = number, start, depth
        self.last = self.over = None


def calls(thread, report, may_be_open=False):
    """Return the calls of THREAD in the order of their ENTERs.  A call that is left by TAIL_EXIT ends with the one that
    replaces it, if the next record enters that at the same tick."""
    done, stack = [], []               # the stack has lists of calls, each replaced by the next
    replaced = None                    # the last record was the TAIL_EXIT of these, at this tick
    for e in thread.events:
        if e.action in (ENTER, ENTER_ARGS):
            c = Call(e.id, e.tick, len(stack))
            done.append(c)
            if replaced and replaced[1] == e.tick:
                stack.append(replaced[0] + [c])
            else:
                if replaced:
                    for r in replaced[0]:
                        r.over = replaced[1]
                stack.append([c])
            replaced = None
            continue
        if replaced:
            for r in replaced[0]:
                r.over = replaced[1]
            replaced = None
        if not stack or stack[-1][-1].id != e.id:
            report("balance", "thread %d: %s of %d at %d, the innermost is %s"
                   % (thread.number, ACTIONS[e.action], e.id, e.tick, stack[-1][-1].id if stack else "none"))
            return done
        chain = stack.pop()
        chain[-1].last = e.tick
        if e.action == TAIL:
            replaced = (chain, e.tick)
        else:
            for r in chain:
                r.over = e.tick
    if replaced:
        for r in replaced[0]:
            r.over = replaced[1]
    if stack and not may_be_open:
        report("balance", "thread %d: %d calls are not left" % (thread.number, len(stack)))
    return done


class Map:
    """names: {id: Named}."""

    def __init__(self, path, report):
        with open(path, "rb") as f:
            self.data = f.read()
        self.report = report
        self.names = {}
        data = self.data
        if data[:6] != b"\x7fELF\x02\x01":
            report("map", "no 64-bit ELF file with the least significant byte first")
            return
        at, = struct.unpack_from("<Q", data, 40)
        size, n, names = struct.unpack_from("<HHH", data, 58)
        heads = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size) for i in range(n)]
        strings = heads[names][4]
        self.sections = {self.string(strings + h[0]): h for h in heads}
        for name in ("xray_instr_map", ".symtab", ".strtab", ".text", ".debug_line", ".debug_info", ".debug_abbrev"):
            if name not in self.sections:
                report("map", "no section " + name)
                return
        symbols = self.symbols()
        lines = self.lines()
        for i, (address, function, kind) in enumerate(self.sleds()):
            number = i + 1
            if address != function or kind != (0, 1, 0):
                report("map", "function %d: sled at %x, function %x, %s" % (number, address, function, kind))
            if address not in symbols:
                report("map", "function %d: no symbol at %x" % (number, address))
                continue
            if address not in lines:
                report("map", "function %d: no line at %x" % (number, address))
                continue
            self.names[number] = Named(symbols[address][0], lines[address][0], lines[address][1], symbols[address][1])

    def string(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode("utf-8", "surrogateescape")

    def body(self, name):
        h = self.sections[name]
        return h[4], h[5]

    def sleds(self):
        at, size = self.body("xray_instr_map")
        if size % 32:
            self.report("map", "xray_instr_map has %d bytes" % size)
        for i in range(at, at + size, 32):
            address, function, kind, always, version = struct.unpack_from("<QQBBB", self.data, i)
            if any(self.data[i + 19:i + 32]):
                self.report("map", "a sled's padding is not zero")
            yield address, function, (kind, always, version)

    def symbols(self):
        """Return {address: (object, name)}."""
        at, size = self.body(".symtab")
        strings, _ = self.body(".strtab")
        text = self.sections[".text"]
        out, file = {}, None
        for i in range(at, at + size, 24):
            name, info, _, section, value, length = struct.unpack_from("<IBBHQQ", self.data, i)
            if info & 15 == 4:
                file = self.string(strings + name)
            elif info & 15 == 2:
                if info >> 4 or length != 16 or not text[3] <= value <= text[3] + text[5] - 16:
                    self.report("map", "symbol %s: info %x, size %d at %x" % (self.string(strings + name), info, length,
                                                                             value))
                out[value] = (file, self.string(strings + name))
        return out

    def number(self, at, signed=False):
        n = shift = 0
        while True:
            c = self.data[at]
            at += 1
            n |= (c & 127) << shift
            shift += 7
            if c < 128:
                break
        if signed and c & 64:
            n -= 1 << shift
        return n, at

    def lines(self):
        """Return {address: (file, line)} from the line table, a state machine of DWARF 4."""
        at, size = self.body(".debug_line")
        length, version, header = struct.unpack_from("<IHI", self.data, at)
        end, program = at + 4 + length, at + 10 + header
        if version != 4 or length + 4 != size:
            self.report("map", "a line table of version %d, %d of %d bytes" % (version, length + 4, size))
            return {}
        least, _, _, base, spread, first = struct.unpack_from("<BBBbBB", self.data, at + 10)
        at += 16 + first - 1
        if self.data[at]:
            self.report("map", "the line table has directories")
            return {}
        at += 1
        files = []
        while self.data[at]:
            files.append(self.string(at))
            at = self.data.index(b"\0", at) + 1
            for _ in range(3):
                _, at = self.number(at)
        if at + 1 != program:
            self.report("map", "the line table's header ends at %d, not at %d" % (at + 1, program))
        out, at = {}, program
        address, file, line = 0, 1, 1
        while at < end:
            op = self.data[at]
            at += 1
            if op >= first:
                address += (op - first) // spread * least
                line += base + (op - first) % spread
                out[address] = (files[file - 1], line)
            elif op == 0:
                n, at = self.number(at)
                if self.data[at] == 2:
                    address, = struct.unpack_from("<Q", self.data, at + 1)
                elif self.data[at] != 1:
                    self.report("map", "extended opcode %d in the line table" % self.data[at])
                at += n
            elif op == 1:
                out[address] = (files[file - 1], line)
            elif op == 2:
                n, at = self.number(at)
                address += n * least
            elif op == 3:
                n, at = self.number(at, True)
                line += n
            elif op == 4:
                file, at = self.number(at)
            else:
                self.report("map", "opcode %d in the line table" % op)
                break
        return out
