#!/usr/bin/python3
"""The index of a whole execution trace.  (TAP)

- Slices with an index in a file and with one in memory; slices of some steps and whole ones.  Questions are random: threads,
  signals, handlers that are left, memory that moves, 32 bits, windows of a run.  Traces have several chunks.  DCFG_SLOW=1: 10,000
  questions.
- Memory as the index tells it, and as a pass forward over the trace does; and words of an index that lie, though its sums
  are right: a load that disagrees decides.
- The last writers of registers, as the index tells them and as the trace does.  If an index lies about their values, an
  instruction that stores the register, or uses it as an address, decides.
- Registers that chunks only saved and restored: an index that makes no sense there is not believed, and none is fatal.
- dcfg why and dcfg slice make FILE.idx, say so once, and use it; --index=no; a compressed trace; where it is put else.
- An index of another file, an old one, a cut one, one with any byte changed: the answer is the same, and it is made anew.
"""
import ctypes
import gzip
import os
import random
import struct
import subprocess
import sys
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import gdblib
import harness

SLOW = os.environ.get("DCFG_SLOW") == "1"

# Each of its rounds has threads, signals, a longjmp over frames, a deep recursion, and memory that is moved.
ROUNDS = harness.text("lib/index_rounds.c")
SMALL = """static int price = 50;
static int add(int a, int b) { return a + b; }
int main(void)
{
   for (int i = 0; i < 40; i++)
      price = add(price, i % 3);
   price = price - 2;
   if (price == 3)
      price = 4;
   return price == 0;
}
"""

# Words of which chunk after chunk writes a half; and so much memory that the maker of the index forgets the other halves.
HALVES = harness.text("lib/index_halves.c")


# Three threads run the same long loop.  Before it, each puts a value into a register; behind it the value is stored.
KEPT = harness.text("lib/index_kept.c")

# A register keeps a value while functions save and restore it, chunk after chunk.
CALLS_TEXT = r"""
#include <stdio.h>
#include <unistd.h>

int main(void)
{
   char text[16];

   for (int i = 5; i < 9; i++) {
      lseek(0, i, SEEK_CUR);
      int n = sprintf(text, "%s\n", i == 7 ? "seven" : "other");
      write(1, text, n);
   }
   return 0;
}
"""

SAVED_TEXT = harness.text("lib/index_saved.c")


