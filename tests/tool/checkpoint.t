#!/usr/bin/python3
"""Checkpoints of replays.  (TAP)

- A window that begins at a checkpoint is that of a replay from the begin, byte for byte, in all outputs. The program changes its
  memory, signals and code; a 32-bit one does so, too, if it can be compiled.
- A checkpoint of another recording, or one that is cut or changed, is not used, and a line says so.
- There are none of programs with threads or shared memory, and none of short runs.
"""
import glob
import os
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import reclib
import replaylib
from replaylib import contents, under

NOT_USED = re.compile(r"dcfg: warning: \S+\.checkpoint is not used: (.*)")


def record(tap, name, *argv):
    """Returns the recording and how many superblocks it has."""
    rec = tap.path(name + ".rec")
    r = under(tap.dir, "--record=yes", "--record-out-file=" + rec, *argv)
    tap.ok(os.path.exists(rec), name + ": a recording", r)
    return rec, int(reclib.Record(contents(rec)).texts(reclib.END)[0]["superblocks"])


def window(tap, rec, n, to, *options):
    """Replays the last N superblocks; returns the outputs by their names, and the messages."""
    r = under(tap.dir, "--replay=" + rec, "--start=end-%d" % n, *replaylib.all_outputs(tap.path(to)),
              *(options or ["--replay-output=no"]), valgrind=())
    out = {}
    for name, end in replaylib.OUTPUTS.items():
        path = tap.path("%s.%s" % (to, end))
        out[name] = contents(path) if os.path.exists(path) else None
        if out[name] is not None:
            os.unlink(path)
    return out, r[2]


def checkpoints(rec):
    """Returns the checkpoints of a recording by their distances from its end; they are files that are replaced, never changed."""
    found = {int(re.search(r"\.last-(\d+)\.checkpoint$", p).group(1)): p for p in glob.glob(rec + ".last-*.checkpoint")}
    return found, {n: os.stat(p).st_ino for n, p in found.items()}


def check_same(tap, name, rec, length, windows):
    """A replay that shows its output is made from the begin; it neither writes checkpoints nor uses them."""
    def plain(n):
        return window(tap, rec, n, "window", "--replay-output=yes")[0]

    def differ(n, out):
        whole = plain(n)
        return [k for k in whole if whole[k] is None or out[k] is None
                or whole[k].replace(b"--replay-output=yes", b"--replay-output=no") != out[k].replace(b"--replay-output=yes", b"--replay-output=no")]

    plain(1000)
    tap.ok(not checkpoints(rec)[0], name + ": none if the output is shown")
    first, said = window(tap, rec, 400000, "window")
    made = checkpoints(rec)[1]
    # Whether there is one nearer to the begin depends on the size of the system's libraries, which are memory, too.
    tap.ok({n for n in made if n < length // 3 * 2} == {1000000, 4000000, 16000000} and max(made) < length,
           name + ": checkpoints at growing distances", (made, length, said))
    wrong = differ(400000, first)
    tap.ok(not wrong, name + ": writing them changes nothing", wrong)
    second, said = window(tap, rec, 200000, "window")
    new = checkpoints(rec)[1]
    wrong = differ(200000, second)
    tap.ok(not wrong and set(new) == set(made) | {250000}, name + ": a smaller window", (wrong, said))
    tap.ok(all(new[n] == made[n] for n in made), name + ": it does not begin at the start, where all were made", (new, made))
    for n in windows:
        out, said = window(tap, rec, n, "window")
        wrong = differ(n, out)
        tap.ok(not wrong and "replayed" in said and not NOT_USED.search(said), "%s: a window of %d superblocks" % (name, n), (wrong, said))
    tap.ok(checkpoints(rec)[1] == new, name + ": all have begun at checkpoints")


def check_damage(tap, rec, other):
    """The window is right whatever stands in the file; a file that is not used is replaced."""
    rng = random.Random(4711)
    right, _ = window(tap, rec, 250000, "window")
    path = checkpoints(rec)[0][250000]
    whole = contents(path)
    block = whole.rindex(b"DRBK")
    mutants = [(b"", "a file without bytes"), (whole[:block], "without its end"), (whole[:whole.rindex(b"DRBK", 0, block)] + whole[block:], "without a block"),
               (contents(other), "another recording's"), (contents(rec), "a recording")]
    for _ in range(2):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        mutants.append((bytes(data), "a byte changed"))
    for data, what in mutants:
        os.unlink(path)
        with open(path, "wb") as f:
            f.write(data)
        out, said = window(tap, rec, 250000, "window")
        tap.ok(out == right and len(NOT_USED.findall(said)) == 1 and contents(path) != data, "not used: " + what, said)
    out, said = window(tap, rec, 250000, "window")
    tap.ok(out == right and not NOT_USED.search(said), "the one that was written in its place is used", said)
    tap.ok(os.stat(path).st_mode & 0o077 == 0, "only the owner may read it")


def check_none(tap, prog):
    for word in ("shares", "threads"):
        rec, _ = record(tap, word, prog, word)
        out, said = window(tap, rec, 250000, "window")
        tap.ok(out["wet"] and "replayed" in said and not checkpoints(rec)[0], "none of a program that " + word, said)
    rec, _ = record(tap, "short", "/bin/true")
    window(tap, rec, 100, "window")
    tap.ok(not checkpoints(rec)[0], "none of a short run")


def main():
    tap = harness.Tap("checkpoint")
    flags = ("-O1", "-pthread", "-w")
    prog = harness.program(tap, "record/stages.c", *flags, "-ldl")
    rec, length = record(tap, "stages", prog)
    check_same(tap, "stages", rec, length, (1, 250000, 250001, 3000000))
    other, _ = record(tap, "other", prog)
    window(tap, other, 250000, "window")
    check_damage(tap, rec, checkpoints(other)[0][250000])
    check_none(tap, prog)
    lack = harness.lacks_x86()
    if lack:
        tap.skip("32-bit programs", lack)
    else:
        prog = harness.program(tap, "record/stages.c", *flags, "-m32", "-ldl", name="stages-32")
        check_same(tap, "stages-32", *record(tap, "stages-32", prog), (1, 250001))
    tap.done()


if __name__ == "__main__":
    main()
