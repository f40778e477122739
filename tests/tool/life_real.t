#!/usr/bin/python3
"""Real programs with threads and children, under --trace-children=yes: every file of every process keeps every rule.
(TAP)
"""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
from lifelib import Dcfg, run

OWN_TESTS = "python3's own tests"
SQL = """create table t(id integer primary key, name text, n real);
with recursive c(i) as (select 1 union all select i+1 from c where i<300) insert into t select i, 'n'||(i*7919%1000), i from c;
create index ti on t(name); begin; update t set n = n * 2 where id % 3 = 0; rollback; delete from t where id > 250;
select count(*), sum(n) from t where name > 'n5'; vacuum; pragma integrity_check;"""
# callgrind.t tests larger ones.
C = """int puts(const char *s);
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(int argc, char **argv) { if (argc > 1) puts(argv[1]); return fib(argc); }
"""


def cases(tap):
    """Yields (name, command, options, least number of files, largest number of threads or 0, output or None)."""
    source = harness.written(tap, "small.c", C)
    data = tap.path("data")
    with open(data, "wb") as f:
        x = 1
        for _ in range(30000):
            x = (x * 1103515245 + 12345) % 2 ** 31
            f.write(b"%d\n" % (x >> 20))
    progs = lifelib.PROGS
    # Python, three echoes, sh, cat or sleep, and the fork alone; sh may become its cat.
    yield "python3", [harness.PYTHON, "-S", os.path.join(progs, "children.py")], 7, 4, \
        r"3 11 3 through a pipe -15\n$"
    tests = ["test.test_thread.ThreadRunningTests", "test.test_popen"]
    if subprocess.run([harness.PYTHON, "-c", "import test.test_thread"], stderr=subprocess.DEVNULL).returncode == 0:
        yield OWN_TESTS, [harness.PYTHON, "-m", "unittest", "-q"] + tests, 2, 0, None
    else:
        tap.skip(OWN_TESTS, "libpython3-testsuite is not installed")
    yield "xz", ["xz", "-T2", "-0", "--block-size=65536", "-c", data], 1, 3, None
    # The driver, the compiler, the assembler, the linker twice (collect2 runs ld), whose forks execute them at once.
    if os.environ.get("DCFG_SLOW") == "1":
        yield "gcc", ["gcc", "-o", tap.path("small"), source], 5, 0, None
    yield "sqlite3", ["sqlite3", "-batch", "-init", "/dev/null", tap.path("t.db"), SQL], 1, 1, r"ok\n$"
    yield "bash", ["bash", "--norc", "--noprofile", os.path.join(progs, "jobs.sh")], 10, 1, r"end 3 63\n$"


def check(tap, case):
    name, argv, files, threads, output = case
    r = run(tap, re.sub(r"\W", "_", name), argv, ["--trace-children=yes"], trace=False)
    wrong = ""
    seen = 0
    for f in r.files:
        broken = lifelib.rules(f)
        if broken:
            wrong += "%s:\n%s" % (os.path.basename(f), broken)
        else:
            seen = max(seen, Dcfg(f).threads)
    if r.status != 0 or output and not re.search(output, r.out):
        wrong += "exit status %s, output %r\n" % (r.status, r.out[-300:])
    if len(r.files) < files or r.left:
        wrong += "%d files, should be %d or more; left over: %s\n" % (len(r.files), files, r.left)
    if threads and seen != threads:
        wrong += "%d threads, should be %d\n" % (seen, threads)
    if "internal error" in r.log or "impossible" in r.log:
        wrong += "".join(l + "\n" for l in r.log.splitlines() if "internal" in l or "impossible" in l)
    return len(r.files), wrong


def main():
    tap = harness.Tap("lifereal")
    only = sys.argv[1:]
    run_them = []
    for case in cases(tap):
        if only and case[0] not in only:
            continue
        prog = shutil.which(case[1][0], path=harness.ENV["PATH"])
        if not prog:
            tap.skip(case[0], case[1][0] + " is not installed")
        else:
            run_them.append((case[0], [prog] + case[1][1:]) + case[2:])
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for case, (n, wrong) in zip(run_them, pool.map(lambda c: check(tap, c), run_them)):
            tap.ok(not wrong, "%s: %d file%s, all rules" % (case[0], n, "" if n == 1 else "s"), wrong)
    tap.done()


if __name__ == "__main__":
    main()