def check_same(tap):
    prog = harness.reader(tap, "index_same")
    flags = ["-static", "-g", "-O0", "-pthread"]
    runs = [("rounds", flags, "2", ()), ("window", flags, "6", ("--wet-ring=1M",)),
            ("values", ["-static", "-g", "-O2", "-pthread"], "3", ("--wet-ring=1M",))]
    if harness.lacks_x86():
        tap.skip("slices of 32-bit programs with an index", harness.lacks_x86())
    else:
        runs.append(("bits32", flags + ["-m32"], "6", ("--wet-ring=1M",)))
    for name, flags, rounds, opts in runs:
        built = harness.compiled(tap, name + ".c", ROUNDS, *flags)
        wet = harness.record_wet(tap, name, [built, rounds], opts) if built and prog else None
        if wet is None:
            continue
        r = subprocess.run([prog, wet, wet + ".idx", "2500" if SLOW else "12", "7"], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
        out = r.stdout.decode(errors="replace")
        tap.ok(r.returncode == 0 and " 0 differ" in out, name + ": slices are the same with any index, and the near part of whole ones", out)
        if name == "values":
            check_memory(tap, wet)


def check_memory(tap, rounds):
    prog = harness.reader(tap, "index_memory")
    halves = harness.compiled(tap, "halves.c", HALVES, "-static", "-g", "-O1") if prog else None
    halves = harness.record_wet(tap, "halves", [halves], ("--wet-ring=1M",)) if halves else None
    for wet in (halves, rounds) if halves else ():
        r = subprocess.run([prog, wet, wet + ".idx", "20000" if SLOW else "1000", "11"], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
        out = r.stdout.decode(errors="replace")
        tap.ok(r.returncode == 0 and " 0 differ" in out and " 0 loads differ" in out and int(out.split()[0]) > 10000,
               os.path.basename(wet) + ": memory is the same with words of the index", out)
    if prog:
        check_lies(tap, prog, rounds)


def check_lies(tap, prog, wet):
    good = harness.read(wet + ".idx", "rb")
    bad, words = lying(good)
    tap.ok(words > 1000 and len(bad) == len(good) and bad != good, "an index is made that lies about %d words" % words)
    harness.write(wet + ".idx", bad)
    r = subprocess.run([prog, wet, wet + ".idx", "2000", "11", "use"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lied = r.stdout.decode(errors="replace")
    tap.ok(r.returncode == 1 and " 0 loads differ" in lied and " 0 differ" not in lied,
           "bytes that an instruction loads next are right with an index that lies", lied)


def check_registers(tap):
    prog = harness.reader(tap, "index_registers")
    kept = harness.compiled(tap, "kept.c", KEPT, "-static", "-g", "-O2", "-pthread") if prog else None
    wet = harness.record_wet(tap, "kept", [kept], ("--wet-ring=1M",)) if kept else None
    if wet is None:
        return
    commandlib.command("why", wet, "kept.c:13")
    r = subprocess.run([prog, wet, wet + ".idx", "20000" if SLOW else "300", "7"], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)
    out = r.stdout.decode(errors="replace")
    tap.ok(r.returncode == 0 and " 0 differ" in out and int(out.split()[0]) > 100,
           "writers of registers are the same as the index tells them", out)
    time = int(gdblib.ask(wet, "kept.c:13", "qRcmd," + b"when".hex(), True).split()[1].replace(",", ""))
    true = gdblib.ask(wet, time, "g")
    value = (0x1234567).to_bytes(8, "little").hex()
    place = true.find(value)
    if not tap.ok(place >= 0 and place % 16 == 0, "the value is in a register", true):
        return
    good = harness.read(wet + ".idx", "rb")
    bad, lies = lying_writers(good)
    harness.write(wet + ".idx", bad)
    # How far back the reader trusts the index depends on how the tape is divided.
    told = [gdblib.ask(wet, time - back, "p%x" % (place // 16)) for back in (100000, 500000)]
    tap.ok(lies > 50 and set(told) - {value, "x" * 16}, "an index is made that lies about %d registers" % lies, told)
    tap.ok(gdblib.ask(wet, time, "g") == true, "registers are right where the next instructions show that the index lies",
           (gdblib.ask(wet, time, "g"), true))


def place_of(index, section):
    """Returns the begin and the size of a section of an index."""
    head = struct.unpack("<%dQ" % (BLOCK // 8), index[:BLOCK])
    return head[8 + section], head[8 + SECTIONS + section]


def write_changed(wet, good, begin, size, change):
    """Writes the index GOOD of a trace with right sums, and with change(bytes) in place of the bytes of a section."""
    data = bytearray(good)
    data[begin:begin + size] = change(data[begin:begin + size])
    harness.write(wet + ".idx", with_sums(data))


def other_bytes(code, seed):
    """Changes some bytes of a section."""
    some = random.Random(seed)
    for _ in range(1 + seed % 5):
        code[some.randrange(len(code))] = some.randrange(256)
    return code


def check_saved(tap):
    """Saved registers that make no sense, with right sums: they are not believed.  Others that lie: a question is answered."""
    prog = harness.compiled(tap, "saved.c", SAVED_TEXT, "-static", "-g", "-O2")
    wet = harness.record_wet(tap, "saved", [prog], ("--wet-ring=1M",)) if prog else None
    if wet is None:
        return
    def answer(*opts):
        return commandlib.command("why", *opts, wet, "saved.c:23")[:2]
    plain = answer("--index=no")
    tap.ok(plain[0] == 0 and "long kept = source;" in plain[1] and answer() == plain, "a value is in a register for long", plain)
    good = harness.read(wet + ".idx", "rb")
    begin, size = place_of(good, SAVED)
    if size == 0:
        tap.skip("saved registers that lie", "chunks saved none")
        return
    def told(change):
        write_changed(wet, good, begin, size, change)
        return answer()
    for what, byte in (("numbers without an end", b"\xff"), ("too many chunks", b"\x7f")):
        now = told(lambda code, byte=byte: byte * size)
        tap.ok(now == plain, "not believed: " + what, now)
    mutants = [told(lambda code, seed=seed: other_bytes(code, seed)) for seed in range(200 if SLOW else 6)]
    tap.ok(all(m[0] == 0 for m in mutants), "saved registers with other bytes: no crash", [m for m in mutants if m[0] != 0][:3])
    lies = []
    lied = told(lambda code: other_places(code, lies))
    tap.ok(len(lies) > 1 and lied[0] == 0, "saved registers that lie: a question is answered", (len(lies), lied))


def check_calls(tap):
    """System calls that make no sense, with right sums, are not believed; others that lie lead to no crash."""
    prog = harness.compiled(tap, "calls.c", CALLS_TEXT, "-static", "-g", "-O1")
    wet = harness.record_wet(tap, "calls", [prog]) if prog else None
    if wet is None:
        return
    def answer(call, *opts):
        return commandlib.command("slice", "--thin", "--as=instances", call, *opts, wet)[:2]
    asked = ("--syscall=lseek#2", "--output=seven")
    plain = [answer(call, "--index=no") for call in asked]
    tap.ok(all(p[0] == 0 for p in plain) and [answer(call) for call in asked] == plain, "calls are found in the index", plain)
    good = harness.read(wet + ".idx", "rb")
    begin, size = place_of(good, CALLS)
    def told(change):
        write_changed(wet, good, begin, size, change)
        return [answer(call) for call in asked]
    for what, byte in (("numbers without an end", b"\xff"), ("other instructions", b"\1")):
        now = told(lambda code, byte=byte: byte * size)
        tap.ok(now == plain, "calls are not believed: " + what, now)
    mutants = [a for seed in range(200 if SLOW else 6) for a in told(lambda code, seed=seed: other_bytes(code, seed))]
    tap.ok(all(m[0] in (0, 2) for m in mutants), "calls with other bytes: no crash", [m for m in mutants if m[0] not in (0, 2)][:3])


def other_places(code, lies):
    """The section CODE with other registers and words from which values are; LIES gets their places."""
    at = 0
    while at < len(code):
        at = number_at(code, at)[1]
        n, at = number_at(code, at)
        for _ in range(n):
            at = number_at(code, at)[1]
            code[at] ^= 0x10
            lies.append(at)
            at = number_at(code, at)[1]
    return code


# The head of an index, and its elements: see docs/dev/index-file.md.
BLOCK, SECTIONS, CHUNK, TURN, LINES, MAPPINGS, SAVED, CALLS = 4096, 20, 80, 48, 13, 15, 17, 19


def number_at(data, at):
    """The varint at AT, and the place behind it."""
    n, shift = 0, 0
    while True:
        n |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return n, at


def lying_writers(good):
    """An index with other addresses and values of all last writers, and right sums; and the number of these writers."""
    data, n_writers = bytearray(good), 0
    head = struct.unpack("<%dQ" % (BLOCK // 8), good[:BLOCK])
    begins, sizes = head[8:8 + SECTIONS], head[8 + SECTIONS:8 + 2 * SECTIONS]
    for turn in range(begins[1], begins[1] + sizes[1], TURN):
        chunk, first, size = struct.unpack_from("<16xI16xII", good, turn)
        lines, lines_size = struct.unpack_from("<24xQ4xI", good, begins[0] + chunk * CHUNK)
        at = begins[LINES] + lines + lines_size + first
        end = at + size
        while at < end:
            for _ in range(3):
                at = number_at(good, at)[1]
            n_slots, at = number_at(good, at)
            n_writers += 1
            for _ in range(n_slots):
                behind = number_at(good, at)[1]
                for i in range(at, behind):
                    data[i] ^= 0x2A
                at = behind
    return with_sums(data), n_writers


def with_sums(data):
    """The index DATA, with right sums."""
    n_blocks = -(-(len(data) - BLOCK) // (BLOCK + 4))
    end = len(data) - 4 * n_blocks
    head = list(struct.unpack("<%dQ" % (BLOCK // 8), data[:BLOCK]))
    sums = b"".join(struct.pack("<I", zlib.crc32(data[at:min(at + BLOCK, end)])) for at in range(BLOCK, end, BLOCK))
    data[end:] = sums
    head[7] = zlib.crc32(sums)
    packed = struct.pack("<%dQ" % (8 + 2 * SECTIONS), *head[:8 + 2 * SECTIONS])
    data[:BLOCK] = (packed + struct.pack("<Q", zlib.crc32(packed))).ljust(BLOCK, b"\0")
    return bytes(data)


def lying(good):
    """An index with other values in all its words, and right sums; and the number of these words."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_compress.restype = zstd.ZSTD_decompress.restype = ctypes.c_size_t
    head = list(struct.unpack("<%dQ" % (BLOCK // 8), good[:BLOCK]))
    begins, sizes = head[8:8 + SECTIONS], head[8 + SECTIONS:8 + 2 * SECTIONS]
    data, n_words = bytearray(good), 0
    for at in range(begins[0], begins[0] + sizes[0], CHUNK):
        lines, lines_size, n_blocks, writers = struct.unpack_from("<24xQ4xI8xI4xI", good, at)
        words = begins[LINES] + lines + lines_size + writers
        for block in range(words, words + 16 * n_blocks, 16):
            from_, size = struct.unpack_from("<8xII", good, block)
            code, raw = good[words + from_:words + from_ + size], ctypes.create_string_buffer(1 << 16)
            n = zstd.ZSTD_decompress(raw, ctypes.c_size_t(len(raw)), code, ctypes.c_size_t(size))
            count = raw.raw[0] | raw.raw[1] << 8
            plain = bytearray(raw.raw[:n])
            plain[n - 8 * count:] = bytes(b ^ 0xFF for b in plain[n - 8 * count:])
            out = ctypes.create_string_buffer(1 << 17)
            new = zstd.ZSTD_compress(out, ctypes.c_size_t(len(out)), bytes(plain), ctypes.c_size_t(n), 19)
            if new > size:
                continue
            n_words += count
            data[words + from_:words + from_ + new] = out.raw[:new]
            struct.pack_into("<I", data, block + 12, new)
    return with_sums(data), n_words


def mappings(data):
    """The place and the length of the mappings in an index, and the names of the files that they name."""
    begin, size = place_of(data, MAPPINGS)
    at, names = begin, []
    while at < begin + size:
        for _ in range(3):
            at = number_at(data, at)[1]
        n, at = number_at(data, at)
        names.append(data[at:at + n][data[at:at + n].find(b"/"):] if b"/" in data[at:at + n] else b"")
        at += n
    return begin, size, names


def why(wet, *opts, **more):
    return commandlib.command("why", *opts, wet, "small.c:7", **more)


def check_files(tap, wet):
    index = wet + ".idx"
    plain = why(wet, "--index=no")
    tap.ok(plain[0] == 0 and "price" in plain[1] and not plain[2] and not os.path.exists(index),
           "--index=no makes none", plain)
    made = why(wet)
    tap.ok(made[:2] == plain[:2] and "made %s: " % index in made[2] and " instructions, 1 thread, " in made[2]
           and made[2].count("\n") == 1, "an index is made, which is said in a line", made)
    tap.ok(why(wet) == plain, "and used", why(wet))
    sliced = [commandlib.command("slice", *more, "--at=small.c:7", wet) for more in ([], ["--index=no"])]
    tap.ok(sliced[0] == sliced[1] and sliced[0][0] == 0, "dcfg slice says the same with it", sliced)
    check_slice_makes(tap, wet, sliced[0])
    with open(wet, "rb") as f, gzip.open(wet + ".gz", "wb") as to:
        to.write(f.read())
    packed = why(wet + ".gz")
    tap.ok(packed == plain and not os.path.exists(wet + ".gz.idx"), "that of a compressed trace is in memory", packed)
    tap.ok(commandlib.command("why", "--index=maybe", wet, "small.c:7")[0] == 2, "--index is yes or no")
    tap.ok(not [n for n in os.listdir(tap.dir) if ".tmp-" in n], "nothing else is left", os.listdir(tap.dir))


def check_slice_makes(tap, wet, sliced):
    """dcfg slice makes the same index as dcfg why, once, also for a line that never ran, whose guard it slices next."""
    index = wet + ".idx"
    good = harness.read(index, "rb")
    os.unlink(index)
    never = commandlib.command("slice", "--index=no", "--at=small.c:9", wet, index=True)
    tap.ok(never[0] == 0 and "never ran" in never[1] and not never[2] and not os.path.exists(index),
           "dcfg slice --index=no makes none", never)
    for place, plain in (("small.c:7", sliced), ("small.c:9", never)):
        made = commandlib.command("slice", "--at=" + place, wet, index=True)
        tap.ok(made[:2] == plain[:2] and made[2].startswith("dcfg slice: made %s: " % index) and made[2].count("\n") == 1,
               "dcfg slice makes an index, which is said in a line: " + place, made)
        tap.ok(harness.read(index, "rb") == good, "it is that of dcfg why")
        os.unlink(index)
    harness.write(index, good)


def check_wrong(tap, wet, other):
    """Indexes of other traces."""
    index, plain = wet + ".idx", why(wet, "--index=no")
    good = harness.read(index, "rb")
    foreign = harness.read(other + ".idx", "rb")
    cases = {"of another trace": foreign, "cut": good[:-1], "empty": b"", "longer": good + b"\0", "no index": b"x" * 5000}
    for what, data in cases.items():
        harness.write(index, data)
        again = why(wet)
        with open(index, "rb") as f:
            tap.ok(again[:2] == plain[:2] and "made anew" in again[2] and f.read() == good
                   and (data != foreign or "is of another trace" in again[2]), what + ": it is made anew", again)
    os.utime(wet, (1, 1))
    again = why(wet)
    tap.ok(again[:2] == plain[:2] and "has changed" in again[2], "an older one is made anew", again)


def check_flips(tap, wet):
    """Changes a byte: the answer stays the same, and the index is found to be bad.  Each of the first and last thousand bytes, and
    each 37th between them; with DCFG_SLOW=1, each.
    """
    prog = harness.reader(tap, "index_flip", folder=os.path.join(harness.PROGS, "lib"))
    if prog is None:
        return
    step = "1" if os.environ.get("DCFG_SLOW") == "1" else "37"
    r = subprocess.run([prog, wet, wet + ".idx", step], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    tap.ok(r.returncode == 0, "an index with any byte changed is refused", r.stdout.decode(errors="replace"))


def check_mappings(tap, wet):
    """Mappings that make no sense, with right sums: a question is answered, or refused with a message."""
    index = wet + ".idx"
    why(wet)
    good = harness.read(index, "rb")
    begin, size, names = mappings(good)
    tap.ok(any(b"libc.so" in n for n in names), "the index has the mappings", names)
    wrong, refused, n = [], 0, 6
    for k in range(n):
        data = bytearray(good)
        at = begin + k * (size - 1) // (n - 1)
        data[at:min(at + (k % 3 + 1) ** 4, begin + size)] = b"\xff" * (min(at + (k % 3 + 1) ** 4, begin + size) - at)
        harness.write(index, with_sums(data))
        told = why(wet)
        server = subprocess.run([commandlib.DCFG, "gdb", "--serve", wet], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=harness.ENV)
        refused += b"mapping" in server.stderr and server.returncode == 2
        if told[0] != 0 or server.returncode not in (0, 2):
            wrong.append((at - begin, told, server))
    tap.ok(not wrong, "hostile mappings of an index: no crash", wrong[:3])
    tap.ok(refused > 0, "and some are refused with a message", refused)
    harness.write(index, good)


def check_places(tap, wet):
    """A directory that cannot be written: a directory with the index's name has the same effect, for root too."""
    index, cache = wet + ".idx", tap.path("cache")
    plain = why(wet, "--index=no")
    if os.path.exists(index):
        os.unlink(index)
    os.mkdir(index)
    env = dict(os.environ, XDG_CACHE_HOME=cache)
    made = why(wet, env=env)
    inside = os.listdir(os.path.join(cache, "dcfg")) if os.path.isdir(os.path.join(cache, "dcfg")) else []
    tap.ok(made[:2] == plain[:2] and "made %s/dcfg/" % cache in made[2] and len(inside) == 1, "the cache has it else",
           (made, inside))
    again = why(wet, env=env)
    tap.ok(again[:2] == plain[:2] and "made" not in again[2], "and it is used from there", again)
    with open(tap.path("file"), "w"):
        pass
    made = why(wet, env=dict(os.environ, XDG_CACHE_HOME=tap.path("file")))
    tap.ok(made[:2] == plain[:2] and "an index without a name" in made[2], "else it has no name", made)
    os.rmdir(index)


def main():
    tap = harness.Tap("slice_index")
    small = harness.compiled(tap, "small.c", SMALL, "-static", "-O0")
    dynamic = small and harness.cc(tap, tap.path("small.c"), "dynamic", "-O0")
    wet = harness.record_wet(tap, "small", [small]) if small else None
    other = harness.record_wet(tap, "other", [small, "x"]) if small else None
    mapped = harness.record_wet(tap, "dynamic", [dynamic]) if dynamic else None
    if wet and other and mapped:
        why(other)
        check_files(tap, wet)
        check_wrong(tap, wet, other)
        check_flips(tap, wet)
        check_mappings(tap, mapped)
        check_places(tap, wet)
    check_same(tap)
    check_registers(tap)
    check_saved(tap)
    check_calls(tap)
    tap.done()


main()
