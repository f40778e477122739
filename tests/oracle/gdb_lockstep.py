#!/usr/bin/python3
"""Compares dcfg gdb with Valgrind's own gdbserver, instruction by instruction.

    gdb_lockstep.py [--from=FUNCTION,...] [--every=N] WET STEPS PROG [ARGS...]

Both begin at the first instruction, or at the next call of each FUNCTION, and make STEPS steps together.  With --every, each
Nth state is compared.  In each state the registers that both servers have, and memory at registers that look like addresses,
must agree, or be said to be unavailable.  The kinds of registers are counted apart.

- An instruction with a repeat prefix is one step: Valgrind runs some iterations at once.
- Valgrind numbers the registers of x87's stack as the processor does, whatever the top is, and has no selectors.
- Valgrind's process gets the random numbers that the recorded one got.
- Steps of ours are in order of time, as Valgrind's are: a step may come to another thread.
- When a thread has made another one, the kernel chooses which of them runs next, in each run anew.  If another one runs there,
  the comparison ends.
- The first thread's stack is compared while that thread runs: how far it got before another one began differs.
- Frames of signals have data of Valgrind's own, which the trace does not have.  They are in the stack, and later below it.  So of
  arm64, only NEAR bytes of the stack are compared, and no code of Valgrind.
- Of arm64, Valgrind's server has no flags.  So each conditional branch and choice must go as our flags say.

Prints how many registers and bytes agreed, were unavailable, and differed, and the first differences.
"""
import collections
import os
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import gdb_remote
import gdblib
import harness

FLAGS = 0xCD5
AT_ENTRY, AT_RANDOM = 9, 25
MOST_PID = 1 << 22
MOST_STACK = 16 << 20
NEAR = 512
LEAST_STACK = 1 << 16           # bytes that are between the stack pointers of two threads
KINDS = "general", "eflags", "vector", "x87", "control", "conditions", "memory"
X87 = "fctrl", "fstat", "ftag"
CONTROL = "mxcsr", "fpsr", "fpcr"

# A processor: its pointers' size, the registers that are compared, the stack pointer; the codes of system calls, the register of
# their number, the one of the first argument and of the result; getrandom()'s number.
Processor = collections.namedtuple("Processor", "word general stack calls number argument result getrandom")
# By the name of the program counter.
PROCESSORS = {
    "rip": Processor(8, "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split(), "rsp", ("0f05",), "rax", "rdi", "rax",
                     318),
    "eip": Processor(4, "eax ecx edx ebx esp ebp esi edi".split(), "esp", ("0f05", "cd80"), "eax", "ebx", "eax", 355),
    "pc": Processor(8, ["x%d" % n for n in range(31)] + ["sp"], "sp", ("010000d4",), "x8", "x0", "x0", 278),
}


def kind_of(name):
    """The kind of a register that both servers have; None if it is not compared."""
    if re.fullmatch("xmm[0-9]+|ymm[0-9]+h|v[0-9]+", name):
        return "vector"
    if re.fullmatch("st[0-7]", name) or name in X87:
        return "x87"
    return "control" if name in CONTROL else name if name == "eflags" else None


def holds(condition, flags):
    """Whether a condition of arm64 holds."""
    n, z, c, v = (flags >> k & 1 for k in (31, 30, 29, 28))
    return bool((z, c, n, v, c and not z, n == v, n == v and not z, 1)[condition >> 1]) != (condition & 1 and condition != 15)


