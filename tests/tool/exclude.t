#!/usr/bin/python3
"""Excluded code has no nodes.  Graph and trace are those of the whole run, contracted along the trace, thread by thread and
edge by edge.  (TAP)

tests/oracle/contract.c follows the whole run's trace.  The remaining sequence of edges is the restricted run's trace, and
the trace's decoder finds its counts in the graph.  Blocks must be the same ones.

The arguments name programs.  Without arguments and without DCFG_SLOW=1, only the first programs are tested.
"""
import fnmatch
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
import tracelib
from lifelib import Dcfg, equal

PROGS = os.path.join(harness.SRCDIR, "tests", "progs", "exclude")
OPTION = re.compile(r"--(exclude-images|exclude-functions|only-images)=(.*)")


def globs(opts, which):
    return [g for o in opts for name, text in OPTION.findall(o) if name == which for g in text.split(",")]


def fits(name, patterns):
    return any(fnmatch.fnmatchcase(name, g.replace("[", "[[]")) for g in patterns)


def demangled(names):
    r = subprocess.run(["c++filt"], input="\n".join(names).encode(), stdout=subprocess.PIPE)
    return r.stdout.decode().split("\n")


def included(p, opts, prog):
    """Returns the blocks of a whole run that are not left out, each as it must be in the other graph."""
    only, images, functions = (globs(opts, w) for w in ("only-images", "exclude-images", "exclude-functions"))
    out, seen = {}, {}
    for im in p.images:
        names = [im.name, os.path.basename(im.name)] + ["main"] * (im.name == prog)
        generation = seen[im.name, im.load] = seen.get((im.name, im.load), -1) + 1
        if only and not any(fits(n, only) for n in names) or any(fits(n, images) for n in names):
            continue
        rows = sorted({(off, off + size, nm) for nm, off, size in im.symbols or ()})
        plain = demangled([nm for _, _, nm in rows]) if functions else []
        gone = [(a, z) for (a, z, nm), other in zip(rows, plain) if fits(nm, functions) or fits(other, functions)]
        for b in im.blocks or ():
            at = b.start - im.load
            if not any(a <= at < z for a, z in gone):
                out[b.id] = (im.name, im.load, generation, b.start, b.size, b.ninstr)
    return out


