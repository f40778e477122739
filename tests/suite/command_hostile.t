#!/usr/bin/python3
"""The command dcfg on files that somebody made to do harm: small ones that could cost much, and odd ones.  (TAP)

What a file may cost is memory, under a limit of address space, and steps: instructions that dcfg executes, counted by
the tool itself.  A cost that is linear does not become four times as much where the file becomes twice as large.
Seconds say nothing on a loaded machine.
"""
import bz2
import json
import os
import resource
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commandlib
import harness
from commandlib import command, rules, small as s

MEGA = 1 << 20


def within(megabytes, *args, **more):
    """command() with at most so much address space, which is more than the memory it uses."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGA, megabytes * MEGA))
    return command(*args, preexec_fn=limit, **more)


def steps(tap, *args):
    """The instructions that dcfg executes with these arguments."""
    path, _, why = harness.dcfg(tap, "steps", [commandlib.DCFG] + [str(a) for a in args], ["--cfg=no"])
    if path is None:
        raise RuntimeError(why)
    with open(path) as f:
        n = json.load(f)["PROCESSES"][1][1]["INSTR_COUNT"]
    os.remove(path)
    return n


def grows_by(tap, make, small, factor, *args):
    """How much more steps a file takes that is FACTOR times as large; MAKE writes it, of a size, and returns it."""
    few = steps(tap, *args, make(small))
    many = steps(tap, *args, make(small * factor))
    return many / few, "%d and %d steps" % (few, many)


# ---- traces ------------------------------------------------------------------------------------------------------

def circle(path, claimed, edge=1):
    """A trace that takes one edge again and again, as often as it CLAIMS: no character of its sequence is needed."""
    d = {"MAJOR_VERSION": 1, "MINOR_VERSION": 0,
         "PROCESSES": [["PROCESS_ID", "STRING_DICTIONARY", "TRANSITION_TABLE", "THREAD_DATA"],
                       [4711, {}, [["CURRENT_EDGE_ID", "TRANSITION_CODE", "NEXT_EDGE_IDS"], [edge, "", [edge]]],
                        [["THREAD_ID", "TRACE_DATA"],
                         [0, [["PRECEDING_INSTR_COUNT", "INSTR_COUNT", "EDGE_COUNT", "FIRST_EDGE_ID",
                               "EDGE_ID_SEQUENCE"], [0, 1, claimed, edge, ""]]]]]]}
    return commandlib.write(path, d)


def check_violations(tap):
    """Violations that are not printed take no memory."""
    d = s.good()
    s.set_at(s.edge(d, 1, 4), 4, [1 << 30, 0])
    graph = commandlib.write(tap.path("graph.json"), d)
    trace = circle(tap.path("circle.json"), 1500000)
    status, out, err = within(64, "check", graph, trace)
    tap.ok(status == 1 and "trace-path: and 1499979 more" in out, "a trace with 1.5 million violations, in 64 MB",
           out + err)


# ---- tokens ------------------------------------------------------------------------------------------------------

def check_tokens(tap):
    """A long string costs as much as it has characters; a long number is an error."""
    path = tap.path("token.json")

    def value(text):
        def make(n):
            with open(path, "w") as f:
                f.write('{"MAJOR_VERSION":1,"NEW":%s,"PROCESSES":[["PROCESS_ID","PROCESS_DATA"]]}' % text(n))
            return path
        return make
    more, what = grows_by(tap, value(lambda n: '"%s"' % ("x" * n)), MEGA, 4, "report")
    tap.ok(more < 6, "a string that is four times as long takes about four times the steps", what)
    more, what = grows_by(tap, value(lambda n: '"%s"' % ("\\\"" * (n // 4))), MEGA, 4, "report")
    tap.ok(more < 6, "so does one of backslashes and quotes", what)
    for name, text in (("whole", "1" * 1001), ("long", "-" + "1" * MEGA), ("fractional", "0." + "1" * MEGA),
                       ("with an exponent", "1e" + "1" * MEGA)):
        status, out, err = command("report", value(lambda n: text)(0))
        tap.ok(status == 2 and ": a number of more than 1000 characters (byte" in err,
               "a number that is too long: " + name, out + err)
    status, out, err = command("report", value(lambda n: "1" * 1000)(0))
    tap.ok("characters" not in err, "one that is not", out + err)
    # However it lies in the pieces in which text is read.
    bad = ""
    for n in list(range(65480, 65540)) + list(range(131020, 131080, 7)):
        for end in (r'"', r'\\"', r'\""', r'\u00e9"'):
            with open(path, "w") as f:
                f.write('{"NEW":"' + "x" * n + end + ',"MAJOR_VERSION":7,"PROCESSES":[["PROCESS_ID","PROCESS_DATA"]]}')
            bad = bad or ("" if "format 7" in command("report", path)[2] else "%d %s" % (n, end))
    tap.ok(not bad, "strings that end anywhere", bad)


# ---- tables ------------------------------------------------------------------------------------------------------

def check_budget(tap):
    """A file may take memory in proportion to its size, and --memory allows more."""
    path = tap.path("special.json")
    nodes = ",".join('[%d,""]' % n for n in range(1, 10001))
    processes = ",".join("[%d,{}]" % n for n in range(1, 10001))
    with open(path, "w") as f:
        f.write('{"MAJOR_VERSION":1,"SPECIAL_NODES":[["NODE_ID","NODE_NAME"],%s],'
                '"PROCESSES":[["PROCESS_ID","PROCESS_DATA"],%s]}' % (nodes, processes))
    for c in (["report"], ["check", "--limit=1"], ["disasm"], ["dot", "--callgraph"], ["diff", path]):
        status, out, err = within(400, *c, path)
        tap.ok(status == 2 and "PROCESSES[" in err and "bytes of memory that are allowed" in err
               and "; --memory=MIB allows more" in err and len(err.splitlines()) == 1,
               "special nodes in each of many processes, in 400 MB: " + c[0], out[-500:] + err)
    status, out, err = command("report", "--memory=50", path)
    tap.ok(status == 2 and "52428800 bytes of memory" in err and "--memory" not in err, "--memory=50", out + err)
    # Several compressed texts after each other are one.
    with open(path, "wb") as f:
        f.write(bz2.compress(b'{"NEW":"') + 20 * bz2.compress(16 * MEGA * b"x"))
    status, out, err = within(600, "report", path)
    tap.ok(status == 2 and "bytes of memory that are allowed" in err, "a long string in a small compressed file", out + err)
    small = commandlib.write(tap.path("small.json"), s.good())
    tap.ok(command("report", "--memory", "1", small)[0] == 0, "--memory as two words, for a small file")


def main():
    tap = harness.Tap("command_hostile")
    if not os.path.exists(commandlib.DCFG):
        tap.skip("the command dcfg", "it was not built")
        tap.done()
    check_violations(tap)
    check_tokens(tap)
    check_budget(tap)
    tap.done()


if __name__ == "__main__":
    main()
