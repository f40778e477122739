#!/usr/bin/python3
"""Memory that others write: the store before is not named, and its value does not stay.  (TAP)

- A program whose memory another process, its own other mapping of a file, pwrite() to the file or to /proc/self/mem, and
  process_vm_writev() change.  dcfg why says that somebody else wrote it, between which lines, and what may have; with an index and
  without.  dcfg gdb's server does not know the changed bytes between, and knows them behind the load.
- Initial data of the program, zeros of it and of a new mapping, which process_vm_writev() changes before their first load: the same.
- tests/oracle/memory_loads.c: each load finds memory as the trace told it, in that program, with 20,000 changes, and in others.
"""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import gdblib
import harness
import slicelib

PROGRAM = harness.text("slices/unseen.c")
# By case: the value before, that behind, and the words that dcfg why says.
CASES = {
    "both": ("01010101", "02020202", "perhaps system call wait4"),
    "twin": ("03030303", "04040404", "through another mapping of it: unseen.c:"),
    "file": ("05050505", "0d0c0b0a", "perhaps system call pwrite64"),
    "single": ("06060606", "0d0c0b0a", "perhaps system call pwrite64"),
    "wide": ("1111111111111111", "1111110d0c111111", "perhaps another process"),
    "bytes": ("00000000", "000d0000", "perhaps system call pwrite64"),
}
MANY = 20000


def line_of(mark):
    return 1 + next(i for i, line in enumerate(PROGRAM.split("\n")) if line.endswith("// " + mark))


def check_case(tap, wet, name, addr):
    before, behind, words = CASES[name]
    place = "unseen.c:%d" % line_of("load " + name)
    told = "unseen.c:%d in main" % line_of("told " + name)
    texts = [commandlib.command("why", "--index=" + use, wet, place)[1] for use in ("no", "yes")]
    at = texts[0].find("somebody else wrote it\n")
    tap.ok(at >= 0 and texts[0].find("between time", at) < texts[0].find(told, at) < texts[0].find("and time", at)
           and words in texts[0] and texts[0].count(told) == 1,
           name + ": dcfg why says that somebody else wrote it, between which lines, and what may have", texts[0])
    tap.ok(texts[0] == texts[1], name + ": dcfg why says the same with an index", texts)
    data = json.loads(commandlib.command("why", "--json", wet, place)[1])
    unseen = [i["unseen"] for i in data["steps"][0]["inputs"] if "unseen" in i]
    if not tap.ok(len(unseen) == 1 and "told" in unseen[0] and unseen[0]["told"].startswith(told),
                  name + ": and so does its JSON", json.dumps(data)):
        return
    since, time, size = unseen[0]["since"], unseen[0]["time"], len(before) // 2
    packet = "m%x,%x" % (addr, size)
    known = [gdblib.ask(wet, t, packet) for t in (since, time + 1)]
    tap.ok(known == [before, behind], name + ": dcfg gdb knows the bytes before and behind", known)
    # A server answers with the bytes up to the first one that is not known, if there are any.
    same = next(i for i in range(size) if before[2 * i:2 * i + 2] != behind[2 * i:2 * i + 2])
    between = [gdblib.ask(wet, t, packet) for t in (since + 1, time - 1)]
    tap.ok(all(a == before[:2 * same] or (same == 0 and a.startswith("E")) for a in between),
           name + ": dcfg gdb does not know the changed bytes between", between)
    if same > 0:
        rest = "m%x,1" % (addr + size - 1)
        tap.ok(gdblib.ask(wet, time - 1, rest) == before[-2:], name + ": it knows those that did not change", gdblib.ask(wet, time - 1, rest))


def check_first(tap, wet, addr):
    """A byte that nothing told before: its first load finds what a store through another mapping wrote."""
    text = commandlib.command("why", "--index=no", wet, "unseen.c:%d" % line_of("load first"))[1]
    tap.ok("through another mapping of it: unseen.c:%d in main" % line_of("alias first") in text and "data, which others" in text,
           "first: dcfg why names the store through another mapping of the file", text)
    times = [gdblib.ask(wet, "unseen.c:%d" % line_of(mark), "m%x,4" % addr) for mark in ("load bytes", "load first")]
    tap.ok(times[0].startswith("E") and times[1].startswith("E"), "first: dcfg gdb does not show the future", times)


def ends(slice_text):
    """The loads of memory that nobody wrote, among the criterion's own instances: whether somebody else wrote it."""
    nodes = json.loads(slice_text)["nodes"]
    return [i.get("unseen", False) for n in nodes if n["distance"] == 0 for i in n["inputs"]
            if i["port"] == "memory" and i.get("followed")]


