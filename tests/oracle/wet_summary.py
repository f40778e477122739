"""Reads the summaries of instructions in a whole execution trace: section 3 of docs/dev/wet-file.md, by its text.

    for addr, code, uses, defs, flags in instructions(PATH): ...
    for name, load, symbols in images(PATH): ...         # section 2; (address, size, name)
    machine(PATH)                                        # the processor: ARM64, X86_64, X86
    place(NAME)                                          # the locations of an x86 register, or of its first bytes

USES and DEFS are sets of locations, by the numbers of the document; text_of() names such a set.
"""
MAGIC = b"\x89DCFGWET"
IMAGES, INSTRUCTIONS = 2, 3
CARRY, FLAGS, DIRECTION, STATUS, VECTOR, PHYSICAL, STACK, N_LOCS = 256, 257, 258, 259, 288, 800, 864, 928
X86, X86_64, ARM64 = 3, 62, 183
GENERAL = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()

PLACES = {}                            # x86 registers by Capstone's name: first location, bytes
for _n, _r in enumerate("ax cx dx bx sp bp si di".split()):
    PLACES["r" + _r], PLACES["e" + _r], PLACES[_r] = (8 * _n, 8), (8 * _n, 4), (8 * _n, 2)
    PLACES[(_r[0] + "l") if _n < 4 else _r + "l"] = (8 * _n, 1)
    if _n < 4:
        PLACES[_r[0] + "h"] = (8 * _n + 1, 1)
for _n in range(8, 16):
    for _suffix, _size in (("", 8), ("d", 4), ("w", 2), ("b", 1)):
        PLACES["r%d%s" % (_n, _suffix)] = (8 * _n, _size)
for _n in range(16):
    PLACES["xmm%d" % _n], PLACES["ymm%d" % _n] = (VECTOR + 32 * _n, 16), (VECTOR + 32 * _n, 32)
for _n in range(8):
    PLACES["mm%d" % _n], PLACES["st(%d)" % _n] = (PHYSICAL + 8 * _n, 8), (STACK + 8 * _n, 8)


def place(name, size=None):
    first, n = PLACES[name]
    return set(range(first, first + (size or n)))


class Short(Exception):
    """The file is shorter than it should be."""


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        n = shift = 0
        while True:
            if self.at >= len(self.data) or shift > 63:
                raise Short("a number")
            byte = self.data[self.at]
            self.at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    def count(self):
        """Read a number of things that have at least a byte each."""
        n = self.number()
        if n > len(self.data) - self.at:
            raise Short("a count")
        return n

    def bytes(self, n):
        if n > len(self.data) - self.at:
            raise Short("bytes")
        self.at += n
        return self.data[self.at - n:self.at]

    def text(self):
        return self.bytes(self.number()).decode(errors="replace")

    def locations(self):
        found, at = set(), 0
        for _ in range(self.count()):
            at += self.number()
            n = self.number()
            found.update(range(at, at + n))
            at += n
        return found


def section(path, wanted):
    with open(path, "rb") as f:
        if f.read(len(MAGIC)) != MAGIC:
            raise ValueError(path + ": no whole execution trace")
        f.read(8)                                        # the version and the processor
        while True:
            head = f.read(9)
            size = int.from_bytes(head[1:], "little")
            if len(head) < 9 or head[0] > wanted:
                raise ValueError("%s: section %d is missing" % (path, wanted))
            if head[0] == wanted:
                return f.read(size)
            f.seek(size, 1)


def machine(path):
    with open(path, "rb") as f:
        return int.from_bytes(f.read(len(MAGIC) + 8)[-4:], "little")


def images(path):
    r = Reader(section(path, IMAGES))
    for _ in range(r.count()):
        name, load = r.text(), r.number()
        r.number()                                       # its size
        symbols, at = [], 0
        for _ in range(r.count()):
            at += r.number()
            symbols.append((at, r.number(), r.text()))
        for _ in range(3 * r.number()):
            r.number()
        yield name, load, symbols


def rows(path):
    """Instructions: address, code, kind, flags, uses, definitions."""
    r = Reader(section(path, INSTRUCTIONS))
    addr = 0
    for n in range(r.count()):
        other_image, distance = r.number(), r.number()
        addr = distance if other_image or n == 0 else addr + distance
        code = r.bytes(r.number())
        kind, flags = r.number(), r.number()
        uses, defs = r.locations(), r.locations()
        for _ in range(r.number()):
            r.number(), r.number(), r.number()
        yield addr, code, kind, flags, uses, defs


def instructions(path):
    for addr, code, _, flags, uses, defs in rows(path):
        yield addr, code, uses, defs, flags


class Names:
    """Names of locations, for one processor."""

    def __init__(self, of):
        arm64 = of == ARM64
        self.general = ["x%d" % n for n in range(31)] + ["sp"] if arm64 else GENERAL
        self.flags = {CARRY: "C", FLAGS: "NZV" if arm64 else "OSZAP", DIRECTION: "D", STATUS: "status"}
        self.vector = 16 if arm64 else 32

    def register(self, loc):
        """Return one number for all locations of a register."""
        if loc < CARRY:
            return loc // 8
        if loc < VECTOR:
            return loc
        return (loc - VECTOR) // self.vector + 1000 if loc < PHYSICAL else loc // 8 + 2000

    def name(self, first, n):
        if first < CARRY:
            return self.general[first // 8] + ("" if n == 8 else "[%d:%d]" % (first % 8, first % 8 + n))
        if first < VECTOR:
            return self.flags.get(first, "?")
        if first < PHYSICAL:
            at = (first - VECTOR) % self.vector
            return "v%d[%d:%d]" % ((first - VECTOR) // self.vector, at, at + n)
        kind, at = ("mm", first - PHYSICAL) if first < STACK else ("st", first - STACK)
        return kind + "%d" % (at // 8)


def text_of(locations, of=X86_64):
    """Return the names of locations: registers, with bytes if not all are in the set."""
    out, run, names = [], [], Names(of)
    for loc in sorted(locations) + [None]:
        if run and (loc is None or loc != run[-1] + 1 or names.register(loc) != names.register(run[0])):
            out.append(names.name(run[0], len(run)))
            run = []
        run.append(loc)
    return " ".join(out) or "nothing"
