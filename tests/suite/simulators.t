#!/usr/bin/python3
"""Regions for simulators: dcfg bbv --looppoint and dcfg regions, as their readers take the files; what the tool then collects;
what is refused.  (TAP)
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commandlib
import harness
from commandlib import command


def record(tap, name, argv, opts=(), env=None):
    """(DCFG, trace, its turns) of a run; the first is None if there is none."""
    trace = tap.path(name + ".trace")
    graph, _, why = harness.dcfg(tap, name, argv, ["--trace=yes", "--trace-turns=yes", "--trace-out-file=" + trace] + list(opts), env)
    tap.ok(graph, name + ": a trace", why)
    return graph, trace, trace + ".turns"


def write(path, text):
    with open(path, "w") as f:
        f.write(text)
    return path


def is_refused(tap, why, args, says):
    """DCFG refuses with one line, which SAYS something, and leaves no file behind."""
    place = tap.path("refused")
    os.makedirs(place, exist_ok=True)
    status, out, err = command(*[a.replace("PLACE", place) for a in args])
    tap.ok(status == 2 and not out and len(err.splitlines()) == 1 and says in err and not os.listdir(place),
           "refused: " + why, "%s\n%s%s\n%s" % (status, out, err, os.listdir(place)))


def check_beginning(tap, prog):
    """Markers count from the process's beginning: dcfg regions refuses those of a trace that begins later."""
    points, weights = write(tap.path("points"), "1 0\n"), write(tap.path("weights"), "1 0\n")
    for name, opts, late in (("whole", [], False), ("only the program", ["--only-images=*/beginning"], False),
                             ("later", ["--start=is_prime:100"], True),
                             ("a toggle", ["--toggle-collect=count_primes"], True)):
        label = name.replace(" ", "_")
        graph, trace, turns = record(tap, label, [prog], opts)
        status, out, err = command("bbv", "--slice=5000", "-o", tap.path(label), "--turns=" + turns, graph, trace)
        with open(tap.path(label + ".global.bb")) as f:
            text = f.read()
        since = re.findall("^# Counts since (0x[0-9a-f]+)$", text, re.M)
        first = re.search("^S: (0x[0-9a-f]+) ", text, re.M).group(1)
        tap.ok(status == 0 and since == [first] * late and ("does not begin with" in err) == late, name + ": where counts begin", (err, since))
        args = ["regions", tap.path(label + ".global.bb"), points, weights]
        if late:
            is_refused(tap, "counts of " + name, args, "counts do not begin with the program")
        else:
            tap.ok(command(*args)[0] == 0, name + ": counts begin with the program", command(*args))


def main():
    tap = harness.Tap("simulators")
    if not os.path.exists(commandlib.DCFG):
        tap.skip("dcfg bbv --looppoint", "the command dcfg was not built")
        tap.done()
    primes = harness.cc(tap, os.path.join(harness.SRCDIR, "docs", "primes.c"), "beginning", "-pthread")
    check_beginning(tap, primes)
    tap.done()


if __name__ == "__main__":
    main()
