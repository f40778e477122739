#!/usr/bin/python3
"""Values of floating point: readers compute the bits that the program had.  (TAP)

The program tests/progs/wet_floats.c runs each operation of SSE, and some of AVX, on hard operands, and writes the results that
it has under Valgrind.  A trace with values has the operands, but not these results.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness

PROGRAM = os.path.join(harness.SRCDIR, "tests", "progs", "wet_floats.c")
HEAD, RESULT = 32, 40


def results_of(out):
    """Returns the results that the program wrote: {label: [bytes]}."""
    found, at = {}, 0
    while at < len(out):
        label, n, register = out[at:at + HEAD].rstrip(b"\0").decode().split()
        at += HEAD
        rows = [out[at + k * RESULT:at + (k + 1) * RESULT] for k in range(int(n))]
        found[label] = [row[:32] if register == "v" else row[32:] for row in rows]
        at += int(n) * RESULT
    return found


def labels_of(prog):
    """Returns the addresses of the operations: {label: address}."""
    text = subprocess.run(["nm", prog], stdout=subprocess.PIPE, check=True).stdout.decode()
    return {label: int(at, 16) for at, label in re.findall(r"^(\w+) T (at_\w+)$", text, re.M)}


def check(tap, lister, name, *flags):
    prog = harness.cc(tap, PROGRAM, name, "-O2", "-static", "-no-pie", "-mno-red-zone", *flags)
    if not prog:
        return
    wet, out = tap.path(name + ".wet"), tap.path(name + ".out")
    with open(out, "wb") as f:
        status = subprocess.run([harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=" + tap.path(name + ".dcfg"), "--wet=yes",
                                 "--wet-out-file=" + wet, prog], stdout=f, env=harness.ENV).returncode
    with open(out, "rb") as f:
        results = results_of(f.read())
    labels = labels_of(prog)
    if not tap.ok(status == 0 and len(results) > 70 and set(results) <= set(labels), name + ": is recorded", (status, len(results))):
        return
    listed = subprocess.run([lister, wet, "%x" % min(labels.values()), "%x" % (max(labels.values()) + 1)], stdout=subprocess.PIPE)
    values = {at: [] for at in labels.values()}
    for line in listed.stdout.decode().splitlines():
        at, value = line.split()[:2]
        if int(at, 16) in values:
            values[int(at, 16)].append(value)
    wrong, n = [], 0
    for label, rows in results.items():
        ours = values[labels[label]]
        if len(ours) != len(rows):
            wrong.append("%s: %d instances of %d" % (label, len(ours), len(rows)))
        for k, (row, value) in enumerate(zip(rows, ours)):
            n += 1
            if value != row[:len(value) // 2][::-1].hex():
                wrong.append("%s, instance %d: %s, the program has %s" % (label, k, value, row[::-1].hex()))
    tap.ok(not wrong and n > 70000, name + ": the program's results (%d)" % n, "%d wrong\n%s" % (len(wrong), "\n".join(wrong[:20])))


def main():
    tap = harness.Tap("wet_floats")
    lister = harness.reader(tap, "wet_values")
    if lister:
        check(tap, lister, "floats")
        why = harness.lacks_x86()
        if why:
            tap.skip("floats32", why)
        else:
            check(tap, lister, "floats32", "-m32", "-msse2")
    tap.done()


main()
