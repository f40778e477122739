#!/usr/bin/python3
"""Writers of numbers in x87's registers, when the top of the stack comes from memory.  (TAP)

- Random programs (x87_programs.py) load each number once.  The processor runs them, too, and the number that it stores tells
which instance loaded it.  The whole execution trace must lead there, and so must slices.

- A thread that begins with its creator's top; the end of a recording (--wet-ring) that begins with a stack that is not
empty.

DCFG_SLOW=1: more programs.  The arguments are seeds.
"""
import os
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
import slicelib
import x87_programs
import cpuinfo

X87 = "4"                               # a port's kind in wet_dump's text
SLICES = 4
# Nothing but the marks on the tape moves the top, as in every dynamically linked program.  It is not 0 only at the end, when
# all code is there; otherwise the tape would have another mark.
TOLD = harness.text("slices/x87.c")
TOPS = os.path.join(harness.SRCDIR, "tests", "progs", "x86", "x87_tops.c")


def symbols(prog):
    text = subprocess.run(["nm", prog], stdout=subprocess.PIPE, check=True).stdout.decode()
    return {f[2]: int(f[0], 16) for f in map(str.split, text.splitlines()) if len(f) == 3}


def x87_uses(dumper, wet):
    """Returns {(address, instance): the writers of what x87's port uses}."""
    found = {}
    p = subprocess.Popen([dumper, wet], stdout=subprocess.PIPE, text=True)
    for line in p.stdout:
        f = line.split()
        for port in f[3:] if f[0] == "I" else ():
            if port[0] == X87:
                found[int(f[1], 16), int(f[2])] = [(int(a, 16), int(n)) for a, n in (w.split("#") for w in port.split(",")[1:])]
    return found if p.wait() == 0 else {}


def sources(uses, first, known):
    """Goes from instance to instance, over copies, to those at addresses that are KNOWN.  Returns (all of these, all that
    were met).
    """
    ends, met, todo = set(), set(), [first]
    while todo:
        me = todo.pop()
        if me in met:
            continue
        met.add(me)
        if me[0] in known:
            ends.add(me)
        # An instruction that may keep a value counts as its writer, and as a user of the old value.
        if me[0] not in known or known[me[0]]:
            todo += uses.get(me, [])
    return ends, met


def check_program(tap, dumper, seed, bits, xsave):
    name = "x87_%d_%d" % (seed, bits)
    source = tap.path(name + ".c")
    text, loads = x87_programs.program(seed, bits, xsave)
    harness.write(source, text)
    prog = harness.cc(tap, source, name, "-w", "-fno-pie", "-no-pie", "-m%d" % bits)
    if not prog:
        return
    out = subprocess.run([prog], stdout=subprocess.PIPE, timeout=harness.TIMEOUT).stdout
    numbers = struct.unpack("<%dd" % (len(out) // 8), out)
    wet = harness.record_wet(tap, name, [prog])
    if not wet:
        return
    at = symbols(prog)
    where = {x: (at[label], n) for x, (label, n) in loads.items()}
    known = {at[s]: s.startswith("perhaps") for s in at if s.startswith(("do_", "load_", "perhaps_"))}
    known = {a: maybe for a, maybe in known.items() if a != at["do_env"]}
    uses, bad, chains = x87_uses(dumper, wet), [], []
    for i, x in enumerate(numbers):
        ends, met = sources(uses, (at["obs_%d" % i], 0), known)
        perhaps = any(known[a] for a, _ in ends)
        want = where.get(x)
        good = (want in ends if perhaps else ends == {want}) if want else perhaps
        if not good:
            bad.append("obs_%d: %r: %s, expected %s" % (i, x, ends, want or "FPTAN or FSINCOS"))
        elif want and not perhaps:
            chains.append((i, met))
    tap.ok(not bad and len(chains) > len(numbers) // 2, "%s: %d numbers, each from whom the processor says" % (name, len(numbers)),
           "\n".join(bad) or "%d of %d from one load" % (len(chains), len(numbers)))
    bad = []
    for i, met in chains[::max(len(chains) // SLICES, 1)]:
        s, err = slicelib.slice_of(tap, wet, "--thin", "--at=0x%x#0" % at["obs_%d" % i])
        strangers = s and {n for n in s.nodes if n[0] in known} ^ {n for n in met if n[0] in known}
        if not s or strangers or not met <= set(s.nodes):
            bad.append("obs_%d: %s" % (i, err if not s else "%s, without %s" % (strangers, met - set(s.nodes))))
    tap.ok(not bad, name + ": slices lead there as well", "\n".join(bad))


def last_source(text, address):
    """Returns the instruction that its last port depends on."""
    lines = [line.split() for line in text.splitlines()]
    at = {f[0]: int(f[2], 16) for f in lines if len(f) > 4}
    here = [i for i, f in enumerate(lines) if len(f) > 4 and int(f[2], 16) == address]
    found = None
    for f in lines[here[0] + 1:] if here else ():
        if f[0] == "NO" or f[0] == "VALUES":
            break
        found = at[f[0].split(":")[1]] if ":" in f[0] else None
    return found


def check_tops(tap, bits):
    """No instruction tells where the top is."""
    name = "x87_tops_%d" % bits
    prog = harness.cc(tap, TOPS, name, "-fno-pie", "-no-pie", "-pthread", "-m%d" % bits)
    if not prog:
        return
    said = subprocess.run([prog], stdout=subprocess.PIPE, timeout=harness.TIMEOUT).stdout
    wet = harness.record_wet(tap, name, [prog], ["--wet-ring=1M"])
    if not wet:
        return
    at = symbols(prog)
    for who in ("main", "thread"):
        load, obs = at[who + "_load"], at[who + "_obs"]
        text = commandlib.command("wet", "--function=find_" + who, wet)[1]
        s, err = slicelib.slice_of(tap, wet, "--thin", "--at=0x%x#0" % obs)
        tap.ok(last_source(text, obs) == load and s and (load, 0) in s.nodes and b"1234 5678" in said,
               "%s: where the record of %s begins the top is known" % (name, who), "%r\n%s%s" % (said, err, text))


def check_told(tap):
    """A slice need not know the top unless it moves: a value with top 3 is not found with top 0."""
    prog = harness.compiled(tap, "told.c", TOLD, "-fno-pie", "-no-pie")
    wet = prog and harness.record_wet(tap, "told", [prog])
    if not wet:
        return
    at = symbols(prog)
    s, err = slicelib.slice_of(tap, wet, "--thin", "--at=0x%x#4" % at["told_obs"])
    tap.ok(s and (at["told_load"], 4) in s.nodes and (at["told_other"], 4) not in s.nodes,
           "told: a slice sees that the top moves", err)


def main(argv):
    tap = harness.Tap("wet_x87")
    slow = os.environ.get("DCFG_SLOW") == "1"
    dumper = harness.reader(tap, "wet_dump")
    seeds = [int(a) for a in argv] or range(1, 31 if slow else 2)
    why = harness.lacks_x86()
    if why:
        tap.skip("32-bit programs", why)
    xsave = cpuinfo.has("xsave")                 # Valgrind has no XRSTOR of 32-bit code
    for bits in (64,) if why else (64, 32):
        for seed in seeds if dumper else ():
            check_program(tap, dumper, seed, bits, xsave and bits == 64)
        check_tops(tap, bits)
    check_told(tap)
    tap.done()


if __name__ == "__main__":
    main(sys.argv[1:])
