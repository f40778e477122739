#!/usr/bin/python3
"""Processes that fork and that exec: each has a file, with what it ran and nothing else.  (TAP)
"""
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
from lifelib import Dcfg, check, equal, run

STRACE = shutil.which("strace")
FUNCTIONS = ("before", "both", "in_parent", "in_child", "in_grandchild")


def counts(d):
    return tuple(d.calls(f) for f in FUNCTIONS)


def check_forks(tap, prog):
    # way: calls by parent, child, grandchild, in the order of FUNCTIONS.
    parent = (5, 1, 11, 0, 0)
    child = (0, 1, 0, 7, 0)
    ways = {"fork": [parent, child, (0, 0, 0, 0, 3)], "clone": [parent, child], "raw": [parent, child],
            "thread": [parent, child], "vfork": [parent, (0, 0, 0, 1, 0)], "spawn": [parent, (0, 0, 0, 0, 0)]}
    for way, want in ways.items():
        r = run(tap, way, [prog, way])
        if not check(tap, way, r, len(want)):
            continue
        all_of_them = {d.pid: d for d in map(Dcfg, r.files)}
        names = {int(os.path.basename(f).split(".")[0]) for f in r.files}
        equal(tap, way + ": files are named by the process ids in them", names, set(all_of_them))
        first, status = map(int, r.out.split())
        mother = next((d for d in all_of_them.values() if d.calls("in_parent")), None)
        daughter = all_of_them.get(first)
        if not tap.ok(mother and daughter, way + ": parent and child have files", names):
            continue
        equal(tap, way + ": the child's exit status", status, 0 if way == "spawn" else 42)
        got = [counts(mother), counts(daughter)] + [counts(d) for d in all_of_them.values() if d not in (mother, daughter)]
        equal(tap, way + ": calls in each process", got, want)
        equal(tap, way + ": threads", (mother.threads, daughter.threads), (3 if way == "thread" else 1, 1))
        entry = daughter.edges("ENTRY")
        equal(tap, way + ": the child has one ENTRY", [e.counts for e in entry], [[1]])
        where = daughter.where(entry[0].dst)
        tap.ok("_start" not in where and re.search("[Ff]ork|clone|syscall", where),
               way + ": the child begins behind the system call", where)
        # Another program's start alone takes above 50,000 instructions.
        tap.ok(daughter.total < 20000, way + ": the child's total", daughter.total)


def check_fork_and_return(tap, prog):
    """In the child, only a return leads to the program's loop.  It is the same loop."""
    r = run(tap, "return", [prog])
    if not check(tap, "a loop that a child returns to", r, 2):
        return
    loops = [[[sorted(d.p.blocks[n].start for n in l.nodes), d.p.blocks[l.head].start]
              for im in d.p.images for routine in im.routines for l in routine.loops] for d in map(Dcfg, r.files)]
    tap.ok(len(loops[0]) == 1 and loops[0] == loops[1], "a loop that a child returns to: in both", loops)


