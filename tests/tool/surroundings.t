#!/usr/bin/python3
"""Events around the process while files are written, and before: signals, dumps, forks, rights that are given up, a
directory that is removed.  (TAP)

DCFG_AGAIN=1: another Valgrind has been tested.  Then one order of parent and child is enough: names do not depend on
Valgrind.
"""
import os
import re
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
from filelib import Run

PROGS = os.path.join(harness.SRCDIR, "tests", "progs", "files")
TERM, INT, HUP = signal.SIGTERM, signal.SIGINT, signal.SIGHUP
WORDS = {TERM: "SIGTERM", INT: "SIGINT", HUP: "SIGHUP"}
# Tells that the tool waits for it, and works when it is told to.
GZIP = """#!/bin/sh
cd "${0%/*}/.." || exit
echo >begun
read x <go
PATH=/usr/bin:/bin exec gzip "$@"
"""


def plant_gzip(directory):
    os.mkdir(os.path.join(directory, "bin"))
    with open(os.path.join(directory, "bin", "gzip"), "w") as f:
        f.write(GZIP)
    os.chmod(f.name, 0o755)
    for name in ("begun", "go"):
        os.mkfifo(os.path.join(directory, name))


def held(directory):
    """Returns the environment in which gzip is ours."""
    return {"PATH": os.path.join(directory, "bin") + ":/usr/bin:/bin"}


def wait_for_gzip(directory):
    with open(os.path.join(directory, "begun")) as f:
        f.readline()


def let_gzip_go(directory):
    with open(os.path.join(directory, "go"), "w") as f:
        f.write("\n")


def files(r):
    return [n for n in r.names if n not in ("bin", "begun", "go")]


def is_good(r, name):
    """Return what is wrong with the compressed graph."""
    if name not in r.names:
        return "no %s, but %s\n%s" % (name, r.names, r.err)
    with open(r.path("unpacked.json"), "wb") as out:
        subprocess.run(["gzip", "-dc", r.path(name)], stdout=out, check=False)
    return lifelib.rules(r.path("unpacked.json"))


def run_held(tap, name, prog, way, ask, opts=()):
    directory = tap.path(name)
    return Run(tap, name, [prog, way], ["--dcfg-out-file=g.json.gz"] + list(opts), env=held(directory), before=plant_gzip,
               ask=lambda p: ask(p, directory))


def check_end(tap, prog):
    """Sends signals while the last files are written."""
    def send(signals, go):
        def ask(p, directory):
            p.stdin.close()
            p.stdin = None
            wait_for_gzip(directory)
            for number in signals:
                p.send_signal(number)
            if go:
                let_gzip_go(directory)
        return ask
    for number in (TERM, INT, HUP):
        word = WORDS[number]
        r = run_held(tap, "end-" + word, prog, "default", send([number], True))
        tap.ok(r.status == -number and not is_good(r, "g.json.gz"), "the end, %s: the file is complete, then it ends by it" % word,
               "status %s\n%s" % (r.status, is_good(r, "g.json.gz")))
    r = run_held(tap, "end-twice", prog, "default", send([INT, TERM], False))
    tap.ok(r.status == -INT and not files(r) and "not written: a second signal" in r.err,
           "the end, a second signal: no file at all, and that is told", "status %s\n%s\n%s" % (r.status, files(r), r.err))
    r = run_held(tap, "end-trace", prog, "default", send([INT, TERM], False), ["--trace=yes", "--trace-out-file=t.json"])
    tap.ok(r.status == -INT and not files(r) and r.err.count("not written") == 2, "the same with a trace",
           "status %s\n%s\n%s" % (r.status, files(r), r.err))
    r = run_held(tap, "end-threads", prog, "threads", send([INT, TERM], False))
    tap.ok(r.status == -INT and not files(r), "the same with a thread that waits",
           "status %s\n%s\n%s" % (r.status, files(r), r.err))
    r = run_held(tap, "end-handled", prog, "handle", send([TERM], True))
    tap.ok(r.status == 0 and not is_good(r, "g.json.gz"), "the end of a program that handles signals: its status stays",
           "status %s\n%s" % (r.status, is_good(r, "g.json.gz")))
    r = run_held(tap, "end-ignored", prog, "ignored", send([TERM, INT, HUP], True))
    tap.ok(r.status == 0 and not is_good(r, "g.json.gz"), "one that ignores them: so does the tool",
           "status %s\n%s" % (r.status, is_good(r, "g.json.gz")))


