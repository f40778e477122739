#!/usr/bin/python3
"""32-bit programs: their graph, trace and profile against Lackey, Callgrind and every rule, and the other outputs once
each.  (TAP)

Small programs are compiled with -m32.  If that is not possible, or the tool was built for amd64 only, one skipped test
says so.  The other tests cover what all architectures have in common.  DCFG_SLOW=1: counters that overflow their words.
"""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import tracelib
import libc_objects
import profilelib
import regionlib
import usagelib
import wetlib

PROGS = os.path.join(harness.SRCDIR, "tests", "progs")
INST = os.path.dirname(os.path.dirname(os.path.abspath(harness.VALGRIND)))
FLAGS = ["-O2", "-fno-inline"]


def build(tap, source, *flags):
    name = os.path.splitext(os.path.basename(source))[0]
    return harness.cc(tap, os.path.join(PROGS, source), name, "-m32", *flags)


def linker_of(prog):
    text = subprocess.run(["readelf", "-l", prog], stdout=subprocess.PIPE).stdout.decode()
    return os.path.realpath(re.search(r"interpreter: (.*)\]", text).group(1))


def check_flow(tap):
    """Graph and trace, against Lackey's; with faults and threads, the rules and the code on disk."""
    for source, flags in (("x86/insns.S", ["-nostdlib", "-static"]), ("loops.c", []), ("longjmp.c", [])):
        prog = build(tap, source, *flags)
        if prog:
            tracelib.crosscheck(tap, os.path.basename(source), [prog])
    for source, args, flags in (("x86/faults.c", [], []), ("threads_join.c", [], ["-pthread"]),
                                ("life/jit.c", ["protect", "3", "2", "5"], [])):
        prog, name = build(tap, source, *flags), os.path.basename(source)
        if not prog:
            continue
        dcfg, trace, status, why = tracelib.run(tap, name, [prog] + args)
        if not trace:
            tap.ok(False, name, why)
            continue
        tap.ok(status == 0, name + ": ends as it should", status)
        tracelib.decoded(tap, name, dcfg, trace, "--chunk=1000000")
        if source != "life/jit.c":
            harness.check_static(tap, name, dcfg)


def check_profiles(tap):
    """Callgrind must be told the resolver: the 32-bit libc has no debug information."""
    progs = {name: build(tap, "callgrind/%s.c" % name, *(FLAGS + flags))
             for name, flags in (("calls", []), ("signals", []), ("threads", ["-pthread", "-Wl,-z,now"]))}
    progs["base"] = build(tap, "callgrind/base.S", "-nostdlib", "-static")
    if not all(progs.values()):
        return
    told = libc_objects.pop_on_jump(tap, [progs["calls"]], linker_of(progs["calls"]), ", 32 bits")
    if not told:
        return
    libc = libc_objects.Libc(", 32 bits", {}, pop_on_jump=told)
    for case in (profilelib.Case("calls", [progs["calls"]], profilelib.INSTR, dynamic=False),
                 profilelib.Case("base", [progs["base"]], profilelib.INSTR, dynamic=False),
                 profilelib.Case("signals", [progs["signals"]], ends=8, dynamic=False),
                 profilelib.Case("threads", [progs["threads"]], ends=3, dynamic=False)):
        good, text = profilelib.check(tap, libc, case)
        tap.ok(good, case.name + ": as Callgrind" + libc.suffix, text)


def check_parts(tap):
    """Generated code counts in words of the host where regions begin and end; instructions are counted in 64 bits."""
    prog = build(tap, "region/region.c", "-O1", "-fno-optimize-sibling-calls", "-I" + regionlib.INCLUDE)
    if prog:
        regionlib.REQUEST = 14
        regionlib.check_instructions(tap, prog)
        regionlib.check_requests(tap, prog)


def check_wet(tap):
    """Dependences are the model's; accesses are Lackey's; with values, the file is whole; uses are Capstone's."""
    for name in ("calls", "bytes"):
        prog = build(tap, "wet/%s.c" % name, *wetlib.FREE)
        if prog:
            wetlib.check_model(tap, name, prog)
    insns = build(tap, "x86/insns.S", "-nostdlib", "-static")
    loops = build(tap, "loops.c")
    accesses, whole, dumper = (harness.reader(tap, name) for name in ("wet_accesses", "wet_order", "wet_dump"))
    if not insns or not loops or not accesses or not whole or not dumper:
        return
    wetlib.check_dependences(tap, dumper, "insns", [insns], models=("data",))
    for name, prog, few in (("insns", insns, 10), ("loops", loops, 1000)):
        wetlib.check_accesses(tap, accesses, name, [prog], few)
        path = tap.path(name + ".wet")
        harness.dcfg(tap, name, [prog], ["--wet=yes", "--wet-out-file=" + path])
        if os.path.exists(path):
            wetlib.is_whole(tap, whole, path, name + ": whole, with values")
            usagelib.check_capstone(tap, name, path)


def check_code(tap):
    """The disassembly is of 32-bit code, and its stubs have names."""
    prog = build(tap, "loops.c")
    path = prog and harness.dcfg(tap, "code", [prog])[0]
    if not path:
        return
    p = subprocess.run([os.path.join(INST, "bin", "dcfg"), "disasm", "--att", path], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, env=harness.ENV)
    text = p.stdout.decode()
    tap.ok(p.returncode == 0 and not p.stderr and "%esp" in text and "%rsp" not in text, "disasm: 32-bit code",
           p.stderr.decode() or text[:500])
    tap.ok(re.search(r"printf@plt", text), "disasm: stubs have names", text[:500])


def check_overflow(tap):
    """Counters of 32-bit hosts are words, which overflow."""
    prog = build(tap, "x86/often.c", "-O1")
    if not prog:
        return
    path, _, why = harness.dcfg(tap, "often", [prog])
    counts = []
    if path:
        with open(path) as f:
            edges = json.load(f)["PROCESSES"][1][-1]["EDGES"]
        counts = sorted(sum(edge[-1]) for edge in edges[1:])
    tap.ok(counts[-1:] == [3 * 1500000000 - 3] and counts[-2] < 1000000, "more than 2^32 times", why or counts[-4:])


def main():
    tap = harness.Tap("x86")
    why = harness.lacks_x86()
    if why:
        tap.skip("32-bit programs", why)
    else:
        check_flow(tap)
        check_profiles(tap)
        check_parts(tap)
        check_wet(tap)
        check_code(tap)
        if os.environ.get("DCFG_SLOW"):
            check_overflow(tap)
    tap.done()


if __name__ == "__main__":
    main()