def check_pair(tap, name, whole, part, opts, prog):
    """Compares WHOLE and PART: (DCFG, prefix of the files with each thread's edges)."""
    p, q = Dcfg(whole[0]).p, Dcfg(part[0]).p
    left = included(p, opts, os.path.realpath(prog))
    there = {key: n for n, key in included(q, [], "").items()}
    missing = sorted(set(left.values()) ^ set(there))
    if not tap.ok(not missing, "%s: %d of %d blocks" % (name, len(left), len(p.blocks)),
                  "\n".join("only in %s: %s" % ("the whole run" if k not in there else "the restricted run", k)
                            for k in missing[:20])):
        return
    tap.ok(len(p.per_thread) == len(q.per_thread), name + ": threads",
           "%d, whole: %d" % (len(q.per_thread), len(p.per_thread)))
    files = [tap.path(name + end) for end in (".map", ".table", ".new")]
    with open(files[0], "w") as f:
        f.writelines("%d %d\n" % (n, there[key]) for n, key in left.items())
    for path, table in ((whole[0], whole[1] + ".table"), (part[0], files[1])):
        with open(table, "w") as f:
            tracelib.trace_table.write(path, f)
    wrong = ""
    for t in range(len(p.per_thread)):
        if not p.per_thread[t]:             # the thread ran nothing, and has no file
            wrong += "thread %d ran" % t * (q.per_thread[t] > 0)
            continue
        r = subprocess.run([tracelib.compiled(tap, "contract"), whole[1] + ".table", "%s.%d" % (whole[1], t), files[0],
                            files[1], files[2]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        wrong += r.stdout.decode()
        if r.returncode == 0:
            said = tracelib.first_difference("%s.%d" % (part[1], t), files[2])
            wrong += "thread %d: %s" % (t, said) if said else ""
        elif not r.stdout:
            wrong += "contract: exit status %d" % r.returncode
    n = sum(e.total for e in q.edges if e.type == "EXCLUDED_CODE_BYPASS")
    tap.ok(not wrong, "%s: the way of the whole run, contracted, %d bypasses" % (name, n), wrong)


def rules(tap, name, r):
    """Checks a run's files on their own."""
    said = "".join(lifelib.rules(f) for f in r.files)
    tap.ok(not said, name + ": all rules", said)
    for f in r.files:
        dcfg = os.path.join(os.path.dirname(harness.VALGRIND), "dcfg")
        traces = [t for t in r.traces if tracelib.process_id(t) == Dcfg(f).pid]
        said = harness.run([dcfg, "check", f] + traces, tap.dir)
        tap.ok(said[0] == 0, name + ": dcfg check", said[1])


def run(tap, name, argv, opts):
    """Runs; returns the run and, for each process, (DCFG, prefix), the child last; or (None, ())."""
    r = lifelib.run(tap, re.sub(r"\W", "_", name), argv, opts, trace=True)
    out = []
    # A child's number may be lower, because numbers wrap.
    for f in sorted(r.files, key=lambda f: (Dcfg(f).pid != r.pid, Dcfg(f).pid)):
        trace = [t for t in r.traces if tracelib.process_id(t) == Dcfg(f).pid]
        got = tracelib.decoded(tap, "%s.%d" % (name, len(out)), f, trace[0]) if len(trace) == 1 else None
        if not tap.ok(got, "%s: a trace" % name, r.log):
            return None, ()
        out.append((f, got[0]))
    return r, out


def check(tap, name, argv, cases, common=()):
    """Tests one set of options.  COMMON: options of the whole run, too."""
    whole, files = run(tap, name, argv, common)
    if not whole:
        return
    for i, opts in enumerate(cases):
        label = "%s %s" % (name, " ".join(opts))
        r, parts = run(tap, "%s_%d" % (name, i), argv, list(common) + opts)
        if not r or not tap.ok(len(parts) == len(files) and r.status == whole.status and r.out == whole.out,
                               label + ": the same end", r.log):
            continue
        rules(tap, label, r)
        equal(tap, label + ": profiles", lifelib.profiles(r), "")
        for k, (a, b) in enumerate(zip(files, parts)):
            check_pair(tap, "%s_%d_%d" % (name, i, k), a, b, opts, argv[0])


def check_wrong(tap):
    for opts, want in ((["--exclude-images="], "--exclude-images=: a name in the list is empty"),
                       (["--exclude-functions=a,,b"], "--exclude-functions=a,,b: a name in the list is empty"),
                       (["--only-images=a,"], "--only-images=a,: a name in the list is empty"),
                       (["--exclude-functions=a", "--toggle-collect=b"], "cannot be used with --exclude-images"),
                       (["--only-images=main", "--xray=yes", "--xray-args=yes"], "--xray-args=yes: this cannot be used with --exclude-")):
        status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "-q", "--dcfg-out-file=" + tap.path("wrong.json")]
                                  + opts + ["/bin/true"], tap.dir)
        tap.ok(status == 1 and want in err and not os.path.exists(tap.path("wrong.json")), "refused: " + " ".join(opts),
               "exit status %d\n%s" % (status, err))
    status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "--dcfg-out-file=" + tap.path("unused.json"),
                               "--exclude-images=nowhere*,libc.so*", "--exclude-functions=nobody", "/bin/true"], tap.dir)
    nothing = " matches no code that ran while the tool collected: patterns match whole names, see dcfg report --wide"
    told = re.findall(r"warning: (.*)", err)
    equal(tap, "told: globs that fitted nothing", told, ["--exclude-images=nowhere*" + nothing,
                                                         "--exclude-functions=nobody" + nothing])
    # A forked child runs a part of the program, and warns of nothing.  main() is not logged: it lies too deep.
    with open(tap.path("forks.c"), "w") as f:
        f.write("#include <sys/wait.h>\n#include <unistd.h>\nint main(void) { if (fork() == 0) return 0; wait(0); return 0; }\n")
    status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "--dcfg-out-file=" + tap.path("forks.%p.json"), "--xray=yes",
                               "--xray-out-file=" + tap.path("forks.%p"), "--trace=yes", "--trace-threads=0,9",
                               "--trace-out-file=" + tap.path("forks.%p.trace"), "--xray-depth=1",
                               "--xray-functions=nobody,main", "--xray-images=nowhere,forks",
                               harness.cc(tap, tap.path("forks.c"), "forks")], tap.dir)
    told = re.findall(r"warning: (.*)", err)
    equal(tap, "told: names of logs and traces that were not there", told, [
        "--xray-functions=nobody" + nothing, "--xray-images=nowhere" + nothing,
        "--trace-threads=0,9 names threads that never ran: the program had 1 thread, numbered from 0"])
    status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "--dcfg-out-file=" + tap.path("all.json"),
                               "--exclude-images=*", "/bin/true"], tap.dir)
    p = Dcfg(tap.path("all.json")).p
    equal(tap, "all left out", (status, p.instr_count, len(p.per_thread), len(p.blocks), len(p.edges)), (0, 0, 1, 0, 0))
    tap.ok(not lifelib.rules(tap.path("all.json")), "all left out: all rules")


