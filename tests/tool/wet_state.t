#!/usr/bin/python3
"""The process in a whole execution trace: its state at the begin, what the kernel did, its end.  (TAP)

- The auxiliary vector, threads and mappings are those that the program prints; its stack has the arguments and the environment.
- The first instruction of each thread is where its registers say, in regions, parts, rings, children and salvaged files, too.
- Each load finds what the memory that is known has (tests/oracle/wet_memory.py).
- So do loads of instructions that fault and are executed again, when the handler has changed what they load; and their numbers are
  those that the program prints, natively, too (tool/wet_mended.c).
- Results of system calls are those that the program finds, whether the core announces them or not (wet_syscalls.c).
- Exit statuses, fatal signals, execve.
- A file of another version is refused.

DCFG_AGAIN=1: another Valgrind has been tested.  Then one program is left of three.
"""
import os
import re
import signal
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
import wet_mutants

PROGS = os.path.join(harness.SRCDIR, "tests", "progs")
GENERAL, IP, THREAD_BASE = 0, 3, 5                        # kinds of registers
EXIT, KILLED, EXEC = 1, 2, 3                              # kinds of ends
WRITTEN, FRESH, HANDLER, CONTENTS, RESULT, SIGNAL, REGISTERS, IDENTITY, ENDED = 3, 4, 5, 10, 11, 13, 14, 15, 16
AT_PHDR, AT_BASE, AT_ENTRY = 3, 7, 9


class State:
    """The output of wet_state.c."""

    def __init__(self, tap, reader, wet):
        out = subprocess.run([reader, wet], stdout=subprocess.PIPE, check=False).stdout.decode(errors="surrogateescape")
        self.aux, self.mappings, self.threads, self.contents, self.events, self.first = {}, [], {}, [], [], {}
        self.end = self.process = None
        registers, event = None, None
        for line in out.splitlines():
            words = line.split(" ")
            kind = words[0]
            if kind == "V":
                self.version = int(words[1])
            elif kind == "E":
                self.end = int(words[1]), int(words[2])
            elif kind == "P":
                self.process, self.bias, self.start, self.program = int(words[1]), int(words[3], 16), int(words[4]), " ".join(words[5:])
            elif kind == "A":
                self.aux[int(words[1])] = int(words[2], 16)
            elif kind == "T":
                registers = {}
                self.threads[int(words[1])] = int(words[2]), registers
            elif kind == "X":
                event = [int(words[1]), int(words[2]), *(int(w, 16) for w in words[3:6]), None]
                self.events.append(event)
                if event[1] == REGISTERS:
                    registers = event[5] = {}
            elif kind == "R":
                registers[int(words[1]), int(words[2])] = int(words[3], 16)
            elif kind == "L":
                self.first[int(words[1])] = int(words[2], 16)
            elif kind in "MC":
                here = (int(words[1], 16), int(words[2], 16), words[3], " ".join(words[6:])) if kind == "M" \
                    else (int(words[1], 16), bytes.fromhex(words[2]))
                if event:
                    event[5] = here
                else:
                    (self.mappings if kind == "M" else self.contents).append(here)
            elif kind in "SNI":
                event[5] = int(words[1])

    def memory(self, at, n):
        for begin, data in self.contents:
            if begin <= at and at + n <= begin + len(data):
                return data[at - begin:at - begin + n]
        return b""

    def text(self, at):
        for begin, data in self.contents:
            if begin <= at < begin + len(data):
                return data[at - begin:].split(b"\0")[0].decode(errors="surrogateescape")
        return None