def check_exec(tap, prog):
    # Names that do not exist, may not be executed, or are no programs; then the program goes on.
    plain, broken = tap.path("plain"), tap.path("broken")
    for name, mode in ((plain, 0o644), (broken, 0o755)):
        with open(name, "w") as f:
            f.write("\x7fELF is what it is not\n")
        os.chmod(name, mode)
    argv = [prog, "3", "/nonexistent/program", "2", plain, "1", broken, "4"]
    r = run(tap, "exec_fails", argv)
    if check(tap, "failed execve", r, 1):
        equal(tap, "failed execve: calls before and after", Dcfg(r.files[0]).calls("work"), 10)
    harness.crosscheck(tap, "failed_execve", argv)

    r = run(tap, "exec", [prog, "3", "/bin/true", "5"])
    if check(tap, "execve", r, 1):
        d = Dcfg(r.files[0])
        equal(tap, "execve: written before", d.calls("work"), 3)
        equal(tap, "execve: EXIT", [e.counts for e in d.edges("EXIT")], [[1]])
        tap.ok("execve" in d.where(d.edges("EXIT")[0].src), "execve: EXIT where it was called",
               d.where(d.edges("EXIT")[0].src))

    # The process id is the same before and after; still there are two files.
    r = run(tap, "exec_traced", [prog, "3", "/bin/true"], ["--trace-children=yes"])
    if check(tap, "execve, traced", r, 2):
        equal(tap, "execve, traced: before and after", sorted(Dcfg(f).calls("work") for f in r.files), [0, 3])
        tap.ok("was written before, by another process or program: this one writes" in r.log, "execve, traced: the second name is told", r.log)

    r = run(tap, "children", [prog, "1", "fork", "20000", "/bin/true"], ["--trace-children=yes"])
    if check(tap, "trace-children", r, 3):
        equal(tap, "trace-children: calls", sorted(Dcfg(f).calls("work") for f in r.files), [0, 1, 20000])
    # A child that executes a program at once leaves the names to that program.
    r = run(tap, "at_once", [prog, "1", "fork", "2", "/bin/true"], ["--trace-children=yes"])
    if check(tap, "trace-children, at once", r, 2):
        equal(tap, "trace-children, at once: calls", sorted(Dcfg(f).calls("work") for f in r.files), [0, 1])
        tap.ok(all(re.match(r"\d+\.json$", os.path.basename(f)) for f in r.files) and "this one writes" not in r.log,
               "trace-children, at once: the program has the plain name", r.files)
    r = run(tap, "at_once_fails", [prog, "1", "fork", "2", "/nonexistent/program", "3", broken, "4"], ["--trace-children=yes"])
    if check(tap, "at once, and failed", r, 2):
        equal(tap, "at once, and failed: nothing is lost", sorted(Dcfg(f).calls("work") for f in r.files), [1, 9])
    r = run(tap, "quiet", [prog, "1", "fork", "20000", "/bin/true"], ["-q", "--trace-children=yes", "--toggle-collect=nothing*"])
    tap.ok(r.status == 0 and r.log.strip() == "", "-q is quiet in all processes", r.log)
    r = run(tap, "skipped", [prog, "1", "fork", "2", "/bin/true"], ["--trace-children=yes", "--trace-children-skip=*/true"])
    if check(tap, "trace-children-skip", r, 2):
        equal(tap, "trace-children-skip: calls", sorted(Dcfg(f).calls("work") for f in r.files), [1, 2])
    r = run(tap, "exec_threads", [prog, "1", "fork", "2", "/bin/true"])
    if check(tap, "children that are not traced", r, 2):
        equal(tap, "children that are not traced: calls", sorted(Dcfg(f).calls("work") for f in r.files), [1, 2])


def check_together(tap, name, r, processes):
    if not check(tap, name, r, processes):
        return
    names = {os.path.basename(f) for f in r.files}
    tap.ok("one.json" in names, name + ": one has the name that was asked for", names)
    told = {os.path.basename(m) for m in re.findall(r"this one writes (\S+)", r.log) if ".json" in m}
    equal(tap, name + ": the others' names are told", told, names - {"one.json"})
    pids = {os.path.basename(f): Dcfg(f).pid for f in r.files}
    equal(tap, name + ": each is another process's", len(set(pids.values())), processes)
    tap.ok(all(n == "one.json" or ".%d" % p in n for n, p in pids.items()), name + ": names hold the process ids", pids)


def check_names(tap, prog, together):
    r = run(tap, "names", [prog, "1"], out="a.%q{LIFE}.%p.%n.json", env={"LIFE": "forty-two"})
    if check(tap, "names", r, 1):
        name = os.path.basename(r.files[0])
        tap.ok(re.match(r"a\.forty-two\.\d+\.\d+\.json$", name) and ".%d." % Dcfg(r.files[0]).pid in name,
               "%p, %q and %n in a name", name)

    check_together(tap, "together", run(tap, "together", [together, "24"], out="one.json"), 25)
    # Do the same with each process delayed where it gives its file the final name: all have checked the name by then.
    if STRACE:
        calls = "?rename,?renameat,?renameat2,?link,?linkat"
        slowly = [STRACE, "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + calls,
                  "-e", "inject=" + calls + ":delay_enter=300000"]
        r = run(tap, "slowly", [together, "6"], out="one.json", before=slowly)
        if r.status == 0 or r.files:
            check_together(tap, "together, slowly", r, 7)
        else:
            tap.skip("together, slowly", "strace may not trace here")
    else:
        tap.skip("together, slowly", "strace is not installed")

    # A file of an earlier run belongs to nobody: it is replaced, as other tools do.
    path = tap.path("again.json")
    totals = []
    for n in ("1", "1001"):
        harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=" + path, prog, n], tap.dir)
        totals.append(Dcfg(path).calls("work"))
    equal(tap, "a file of an earlier run is replaced", totals, [1, 1001])


