#!/usr/bin/python3
"""Slices of random programs, against their meaning.  (TAP)

- An input byte that is not in the slice of a value does not change it.  Each such byte is changed, alone and with others, in
the same functions compiled for this machine.

- Slices with all dependences, and those with producers only, are those of the slow model (tests/oracle/wet_model.py), which
finds any single missing instance.

20 functions in one program; DCFG_SLOW=1: 1,000 in 50.  The arguments are numbers of programs.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import harness
import slice_programs
import slicelib
import wet_model
import wet_slices

LEVELS = ("-O0", "-O2", "-O0", "-O1", "-O0", "-O3", "-O0", "-Os")
FLAGS = ["-w", "-g", "-ffreestanding", "-fno-stack-protector"]
FREE = ["-static", "-nostdlib", "-fno-pie", "-no-pie", "-mgeneral-regs-only"]
TRIALS = 240


def compile_both(tap, number):
    level = LEVELS[number % len(LEVELS)]
    source = harness.written(tap, "program_%d.c" % number, slice_programs.program(number, level != "-O0"))
    built = []
    for name, flags in (("free", FREE + FLAGS + [level]), ("native", ["-w", "-O0", "-DNATIVE"])):
        prog = tap.path("%s_%d" % (name, number))
        r = subprocess.run(["cc", "-o", prog, source] + flags, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if r.returncode:
            tap.ok(False, "compiling program %d" % number, r.stdout.decode(errors="replace"))
            return None
        built.append(prog)
    return source, level, built[0], built[1]


def inputs_of(source):
    """Returns, by line, the input and the function that is stored there."""
    inputs = {}
    with open(source) as f:
        for n, line in enumerate(f, 1):
            m = re.search(r"/\* INPUT (\d+) (\d+) \*/", line)
            if m:
                inputs[n] = (int(m.group(1)), int(m.group(2)))
    return inputs


def values_of(program, run):
    """Returns, by function, the instruction that stores its value."""
    at, _ = program.output
    return {(a - at) // 8: addr for addr, accesses in run for what, a, _ in accesses
            if what == "S" and at <= a < at + 8 * slice_programs.N_FUNCTIONS}


def check_inputs(tap, number, source, native, slices, what):
    """Returns (the number of inputs outside, how often those inside changed the value)."""
    inputs = inputs_of(source)
    asked, outside = "", 0
    for k, s in sorted(slices.items()):
        inside = {i for f, i in (inputs[x] for x in s.lines(os.path.basename(source)) if x in inputs) if f == k}
        digits = "".join("0" if i in inside else "1" for i in range(slice_programs.N_INPUTS))
        asked += "%d %d %s %s\n" % (k, TRIALS, digits, digits.translate({48: 49, 49: 48}))
        outside += slice_programs.N_INPUTS - len(inside)
    r = subprocess.run([native], input=asked.encode(), stdout=subprocess.PIPE)
    answers = [tuple(map(int, line.split())) for line in r.stdout.decode().splitlines()]
    bad = ["function %d: %d of %d changes outside of the slice changed the value" % (k, answers[n][0], TRIALS)
           for n, k in enumerate(sorted(slices)) if answers[n][0]]
    tap.ok(r.returncode == 0 and len(answers) == len(slices) > 0 and not bad,
           "program %d: %s: what is outside changes nothing" % (number, what), "\n".join(bad) or r.returncode)
    return outside, sum(a[1] for a in answers)


def check_model(tap, number, model, slices, thin):
    bad, dropped, unseen = [], 0, []
    for k in sorted(slices):
        for what, s, data in (("full", slices[k], False), ("thin", thin[k], True)):
            start = {s.nodes[c] for c in s.data["criterion"]}
            nodes = set(s.nodes)
            complaints = model.check(start, nodes, data)
            bad += ["function %d, %s: %s" % (k, what, c) for c in complaints[:2]]
            if not data or complaints:
                continue
            for node in nodes - start:
                dropped += 1
                if not model.check(start, nodes - {node}, data):
                    unseen.append("function %d: %x#%d" % (k, *node))
    tap.ok(not bad, "program %d: slices with all, and with producers only, are the model's" % number, "\n".join(bad[:20]))
    tap.ok(dropped > 0 and not unseen, "program %d: each of %d instances is missed" % (number, dropped), "\n".join(unseen[:20]))


def check_program(tap, number):
    built = compile_both(tap, number)
    if not built:
        return 0, 0
    source, level, free, native = built
    wet, lackey = tap.path("random_%d.wet" % number), tap.path("random_%d.lackey" % number)
    graph, _, why = harness.dcfg(tap, "random_%d" % number, [free], ["--wet=yes", "--wet-out-file=" + wet])
    harness.lackey_into(tap, lackey, [free], opts=["--vex-iropt-level=0"], tool="lackey")
    if not graph:
        tap.ok(False, "program %d: is recorded" % number, why)
        return 0, 0
    program, run = wet_model.Program(free), wet_model.read_trace(lackey)
    slices = {}
    for way in ((), ("--full",), ("--thin", "--whole")):
        for k, addr in values_of(program, run).items():
            s, said = slicelib.slice_of(tap, wet, "--at=0x%x" % addr, *way)
            if not s:
                tap.ok(False, "program %d, function %d: a slice" % (number, k), said)
                return 0, 0
            slices[k, way] = s
    outside, moved = check_inputs(tap, number, source, native, {k: s for (k, way), s in slices.items() if not way},
                                  "slices of %s" % level)
    check_model(tap, number, wet_slices.Model(program, run), *({k: s for (k, way), s in slices.items() if way == w}
                                                               for w in (("--full",), ("--thin", "--whole"))))
    for name in os.listdir(tap.dir):
        if re.search(r"_%d\b" % number, name) and not tap.failed:
            os.unlink(tap.path(name))
    return outside, moved


def main():
    tap = harness.Tap("slice_random")
    numbers = list(map(int, sys.argv[1:])) or (range(1, 51) if os.environ.get("DCFG_SLOW") == "1" else [1])
    outside = moved = 0
    for number in numbers:
        n, m = check_program(tap, number)
        outside, moved = outside + n, moved + m
    total = len(numbers) * slice_programs.N_FUNCTIONS * slice_programs.N_INPUTS
    # Otherwise the test tests nothing.
    tap.ok(outside * 10 > total and moved * 10 > len(numbers) * slice_programs.N_FUNCTIONS * TRIALS,
           "%d of %d inputs are outside, %d of %d changes inside change the value"
           % (outside, total, moved, len(numbers) * slice_programs.N_FUNCTIONS * TRIALS))
    tap.done()


main()