def check_initial(tap, wet):
    """Memory of an image or of a new mapping: others changed it before its first load, or nobody did."""
    loaded = "unseen.c:%d in main" % line_of("load data")
    for name, since in (("data", "the begin of the trace"), ("zeros", "the begin of the trace"), ("fresh", "its memory was mapped"),
                        ("again", "the begin of the trace"), ("kept", None), ("zeros_kept", None), ("fresh_kept", None)):
        place = "unseen.c:%d" % line_of("load " + name)
        texts = [commandlib.command("why", "--index=" + use, wet, place)[1] for use in ("no", "yes")]
        texts.append(commandlib.command("why", "--instructions", wet, place)[1])
        inputs = json.loads(commandlib.command("why", "--json", wet, place)[1])["steps"][0]["inputs"]
        unseen = [i["unseen"] for i in inputs if "unseen" in i]
        of = ends(commandlib.command("slice", "--as=json", "--at=" + place, wet)[1])
        if since is None:
            tap.ok(all("initial data" in t and "somebody else" not in t for t in texts) and not unseen and of == [False],
                   name + ": memory that nobody changed is initial data", texts + [unseen, of])
            continue
        tap.ok(all(re.search("somebody else wrote it\n +between time [0-9,]+: " + since, t) and "process_vm_writev()" in t
                   and "initial data" not in t for t in texts) and texts[0] == texts[1],
               name + ": dcfg why says that somebody else changed initial memory, and between which times", texts)
        tap.ok(of == [True] and len(unseen) == 1 and (unseen[0]["since"] == 0) == ("begin" in since)
               and (name not in ("data", "again") or unseen[0]["loaded"].startswith(loaded)),
               name + ": and so do its JSON and that of the slice", json.dumps([of, inputs]))


def check_watch(tap, wet, addr):
    """A watchpoint goes back to the load that finds the changed value, and from there to the store; forward likewise."""
    place = "unseen.c:%d" % line_of("load single")
    unseen = [i["unseen"] for i in json.loads(commandlib.command("why", "--json", wet, place)[1])["steps"][0]["inputs"]
              if "unseen" in i]
    if not tap.ok(unseen, "single: its JSON has times"):
        return
    unseen, stops = unseen[0], []
    for at, ways in ((unseen["time"] + 2, ("bc", "bc")), (unseen["since"], ("c",))):
        server = gdblib.serve(wet, "--at=%d" % at)
        server.ask("?")
        server.ask("Z2,%x,4" % addr)
        for way in ways:
            server.ask(way)
            text = bytes.fromhex(server.ask("qRcmd," + b"when".hex())).decode()
            stops.append(int(text.split()[1].replace(",", "")))
        server.send("k")
        server.process.communicate()
    tap.ok(stops == [unseen["time"], unseen["since"] - 1, unseen["time"] + 1], "a watchpoint stops where the value was found changed",
           (stops, unseen))


def check_loads(tap, prog, name, wet, least):
    """At least LEAST loads contradict; if that is 0, none does."""
    r = subprocess.run([prog, wet, tap.path("loads.idx"), "300"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    out = r.stdout.decode(errors="replace")
    found = re.search(r"^(\d+) loads, (\d+) of known bytes, (\d+) contradict; (\d+) answers, 0 differ$", out, re.M)
    n = [int(x) for x in found.groups()] if found else [0] * 4
    tap.ok(r.returncode == 0 and n[1] > 5000 and n[3] > 100 and (n[2] >= least if least else n[2] == 0),
           "%s: each load finds memory as the trace told it" % name, out)


def check_others(tap, prog):
    for name, source, *flags in (("threads", "threads_join.c", "-pthread"), ("cache", "slice/cache.c")):
        built = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "progs", source), name, "-static", *flags)
        wet = harness.record_wet(tap, name, [built]) if built else None
        if wet:
            check_loads(tap, prog, name, wet, 0)


def main():
    tap = harness.Tap("unseen")
    prog = harness.compiled(tap, "unseen.c", PROGRAM, "-static", "-O0", "-w")
    wet, out = slicelib.record(tap, "unseen", [prog, "data", str(MANY)]) if prog else (None, "")
    if wet is None:
        tap.done()
    words = out.split()
    where, values = dict(zip(words[0:12:2], words[1:12:2])), words[12:]
    for name in CASES:
        if name == "wide" and values[7] != "0":
            tap.skip("wide: dcfg why and dcfg gdb", "process_vm_writev() is not allowed here")
        else:
            check_case(tap, wet, name, int(where[name], 16))
    if values[10] == "0":
        check_initial(tap, wet)
    else:
        tap.skip("initial memory that others change", "process_vm_writev() is not allowed here")
    check_first(tap, wet, int(where["file"], 16) + 4 * 1030)
    check_watch(tap, wet, int(where["single"], 16))
    loads = harness.reader(tap, "memory_loads")
    if loads:
        check_loads(tap, loads, "unseen", wet, MANY)
        check_others(tap, loads)
    tap.done()


main()
