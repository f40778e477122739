"""Mutants of whole execution traces, for cmd/mutants.t.

check(tap, start, n, seed): N mutants of small right files through each subcommand that reads such files.  None may make it
crash, leak, or upset a sanitizer.  A refusal is one line, behind the one about an index that was made.  A file is refused if
it breaks the layout of docs/dev/wet-file.md in a way that broken() finds.
"""
import os
import random
import re

import harness
from wet_summary import MAGIC, Reader, Short

# Programs of tests/.
WRITTEN = "edge_nested", "edge_rep", "life_raise", "life_nested"
VERSION = 9
RUN, SOURCES, IMAGES, INSTRUCTIONS, UNEXECUTED, SUPERBLOCKS, THREADS, BEFORE, TAPE, END, STATE = range(11)
ORDER = list(range(RUN, TAPE)) + [STATE, TAPE, END]
CUT = "a section is cut"                # dcfg wet --info reads no further than to the tape
WILD = (0, 1, 2, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 254, 255)


def lines(r, address):
    """Returns command lines; ADDRESS: of an instruction of the right file."""
    at = "--at=0x%x" % address
    return [["wet"] + r.choice(([], ["--info"], ["--history"], ["--history=3"], ["--from=3", "--to=9"], ["--function=*"], ["--instances=0-1"]))
            + ["@0"],
            ["slice", at + r.choice(("", "", "#0"))] + r.choice(([], ["--thin"], ["--full"], ["--forward"], ["--of=flags"], ["--of=rax"]))
            + ["--as=" + r.choice(("source", "instances", "json", "html"))] + ["@0"],
            ["slice", "--syscall=" + r.choice(("exit", "write", "exit_group", "60"))] + r.choice(([], ["--thin"])) + ["@0"],
            ["why", "--steps=3", "@0", "0x%x" % address],
            ["export", "--champsim", "--thread=0", "-o", "/dev/null", "@0"]]


# ---- the layout --------------------------------------------------------------------------------------------------


def sections(data):
    """Returns [(section, begin, contents)]; raises Short if the file is cut off."""
    if data[:8] != MAGIC or int.from_bytes(data[8:12], "little") != VERSION:
        raise Short("no such file")
    found, at = [], 16
    while not found or found[-1][0] != END:
        size = int.from_bytes(data[at + 1:at + 9], "little")
        if at + 9 + size > len(data):
            raise Short("a section")
        found.append((data[at], at + 9, data[at + 9:at + 9 + size]))
        at += 9 + size
    return found


def heads(r, n):
    """Reads the heads of instructions, up to their kinds."""
    for _ in range(n):
        r.number(), r.number()
        r.bytes(r.number())
        r.number()
        yield


def broken(data):
    """Returns why nobody can read the file; "" if there is no such reason."""
    try:
        found = sections(data)
        if [s for s, _, _ in found] not in (ORDER, ORDER[1:]):
            return "other sections"
        parts = {s: Reader(content) for s, _, content in found}
        if RUN in parts:
            r = parts[RUN]
            r.number(), r.number()
            for _ in range(5):
                r.bytes(r.number())
        r = parts[SOURCES]
        for _ in range(r.count()):
            r.bytes(r.number())
        r = parts[INSTRUCTIONS]
        n_instrs = r.count()
        for _ in heads(r, n_instrs):
            r.number()
            for _ in range(2):
                for _ in range(r.count()):
                    r.number(), r.number()
            for _ in range(r.count()):
                r.number(), r.number(), r.number()
        r = parts[UNEXECUTED]
        for _ in heads(r, r.count()):
            pass
        r = parts[SUPERBLOCKS]
        for _ in range(r.count()):
            n = r.count()
            if any(r.number() >= n_instrs for _ in range(n)):
                return "no such instruction"
            for _ in range(r.count() if n else 0):
                if r.number() >= n:
                    return "an exit at no instruction"
                r.number()
            for _ in range(r.count() if n else 0):
                if r.number() >= n:
                    return "a slot at no instruction"
                r.number(), r.number()
                if r.number() > 0:
                    r.number()
        r = parts[STATE]
        r.number(), r.number()
        if r.at < len(r.data):
            r.number(), r.number(), r.number()
            for _ in range(r.count()):
                r.number(), r.number()
            for _ in range(r.count()):
                r.number(), r.number()
                r.bytes(r.number())
            for _ in range(r.count()):
                r.number(), r.number()
                r.bytes(r.number())
            for _ in range(r.count()):
                r.number()
                r.bytes(r.number())
            if r.at < len(r.data):
                return "more than a state"
        return "threads" if len(parts[THREADS].data) % 8 else ""
    except Short as e:
        return CUT if str(e) == "a section" else "cut: %s" % e


