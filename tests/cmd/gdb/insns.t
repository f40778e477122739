#!/usr/bin/python3
"""Registers and memory of dcfg gdb behind instructions of many kinds.  (TAP)

Random programs (insn_programs.py) keep their registers, flags, x87's state and a buffer again and again.  What a program kept is what
dcfg gdb must show at that time.  Some flags and codes of x87 may be unavailable.  Seed 0 is a program that has each row of
the table in insn_programs.py once.  DCFG_SLOW=1: more programs.

    insns.t [--only=CLASSES] [SEED...]
"""
import collections
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import gdb_remote
import gdblib
import harness
import insn_programs
import cpuinfo

FLAGS = 0xCD5
SEEDS = (0, 1, 2)
PERCENT = {"flags": 5, "codes": 100}    # the most that may be unavailable; FPREM writes codes


def record(tap, name, prog):
    """The recording, and what the program has written."""
    wet = tap.path(name + ".wet")
    argv = [harness.VALGRIND, "--tool=dcfg", "--log-file=" + tap.path(name + ".log"), "--dcfg-out-file=" + tap.path(name + ".json"),
            "--wet=yes", "--wet-out-file=" + wet, prog]
    r = subprocess.run(argv, stdout=subprocess.PIPE, env=harness.ENV, cwd=tap.dir, timeout=harness.TIMEOUT)
    return wet, r.stdout


class Compare:
    """Counts what agrees.  Differences, and registers that are unavailable, are told where they begin."""

    def __init__(self):
        self.counts, self.bad, self.unknown, self.now = collections.Counter(), [], [], {}

    def tell(self, name, what, where, text):
        if what == "differ" and self.now.get(name) != what:
            self.bad.append("%s: %s" % (where, text))
        if what == "unavailable" and self.now.get(name) != what:
            self.unknown.append("%s: %s" % (where, text))
        self.now[name] = what

    def number(self, name, want, digits, where):
        kind = "flags" if name == "eflags" else "codes" if name == "fstat" else "x87" if name[:2] in ("st", "ft", "fc") else "vectors" if "mm" in name else "general"
        what, text = "unavailable", name
        if "x" not in digits:
            have = bytes.fromhex(digits)
            if name == "ftag":              # two bits for each register
                have = bytes([sum((have[k // 4] >> 2 * (k % 4) & 3 != 3) << k for k in range(8))])
            if name == "eflags":
                have, want = ((int.from_bytes(b, "little") & FLAGS).to_bytes(4, "little") for b in (have, want))
            what = "agree" if have[:len(want)] == want else "differ"
            text = "%s is %s, not %s" % (name, have[:len(want)][::-1].hex(), want[::-1].hex())
        self.counts[kind, what] += 1
        self.tell(name, what, where, text)

    def memory(self, have, want, where):
        differ = [k for k, (a, b) in enumerate(zip(have, want)) if a != b]
        self.counts["memory", "agree"] += len(have) - len(differ)
        self.counts["memory", "differ"] += len(differ)
        self.counts["memory", "unavailable"] += len(want) - len(have)
        k = differ[0] if differ else min(len(have), len(want) - 1)
        self.tell("memory", "differ" if differ else "unavailable" if len(have) < len(want) else "agree", where,
                  "byte %d of memory on: %s, not %s" % (k, have[k:k + 16].hex(), want[k:k + 16].hex()))

    def text(self):
        return ", ".join("%s %d (%d unavailable, %d differ)" % (kind, *(self.counts[kind, what] for what in ("agree", "unavailable", "differ")))
                         for kind in sorted({kind for kind, _ in self.counts}))


def compare(wet, prog, said, bits, runs):
    c, at = Compare(), gdb_remote.symbols(prog)
    behind = {at["behind_%d" % k]: run for k, run in enumerate(runs)}
    r = gdblib.serve(wet)
    rows = r.rows()
    assert r.ask("Z0,%x,1" % at["save"]) == "OK"
    end = len(said) - insn_programs.SAVED
    for k in range(0, end, insn_programs.RECORD):
        if k > 0:
            r.ask("s")
        r.ask("c")
        have = r.registers(rows)
        want, buffer = insn_programs.fields(said[k:k + insn_programs.RECORD], bits)
        stack = int.from_bytes(want["rsp" if bits == 64 else "esp"], "little")
        where = behind.get(int.from_bytes(r.memory(stack, bits // 8), "little"))
        where = "save %d, behind %s" % (k // insn_programs.RECORD, where)
        for name, value in want.items():
            if name in have:
                c.number(name, value, have[name], where)
        c.memory(r.memory(at["buf"], len(buffer)), buffer, where)
    r.ask("z0,%x,1" % at["save"])
    r.ask("Z0,%x,1" % at["at_end"])
    r.ask("c")
    c.now.clear()
    c.memory(r.memory(at["saved"], insn_programs.SAVED), said[end:], "at the end, in `saved`")
    c.bad += [] if r.close()[0] == 0 else ["the server ends badly"]
    return c


def check(tap, seed, bits, only, total):
    name = "insns_%d_%d" % (bits, seed)
    text, calls, n, runs = insn_programs.program(seed, bits, cpuinfo.has, only, 6 if seed else 0)
    prog = harness.compiled(tap, name + ".S", text, "-nostdlib", "-static", "-no-pie", "-m%d" % bits)
    if not prog:
        return
    wet, said = record(tap, name, prog)
    if not tap.ok(len(said) == calls * insn_programs.RECORD + insn_programs.SAVED, name + ": runs to its end", "%d of %d\n%s"
                  % (len(said) // insn_programs.RECORD, calls, open(tap.path(name + ".log"), errors="replace").read())):
        return
    c = compare(wet, prog, said, bits, runs)
    total["programs"] += 1
    total["instructions"] += n
    for k, v in c.counts.items():
        total[k] += v
    tap.ok(not c.bad, "%s: %d instructions: %s" % (name, n, c.text()), "\n".join(c.bad))
    tap.ok(all(c.counts[kind, "unavailable"] <= calls * PERCENT.get(kind, 0) / 100 for kind, _ in list(c.counts)),
           name + ": little is unavailable", "\n".join(c.unknown))


def main(argv):
    only = next((a.split("=", 1)[1] for a in argv if a.startswith("--only=")), "")
    seeds = [int(a) for a in argv if not a.startswith("-")] or (range(101) if os.environ.get("DCFG_SLOW") else SEEDS)
    tap, total = harness.Tap("gdb_insns"), collections.Counter()
    why = harness.lacks_x86()
    if why:
        tap.skip("32-bit programs", why)
    for seed in seeds:
        for bits in (64,) if why else (64, 32):
            check(tap, seed, bits, only, total)
    for k, v in sorted(total.items(), key=str):
        print("# %s: %d" % (" ".join(k) if isinstance(k, tuple) else k, v))
    tap.done()


if __name__ == "__main__":
    main(sys.argv[1:])
