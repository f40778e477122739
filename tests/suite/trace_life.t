#!/usr/bin/python3
"""The tests of whole lives again, with a trace and a profile for each of their runs.  A run with a right DCFG has a right
trace, and a profile with as many instructions.  Threads by the hundred, signals, forks, execve, code that changes, and every
way to end.  (TAP)
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

TESTS = ("life_process", "life_code", "life_ends", "life_threads")


def main():
    tap = harness.Tap("tracelife")
    env = dict(os.environ, DCFG_TRACE="1", BUILDDIR=tap.dir)
    env.setdefault("DCFG_RUNS", "5")
    for test in sys.argv[1:] or TESTS:
        p = subprocess.Popen([os.path.join(harness.HERE, test + ".t")], env=env, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        failed, planned, seen = None, False, 0
        for line in p.stdout:
            line = line.decode(errors="replace").rstrip("\n")
            m = re.match(r"(not )?ok \d+ - (.*)", line)
            if failed and not line.startswith("#"):
                tap.ok(False, *failed)
                failed = None
            if not m:
                planned = planned or line == "1..%d" % seen
                if failed:
                    failed[1] += line[1:] + "\n"
                elif not line.startswith("1.."):
                    print("# " + line)
                continue
            seen += 1
            text, _, why = m.group(2).partition(" # SKIP ")
            if m.group(1):
                failed = [test + ": " + text, ""]
            elif why:
                tap.skip(test + ": " + text, why)
            else:
                tap.ok(True, test + ": " + text)
        if failed:
            tap.ok(False, *failed)
        p.wait()
        tap.ok(planned, "%s: %d tests with traces" % (test, seen),
               "it did not get to its end, exit status %d" % p.returncode)
    tap.done()


if __name__ == "__main__":
    main()