def check_pipe(tap, prog):
    """The tool waits for a reader that does not read."""
    def plant(directory):
        os.mkfifo(os.path.join(directory, "fifo"))

    def open_and_send(p):
        fd = os.open(os.path.join(tap.path("pipe"), "fifo"), os.O_RDONLY | os.O_NONBLOCK)
        p.stdout.readline()
        p.stdin.close()
        p.stdin = None
        os.set_blocking(fd, True)
        while not os.read(fd, 1):       # until there is a writer
            pass
        p.send_signal(INT)
        p.send_signal(TERM)
        p.wait(harness.TIMEOUT)
        os.close(fd)
    r = Run(tap, "pipe", [prog, "default"], ["--dcfg-out-file=fifo"], before=plant, ask=open_and_send)
    tap.ok(r.status == -INT and "a second signal" in r.err, "two signals while nobody reads from the FIFO",
           "status %s\n%s" % (r.status, r.err))

    def read_a_little(p):
        fd = os.open(os.path.join(tap.path("left"), "fifo"), os.O_RDONLY | os.O_NONBLOCK)
        p.stdout.readline()
        with subprocess.Popen([harness.VGDB, "--pid=%d" % p.pid, "dump", "fifo"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, cwd=tap.path("left"), env=harness.ENV) as v:
            os.set_blocking(fd, True)
            while not os.read(fd, 1):
                pass
            os.close(fd)
            told = v.communicate(timeout=harness.TIMEOUT)[0].decode()
        p.stdin.close()
        p.stdin = None
        return told
    r = Run(tap, "left", [prog, "default"], ["--dcfg-out-file=g.json"], before=plant, ask=read_a_little)
    tap.ok(r.status == 0 and "Broken pipe" in r.asked and not lifelib.rules(r.path("g.json")),
           "a dump's reader goes away: told, and the run goes on", "status %s\n%s" % (r.status, r.asked))


def check_dump(tap, prog):
    """Sends signals while a dump is written, and asks for another dump."""
    def dump_and_send(signals, go, told):
        def ask(p, directory):
            p.stdout.readline()
            with subprocess.Popen([harness.VGDB, "--pid=%d" % p.pid, "dump", "dumped.json.gz"], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env=harness.ENV) as v:
                wait_for_gzip(directory)
                for number in signals:
                    p.send_signal(number)
                if go:
                    let_gzip_go(directory)
                v.communicate(timeout=harness.TIMEOUT)
            said = [p.stdout.readline().decode().strip() for _ in range(told)]
            p.stdin.close()
            p.stdin = None
            return said
        return ask
    def run(name, way, signals, go, told):
        return run_held(tap, name, prog, way, dump_and_send(signals, go, told), ["--dcfg-out-file=g.json"])
    r = run("dump-handled", "handle", [TERM], True, 1)
    tap.ok(r.status == 0 and r.asked == ["caught SIGTERM"] and not is_good(r, "dumped.json.gz") and "g.json" in r.names,
           "a dump, one signal: a complete file, then the program's handler",
           "%s %s\n%s" % (r.status, r.asked, is_good(r, "dumped.json.gz")))
    r = run("dump-twice", "handle", [HUP, TERM], False, 1)
    tap.ok(r.status == 0 and r.asked == ["caught SIGHUP"] and files(r) == ["g.json"] and not lifelib.rules(r.path("g.json")),
           "two: no dump; the first is handled, and the run goes on", "%s %s %s\n%s" % (r.status, r.asked, files(r), r.err))
    r = run("dump-default", "default", [TERM], True, 0)
    tap.ok(r.status == -TERM and not is_good(r, "dumped.json.gz") and "g.json" in r.names,
           "one that ends the process: the dump, and the file of the end", "%s %s\n%s" % (r.status, files(r), r.err))
    r = run("dump-both", "default", [INT, TERM], False, 0)
    tap.ok(r.status == -INT and not files(r) and "the outputs at the end are not written" in r.err,
           "two of those: nothing", "%s %s\n%s" % (r.status, files(r), r.err))
    r = run("dump-threads", "threads", [INT, TERM], False, 0)
    tap.ok(r.status == -INT and not files(r), "the same where other threads wait",
           "%s %s\n%s" % (r.status, files(r), r.err))


def check_two_dumps(tap, prog):
    def ask(p, directory):
        p.stdout.readline()
        argv = [harness.VGDB, "--pid=%d" % p.pid, "dump"]
        with subprocess.Popen(argv + ["one.json.gz"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=harness.ENV) as v:
            wait_for_gzip(directory)
            told = dump(p.pid, "two.json")
            let_gzip_go(directory)
            v.communicate(timeout=harness.TIMEOUT)
        told += dump(p.pid, "three.json")
        p.stdin.close()
        p.stdin = None
        return told
    r = run_held(tap, "two-dumps", prog, "default", ask, ["--dcfg-out-file=g.json"])
    tap.ok(r.status == 0 and "already speaks" in r.asked and files(r) == ["g.json", "one.json.gz", "three.json"]
           and not is_good(r, "one.json.gz") and not lifelib.rules(r.path("three.json")),
           "a dump while another one is written: vgdb refuses it, all else is there",
           "%s %s\n%s\n%s" % (r.status, files(r), r.asked, r.err))


def dump(pid, *names):
    r = subprocess.run([harness.VGDB, "--pid=%d" % pid, "dump"] + list(names), stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, env=harness.ENV, timeout=harness.TIMEOUT, check=False)
    return r.stdout.decode(errors="replace")


def pid_of(path):
    return lifelib.Dcfg(path).pid if os.path.exists(path) else None


def trace_pid(path):
    with open(path) as f:
        m = re.search(r'"THREAD_DATA"\],\s*\[(\d+)', f.read())
    return int(m.group(1)) if m else None


# For a child, vgdb needs --trace-children.
FIXED = ["--trace-children=yes", "--dcfg-out-file=g.json", "--trace=yes", "--trace-out-file=t.json", "--callgrind=yes", "--callgrind-out-file=p.out"]


def profile_pid(path):
    with open(path) as f:
        m = re.search(r"^pid: (\d+)$", f.read(), re.M)
    return int(m.group(1)) if m else None


def pids(r):
    """Returns, by the text in the names beside g, t, p, part and process id, the processes that wrote these."""
    found = {}
    for name in r.names:
        m = re.match(r"([gtp])(.*)\.(json|out)$", re.sub(r"^p(.*)\.out(.*)", r"p\2\1.out", name))
        of = {"g": pid_of, "t": trace_pid, "p": profile_pid}[m.group(1)] if m else None
        if m:
            found.setdefault(m.group(2), []).append(of(r.path(name)))
    return found


def check_family(tap, prog):
    """Processes with the same file names."""
    def both(order):
        def ask(p):
            child = int(p.stdout.readline())
            for who in order:
                if who == "e":
                    p.stdin.write(b"x")
                    p.stdin.flush()
                    p.stdout.readline()
                else:
                    dump(p.pid if who == "p" else child)
            p.stdin.close()
            p.stdin = None
            return p.pid, child
        return ask
    def expected(order, parent, child):
        """Return the names of files: a child's have its process id."""
        owner, parts = {}, {parent: 0, child: 0}

        def write(pid, key):
            owner[key + (".%d" % pid if pid == child else "")] = pid
        for who in order:
            pid = parent if who == "p" else child
            parts[pid] = 0 if who == "e" else parts[pid] + 1
            write(pid, "" if who == "e" else ".%d" % parts[pid])
        for pid in (child, parent):
            write(pid, "")
        return {key: 3 * [pid] for key, pid in owner.items()}
    for order in ("cepp", ) if os.environ.get("DCFG_AGAIN") == "1" else ("pcpcp", "cpcpp", "epp", "cepp"):
        r = Run(tap, "family-" + order, [prog, "child"], FIXED, ask=both(order))
        parent, child = r.asked
        tap.ok(r.status == 0 and pids(r) == expected(order, parent, child), "names of parent and child, %s: each keeps its own, for all files" % order,
               "status %s, parent %d, child %d: %s\n%s" % (r.status, parent, child, pids(r), r.err))

    def replace(p):
        child = int(p.stdout.readline())
        for who in (p.pid, child, p.pid, child, p.pid):
            dump(who, "d.json")
        p.stdin.close()
        p.stdin = None
        return p.pid, child
    r = Run(tap, "family-named", [prog, "child"], ["--trace-children=yes", "--dcfg-out-file=%p.json"], ask=replace)
    parent, child = r.asked
    want = sorted(["d.json", "d.%d.json" % child, "%d.json" % parent, "%d.json" % child])
    tap.ok(r.names == want and pid_of(r.path("d.json")) == parent, "dumps with a name: each keeps its own",
           "%s, not %s\n%s" % (r.names, want, r.err))


def check_one_of_two(tap, prog):
    """The trace belongs to the graph."""
    def remove(p):
        p.stdout.readline()
        shutil.rmtree(os.path.join(tap.path("alone"), "there"))
        p.stdin.close()
        p.stdin = None
    r = Run(tap, "alone", [prog, "default"], ["--dcfg-out-file=there/g.json", "--trace=yes", "--trace-out-file=t.json"],
            before=lambda directory: os.mkdir(os.path.join(directory, "there")), ask=remove)
    tap.ok(r.status == 0 and not r.names and "its directory is not there any more" in r.err
           and "trace is not written, because its graph was not" in r.err,
           "the graph's directory is gone: told, and no trace", "%s %s\n%s" % (r.status, r.names, r.err))

    def take(p):
        p.stdout.readline()
        os.mkdir(os.path.join(tap.path("taken"), "g.json"))
        p.stdin.close()
        p.stdin = None
    r = Run(tap, "taken", [prog, "default"], FIXED[:4], ask=take)
    tap.ok(r.status == 0 and r.names == ["g.json"] and "Is a directory" in r.err and "because its graph was not" in r.err,
           "a directory has taken the graph's name: no trace", "%s %s\n%s" % (r.status, r.names, r.err))


def check_rights(tap, prog):
    root = os.geteuid() == 0
    def plant(directory):
        os.mkdir(os.path.join(directory, "root"))
    for name, args, needs_root in (
            ("chroot", ["chroot", "root"], True), ("another user", ["uid", "65534"], True),
            ("no opening, no renaming", ["nofile"], False), ("reading, writing and ending only", ["strict"], False),
            ("small files", ["limit", "1000"], False), ("all of it", ["chroot", "root", "limit", "0", "uid", "65534", "strict"], True),
            ("chroot and fork", ["chroot", "root", "fork"], True), ("fork and chroot", ["fork", "chroot", "root"], True)):
        if needs_root and not root:
            tap.skip(name, "not run by root")
            continue
        r = Run(tap, re.sub(r"\W+", "-", name), [prog] + args,
                ["--dcfg-out-file=g.json", "--trace=yes", "--trace-out-file=t.json.gz"], before=plant)
        names = [n for n in r.names if n != "root"]
        graphs = [n for n in names if n.startswith("g")]
        n = 2 if "fork" in args else 1
        good = r.status == 0 and len(graphs) == n and len(names) == 2 * n and not os.listdir(r.path("root"))
        wrong = "".join(lifelib.rules(r.path(g)) for g in graphs)
        tap.ok(good and not wrong, name + ": all files are there", "status %s, %s\n%s\n%s" % (r.status, r.names, r.err, wrong))


def check_kept(tap, prog):
    """Sends two signals while the keeper writes."""
    def ask(p, directory):
        wait_for_gzip(directory)
        p.send_signal(INT)
        p.send_signal(TERM)
    directory = tap.path("kept")
    r = Run(tap, "kept", [prog, "limit", "1000"], ["--dcfg-out-file=g.json.gz"], env=held(directory), before=plant_gzip,
            ask=lambda p: (ask(p, directory), let_gzip_go(directory)))
    tap.ok(r.status == -INT and not [n for n in files(r) if n == "g.json.gz"],
           "two signals while a process that has kept rights writes: no file", "%s %s\n%s" % (r.status, files(r), r.err))


def check_limit(tap, prog):
    """ulimit -f from the beginning: the soft limit is the program's.  Nobody can raise the hard one."""
    sh = ["/bin/sh", "-c", 'ulimit -S -f 8; exec "$@"', "sh"]
    out = tap.path("soft.json")
    status, err = harness.run(sh + [harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=" + out, prog], tap.dir)
    tap.ok(status == 0 and not err and not lifelib.rules(out), "a soft limit of files' sizes is not the tool's", err)


def check_space(tap, prog):
    """A program sets its own limit of address space: it reads the same limit back, and no output loses a file."""
    for user in [[], ["other"]] if os.geteuid() == 0 else [[]]:
        for opt, n in (("wet", 2), ("trace", 2), ("callgrind", 2), ("uftrace", 2), ("xray", 3)):
            name = "--%s, own limit of address space%s" % (opt, ", another user" if user else "")
            place = tap.path("space-%s%d" % (opt, len(user)))
            os.mkdir(place)
            os.chmod(place, 0o777)
            status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "--%s=yes" % opt, prog] + user, place)
            names = os.listdir(place)
            tap.ok(status == 0 and len(names) == n and not any(".tmp-" in n for n in names), name,
                   "%s %s %s" % (status, names, err))


def main():
    tap = harness.Tap("surroundings")
    process = harness.cc(tap, os.path.join(PROGS, "process.c"), "process", "-static", "-pthread")
    rights = harness.cc(tap, os.path.join(PROGS, "rights.c"), "rights", "-static")
    if process and rights:
        check_end(tap, process)
        check_pipe(tap, process)
        check_dump(tap, process)
        check_two_dumps(tap, process)
        check_family(tap, process)
        check_one_of_two(tap, process)
        check_rights(tap, rights)
        check_kept(tap, rights)
        check_limit(tap, process)
    space = harness.cc(tap, os.path.join(PROGS, "space_limit.c"), "space_limit", "-static")
    if space:
        check_space(tap, space)
    tap.done()


if __name__ == "__main__":
    main()