def start_valgrind(argv, cwd, log, pipes):
    """Valgrind's process and a connection to it through files whose names begin with PIPES.  A process that was killed leaves its
    files behind, and by default a later one with its number has the same.  32-bit programs have their stack elsewhere under
    the tool, which puts its end at a multiple of 16 MiB."""
    with open(argv[0], "rb") as f:
        is_32 = f.read(5)[4] == 1
    prefix = "--vgdb-prefix=" + pipes
    tool = ["--tool=dcfg", "--dcfg-out-file=" + os.devnull] if is_32 else ["--tool=none"]
    p = subprocess.Popen([harness.VALGRIND, *tool, "--px-default=allregs-at-each-insn", "--vex-guest-chase=no",
                          "--vex-iropt-unroll-thresh=0", "--vgdb=yes", "--vgdb-error=0", "--vgdb-shadow-registers=yes",
                          prefix, "--log-file=" + log, *argv],
                         cwd=cwd, env=harness.ENV, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return p, gdb_remote.Remote([harness.VGDB, prefix, "--wait=600", "--pid=%d" % p.pid], env=harness.ENV)


class Alike:
    """Data that the kernel gives each process otherwise: the address of its own library, numbers of processes and threads.  Where
    handlers return to, on arm64, is in Valgrind, which is another program for each tool."""

    def __init__(self, pid, word):
        self.pid, self.word = pid, word

    def number(self, x, y):
        low = x & 0xffffffff, y & 0xffffffff
        return (x == y or x >> 32 == y >> 32 and (low[0] - self.pid) % MOST_PID < 4096 and 0 < low[1] <= MOST_PID
                or self.word == 8 and (x ^ y) & 0xfff == 0 and (x >> 41 == y >> 41 == 0x3f or x >> 40 == y >> 40 == 0xff)
                or x >> 24 == y >> 24 == 0x58)

    def bytes(self, have, want, at):
        """Returns how many bytes at AT are alike, word by word."""
        alike, n = 0, self.word
        for i in range(-at % n - n, len(want), n):
            x, y = have[max(i, 0):i + n], want[max(i, 0):i + n]
            if len(x) == len(y) == n and self.number(int.from_bytes(x, "little"), int.from_bytes(y, "little")):
                alike += n
            else:
                alike += sum(a == b for a, b in zip(x, y))
        return alike


def description(remote, our_rows):
    """The rows of Valgrind's registers, whose description includes other files.  Of arm64 it has none, and the registers are
    ours."""
    if not remote.ask("qXfer:features:read:target.xml:0,fff"):
        return [(name, bits) for name, bits in our_rows if name != "tpidr"]
    rows, todo = [], ["target.xml"]
    while todo:
        name, text = todo.pop(0), ""
        while True:
            answer = remote.ask("qXfer:features:read:%s:%x,fff" % (name, len(text)))
            text += answer[1:]
            if answer[0] == "l":
                break
        rows += [(m[0], int(m[1])) for m in re.findall(r'<reg name="([\w]+)"[^>]*?bitsize="(\d+)"', text)]
        todo += re.findall(r'<xi:include href="([^"]+)"', text)
    return rows


class Lockstep:
    """Both servers, and what has been found."""

    def __init__(self, ours, theirs, pid):
        self.ours, self.theirs = ours, theirs
        self.our_rows = ours.rows()
        self.their_rows = description(theirs, self.our_rows)
        names = [name for name, _ in self.our_rows]
        self.pc = next(pc for pc in PROCESSORS if pc in names)
        self.processor = PROCESSORS[self.pc]
        self.word, self.general = self.processor.word, self.processor.general
        there = {name for name, _ in self.their_rows}
        self.others = [(n, kind_of(n)) for n in names if n in there and kind_of(n)]
        self.alike = Alike(pid, self.word)
        self.counts, self.bad, self.places = collections.Counter(), [], {}
        self.time, self.parted = 0, ""
        registers = theirs.registers(self.their_rows)
        self.place, self.stack = gdb_remote.number(registers[self.pc]), self.stack_pointer(registers)
        # The kernel gives each process sixteen random bytes, of which the C library makes numbers that protect stacks and
        # pointers.
        theirs.ask("QPassSignals:" + ";".join("%x" % n for n in range(1, 152)))
        vector = self.vector()
        assert theirs.ask("M%x,10:%s" % (vector[AT_RANDOM], ours.memory(vector[AT_RANDOM], 16).hex())) == "OK", vector

    def stack_pointer(self, registers):
        return gdb_remote.number(registers[self.processor.stack])

    def on_first_stack(self, addr):
        return abs(addr - self.stack) < MOST_STACK

    def vector(self):
        """The auxiliary vector."""
        text = self.ours.ask("qXfer:auxv:read::0,1000")[1:].encode("latin-1")
        words = [w[0] for w in struct.iter_unpack("<" + {4: "I", 8: "Q"}[self.word], text)]
        return dict(zip(words[::2], words[1::2]))

    def begin(self, function, prog):
        """Both go to the first instruction of FUNCTION."""
        at = gdb_remote.symbols(prog)[function]
        with open(prog, "rb") as f:
            pie = f.read(18)[16] == 3
        if pie:
            entry = int(re.search(r"Entry point address:\s+(0x[0-9a-f]+)", subprocess.run(
                ["readelf", "-h", prog], stdout=subprocess.PIPE, check=True).stdout.decode())[1], 16)
            at += self.vector()[AT_ENTRY] - entry
        for r in (self.ours, self.theirs):
            # Valgrind's own server takes only steps and "continue with signal 0".
            assert r.ask("Z0,%x,1" % at) == "OK"
            reply = r.ask("c")
            while reply.startswith("O"):
                reply = r.receive()
            r.ask("z0,%x,1" % at)
            assert self.pc_of(reply, self.our_rows if r is self.ours else self.their_rows) == at, (function, reply)
        self.time, self.place = self.now(), at

    def now(self):
        return int(re.match("time ([0-9,]+)", self.ours.monitor("when"))[1].replace(",", ""))

    def pc_of(self, reply, rows):
        """The program counter in a stop reply; None if it has none."""
        m = re.search(r";0?%x:([0-9a-f]+);" % [name for name, _ in rows].index(self.pc), reply)
        return m and gdb_remote.number(m[1])

    def step_ours(self):
        """To the next instruction of any thread.  Returns its address; None at the end."""
        self.time += 1
        if self.ours.monitor("goto %d" % self.time):
            return None
        reply = self.ours.ask("s")
        return None if "replaylog" in reply else self.pc_of(reply, self.our_rows)

    def step(self):
        """Both step to another address, ours until it is where theirs is.  Returns whether it got there; None if the program has
        ended."""
        want = have = self.place
        while have == self.place:
            have = self.step_ours()
        begin = self.time
        for _ in range(3):
            while want == self.place:
                reply = self.theirs.ask("s")
                if reply[0] in "WX":
                    return None
                want = self.pc_of(reply, self.their_rows)
            # In 32-bit code, Valgrind makes one step of a call that only gets its return address.
            for _ in range(8):
                if have is None or have == want:
                    break
                have = self.step_ours()
            self.place = want
            if have == want:
                return True
            # Valgrind's server, where a signal comes, also stops at the instruction that its handler interrupts.
            self.time = begin - 1
            have = self.step_ours()
        return None if have is None else False

    def begins_call(self):
        """Whether a system call comes next."""
        p = self.processor
        return self.ours.memory(self.place, len(p.calls[0]) // 2).hex() in p.calls

    def have_parted(self):
        """Whether another thread runs there than here."""
        threads = [r.ask("qC") for r in (self.ours, self.theirs)]
        stacks = [self.stack_pointer(r.registers(rows)) for r, rows in ((self.ours, self.our_rows), (self.theirs, self.their_rows))]
        return threads[0] != threads[1] and abs(stacks[0] - stacks[1]) > LEAST_STACK

    def begin_random(self):
        """The buffer of getrandom(), if that comes next, which is a system call; else None."""
        p = self.processor
        a = self.ours.registers(self.our_rows)
        return gdb_remote.number(a[p.argument]) if gdb_remote.number(a[p.number]) == p.getrandom else None

    def give_random(self, at):
        """Theirs gets at AT what ours got from getrandom()."""
        size = gdb_remote.number(self.ours.registers(self.our_rows)[self.processor.result])
        if 0 < size <= 256:
            self.theirs.ask("M%x,%x:%s" % (at, size, self.ours.memory(at, size).hex()))

    def begin_condition(self):
        """The word of a conditional branch or choice of arm64 that comes next, and whether its condition holds; else None."""
        if self.pc != "pc":
            return None
        word = int.from_bytes(self.ours.memory(self.place, 4), "little")
        if word >> 24 != 0x54 and (word >> 21 & 0x1ff != 0xd4 or word >> 11 & 1):
            return None
        a = self.ours.registers(self.our_rows)
        if "x" in a["cpsr"]:
            self.counts["conditions", "unavailable"] += 1
            return None
        return word, holds(word & 15 if word >> 24 == 0x54 else word >> 12 & 15, gdb_remote.number(a["cpsr"])), self.place, a

    def check_condition(self, word, does, before, a):
        """The instruction at BEFORE has gone as its condition says."""
        if word >> 24 == 0x54:
            ways = [before + 4 + (((word >> 5 & 0x7ffff) ^ 0x40000) - 0x40000 - 1) * 4, before + 4]
            went = self.place
        else:
            wide, op = word >> 31, (word >> 29 & 2) | (word >> 10 & 1)
            mask = (1 << (64 if wide else 32)) - 1
            n, m = ((0 if k == 31 else gdb_remote.number(a["x%d" % k])) for k in (word >> 5 & 31, word >> 16 & 31))
            if n is None or m is None or word & 31 == 31:
                return
            ways = [n & mask, (m, m + 1, ~m, -m)[op] & mask]
            went = gdb_remote.number(self.theirs.registers(self.their_rows)["x%d" % (word & 31)])
        if ways[0] != ways[1]:
            good = went == ways[not does]
            self.counts["conditions", "agree" if good else "differ"] += 1
            if not good:
                self.bad.append("time %d: %x: %08x: the condition is %s" % (self.time, before, word, does))

    def differ(self, step, a, text):
        self.bad.append("step %d, time %d, pc %x: %s" % (step, self.time, gdb_remote.number(a[self.pc]), text))

    def check_register(self, step, a, b, name, kind):
        x, y = a[name], b[name]
        if re.fullmatch("st[0-7]", name):
            top = gdb_remote.number(b["fstat"]) >> 11 & 7
            y = b["st%d" % ((int(name[2]) + top) & 7)]
        if "x" in x:
            self.counts[kind, "unavailable"] += 1
            self.counts["unavailable", name] += 1
            self.places.setdefault(name, "first at time %d, pc %x" % (self.time, gdb_remote.number(a[self.pc])))
            return
        x, y = gdb_remote.number(x), gdb_remote.number(y)
        if kind == "eflags":
            x, y = x & FLAGS, y & FLAGS
            # Flags may come from numbers of processes.
            if any(not re.search("x", a[n]) and a[n] != b[n] for n in self.general):
                return
        if x == y or kind == "general" and self.alike.number(x, y):
            self.counts[kind, "agree"] += 1
        else:
            self.counts[kind, "differ"] += 1
            self.differ(step, a, "%s is %s, not %s" % (name, a[name], b[name]))

    def check_memory(self, step, a, b):
        name = self.general[step % len(self.general)]
        at = gdb_remote.number(b[name]) or 0
        if at <= 0x10000 or self.on_first_stack(at) and not self.on_first_stack(self.stack_pointer(b)):
            return
        if self.pc == "pc" and (self.on_first_stack(at) and not 0 <= at - self.stack_pointer(b) < NEAR or at >> 24 == 0x58):
            return
        want = self.theirs.memory(at, 32)
        have = self.ours.memory(at, 32)
        self.counts["memory", "unavailable"] += max(len(want) - len(have), 0)
        if len(want) > len(have):
            self.counts["unavailable", "memory"] += 1
            self.places.setdefault("memory", "first at time %d, pc %x, from %x on" % (self.time, gdb_remote.number(a[self.pc]), at + len(have)))
        same = self.alike.bytes(have, want[:len(have)], at)
        self.counts["memory", "agree"] += same
        self.counts["memory", "differ"] += min(len(want), len(have)) - same
        if same < min(len(want), len(have)):
            self.differ(step, a, "memory at %s (%x) is %s, not %s" % (name, at, have.hex(), want.hex()))

    def run(self, steps, every):
        for step in range(steps):
            if step % every == 0:
                a, b = self.ours.registers(self.our_rows), self.theirs.registers(self.their_rows)
                for name in self.general:
                    self.check_register(step, a, b, name, "general")
                for name, kind in self.others:
                    self.check_register(step, a, b, name, kind)
                self.check_memory(step, a, b)
            if len(self.bad) > 40:
                return step
            calls = self.begins_call()
            random, condition = calls and self.begin_random(), self.begin_condition()
            went = self.step()
            if calls and went is not None and self.have_parted():
                self.parted = "step %d, time %d: another thread runs there" % (step, self.time)
                return step
            if went and random:
                self.give_random(random)
            if went and condition:
                self.check_condition(*condition)
            if went is None:
                return step + 1
            if not went:
                self.bad.append("step %d, time %d: Valgrind is at %x" % (step, self.time, self.place))
                return step
        return steps


def compare(wet, prog, theirs, steps, functions=("",), every=1, options=()):
    """Compares STEPS steps of WET, from each of the FUNCTIONS on, with those of Valgrind's server THEIRS.  OPTIONS are those of dcfg
    gdb.  Returns whether all agree, and a text."""
    ours = gdblib.serve(wet, *options)
    try:
        info = subprocess.run([gdblib.commandlib.DCFG, "wet", "--info", wet], stdout=subprocess.PIPE, check=True).stdout.decode()
        both = Lockstep(ours, theirs, int(re.search(r"process +(\d+)", info)[1]))
        done = 0
        for function in functions:
            if both.parted:
                break
            if function:
                both.begin(function, prog)
            try:
                done += both.run(steps, every)
            except gdb_remote.Closed:
                both.bad.append("time %d: a server has gone" % both.time)
    finally:
        ours.close()
    return not both.bad, report(both, done)


def report(both, done):
    everything, lines = collections.Counter(), []
    for kind in KINDS + ("all registers",):
        n = {what: both.counts[kind, what] for what in ("agree", "unavailable", "differ")}
        if kind == "all registers":
            n = everything
        elif kind not in ("memory", "conditions"):
            everything.update(n)
        lines.append("%s: %d agree, %d unavailable (%.2f %%), %d differ"
                     % (kind, n["agree"], n["unavailable"], 100 * n["unavailable"] / max(sum(n.values()), 1), n["differ"]))
    lines.append("%d steps" % done)
    if both.parted:
        lines.append("the end: " + both.parted)
    lines += ["unavailable: %s, %d times, %s" % (name, n, both.places[name]) for (what, name), n in sorted(both.counts.items())
              if what == "unavailable"]
    return "\n".join(lines + ["*** " + line for line in both.bad[:20]])


def main(argv):
    options = dict(o[2:].split("=") for o in argv if re.fullmatch("--(from|every)=.*", o))
    argv = argv[len(options):]
    valgrind, theirs = start_valgrind(argv[2:], os.getcwd(), os.devnull, argv[0] + ".vgdb")
    try:
        good, text = compare(argv[0], argv[2], theirs, int(argv[1]), options.get("from", "").split(","), int(options.get("every", 1)))
    finally:
        theirs.process.kill()
        valgrind.kill()
        valgrind.wait()
    print(text)
    return not good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
