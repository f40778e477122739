"""Sessions of dcfg gdb on a recording of two billion instructions: what gdb's commands cost in the server."""
import os
import random
import re
import statistics
import sys
import time

from measure import ENV, command, layout, need, run
from part import Part, out_file, record
from parts.wet import WET

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "tests", "kit"))
from gdb_remote import Remote, symbols

JUMPS = 40
LOOP = "counts[text[i]]++"                  # text of a line with a loop of a million iterations
FRAMES = 4                                  # as many as look() reads


class Server(Remote):
    """A server, and a client of it."""

    def __init__(self, program, wet):
        super().__init__([program, "gdb", "--serve", wet], env=ENV)

    def receive(self):
        """As that of Remote, but without checks, whose time would count."""
        data = b""
        while not data.endswith(b"#"):
            data += self.process.stdout.read(1)
        self.process.stdout.read(2)
        if self.acks:
            self.process.stdin.write(b"+")
        data = data[data.index(b"$") + 1:-1].decode("latin-1")
        return re.sub(r"(.)\*(.)", lambda m: m[1] * (ord(m[2]) - 28), data)

    def interrupt(self):
        self.process.stdin.write(b"\x03")
        self.process.stdin.flush()
        return self.receive()

    def end(self):
        """The last time."""
        return int(re.search(r" of ([\d,]+)", self.monitor("when"))[1].replace(",", ""))

    def go(self, where):
        self.monitor("goto %s" % where)
        self.stop = self.ask("vCont;s")

    def look(self):
        """Reads what gdb reads to print a call stack and the variables of its frames."""
        self.ask("g")
        known = {int(n, 16): value for n, value in re.findall(r";([0-9a-f]+):([0-9a-f]{16})(?=;)", self.stop)}
        frame = known and int.from_bytes(bytes.fromhex(known.get(6, "")), "little")
        for _ in range(FRAMES):
            words = self.ask("m%x,40" % (frame - 48)) if frame else ""
            if len(words) < 128:
                break
            frame = int.from_bytes(bytes.fromhex(words[96:112]), "little")

    def peak(self):
        with open("/proc/%d/status" % self.process.pid) as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) * 1024


def timed(act, *args):
    began = time.monotonic()
    act(*args)
    return 1000 * (time.monotonic() - began)


class Costs(Part):
    ASKED = True                            # the recording takes minutes
    ROUNDS = "11"                           # 2.1 billion instructions

    def __init__(self, bench):
        super().__init__(bench)
        need("nm")
        self.command = command(bench.valgrind)
        self.prog = bench.programs.compile("index", "-g", "-O0", "-no-pie")
        self.wet = os.path.join(bench.scratch, "gdb.wet")
        with open(os.path.join(bench.srcdir, "bench", "index.c")) as f:
            self.loop = next(n for n, line in enumerate(f, 1) if LOOP in line)
        self.took = {}                      # lists of milliseconds
        self.peaks = []

    def prepare(self):
        self.n = record(self.bench, WET, "index", [self.prog, self.ROUNDS]).number(WET, "instrs")
        os.replace(out_file(self.bench.scratch, WET.name, "wet"), self.wet)
        self.at = symbols(self.prog)
        # This makes the index.
        self.made = run([self.command, "why", self.wet, "index.c:%d" % self.loop], self.bench.scratch)
        self.share = os.path.getsize(self.wet + ".idx") / os.path.getsize(self.wet)

    def note(self, what, act, *args):
        self.took.setdefault(what, []).append(timed(act, *args))

    def jump(self, server, t):
        server.go(t)
        server.look()

    def steps(self, server, packet, n, look=False):
        for _ in range(n):
            server.stop = server.ask(packet)
            if look:
                server.look()

    def reverse_next(self, server):
        """Goes from the loop's end to its begin, as gdb does: a packet for each step that the server does not skip."""
        line = "index.c:%d\n" % self.loop
        while server.monitor("when").endswith(line):
            server.stop = server.ask("bs")

    def points(self, server, times):
        for t in times:
            for what, kind, name, size in (("break", 0, "price_of", 1), ("watch", 2, "total", 8), ("watch", 2, "seed", 4)):
                self.jump(server, t)
                point = "%d,%x,%x" % (kind, self.at[name], size)
                server.ask("Z" + point)
                self.note(what, server.ask, "bc")
                server.ask("z" + point)
        # A field that nobody writes.
        rate = "2,%x,8" % (self.at["shop"] + 8)
        server.go("end")
        server.ask("Z" + rate)
        self.note("field", server.ask, "bc")
        server.ask("z" + rate)

    def interrupts(self, server):
        server.ask("Z3,%x,8" % (self.at["shop"] + 8))
        for wait in (0.2, 0.25, 0.3, 0.35, 0.4):
            server.go("end")
            server.send("bc")
            time.sleep(wait)
            self.note("interrupt", server.interrupt)
        server.ask("z3,%x,8" % (self.at["shop"] + 8))

    def measure(self):
        began = time.monotonic()
        server = Server(self.command, self.wet)
        server.ask("?")
        self.took.setdefault("open", []).append(1000 * (time.monotonic() - began))
        numbers, end = random.Random(1), server.end()
        times = [numbers.randrange(end) for _ in range(JUMPS)]
        for t in times:
            self.note("jump", self.jump, server, t)
        self.points(server, times[:5])
        server.monitor("exact on")
        for t in times[:5]:
            self.jump(server, t)
            for packet in ("vCont;s", "bs"):
                self.took.setdefault("step", []).append(timed(self.steps, server, packet, 500) / 500)
                self.took.setdefault("seen", []).append(timed(self.steps, server, packet, 50, True) / 50)
        server.monitor("exact off")
        # The last iteration of the loop is the last write to its counters.
        counters = "2,%x,800" % self.at["counts"]
        server.go("end")
        server.ask("Z" + counters)
        server.ask("bc")
        server.ask("z" + counters)
        self.note("reverse-next", self.reverse_next, server)
        self.interrupts(server)
        self.peaks.append(server.peak())
        server.close()

    def table(self, _results):
        def median(what):
            return "%.0f" % statistics.median(self.took[what])

        def most(what):
            return "%.0f" % max(self.took[what])

        return layout([["dcfg gdb in %.0f million instructions" % (self.n / 1e6), "", "target"],
                       ["its index, s of a processor", "%.1f" % self.made.cpu, "at most %.0f" % (15 * self.n / 1e9)],
                       ["of the trace, %", "%.2f" % (100 * self.share), "at most 10"],
                       ["peak MB of making it", "%.0f" % (self.made.peak / 1e6), "at most 512"],
                       ["open, ms", median("open"), "at most 500"],
                       ["jump with its call stack, median, ms", median("jump"), "at most 150"],
                       ["the slowest jump, ms", most("jump"), "at most 400"],
                       ["back to a breakpoint, slowest, ms", most("break"), "at most 100"],
                       ["back to a watchpoint, median, ms", median("watch"), "at most 50 a chunk"],
                       ["the slowest, ms", most("watch"), ""],
                       ["back through all for a field, ms", median("field"), ""],
                       ["a step in the same chunk, ms", "%.2f" % statistics.median(self.took["step"]), "at most 1"],
                       ["a step with its call stack, ms", "%.2f" % statistics.median(self.took["seen"]), ""],
                       ["reverse-next over a million iterations, ms", median("reverse-next"), "at most 2000"],
                       ["interrupt, slowest, ms", most("interrupt"), "at most 50"],
                       ["peak MB", "%.0f" % (max(self.peaks) / 1e6), "at most 400"]])
