"""Lock step: each output of a run that is recorded is that of its replays.

under() makes a run on this machine.  check_same() is given this function, or another one that runs elsewhere.
"""
import os
import re
import subprocess

import harness
import reclib

OUTPUTS = {"dcfg": "json", "trace": "trace", "callgrind": "cg", "xray": "xray", "wet": "wet"}


def all_outputs(prefix):
    return ["--trace=yes", "--callgrind=yes", "--xray=yes", "--wet=yes"] + [
        "--%s-out-file=%s.%s" % (o, prefix, e) for o, e in OUTPUTS.items()]


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def under(cwd, *words, env=None, output=True, valgrind=("-q",), **more):
    """Runs under the tool; returns (status, output, messages)."""
    r = subprocess.run([harness.VALGRIND, *valgrind, "--tool=dcfg", *words], cwd=cwd, env=env or harness.ENV,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if output else subprocess.DEVNULL,
                       stderr=subprocess.PIPE, timeout=harness.TIMEOUT, **more)
    return r.returncode, r.stdout, r.stderr.decode(errors="replace")


def check_same(tap, under, name, argv, inputs=(), hidden=(), replays=2):
    """Records a run with all outputs, and replays it; INPUTS are files that are there for the run alone.  HIDDEN
    is output that children write, which a replay does not have."""
    here, there = tap.path(name + ".here"), tap.path(name + ".there")
    os.mkdir(here)
    os.mkdir(there)
    for path in inputs:
        with open(os.path.join(here, path), "w") as f:
            f.write("".join("%d %s\n" % (n * n % 97, path) for n in range(2000)))
    rec = tap.path(name + ".rec")
    first = under(here, "--record=yes", "--record-out-file=" + rec, *all_outputs(tap.path(name + "-a")), *argv)
    for path in os.listdir(here):
        os.unlink(os.path.join(here, path))
    os.rmdir(here)
    end = reclib.Record(contents(rec)).texts(reclib.END)[0]
    for k, env in enumerate(({"OTHER": "environment" * 50}, {})[:replays]):
        new = tap.path(name + "-b")
        then = under(there, "--replay=" + rec, *all_outputs(new), env=env, valgrind=())
        output = first[1]
        for part in hidden:
            output = output.replace(part, b"")
        told = re.search(r"replayed .*: (\d+) superblocks (\d+) system calls (\d+) threads$", then[2].replace(",", ""), re.M)
        tap.ok(then[0] == first[0] and then[1] == output and told
               and list(told.groups()) == [end["superblocks"], end["calls"], end["threads"]],
               "%s, replay %d: status, output and counts" % (name, k), "%r\n%r\n%s" % (first, then, end))
        differ = [o for o, e in OUTPUTS.items()
                  if contents(tap.path("%s-a.%s" % (name, e))) != contents("%s.%s" % (new, e))]
        tap.ok(not differ, "%s, replay %d: all outputs are the same" % (name, k), "\n".join(differ))
    for e in OUTPUTS.values():
        os.unlink(tap.path("%s-a.%s" % (name, e)))
        os.unlink(tap.path("%s-b.%s" % (name, e)))
    return rec