def record(tap, name, argv, opts=(), env=None, status=None):
    """The trace's path and what the program printed; None if there is none."""
    wet = tap.path(name + ".wet")
    p = subprocess.run([harness.VALGRIND, "-q", "--tool=dcfg", "--wet=yes", "--wet-out-file=" + wet,
                        "--dcfg-out-file=" + tap.path(name + ".json"), *opts, *argv], cwd=tap.dir, env=env or harness.ENV,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not tap.ok(os.path.exists(wet) and status in (None, p.returncode), name + ": is recorded", (p.returncode, p.stderr[-2000:])):
        return None, ""
    return wet, p.stdout.decode(errors="surrogateescape")


def begins_there(tap, name, s, least=1):
    """Each thread that runs begins where its registers say; Valgrind's own address for a thread may stand in a system call."""
    told = {t: registers[IP, 0] for t, (_, registers) in s.threads.items()}
    wrong = {t: (hex(s.first[t]), hex(told[t])) for t in told if t in s.first and s.first[t] != told[t]}
    tap.ok(not wrong and len([t for t in told if t in s.first]) >= least, name + ": threads begin where their registers say",
           (wrong, told, s.first))


def entry_of(path):
    with open(path, "rb") as f:
        head = f.read(64)
    return struct.unpack_from("<Q" if head[4] == 2 else "<I", head, 24)[0]


def check_stack(tap, name, s, argv, env, word):
    """The stack pointer's memory has argc, argv and the environment."""
    sp = s.threads[0][1][GENERAL, 4]
    number = lambda at: int.from_bytes(s.memory(at, word), "little")
    args = [s.text(number(sp + word * (i + 1))) for i in range(number(sp))]
    tap.ok(args == argv, name + ": the stack has the arguments", args)
    at, have = sp + word * (number(sp) + 2), []
    while number(at):
        have.append(s.text(number(at)))
        at += word
    # Valgrind adds some, and takes some out.
    wanted = {"%s=%s" % v for v in env.items() if not v[0].startswith(("LD_", "VALGRIND", "GLIBC"))}
    tap.ok(wanted <= set(have), name + ": the stack has the environment", wanted - set(have))


def replay(s):
    """{page: rights and file} after all events; the stack is left out, for no event says when it grows."""
    pages = {}
    stack = {m[0] for m in s.mappings if m[0] >= 0x1000000000}
    for begin, size, how, path in s.mappings + [e[5] for e in s.events if e[1] == 12]:
        for page in range(begin, begin + size, 4096) if begin not in stack else ():
            if how == "-":
                pages.pop(page, None)
            else:
                pages[page] = how.rstrip("+"), path
    return pages


def check_mappings(tap, name, s, printed):
    """The program's list of its mappings, below Valgrind's own, is what the trace's comes to."""
    have, told = {}, replay(s)
    for line in printed.splitlines():
        m = re.match(r"([0-9a-f]+)-([0-9a-f]+) (...). \S+ \S+ \S+\s*(\S*)", line)
        if m and int(m.group(1), 16) < 0x38000000:
            for page in range(int(m.group(1), 16), int(m.group(2), 16), 4096):
                have[page] = m.group(3), m.group(4) if m.group(4).startswith("/") else ""
    told = {page: v for page, v in told.items() if page < 0x38000000}
    wrong = sorted("%x: %s, %s" % (p, have.get(p), told.get(p)) for p in set(have) | set(told) if have.get(p) != told.get(p))
    tap.ok(len(have) > 100 and not wrong, name + ": mappings are those that the program sees", "%d\n" % len(have) + "\n".join(wrong[:30]))


def check_memory(tap, reader, name, wet, most, word=8):
    """No load finds something else; at most MOST % find what is not known."""
    listed = tap.path("listed")
    with open(listed, "wb") as f:
        subprocess.run([reader, wet, "all"], stdout=f, check=False)
    known, unknown, wrong, text = harness.loads_of(listed, *(["x86"] if word == 4 else []))
    tap.ok(not wrong and known > (100 if most < 100 else 10) and unknown * 100 <= (known + unknown) * most,
           "%s: loads find what is known (%d, not known: %d)" % (name, known, unknown), text)
    os.unlink(listed)


def check_process(tap, reader, name, *flags, word=8):
    """All that the program prints."""
    prog = harness.cc(tap, os.path.join(PROGS, "wet_state.c"), name, "-pthread", *flags)
    if not prog:
        return
    data = harness.written(tap, "data.txt", "what is read")
    argv, env = [prog, "an argument", "", data], dict(harness.ENV, SOME_VARIABLE="some value")
    wet, out = record(tap, name, argv, (), env, 7)
    if not wet:
        return
    s = State(tap, reader, wet)
    tap.ok((s.version, s.end, s.start) == (wet_mutants.VERSION, (EXIT, 7), 1), name + ": version and exit status", (s.version, s.end))
    told = {int(m.group(1)): int(m.group(2), 16) for m in re.finditer(r"^aux (\d+) ([0-9a-f]+)$", out, re.M)}
    wrong = {t: (hex(v), s.aux.get(t)) for t, v in told.items() if s.aux.get(t, 0) != v}
    tap.ok(len(told) == 15 and told[AT_PHDR] and not wrong, name + ": the auxiliary vector", wrong)
    begins_there(tap, name, s)
    static = "-static" in flags
    linker = next((path for begin, _, _, path in s.mappings if begin == s.aux.get(AT_BASE)), None)
    first = s.aux[AT_ENTRY] if static or not linker else s.aux[AT_BASE] + entry_of(linker)
    tap.ok(s.first.get(0) == first and s.aux[AT_ENTRY] == s.bias + entry_of(prog) and s.program == os.path.realpath(prog),
           name + ": where it begins, and which image is the program", (s.first, first, s.bias, s.program))
    check_stack(tap, name, s, argv, env, word)
    pid = int(re.search(r"^pid (\d+)$", out, re.M).group(1))
    tids = [int(t) for t in re.findall(r"^thread (\d+)$", out, re.M)]
    told = [s.threads[0][0]] + [e[5] for e in s.events if e[1] == IDENTITY]
    tap.ok(s.process == pid and tids == told and len(tids) == 3, name + ": process and threads", (pid, s.process, tids, told))
    tap.ok([e[2] for e in s.events if e[1] == ENDED][:2] == [1, 2], name + ": threads end")
    kinds = [e[1] for e in s.events]
    at, handler = kinds.index(SIGNAL), int(re.search(r"^handler 0x([0-9a-f]+)$", out, re.M).group(1), 16)
    kernel = [e for e in s.events[at:] if e[1] == REGISTERS]
    tap.ok(kinds[at + 1] == HANDLER and s.events[at][5] == signal.SIGUSR2 and kernel[0][5][IP, 0] == handler
           and (word == 4 or kernel[0][5][GENERAL, 7] == signal.SIGUSR2), name + ": a signal's number, and its handler's registers",
           (s.events[at], kernel[:1]))
    tap.ok(len(kernel[1][5]) == len(s.threads[0][1]) and kernel[1][5][IP, 0] != handler, name + ": registers behind the handler", kernel[1:2])
    threads = [e for e in s.events if e[1] == REGISTERS and e[0] > 0]
    tap.ok(len(threads) == 2 and all(e[5][IP, 0] == s.first[e[0]] and e[5][GENERAL, 0] == 0 for e in threads)
           and threads[0][5][THREAD_BASE, 0] != 0, name + ": registers of new threads", [{k: hex(v) for k, v in e[5].items()} for e in threads])
    buffer, n = re.search(r"^read 0x([0-9a-f]+) (\d+)$", out, re.M).groups()
    tap.ok([int(buffer, 16), b"what is read"] in [[e[5][0], e[5][1]] for e in s.events if e[1] == CONTENTS] and int(n) == 12
           and 12 in [e[5] for e in s.events if e[1] == RESULT], name + ": what was read, and the result")
    check_mappings(tap, name, s, out)
    check_info(tap, name, wet, prog)
    if word == 8:
        check_memory(tap, reader, name, wet, 10)
    check_version(tap, name, wet)


def check_syscalls(tap, reader, name, *flags, word=8):
    """Results of system calls, which the core announces or not, are what the program finds there, and the kernel's.  Signals'
    frames are nobody's."""
    prog = harness.cc(tap, os.path.join(PROGS, "wet_syscalls.c"), name, "-static", "-O1", "-pthread", *flags)
    wet, out = record(tap, name, [prog, tap.dir], status=0) if prog else (None, "")
    if not wet:
        return
    check_memory(tap, reader, name, wet, 10, word)
    written, marks = [], {}
    for e in State(tap, reader, wet).events:
        if e[1] == WRITTEN:
            written.append((e[2], e[2] + e[3]))
        elif e[1] == RESULT and e[5] >= 1000000:
            marks.setdefault(e[5], len(written))
    told = [(what, int(at, 16), int(n), int(mark)) for what, at, n, mark in re.findall(r"^wrote (.*) ([0-9a-f]+) (\d+) (\d+)$", out, re.M)]
    missing = [t for t in told if not {t[3], t[3] + 1} <= set(marks) or not any(
        begin <= t[1] and t[1] + t[2] <= end for begin, end in written[marks[t[3]]:marks[t[3] + 1]])]
    tap.ok(len(told) > 5 and not missing, name + ": the kernel wrote all of each result", (missing, out))
    stored = [(int(at, 16), int(at, 16) + int(n)) for at, n in re.findall(r"^stored ([0-9a-f]+) (\d+)$", out, re.M)]
    tap.ok(not any(begin < e and b < end for b, e in stored for begin, end in written),
           name + ": what other threads stored during a call is theirs", out)
    os.unlink(wet)


def check_large(tap, reader):
    """A large file that is read at once is in several marks, and in several chunks."""
    data = bytes(n * n >> 7 & 255 for n in range(3 << 20))
    with open(tap.path("large"), "wb") as f:
        f.write(data)
    wet, _ = record(tap, "large", ["/bin/dd", "if=" + tap.path("large"), "of=/dev/null", "bs=%d" % len(data), "count=1"])
    if not wet:
        return
    pieces, joined = [e[5] for e in State(tap, reader, wet).events if e[1] == CONTENTS], [(0, b"")]
    for at, more in pieces:
        begin, have = joined[-1]
        if begin + len(have) == at:
            joined[-1] = begin, have + more
        else:
            joined.append((at, more))
    tap.ok(data in [have for _, have in joined] and all(len(more) <= 65536 for _, more in pieces), "large: all of it is there",
           [len(have) for _, have in joined])
    os.unlink(wet)


def check_info(tap, name, wet, prog):
    """dcfg wet --info."""
    status, out, err = commandlib.command("wet", "--info", wet)
    wanted = ("version     %d\n" % wet_mutants.VERSION, "exit status 7\n", os.path.realpath(prog) + ", ", " 3 threads\n")
    tap.ok(status == 0 and not err and all(text in out for text in wanted), name + ": what dcfg wet --info says", out + err)


def check_version(tap, name, wet):
    """Another version is refused in a line that names it."""
    with open(wet, "rb") as f:
        data = bytearray(f.read())
    other, wrong = tap.path("other.wet"), []
    for version in (wet_mutants.VERSION - 1, wet_mutants.VERSION + 1, 1 << 20):
        data[8:12] = version.to_bytes(4, "little")
        with open(other, "wb") as f:
            f.write(data)
        for line in (["wet"], ["slice", "--syscall=write"], ["gdb", "--serve"]):
            status, out, err = commandlib.command(*line, other, stdin=subprocess.DEVNULL)
            if status != 2 or out or err.count("\n") != 1 or "of version %d of" % version not in err or "record it anew" not in err:
                wrong.append((version, line, status, out[:200], err))
    tap.ok(not wrong, name + ": another version is refused in a line that names it", wrong)
    os.unlink(other)


def check_ends(tap, reader):
    """Signals, execve, children."""
    for name, script, want in (("abort", "kill -ABRT $$", (KILLED, signal.SIGABRT)), ("status", "exit 300", (EXIT, 300 & 255)),
                               ("exec", "exec /bin/true", (EXEC, 0))):
        wet, _ = record(tap, name, ["/bin/sh", "-c", script], ["--trace-children=no"])
        if wet:
            s = State(tap, reader, wet)
            tap.ok(s.end == want, name + ": the end", s.end)
            os.unlink(wet)
    out = subprocess.run([harness.VALGRIND, "-q", "--tool=dcfg", "--wet=yes", "--wet-out-file=child.%p",
                          "--dcfg-out-file=json.%p", "/bin/sh", "-c", "(echo child; exit 5); echo parent"], cwd=tap.dir, env=harness.ENV,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout
    found = {int(n.split(".")[1]): State(tap, reader, tap.path(n)) for n in os.listdir(tap.dir) if n.startswith("child.")}
    tap.ok(out == b"child\nparent\n" and len(found) == 2 and all(s.process == pid for pid, s in found.items())
           and sorted(s.end for s in found.values()) == [(EXIT, 0), (EXIT, 5)], "fork: processes and ends", {p: s.end for p, s in found.items()})
    child = next((s for s in found.values() if s.end == (EXIT, 5)), None)
    if child:
        begins_there(tap, "fork", child)
        check_memory(tap, reader, "fork", tap.path("child.%d" % child.process), 100)
        tap.ok(0 < len(child.contents[0][1]) <= 65536 and not child.start and child.threads[0][0] == child.process, "fork: the child's stack and thread")


def check_late(tap, reader):
    """Regions, parts, rings and killed programs."""
    for name, source, opts, least in (
            ("region", "threads_many", ["--start=instructions:120000"], 1), ("function", "threads_many", ["--start=main"], 1),
            ("part", "threads_many", ["--zero-before=main"], 1),
            ("ring", "threads_turns", ["--wet-ring=1M"], 2), ("window", "threads_turns", ["--wet-ring=1M", "--start=main"], 1)):
        path = os.path.join(PROGS, source + ".c")
        if source == "threads_turns":
            path = harness.written(tap, source + ".c", TURNS)
        prog = harness.cc(tap, path, source, "-pthread")
        wet, _ = record(tap, name, [prog], opts) if prog else (None, "")
        if wet:
            s = State(tap, reader, wet)
            begins_there(tap, name, s, least)
            sps = {t: registers[GENERAL, 4] for t, (_, registers) in s.threads.items()}
            tap.ok(not s.start and len(s.contents) == len(s.threads) and all(s.memory(sp, 8) for sp in sps.values()) and s.mappings and s.aux.get(AT_ENTRY)
                   and all(len(data) <= 65536 for _, data in s.contents), name + ": stacks and mappings", sps)
            os.unlink(wet)
    prog = harness.cc(tap, os.path.join(PROGS, "files", "scatter.c"), "scatter", "-static")
    if not prog:
        return
    part = tap.path("part.wet")
    temporary = lambda: [os.path.join(tap.dir, n) for n in os.listdir(tap.dir) if n.startswith("part.wet.tmp-")]
    p = subprocess.Popen([harness.VALGRIND, "--tool=dcfg", "--wet=yes", "--wet-out-file=" + part,
                          "--dcfg-out-file=" + tap.path("part.json"), prog, "9500000000"], cwd=tap.dir, env=harness.ENV,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while p.poll() is None and not any(os.path.getsize(x) > 6 << 20 for x in temporary()):
        time.sleep(0.01)
    p.kill()
    p.wait()
    status, _, err = commandlib.command("wet", "--salvage", "-o", part, *temporary())
    if tap.ok(status == 0, "salvage: becomes a trace", err):
        s = State(tap, reader, part)
        begins_there(tap, "salvage", s)
        tap.ok(s.end == (0, 0) and s.start and s.process == p.pid and s.contents, "salvage: has the state", (s.end, s.process, p.pid))


# Threads that take turns, and calls for a ring of several chunks.
TURNS = harness.text("tool/wet_state.c")


def check_mended(tap, reader, name, *flags, word=8):
    prog = harness.program(tap, "tool/wet_mended.c", "-static", "-O1", *flags, name=name)
    wet, out = record(tap, name, [prog], (), harness.ENV, 0) if prog else (None, "")
    if not wet:
        return
    check_memory(tap, reader, name, wet, 100, word=word)
    symbols = subprocess.run(["nm", prog], stdout=subprocess.PIPE, check=False).stdout.decode()
    at = int(re.search(r"^([0-9a-f]+) \w sum$", symbols, re.M).group(1), 16)
    listed = subprocess.run([reader, wet, "all"], stdout=subprocess.PIPE, check=False).stdout.decode()
    stored = [int(v, 16) for v in re.findall(r"^O .* \+[0-9a-f]+ ([0-9a-f]+) 0*%x$" % at, listed, re.M)]
    printed = [int(v, 16) for v in out.split()]
    native = subprocess.run([prog], stdout=subprocess.PIPE, check=False).stdout.decode()
    tap.ok(out == native, name + ": the program computes what it does natively", (out[:60], native[:60]))
    tap.ok(stored == printed and len(printed) == 180, name + ": what faulted has the numbers of its last execution", (stored[:5], printed[:5]))


def main():
    tap = harness.Tap("wet_state")
    reader = harness.reader(tap, "wet_state")
    if reader:
        check_process(tap, reader, "state")
        if os.environ.get("DCFG_AGAIN") != "1":
            check_process(tap, reader, "fixed", "-no-pie", "-fno-pie")
            check_process(tap, reader, "whole", "-static")
            if harness.lacks_x86():
                tap.skip("a 32-bit program", harness.lacks_x86())
            else:
                check_process(tap, reader, "state32", "-m32", word=4)
                check_syscalls(tap, reader, "syscalls32", "-m32", word=4)
                check_mended(tap, reader, "mended32", "-m32", "-msse2", word=4)
        check_syscalls(tap, reader, "syscalls")
        check_mended(tap, reader, "mended")
        check_large(tap, reader)
        check_ends(tap, reader)
        check_late(tap, reader)
    tap.done()


if __name__ == "__main__":
    main()