def main():
    tap = harness.Tap("exclude")
    wanted = sys.argv[1:]
    everything = os.environ.get("DCFG_SLOW") == "1"

    def of(name, prog, args, *cases, common=()):
        if prog and (not wanted or name in wanted):
            check(tap, name, [prog] + args, cases, common)

    def slow(name, prog, args, *cases):
        if everything or name in wanted:
            of(name, prog if isinstance(prog, str) else prog(), args, *cases)

    back = harness.cc(tap, os.path.join(PROGS, "back.c"), "back", "-O1", "-pthread")
    of("back", back, [], ["--only-images=main"],
       ["--exclude-functions=qsort*,leaf,ma*n,handler,leaves"])
    of("threads", back, ["threads"], ["--only-images=main"])
    if harness.lacks_x86():
        tap.skip("a 32-bit program", harness.lacks_x86())
    else:
        of("back32", harness.cc(tap, os.path.join(PROGS, "back.c"), "back32", "-O1", "-pthread", "-m32"), [], ["--only-images=main"])
    of("regions", back, [], ["--only-images=main"], ["--exclude-functions=by_value,qsort*,skipped"],
       common=["--start=by_value:30", "--stop=leaves", "--start=deep:2", "--stop=skipped:7"])
    of("throw", lifelib.build(tap, "throw.cpp", "-lstdc++"), [], ["--exclude-functions=*throw*,*::*"])
    plugins = lifelib.build_plugins(tap)
    of("plugins", lifelib.build(tap, "plugins.c", "-ldl"), plugins + ["3", "2", "1"], ["--only-images=main,plugin1.so"])

    slow("backs", back, [], ["--exclude-images=back"], ["--exclude-functions=skipped,by_value,handler"],
         ["--exclude-images=libc.so*", "--exclude-functions=qsort*,leaf,ma*n"],
         ["--only-images=main,ld-linux*", "--exclude-functions=sorts,passes,leaves"])
    slow("libc", back, ["threads"], ["--exclude-images=libc.so*,ld-linux*"])
    slow("throws", lambda: lifelib.build(tap, "throw.cpp", "-lstdc++", name="throws"), [], ["--only-images=main"],
         ["--exclude-images=libstdc++*,libgcc_s*"])
    slow("contexts", lambda: lifelib.build(tap, "contexts.c"), [], ["--only-images=main"], ["--exclude-images=main"])
    slow("jumps", lambda: lifelib.build(tap, "jumps.c"), [], ["--only-images=main"])
    slow("jit", lambda: lifelib.build(tap, "jit.c"), [], ["--only-images=main"], ["--only-images=main,[anon]"])
    slow("rewrites", lambda: lifelib.build(tap, "rewrites.c"), ["3", "4", "0", "1", "0", "2", "1"],
         ["--only-images=main,[anon]"], ["--exclude-images=[anon]"])
    slow("libraries", lambda: lifelib.build(tap, "plugins.c", "-ldl", name="libraries"), plugins + ["3", "2", "1"],
         ["--exclude-images=plugin2.so,libc.so*"])
    text = tap.path("text")
    with open(text, "w") as f:
        f.writelines("%d %d\n" % (i, i * i * 7919 % 10007) for i in range(2000))
    real = ["--only-images=main"], ["--exclude-images=libc.so*"]
    slow("bzip2", "/usr/bin/bzip2", ["-kc", text], *real, ["--exclude-functions=BZ2_*Huffman*,*memcpy*"])
    slow("perl", "/usr/bin/perl", ["-e", "my %h = map { $_ => 1 } 1 .. 99; print sort { $a <=> $b } keys %h"], *real,
         ["--exclude-functions=Perl_sv_*,*memmove*,mall*"])
    slow("python3", "/usr/bin/python3", ["-P", "-c", "print(sorted([3, 1, 2], key=lambda x: -x))"], *real,
         ["--exclude-functions=_PyEval_EvalFrameDefault"])
    if not wanted or "wrong" in wanted:
        check_wrong(tap)
    tap.done()


if __name__ == "__main__":
    main()
