"""Shared by the tests of whole execution traces: recording, comparing with Lackey and with slow models, reading dcfg wet's text."""
import os
import re
import subprocess

import commandlib
import harness
import wet_model

FOO1 = """#include <stdio.h>
#include <stdlib.h>
int x, y, result;
int main(int argc, char **argv)
{
    if(argc >= 3)
    {
       x = atoi(argv[1]);
       y = atoi(argv[2]);
       result = x * 7;
       result = result + y;
       printf("result is %d\\n", result);
    }
}
"""
FREE = ["-static", "-nostdlib", "-fno-pie", "-no-pie", "-fno-stack-protector", "-mgeneral-regs-only"]


def text_of(tap, wet, *opts):
    """Writes the output of dcfg wet to a file, and returns its path."""
    out = wet + ".txt"
    with open(out, "wb") as f:
        r = commandlib.process("wet", *opts, wet, stdout=f)
    if r.returncode or r.stderr:
        tap.ok(False, "dcfg wet " + " ".join(opts), "status %d: %s" % (r.returncode, r.stderr.decode()))
    return out


def blocks_of(text):
    """Parses the comprehensive text: {id: (head's fields, rows of each port, values or None)}."""
    lines, blocks, at = text.split("\n"), {}, 1
    while lines[at]:
        head = lines[at].split(" ")
        ports = []
        at += 1
        for _ in range(int(head[1])):
            n = int(lines[at][len("SIZE "):])
            ports.append([re.fullmatch(r"    (\d+):(\d+) (\d+)", row).groups() for row in lines[at + 1:at + 1 + n]])
            at += 1 + n
        values = None
        if lines[at] != "NO VALUES":
            n = int(lines[at][len("VALUES "):])
            values = [re.fullmatch(r"    (\d+):([0-9a-f]+)", row).groups() for row in lines[at + 1:at + 1 + n]]
            at += n
        at += 1
        blocks[head[0]] = (head[1:], ports, values)
    assert int(lines[0]) == len(blocks)
    return blocks


def check_model(tap, name, prog):
    trace = tap.path(name + ".lackey")
    wet = harness.record_wet(tap, name, [prog])
    if not wet:
        return
    harness.lackey_into(tap, trace, [prog], opts=["--vex-iropt-level=0"], tool="lackey")
    program, run = wet_model.Program(prog), wet_model.read_trace(trace)
    bad = wet_model.compare(program, wet_model.model(program, run), wet_model.read_text(text_of(tap, wet)))
    tap.ok(run and not bad, "%s: %d instances are as in the model" % (name, len(run)), "\n".join(bad[:20]))


def check_accesses(tap, checker, name, argv, few=1000):
    wet = tap.path(name + ".wet")
    graph, status, why = harness.dcfg(tap, name, argv, ["--wet=yes", "--wet-out-file=" + wet])
    if not graph:
        tap.ok(False, name + ": is recorded", why)
        return
    fifo = tap.path(name + ".fifo")
    os.mkfifo(fifo)
    p = subprocess.Popen(["sh", "-c", 'exec "$0" "$1" <"$2"', checker, wet, fifo], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    other = harness.lackey_into(tap, fifo, argv, tool="lackey")
    said = p.communicate(timeout=harness.TIMEOUT)[0].decode()
    summary = said.splitlines()[-1] if said else ""
    tap.ok(p.returncode == 0 and status == other, name + ": the accesses that Lackey tells", "%s\nexit status %d, %d"
           % (said, status, other))
    # VEX drops loads at few places: a trace with many others would not be right.
    m = re.match(r"(\d+) instructions, \d+ accesses, \d+ of bits of registers, \d+ beyond a string, (\d+) dropped", summary)
    tap.ok(m and int(m.group(2)) * few <= int(m.group(1)), name + ": few loads that Lackey does not tell", summary)
    os.unlink(wet)


def check_dependences(tap, dumper, name, argv, accesses=None, models=("data", "control")):
    """ACCESSES: wet_accesses, which reads the same trace by Lackey."""
    wet, trace, dump = (tap.path("%s.%s" % (name, x)) for x in ("wet", "lackey", "dump"))
    graph, status, why = harness.dcfg(tap, name, argv, ["--wet=yes", "--wet-out-file=" + wet])
    if not graph:
        tap.ok(False, name + ": is recorded", why)
        return
    # Without optimisation, which drops loads that the program makes.
    other = harness.lackey_into(tap, trace, argv, opts=["--vex-iropt-level=0"], tool="lackey")
    if accesses:
        with open(trace) as f:
            p = subprocess.run([accesses, wet], stdin=f, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = p.stdout.decode()
        tap.ok(p.returncode == 0, "%s: accesses: %s" % (name, said.splitlines()[-1] if said else ""), said)
    with open(dump, "w") as f:
        subprocess.run([dumper, wet], stdout=f, check=True)
    for what in models:
        bad, said = harness.oracle("wet_%s.py" % what, wet, trace, dump)
        tap.ok(bad == 0 and status == other, "%s: %s as a slow model finds it: %s"
               % (name, what, said.splitlines()[-1] if said else ""), said)
    for path in (wet, trace, dump):
        os.unlink(path)


def is_whole(tap, checker, wet, what):
    """Totals agree, and no dependence names an instance that has not run yet."""
    r = subprocess.run([checker, wet], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = r.stdout.decode(errors="replace")
    return tap.ok(r.returncode == 0, what, "\n".join(x for x in text.splitlines() if not x.startswith("instruction")))
