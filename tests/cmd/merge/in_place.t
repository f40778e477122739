#!/usr/bin/python3
"""Runs that are added to one file of their program when they end: --dcfg-out-file=FILE with %m.  (TAP)

The sum must have the bytes that dcfg merge makes of the same runs.  To have these runs, the tool gets a dcfg that does
nothing: then runs wait in the directory beside the file.  Processes are killed at random moments, and dcfg merge after
each single change that it makes to a directory.
"""
import glob
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import harness
from commandlib import DCFG, PLAIN, command, table

PROGS = os.path.join(harness.SRCDIR, "tests", "progs", "merge")


class Place:
    """A directory, in which processes of one program end."""
    def __init__(self, tap, name, prog, *options, env=None):
        self.dir = tap.path(name)
        os.makedirs(self.dir)
        self.prog, self.env = prog, dict(harness.ENV, **(env or {}))
        self.argv = [harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=cov.%m.json", *options]

    def start(self, *args, **more):
        return subprocess.Popen([*self.argv, self.prog, *args], cwd=self.dir, env=self.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)

    def run(self, *args, **more):
        """Returns the exit status and what was said."""
        p = self.start(*args, **more)
        err = p.communicate(timeout=harness.TIMEOUT)[1]
        return p.returncode, err.decode(errors="replace")

    def files(self):
        return sorted(os.listdir(self.dir))

    def file(self, prog=None):
        """Returns the path of the program's only file; None if there is none, or another number."""
        found = glob.glob(os.path.join(self.dir, "cov.%s-*.json" % os.path.basename(prog or self.prog)))
        return found[0] if len(found) == 1 else None

    def settle(self, prog=None):
        """Waits until what waited for an execve has added its run."""
        for _ in range(10 * harness.TIMEOUT):
            if not glob.glob(os.path.join(self.dir, "*.runs")) and self.file(prog):
                break
            time.sleep(0.1)


def data_of(path):
    return json.loads(harness.read(path))["PROCESSES"][1][1]


def n_runs(path):
    return data_of(path).get("NUM_RUNS", 1) if path else 0


def is_right(path):
    status, out, err = command("check", path)
    return status == 0


def sum_of(paths, out):
    """Returns the bytes that dcfg merge makes of runs."""
    status, _, err = command("merge", "--partial", "--threads=add", "--builds=apart", "-o", out, *paths)
    assert status == 0, err
    return harness.read(out, "rb")


def idle_valgrind(tap):
    """Returns an environment with a copy of Valgrind's directory, beside which dcfg fails."""
    lib, bin_dir = tap.path("idle/libexec/valgrind"), tap.path("idle/bin")
    os.makedirs(lib)
    os.makedirs(bin_dir)
    for f in os.listdir(harness.LIB):
        os.symlink(os.path.join(os.path.realpath(harness.LIB), f), os.path.join(lib, f))
    os.chmod(harness.write(os.path.join(bin_dir, "dcfg"), "#!/bin/sh\nexit 1\n"), 0o755)
    return {"VALGRIND_LIB": lib}


def make_waiting(tap, prog):
    """Returns the file that 9 runs wait for; they are in its directory."""
    p = Place(tap, "waiting", prog, env=idle_valgrind(tap))
    all_said = []
    for i in range(9):
        status, said = p.run(str(i % 5), *["x"] * (i % 3))
        all_said.append(said)
        tap.ok(status == 0 or i, "the program ends as always", said)
    dirs = glob.glob(os.path.join(p.dir, "*.runs"))
    tap.ok(p.files() == [os.path.basename(d) for d in dirs] and len(dirs) == 1 and len(os.listdir(dirs[0])) == 9,
           "without dcfg, runs wait", p.files())
    tap.ok(all(len(s.splitlines()) == 1 and "dcfg merge --in-place" in s and "waits in" in s for s in all_said),
           "which is one line each time", all_said)
    return dirs[0][:-len(".runs")]


def copy_waiting(tap, file, name):
    """Returns a copy of the file's directory of runs, as the path of the file in it."""
    to = tap.path(name)
    shutil.rmtree(to, ignore_errors=True)
    os.makedirs(to)
    shutil.copytree(file + ".runs", os.path.join(to, os.path.basename(file)) + ".runs")
    return os.path.join(to, os.path.basename(file))


def bytes_of(path):
    return harness.read(path, "rb")


def check_sum(tap, waiting):
    """Any grouping of the same runs has the same bytes, and readers take them in."""
    runs = sorted(glob.glob(waiting + ".runs/run-*"))
    want = sum_of(runs, tap.path("want.json"))
    one = copy_waiting(tap, waiting, "at-once")
    status, out, err = command("merge", "--in-place", one)
    tap.ok((status, out, err) == (0, "", "") and bytes_of(one) == want, "the sum is that of dcfg merge", err)
    tap.ok(os.listdir(os.path.dirname(one)) == [os.path.basename(one)], "nothing else is left", os.listdir(os.path.dirname(one)))
    tap.ok(command("merge", "--in-place", one)[0] == 0 and bytes_of(one) == want, "a second time changes nothing")
    by_one = copy_waiting(tap, waiting, "one-by-one")
    shutil.rmtree(by_one + ".runs")
    rng = random.Random(3)
    for r in rng.sample(runs, len(runs)):
        os.makedirs(by_one + ".runs", exist_ok=True)
        shutil.copy(r, by_one + ".runs")
        command("merge", "--in-place", by_one)
    tap.ok(bytes_of(by_one) == want, "one by one, in another order: the same bytes")
    at_once = copy_waiting(tap, waiting, "many")
    ps = [subprocess.Popen([DCFG, "merge", "--in-place", at_once], env=harness.ENV, stderr=subprocess.PIPE) for _ in range(6)]
    said = [p.communicate(timeout=harness.TIMEOUT)[1] for p in ps]
    tap.ok([p.returncode for p in ps] == [0] * 6 and not any(said) and bytes_of(at_once) == want, "six at once", said)
    for args in (["report"], ["check"], ["export", "--lcov"], ["export", "--tables=" + tap.path("tables")], ["view", "-o", tap.path("v.html")],
                 ["merge", "--partial", "--threads=add", "--builds=apart"]):
        again = copy_waiting(tap, waiting, "reader")
        status, out, err = command(*args, again)
        tap.ok(status == 0 and os.path.exists(again) and bytes_of(again) == want and not os.path.exists(again + ".runs"),
               "%s reads all runs" % args[0], out[:300] + err)
    again = copy_waiting(tap, waiting, "reader")
    status, out, err = command("list", "--csv", os.path.dirname(again))
    rows = table(out)
    tap.ok(status == 0 and len(rows) == 1 and rows[0]["runs"] == "9" and bytes_of(again) == want
           and int(rows[0]["bytes"]) == len(want), "list shows the sum", out + err)
    twice = copy_waiting(tap, waiting, "twice")
    for r in glob.glob(twice + ".runs/run-*"):
        shutil.copy(r, r + "0")
    command("merge", "--in-place", twice)
    tap.ok(n_runs(twice) == 18 and is_right(twice), "process ids that repeat, as in containers: all runs count")
    status, out, err = command("merge", "--in-place", tap.path("nothing.json"))
    tap.ok(status == 2 and len(err.splitlines()) == 1, "no file and no run", err)


def check_kills(tap, waiting):
    """After any change of a directory, the next process finds all runs, each once."""
    lib = harness.cc(tap, os.path.join(PROGS, "kill_at.c"), "kill_at.so", "-shared", "-fPIC", "-ldl")
    want = bytes_of(tap.path("want.json"))
    for everybody in (False, True):
        wrong, at, killed = [], 0, True
        while killed and at < 200:
            at += 1
            file = copy_waiting(tap, waiting, "kill")
            if at % 2:                   # with an old sum, or without
                os.rename(sorted(glob.glob(file + ".runs/run-*"))[0], file)
            count = tap.path("count")
            if os.path.exists(count):
                os.unlink(count)
            env = dict(harness.ENV, LD_PRELOAD=lib, KILL_AT=str(at), KILL_COUNT=count)
            if everybody:
                env["KILL_ALL"] = "1"
            p = subprocess.Popen([PLAIN, "merge", "--in-place", file], env=env, start_new_session=True, stderr=subprocess.PIPE)
            p.communicate(timeout=harness.TIMEOUT)
            killed = os.path.getsize(count) >= at
            if os.path.exists(file):     # the file is always whole
                json.loads(harness.read(file))
            status, out, err = command("merge", "--in-place", file)
            if status != 0 or bytes_of(file) != want or os.path.exists(file + ".runs"):
                wrong.append((at, status, err, os.listdir(os.path.dirname(file))))
        tap.ok(not wrong and 20 < at < 200, "killed after each change%s, %d times: the same bytes"
               % (" with its parent" if everybody else "", at - 1), wrong)


def check_spoiled(tap, waiting):
    """Runs that cannot be added stay, and a message says so; the rest is added."""
    file = copy_waiting(tap, waiting, "odd")
    runs = sorted(glob.glob(file + ".runs/run-*"))
    good = sum_of([r for r in runs if r != runs[4]], tap.path("good.json"))
    with open(runs[4], "r+b") as f:
        f.truncate(os.path.getsize(runs[4]) // 2)
    status, out, err = command("merge", "--in-place", file)
    tap.ok(status == 0 and bytes_of(file) == good and "odd-" in err, "a run that no sum can have is set aside", err)
    tap.ok([n[:4] for n in os.listdir(file + ".runs")] == ["odd-"], "it is kept", os.listdir(file + ".runs"))
    tap.ok(command("report", file)[2] == "", "readers do not mind")
    file = copy_waiting(tap, waiting, "damaged")
    harness.write(file, "{ ")
    status, out, err = command("merge", "--in-place", file)
    tap.ok(status == 2 and bytes_of(file) == b"{ " and len(os.listdir(file + ".runs")) == 9 and len(err.splitlines()) <= 2,
           "a file that is no graph stays, and so do the runs", err)
    file = copy_waiting(tap, waiting, "stale")
    for name in ("lock", "sum.tmp-1"):
        harness.write(file + ".runs/" + name, "x")
    status, out, err = command("merge", "--in-place", file)
    tap.ok(status == 0 and bytes_of(file) == bytes_of(tap.path("want.json")) and not os.path.exists(file + ".runs"),
           "the lock of a dead process is none", err)
    file = copy_waiting(tap, waiting, "full")
    os.rename(sorted(glob.glob(file + ".runs/run-*"))[0], file)
    before = bytes_of(file)
    status, out, err = limited("merge", "--in-place", file)
    tap.ok(status == 2 and bytes_of(file) == before and 1 <= len(err.splitlines()) <= 2, "a full disk: the file stays", err)
    tap.ok(command("merge", "--in-place", file)[0] == 0 and bytes_of(file) == bytes_of(tap.path("want.json")),
           "and later, nothing is lost")


def limited(*args):
    """Runs dcfg, which cannot write files of more than 100 kB."""
    r = subprocess.run(["/bin/bash", "-c", "ulimit -f 100; trap '' XFSZ; exec \"$@\"", "bash", PLAIN, *args],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=harness.ENV, timeout=harness.TIMEOUT)
    return r.returncode, r.stdout.decode(), r.stderr.decode(errors="replace")


def check_ends(tap, prog):
    """Each process counts once, however it ends."""
    p = Place(tap, "many-ends", prog)
    ps = [p.start(str(i)) for i in range(10)]
    said = [x.communicate(timeout=harness.TIMEOUT)[1] for x in ps]
    path = p.file()
    tap.ok([x.returncode for x in ps] == [0] * 10 and not any(said), "ten at once: nothing is said with -q", said)
    tap.ok(p.files() == [os.path.basename(path or "")] and n_runs(path) == 10 and is_right(path), "one file has all of them",
           (p.files(), n_runs(path)))
    for how, n in (("crash", 1), ("fork", 4), ("limit", 1)):
        p = Place(tap, how, prog, "--trace-children=yes")
        status, said = p.run(how)
        tap.ok(n_runs(p.file()) == n and p.files() == [os.path.basename(p.file() or "")] and is_right(p.file()), how, (p.files(), said))
    plain, _, why = harness.dcfg(tap, "plain", [prog, "exec", "/etc/passwd"], ["--instr-sizes=yes"])
    p = Place(tap, "exec-fails", prog, "--trace-children=yes")
    status, said = p.run("exec", "/etc/passwd")
    p.settle()
    tap.ok(n_runs(p.file()) == 1 and len(p.files()) == 1 and data_of(p.file())["INSTR_COUNT"] == data_of(plain)["INSTR_COUNT"],
           "an execve that fails: the run counts once, whole", (p.files(), why, said))
    for how in ("exec", "limit"):
        p = Place(tap, how + "-true", prog, "--trace-children=yes")
        status, said = p.run(how, "/bin/true")
        p.settle()
        tap.ok(n_runs(p.file()) == 1 and n_runs(p.file("true")) == 1 and len(p.files()) == 2 and said == "",
               "an execve that succeeds, %s: both programs have a file" % how, (p.files(), said))
    p = Place(tap, "shell", "/bin/sh", "--trace-children=yes")
    status, said = p.run("-c", "/bin/true; x=$(/bin/echo y 2>&1); test \"$x\" = y")
    sh = os.path.basename(os.path.realpath("/bin/sh"))
    tap.ok(status == 0 and said == "" and n_runs(p.file(sh)) == 1 and n_runs(p.file("true")) == 1 and len(p.files()) == 3,
           "what forks and executes at once leaves the program's run only", (p.files(), said))
    p = Place(tap, "packed", prog)
    p.argv[3] += ".gz"
    p.run("3")
    p.run("4")
    packed = [os.path.join(p.dir, f) for f in p.files()]
    with gzip.open(packed[0]) as f:
        tap.ok(len(packed) == 1 and json.load(f)["PROCESSES"][1][1]["NUM_RUNS"] == 2, "a compressed file", packed)
    p = Place(tap, "calls", prog, "--calls=yes")
    p.run("3")
    p.run("4")
    tap.ok(n_runs(p.file()) == 2 and "CALLS" in data_of(p.file()) and is_right(p.file()), "with calls", p.files())


def check_builds(tap, prog):
    other = harness.cc(tap, os.path.join(PROGS, "ends.c"), "other/" + os.path.basename(prog), "-static", "-DTIMES=5")
    p = Place(tap, "builds", prog)
    p.run("1")
    p.prog = other
    p.run("1")
    p.run("2")
    counts = sorted(n_runs(os.path.join(p.dir, f)) for f in p.files())
    tap.ok(counts == [1, 2], "another build has a file of its own", p.files())
    bare = harness.cc(tap, os.path.join(PROGS, "ends.c"), "bare", "-static", "-Wl,--build-id=none")
    p = Place(tap, "bare-runs", bare)
    p.run("1")
    p.run("2")
    tap.ok(n_runs(p.file()) == 2, "a program without a build id", p.files())


def check_parts(tap, prog):
    """A run that was cut keeps files of its own: only together can its parts be added."""
    p = Place(tap, "parts", prog, "--dump-before=part")
    status, said = p.run("parts")
    whole, _, _ = harness.dcfg(tap, "whole", [prog, "parts"], ["--instr-sizes=yes"])
    files = [os.path.join(p.dir, f) for f in p.files()]
    tap.ok(len(files) == 3 and all(n_runs(f) == 1 for f in files), "parts have files of their own", p.files())
    status, out, err = command("merge", "-o", tap.path("joined.json"), *files)
    tap.ok(status == 0 and data_of(tap.path("joined.json"))["INSTR_COUNT"] == data_of(whole)["INSTR_COUNT"],
           "which dcfg merge joins", err)


def check_refused(tap, prog):
    for options in (["--trace=yes"], ["--callgrind=yes"], ["--xray=yes"], ["--uftrace=yes"], ["--wet=yes"],
                    ["--wet=yes", "--wet-out-file=x.%m"]):
        p = Place(tap, "refused" + options[-1].replace("/", ""), prog, *options)
        status, said = p.run("1")
        tap.ok(status == 1 and "%p" in said and len(said.splitlines()) == 1 and not p.files(), "refused: " + options[-1], said)
    p = Place(tap, "gone", prog)
    p.argv[3] = "--dcfg-out-file=no/cov.%m.json"
    status, said = p.run("1")
    tap.ok(status == 1 and "no/cov" in said, "a directory that is not there", said)


def check_killed_processes(tap, prog):
    """A killed process loses its own run at most."""
    p = Place(tap, "killed", prog)
    begin = time.monotonic()
    p.run("1")
    usual, rng, ps = time.monotonic() - begin, random.Random(1), []
    for i in range(24):
        x = p.start(str(i % 7), start_new_session=True)
        ps.append((x, time.monotonic() + usual * rng.uniform(0.2, 2.5)))
        if len(ps) % 4 == 0:
            for x, at in ps[-4:]:
                time.sleep(max(0, at - time.monotonic()))
                try:
                    os.killpg(x.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                x.communicate(timeout=harness.TIMEOUT)
    whole = 1 + sum(x.returncode == 0 for x, _ in ps)
    p.run("1")
    path = p.file()
    tap.ok(path and whole + 1 <= n_runs(path) <= 26 and is_right(path), "the others are there",
           (whole, n_runs(path), p.files()))
    left = [f for f in p.files() if f != os.path.basename(path or "") and ".json.tmp-" not in f]
    tap.ok(not left, "and nothing waits", left)


def main():
    tap = harness.Tap("in_place")
    os.makedirs(tap.path("other"))
    prog = harness.cc(tap, os.path.join(PROGS, "ends.c"), "ends", "-static")
    if prog:
        waiting = make_waiting(tap, prog)
        check_sum(tap, waiting)
        check_kills(tap, waiting)
        check_spoiled(tap, waiting)
        check_ends(tap, prog)
        check_builds(tap, prog)
        check_parts(tap, prog)
        check_refused(tap, prog)
        check_killed_processes(tap, prog)
    tap.done()


main()