# ---- mutants -----------------------------------------------------------------------------------------------------

def mutant(r, data):
    data = bytearray(data)
    for _ in range(r.choice((1, 1, 1, 2, 4))):
        # Each section with the same probability, with its head.
        try:
            section, at, content = r.choice(sections(bytes(data)))
        except Short:
            section, at, content = 0, 9, bytes(data)
        first, end = max(at - 9, 0), min(at + len(content), len(data))
        if section == TAPE and r.random() < 0.5:
            end = min(end, at + 64)
        where = r.randrange(first, max(end, first + 1))
        what = r.randrange(7)
        if where >= len(data):
            continue
        if what <= 1:
            data[where] ^= 1 << r.randrange(8)
        elif what == 2:
            data[where] = r.choice(WILD)
        elif what == 3:
            data[where:where] = bytes(r.choice(WILD) for _ in range(r.choice((1, 2, 8))))
        elif what == 4:
            del data[where:where + r.choice((1, 1, 2, 9, 100))]
        elif what == 5:
            other = r.randrange(first, max(end, first + 1))
            data[where:where + 8] = data[other:other + 8]
        else:
            data[where:where + 10] = b"\xff" * r.choice((1, 4, 9)) + b"\x01"
        if r.random() < 0.7:
            repair(data, at, len(content))
    return bytes(data)


def repair(data, at, size):
    """Sets the section's length to that after the change."""
    try:
        sections(bytes(data))
    except Short:
        for change in range(-110, 20):
            trial = bytearray(data)
            trial[at - 8:at] = max(size + change, 0).to_bytes(8, "little")
            try:
                sections(bytes(trial))
            except Short:
                continue
            data[:] = trial
            return


def corpus(tap):
    for program in WRITTEN:
        wet = tap.path(program + ".wet")
        harness.run([harness.VALGRIND, "--tool=dcfg", "--wet=yes", "--wet-out-file=" + wet,
                     "--dcfg-out-file=" + tap.path(program), os.path.join(os.environ["BUILDDIR"], "tests", "regress", program)], tap.dir)
        with open(wet, "rb") as f:
            data = f.read()
        r = Reader(sections(data)[INSTRUCTIONS][2])
        r.number(), r.number()
        yield data, r.number()


def check(tap, start, n, seed):
    """START makes a server."""
    files, wrong, read, refused, seen, server = list(corpus(tap)), [], 0, 0, 0, None
    tap.ok(all(broken(data) == "" for data, _ in files), "whole execution traces: the layout is known")
    for i in range(n):
        r = random.Random(seed * 1000003 + i)
        right, address = r.choice(files)
        data = mutant(r, right)
        asked, why = lines(r, address), broken(data)
        # Commands that end with a message leave much memory behind.
        if i % 50 == 0:
            if server:
                server.end()
            server = start()
        seen += why != ""
        for line, (kind, status, err) in zip(asked, server.ask([data, b"", right], asked)):
            read, refused = read + (status < 2), refused + (status == 2)
            said = ""
            if kind in ("killed", "leaked") or status not in (0, 1, 2):
                said = "%s %d: %s" % (kind, status, err[-3000:])
            elif status == 2 and len(re.sub(r"dcfg (why|slice): made an index .*\n", "", err).splitlines()) != 1:
                said = "%d lines: %s" % (err.count("\n"), err[:1000])
            elif status < 2 and why and not (why == CUT and "--info" in line):
                said = "read, but: " + why
            if said:
                with open(tap.path("wet%d" % i), "wb") as f:
                    f.write(data)
                wrong.append("mutant %d, dcfg %s: %s" % (i, " ".join(line), said))
    server.end()
    tap.ok(not wrong, "%d mutants of whole execution traces through each subcommand that reads these" % n, "\n".join(wrong[:40]))
    tap.ok(read * 4 > n and refused > n and seen * 10 > n, "some are refused and some are not (%d, %d), %d by the layout" % (refused, read, seen))