ALL_OUTPUTS = {"dcfg-out-file": "g.json", "trace-out-file": "t.trace.gz", "callgrind-out-file": "p.out", "wet-out-file": "w.wet",
               "xray-out-file": "x.xray", "uftrace-out-dir": "u"}


def check_owner(tap, prog):
    """The program keeps the file names, and a child has its process id in all of them, before the last extension."""
    where = tap.path("owner")
    os.mkdir(where)
    opts = ["--trace=yes", "--trace-turns=yes", "--callgrind=yes", "--wet=yes", "--xray=yes", "--uftrace=yes"]
    opts += ["--%s=%s" % o for o in ALL_OUTPUTS.items()]
    argv = [prog, "1", "fork", "2", "/bin/true"]
    status, err = harness.run([harness.VALGRIND, "--tool=dcfg"] + opts + argv, where)
    pid = re.search(r"==(\d+)== dcfg: .* is left to another process", err)
    if not tap.ok(status == 0 and pid, "all outputs, a child that executes a program: what it writes is told", err):
        return
    own = list(ALL_OUTPUTS.values()) + ["t.trace.turns.gz" if os.path.exists(where + "/t.trace.turns.gz") else "t.trace.gz.turns",
                                        "x.xray.map"]
    its = {re.sub(r"^(\w)", r"\1." + pid.group(1), name) for name in own}
    equal(tap, "all outputs: names", sorted(os.listdir(where)), sorted(its | set(own)))
    equal(tap, "all outputs: whose", [Dcfg(where + name).calls("work") for name in ("/g.json", "/g.%s.json" % pid.group(1))], [1, 2])

    # The processes that a traced child becomes by exec.
    r = run(tap, "became", [prog, "1", "fork", "20000", prog, "4"], ["--trace-children=yes"], out="one.json")
    if check(tap, "a traced child", r, 3):
        names = {re.sub(r"\d{2,}", "PID", os.path.basename(f)): Dcfg(f).calls("work") for f in r.files}
        equal(tap, "a traced child: the first process keeps the name", names["one.json"], 1)

    # Process ids come again: the child finds a file with the name that it would take.
    r = run(tap, "again", ["/bin/bash", "-c", "(echo old > one.$BASHPID.json; exec /bin/true); true"], out="one.json", trace=False)
    texts = {re.sub(r"\d{2,}", "PID", os.path.basename(f)): open(f).read(4) for f in r.files}
    tap.ok(set(texts) == {"one.json", "one.PID.json", "one.PID-2.json"} and texts["one.PID.json"] == "old\n",
           "a file with the child's name is left alone", texts)


def check_devices(tap, prog):
    """A device gets no files beside it."""
    link = tap.path("device")
    os.symlink("/dev/null", link)
    opts = ["--xray=yes", "--xray-out-file=" + link, "--trace=yes", "--trace-turns=yes", "--trace-out-file=/dev/null",
            "--callgrind=yes", "--separate-threads=yes", "--callgrind-out-file=/dev/null", "--dcfg-out-file=/dev/null"]
    status, err = harness.run([harness.VALGRIND, "--tool=dcfg"] + opts + [prog, "1"], tap.dir)
    left = [f for f in os.listdir("/dev") if f.startswith("null") and f != "null"] + [f for f in os.listdir(tap.dir) if "device." in f]
    equal(tap, "devices: nothing beside them", (status, left), (0, []))
    equal(tap, "devices: that is told once for each", sorted(re.findall(r"dcfg: --(\S+)=\S+ is no regular file", err)),
          ["trace-out-file", "xray-out-file"])


def main():
    tap = harness.Tap("process")
    fork = lifelib.build(tap, "fork.c", "-static", "-pthread")
    prog = lifelib.build(tap, "exec.c", "-static")
    together = lifelib.build(tap, "together.c", "-static")
    if fork:
        check_forks(tap, fork)
    returns = lifelib.build(tap, "forkreturn.S", "-nostdlib", "-static")
    if returns:
        check_fork_and_return(tap, returns)
    if prog:
        check_exec(tap, prog)
    if prog and together:
        check_names(tap, prog, together)
        check_owner(tap, prog)
        check_devices(tap, prog)
    tap.done()


if __name__ == "__main__":
    main()
