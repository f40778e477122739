#!/usr/bin/python3
"""--record=yes and --replay.  (TAP)

- Lock step: each output of a run that is recorded is that of its replay, byte for byte, and so are output and status.  The
  replay has another directory, another environment, one processor, and no inputs.  Programs race, get signals, and ask for
  all that differs from run to run; real ones do what nobody wrote for the purpose.
- 32-bit programs likewise, if they can be compiled, with the calls that only they have.
- The file is as docs/dev/rec-file.md has it, which tests/kit/reclib.py reads alone.  A record alone has no other output.
- How processes end: by signals and faults, by execve, and by SIGKILL, after which all whole blocks are replayed.
- Replays that are not the recorded run: forced, one by one, and each ends in one line.
- Files that are cut or changed, with check sums that are right, too: each ends in one line, whatever they say.

DCFG_RECORD_MUTANTS=N: so many changed files in place of 120.  DCFG_SLOW=1: Python and bzip2, too, which ask the kernel for nothing
that the other real programs do not ask for.
"""
import collections
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import cpuinfo
import reclib
import replaylib
from replaylib import contents, under

NO_REPLAY = 125
LINE = re.compile(r"^(?:==\d+== dcfg|valgrind): (?:.*)$", re.M)


def record(tap, name, *argv, cwd=None, options=()):
    """Records a run alone; returns (file, status, output, messages)."""
    rec = tap.path(name + ".rec")
    return (rec, *under(cwd or tap.dir, "--record=yes", "--record-out-file=" + rec, *options, *argv))


def replay(tap, rec, *options, graph="/dev/null", **more):
    return under(tap.dir, "--replay=" + rec, "--dcfg-out-file=" + graph, *options, **more)


# ---- lock step -----------------------------------------------------------------------------------------------------


def check_same(tap, *words, **more):
    return replaylib.check_same(tap, under, *words, **more)


def check_programs(tap, bits, *flags, **more):
    """Returns the program that asks the world for everything."""
    race = harness.program(tap, "record/race.c", "-static", "-pthread", *flags, name="race" + bits)
    signals = harness.program(tap, "record/signals.c", "-static", *flags, name="many" + bits)
    rdtscp = ["-DHAS_RDTSCP"] if not bits and cpuinfo.has("rdtscp") else []
    world = harness.program(tap, "record/world.c", "-pthread", "-w", *rdtscp, *flags, name="world" + bits)
    check_same(tap, "race" + bits, [race], **more)
    check_same(tap, "signals" + bits, [signals], replays=1)
    check_same(tap, "traps" + bits, [harness.program(tap, "record/traps.c", "-static", *flags, name="traps" + bits)], replays=1)
    check_same(tap, "world" + bits, [world, "input"], ["input", "second"], **more)
    return world


def check_x86(tap):
    """The launcher finds the tool for 32-bit programs by the recording."""
    lack = harness.lacks_x86()
    if lack:
        tap.skip("32-bit programs", lack)
        return
    check_programs(tap, "-32", "-m32", "-static", replays=1)
    rec = check_same(tap, "x86", [harness.program(tap, "record/x86.c", "-static", "-m32", "-w"), "input"], ["input"], replays=1)
    tap.ok(reclib.Record(contents(rec)).values("platform") == ["x86-linux"], "32 bits: the header names the platform")
    ends = harness.program(tap, "record/ends.c", "-static", "-m32", "-pthread", name="ends-32")
    for word, status in (("fault", -signal.SIGSEGV), ("last", 0)):
        rec, *first = record(tap, word + "-32", ends, word)
        then = replay(tap, rec)
        tap.ok(first[0] == status and then[:2] == tuple(first[:2]), "32 bits: a process that ends by " + word,
               "%s\n%s" % (first, then))
    check_killed(tap, "-32", "-m32")
    check_mutants(tap, "-32", 40, "-m32")


def check_real(tap):
    same = {"perl": ["/usr/bin/perl", "-e", "$h{$_ % 977} += $_ for 1 .. 5000; print join(',', %h), time, $$, rand"],
            "bash": ["/bin/bash", "--norc", "-c", "read -r n m <data; for i in 3 1 2; do s=$((s * i + n)); done; echo $s $m $RANDOM $$ $EPOCHREALTIME *"],
            "sort": ["/usr/bin/sort", "-R", "data"],
            "ls": ["/bin/ls", "-la", "/proc/self", "."]}
    if os.environ.get("DCFG_SLOW") == "1":
        same["bzip2"] = ["/usr/bin/bzip2", "-kc", "data"]
        same["python3"] = [harness.PYTHON, "-S", "-c", "import os, time; print(os.urandom(8), time.time(), os.listdir('.'))"]
    for name, argv in same.items():
        if os.path.exists(argv[0]):
            check_same(tap, name, argv, ["data"], replays=1)
        else:
            tap.skip(name, argv[0] + " is not there")


def ignore_and_block():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGRTMAX])


def check_inherited(tap):
    """A shell's & and nohup ignore signals, and a program may begin with some blocked: a replay does so as the run did."""
    program = harness.program(tap, "record/inherited.c", "-static")
    for name, preexec, others in (("plain", None, ignore_and_block), ("ignored", ignore_and_block, None)):
        rec = tap.path(name + ".rec")
        first = under(tap.dir, "--record=yes", "--record-out-file=" + rec, program, preexec_fn=preexec)
        then = replay(tap, rec, preexec_fn=others)
        tap.ok(first[0] == 0 and then[:2] == first[:2] and (b" 2 ignored" in first[1]) == (b" 10 blocked" in first[1]) == (name == "ignored"),
               name + ": signals that the program inherits are those of the run", "%r\n%r" % (first, then))


# ---- the file ------------------------------------------------------------------------------------------------------


def check_file(tap, program):
    """The file of a record alone, and what it says of its run."""
    rec, status, output, err = record(tap, "alone", program, "alone.data")
    r = reclib.Record(contents(rec))
    ends, found = r.texts(reclib.END), collections.Counter()
    mapped = set()
    for _, letter, now, thread, more in reclib.events(r.all(reclib.EVENTS)):
        found[letter] += 1
        if letter in "SR" and len(more) > 6 and len(more[6]) == 2 and isinstance(more[6][1], str):      # mmap() of a path: the build, and the path
            mapped.add(more[6][::-1])
        found["threads"] = max(found["threads"], thread + 1)
        last = now
    end = ends[0] if len(ends) == 1 else {}
    tap.ok(not err and r.blocks[-1][0] == reclib.END and end["end"] == "exit" and int(end["status"]) == status
           and int(end["calls"]) == found["S"] + found["R"] and int(end["turns"]) == found["T"]
           and int(end["signals"]) == found["G"] and int(end["values"]) * 8 == len(r.all(reclib.VALUES))
           and int(end["threads"]) == found["threads"] and last <= int(end["superblocks"]),
           "the file has as many events as its end says", "%s\n%s\n%s" % (end, found, err))
    paths = [image["path"] for image in r.texts(reclib.IMAGE)]
    tap.ok(mapped and mapped <= {(i["path"], i["build"]) for i in r.texts(reclib.IMAGE)} and len(paths) == len(set(paths)) <= len(mapped) + 2,
           "each file that is mapped from its path is an image, once", (mapped, paths))
    tap.ok(r.values("program") == [program] == paths[:1] and any("libc" in p for p in paths)
           and r.values("arg") == [program, "alone.data"] and r.values("directory") == [tap.dir]
           and "TZ=UTC" in r.values("env") and r.values("platform") == ["amd64-linux"],
           "the header names the program, its words and its directory", r.header)
    tap.ok(os.stat(rec).st_mode & 0o777 == 0o600, "only the user may read it")
    others = [f for f in os.listdir(tap.dir) if "alone" in f or ".out." in f]
    tap.ok(sorted(others) == ["alone.data", "alone.rec"], "nothing else is written", others)
    status, output, err = under(tap.dir, "--record=yes", program, "alone.data", valgrind=())
    named = re.search(r"wrote (\S*run\.out\.(\d+)\.rec): .* see it with: dcfg replay$", err, re.M)
    tap.ok(named and "==%s==" % named[2] in err and os.path.exists(named[1]), "its name has the process id", err)
    return rec


# ---- ends ----------------------------------------------------------------------------------------------------------


def check_ends(tap):
    signals, fault = harness.program(tap, "record/signals.c", "-static"), harness.program(tap, "record/ends.c", "-static")
    for s in (signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL):
        rec, status, output, _ = record(tap, "by", signals, str(int(s)))
        tap.ok(status == -s and replay(tap, rec)[:2] == (status, output), "a process that %s ends" % s.name, status)
    for word, ends in (("fault", -signal.SIGSEGV), ("trap", -signal.SIGTRAP), ("thread", 0), ("exit", 9), ("last", 0)):
        rec, status, output, _ = record(tap, word, fault, word)
        then = replay(tap, rec)
        tap.ok(status == ends and then[:2] == (status, output), "a process that ends by " + word, "%s %s %s" % (
            status, output, then))
    rec, status, output, _ = record(tap, "exec", fault, "exec")
    then = replay(tap, rec, valgrind=())
    tap.ok(status == 0 and b"executed\n" in output and then[0] == 0 and then[1] == output.replace(b"executed\n", b"")
           and "up to the execve" in then[2] and reclib.Record(contents(rec)).texts(reclib.END)[0]["end"] == "exec",
           "a process that executes another program", "%s %s" % (output, then))


def check_children(tap):
    """With --trace-children=yes, a child of a fork has a recording that begins as its parent's: all outputs of its replay are
    its own.  A child that only executes a program has none, but the program has."""
    program = harness.program(tap, "record/forks.c", "-static", "-pthread")
    here = tap.path("children")
    os.mkdir(here)
    status, output, err = under(here, "--trace-children=yes", "--record=yes", *replaylib.all_outputs("%p"), program)
    lines = output.decode().splitlines(keepends=True)
    records = {int(f.split(".")[2]): os.path.join(here, f) for f in os.listdir(here) if f.endswith(".rec")}
    ends = {}
    for pid, rec in records.items():
        r, new = reclib.Record(contents(rec)), os.path.join(here, "new")
        forks = [int(v.split()[0]) for v in r.values("fork")]
        then = under(here, "--replay=" + rec, *replaylib.all_outputs(new))
        if r.values("arg")[0].endswith("echo"):
            want, name = ["program\n"], "program"
        elif not forks:
            want, name = [s for s in lines if " %d of" % pid in s or s.startswith("status")], "root"
        else:
            want = [s for s in lines if " %d of" % pid in s]
            name = want[0].split()[0] if want else "middle"
        end = r.texts(reclib.END)[0]
        ends[name] = end["end"], int(end["status"])
        died = -int(end["status"]) if end["end"] == "signal" else int(end["status"])
        tap.ok(then == (died, "".join(want).encode(), "") and (forks[-1:] == [pid] or name in ("root", "program")),
               "%s: its replay prints and ends as it did" % name, "%s\n%s\n%s\n%s" % (then, want, forks, end))
        differ = [o for o, e in replaylib.OUTPUTS.items()
                  if contents(os.path.join(here, "%d.%s" % (pid, e))) != contents("%s.%s" % (new, e))]
        tap.ok(not differ, "%s: all outputs are the same" % name, differ)
    tap.ok((status, err) == (0, "") and ends == {
        "root": ("exit", 0), "threads": ("exit", 3), "grandchild": ("exit", 4), "parent": ("signal", signal.SIGABRT),
        "program": ("exit", 0), "middle": ("exit", 0), "daemon": ("exit", 5)}, "each process has a recording", "%s\n%s" % (ends, err))
    path = changed_header(tap, next(r for r in records.values() if reclib.Record(contents(r)).values("fork")), "fork", "x")
    r = reclib.Record(contents(path))
    r.header = [(k, v) for k, v in r.header if k != b"fork"]
    with open(path, "wb") as f:
        f.write(r.bytes())
    check_refused(tap, "a header without its fork", "does not tell of a fork", NO_REPLAY, "--replay=" + path)


def check_killed(tap, bits, *flags):
    """SIGKILL at any time: all whole blocks are replayed."""
    endless, rec = harness.program(tap, "record/endless.c", "-static", *flags, name="endless" + bits), tap.path("killed.rec")
    for name, words in (("killed" + bits, []), ("killed in a loop" + bits, ["loop"])):
        with open(tap.path("killed.out"), "wb") as out:
            p = subprocess.Popen([harness.VALGRIND, "-q", "--tool=dcfg", "--record=yes", "--record-out-file=" + rec, endless,
                                  *words], env=harness.ENV, stdout=out)
            # Until there are a few blocks of events.
            while p.poll() is None and not (os.path.exists(rec) and contents(rec).count(b"DRBK\1\0\0\0") > 3):
                time.sleep(0.01)
            p.kill()
            p.wait()
        then = replay(tap, rec, graph=tap.path("killed.json"))
        tap.ok(then[0] == NO_REPLAY and then[1] and contents(tap.path("killed.out")).startswith(then[1])
               and len(then[2].splitlines()) == 1 and reclib.KILLED.search(then[2])
               and harness.check_rules(tap, name, tap.path("killed.json")), name + ": it is replayed", then[2])
        ran, last = re.search(r"at superblock ([\d,]+)", then[2]), 0
        # The last event may be cut.
        with contextlib.suppress(IndexError, AssertionError):
            r = reclib.Record(contents(rec), is_cut=True)
            for _, _, last, _, _ in reclib.events(r.all(reclib.EVENTS), r.values("platform")[0]):
                pass
        tap.ok(ran and int(ran[1].replace(",", "")) >= last > 1000000, name + ": up to its last blocks", "%d %s" % (last, then[2]))
        os.unlink(rec)


# ---- another run ---------------------------------------------------------------------------------------------------


def is_one_line(err):
    return len(err.splitlines()) == 1 and LINE.match(err)


def check_refused(tap, name, text, status, *words):
    found = under(tap.dir, *words)
    tap.ok(found[0] == status and is_one_line(found[2]) and text in found[2], name, found)


def changed_header(tap, rec, key, value):
    r = reclib.Record(contents(rec))
    r.header = [(k, value.encode() if k == key.encode() else v) for k, v in r.header]
    path = tap.path("header.rec")
    with open(path, "wb") as f:
        f.write(r.bytes())
    return path


def changed_event(tap, rec, change):
    """Writes the record with CHANGE(events, a list of (begin, letter, more), bytes) of its events."""
    r = reclib.Record(contents(rec))
    data = bytearray(r.all(reclib.EVENTS))
    found = [(at, letter, more) for at, letter, _, _, more in reclib.events(bytes(data))]
    data = change(found, data)
    r.blocks = [[reclib.EVENTS, bytes(data[i:i + 100000])] for i in range(0, len(data), 100000)] + [
        b for b in r.blocks if b[0] != reclib.EVENTS]
    path = tap.path("event.rec")
    with open(path, "wb") as f:
        f.write(r.bytes())
    return path


def flip_hash(found, data):
    """Another hash of arguments, of the last system call."""
    at, _, more = [f for f in found if f[1] == "S"][-1]
    where = data.index(more[1], at)
    data[where] ^= 1
    return data


def flip_point(found, data):
    """Other registers, at the last point."""
    data[[f[0] for f in found if f[1] == "P"][-1] + 4] ^= 1
    return data


def later_turn(found, data):
    """The last turn that interrupts a long loop comes one superblock later; so no system call changes."""
    for at, letter, _ in reversed(found):
        e = reclib.Events(bytes(data))
        e.at = at + 1
        if letter == "T" and e.number() >= 100000 and data[at + 1] & 127 < 127:
            data[at + 1] += 1
            return data
    return None


def without_turn(found, data):
    """The turn behind the first end of a thread is not there: the others would wait for ever."""
    ended = [i for i, (_, letter, more) in enumerate(found) if letter == "S" and more[0] == 60][0]
    return data[:found[ended + 1][0]] + data[found[ended + 2][0]:]


def other_result(found, data):
    """The program believes another result: the last read."""
    at = [f[0] for f in found if f[1] == "S"][-3]
    return data[:at] + data[[f[0] for f in found if f[1] == "S"][-2]:]


def check_divergences(tap, rec, program):
    other = harness.program(tap, "record/endless.c", name="another")
    check_refused(tap, "another program", "another build", NO_REPLAY, "--replay=" + rec, other)
    for key, value, text in (("tool-build", "0123456789abcdef", "use the build"), ("valgrind", "3.0", "version of Valgrind"),
                             ("hwcaps", "none", "--cpu=x86-64-v2"), ("platform", "vax-bsd", "replay it there"),
                             ("program", "/nowhere/at-all", "")):
        path = changed_header(tap, rec, key, value)
        found = under(tap.dir, "--replay=" + path)
        tap.ok(found[0] not in (0, NO_REPLAY) and found[0] > 0 and text in found[2] and value.split("/")[-1] in found[2],
               "another %s" % key, found)
    check_refused(tap, "another system call", "has other arguments", NO_REPLAY,
                  "--replay=" + changed_event(tap, rec, flip_hash))
    check_refused(tap, "a call that is not there", "cannot be replayed beyond", NO_REPLAY,
                  "--replay=" + changed_event(tap, rec, other_result))
    check_refused(tap, "other registers at a point", "registers are not those", NO_REPLAY,
                  "--replay=" + changed_event(tap, rec, flip_point))
    racing = record(tap, "racing", harness.program(tap, "record/turns.c", "-static", "-O2", "-pthread"))[0]
    check_refused(tap, "a turn that comes later", "registers are not those", NO_REPLAY,
                  "--replay=" + changed_event(tap, racing, later_turn))
    check_refused(tap, "a thread that is to run and has ended", "cannot be replayed beyond", NO_REPLAY,
                  "--replay=" + changed_event(tap, racing, without_turn))
    copied = tap.path("copied")
    with open(copied, "wb") as f:
        f.write(contents(program))
    os.chmod(copied, 0o755)
    mine = record(tap, "copied", copied, "copied.data")[0]
    with open(copied, "wb") as f:
        f.write(contents(other))
    check_refused(tap, "a program that was built anew", "another build", NO_REPLAY, "--replay=" + mine)
    os.unlink(copied)
    found = under(tap.dir, "--replay=" + mine)
    tap.ok(found[0] > 0 and "copied" in found[2], "a program that is gone", found)


def check_shared(tap):
    """Memory that another process writes is not recorded: a warning says so, and the replay notices."""
    shared = harness.program(tap, "record/shared.c", "-static")
    rec = tap.path("shared.rec")
    status, output, err = under(tap.dir, "--record=yes", "--record-out-file=" + rec, shared, valgrind=())
    tap.ok(status == 0 and "shares memory with its child" in err and "nothing of child processes" in err,
           "memory that is shared with a child: a warning", err)
    check_refused(tap, "memory that a child wrote", "memory that others write", NO_REPLAY, "--replay=" + rec,
                  "--dcfg-out-file=" + tap.path("shared.json"))
    tap.ok(not os.path.exists(tap.path("shared.json")), "a run that is another one has no outputs")


def check_maps(tap):
    """A mapped file is in the record, or with --record-large-maps=no must be as it was, in its last byte too."""
    path, data = tap.path("mapped"), random.Random(3).randbytes(5000000)
    reader = harness.program(tap, "record/maps.c", "-static")
    found = {}
    for choice in ("yes", "no"):
        with open(path, "wb") as f:
            f.write(data)
        found[choice] = record(tap, "maps-" + choice, reader, path, options=["--record-large-maps=" + choice])
    yes, no = found["yes"][0], found["no"][0]
    then = replay(tap, no)
    tap.ok(os.path.getsize(no) < 1000000 and then[:2] == found["no"][1:3], "--record-large-maps=no: a small record", then)
    with open(path, "r+b") as f:
        f.seek(len(data) - 1)
        f.write(bytes([data[-1] ^ 1]))
    check_refused(tap, "--record-large-maps=no: the file has changed", "is not the file that was mapped", NO_REPLAY, "--replay=" + no)
    os.unlink(path)
    check_refused(tap, "--record-large-maps=no: the file is gone", "cannot be opened", NO_REPLAY, "--replay=" + no)
    then = replay(tap, yes)
    tap.ok(then[:2] == found["yes"][1:3], "a mapped file is in the record", then)


def check_generated(tap):
    """Names of generated code: a replay has those of a map, which is gone by then, and warns of a jitdump."""
    prog = harness.program(tap, "life/generated.c")
    rec = check_same(tap, "generated", [prog, "map"])
    pid = reclib.Record(contents(rec)).values("pid")[0]
    os.unlink("/tmp/perf-%s.map" % pid)
    graph = tap.path("names.json")
    then = replay(tap, rec, graph=graph)
    tap.ok(then[0] == 0 and b"beta (of two)" in contents(graph), "names of a map that is gone", then)
    rec, status, output, _ = record(tap, "dump", prog, "dump")
    then = replay(tap, rec, valgrind=())
    tap.ok(then[:2] == (status, output) and "are not used in a replay" in then[2], "a jitdump that has grown: a warning", then)


def check_debugger(tap):
    """gdb by vgdb: a breakpoint and a look change nothing; writing memory is warned of."""
    if not shutil.which("gdb"):
        tap.skip("gdb in a recorded run", "there is no gdb")
        return
    reader = harness.program(tap, "record/maps.c", "-static", "-g", "-O0", name="debugged")
    for name, commands, good in (("looks", ["print argc"], True), ("writes", ["set var argc=3"], False)):
        rec = tap.path(name + ".rec")
        p = subprocess.Popen([harness.VALGRIND, "--vgdb-error=0", "--vgdb-prefix=" + tap.path("vgdb"), "--tool=dcfg", "--record=yes",
                              "--record-out-file=" + rec, reader, reader], env=harness.ENV, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = b""
        while b" vgdb " not in said and b"/vgdb " not in said:
            line = p.stderr.readline()
            said += line
            if not line:
                break
        target = "target remote | %s/vgdb --vgdb-prefix=%s --pid=%d" % (os.path.dirname(harness.VALGRIND), tap.path("vgdb"), p.pid)
        words = [w for c in [target, "break main", "continue", *commands, "delete", "continue"] for w in ("-ex", c)]
        gdb = subprocess.run(["gdb", "-q", "-nx", "-batch", *words, reader], env=harness.ENV, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=harness.TIMEOUT)
        output, err = p.communicate(timeout=harness.TIMEOUT)
        then = replay(tap, rec)
        tap.ok(p.returncode == (0 if good else 1) and (b"a debugger has changed" in err) != good, "gdb %s in a recorded run" % name,
               "%s\n%s" % (err.decode(), gdb.stdout.decode()))
        tap.ok(then[:2] == (0, output) or not good, "a run in which gdb %s: its replay" % name, then)


def check_options(tap, rec, program):
    for words, text in ((["--record=yes", "--replay=" + rec], "together"),
                        (["--record=yes", "--deterministic=yes", program], "--deterministic"),
                        (["--record=yes", "--record-out-file=/dev/null", program], "regular file"),
                        (["--record=yes", "--record-out-file=/nowhere/x", program], "/nowhere"),
                        (["--replay=" + tap.path("missing")], "No such file"),
                        (["--replay=" + program], "not a record"), (["--replay=/"], "regular file")):
        check_refused(tap, "refused: " + " ".join(w.split("/")[0] for w in words), text, 1, *words)
    then = replay(tap, rec, "--replay-output=no")
    tap.ok(not then[1], "--replay-output=no", then)


# ---- files that are cut or changed ---------------------------------------------------------------------------------


def check_mutants(tap, bits, n, *flags):
    tiny = harness.program(tap, "record/tiny.c", "-nostdlib", "-static", "-fno-stack-protector", "-O1", *flags, name="tiny" + bits)
    rec, right, output, _ = record(tap, "tiny" + bits, tiny)
    data, rng, wrong, ends = contents(rec), random.Random(7), [], collections.Counter()
    whole = reclib.Record(data)
    for k in range(n):
        path = tap.path("mutant.rec")
        if k % 4 == 0:
            changed = data[:rng.randrange(len(data))]
        elif k % 4 == 1:
            changed = bytearray(data)
            changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        else:
            r = reclib.Record(data)
            block = rng.choice([b for b in r.blocks if b[0] != reclib.IMAGE])
            block[1] = bytearray(block[1])
            # Most bytes are the stack's: the events behind the begin are the others.
            first = 0
            if block[0] == reclib.EVENTS and k % 8 > 3:
                first = [e[0] for e in reclib.events(whole.all(reclib.EVENTS), whole.values("platform")[0])][1]
            for _ in range(rng.choice((1, 1, 2, 8))):
                block[1][rng.randrange(first, len(block[1]))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
            changed = r.bytes()
        with open(path, "wb") as f:
            f.write(changed)
        try:
            status, out, err = replay(tap, path)
        except subprocess.TimeoutExpired:
            status, out, err = None, b"", "no end"
        ends[status] += 1
        good = (status == right and not err or status in (1, NO_REPLAY) and is_one_line(err)
                # Its status is a sum of what it got.
                or k % 4 > 1 and not err and status is not None and 0 <= status < 32)
        if not good:
            os.rename(path, tap.path("mutant-%d.rec" % k))
            wrong.append("%d: %s %s" % (k, status, err[-300:]))
    tap.ok(not wrong and ends[NO_REPLAY] and ends[1], "changed files end in one line" + bits, "%s\n%s" % (ends, "\n".join(wrong)))


def main():
    tap = harness.Tap("record")
    world = check_programs(tap, "")
    check_x86(tap)
    with open(tap.path("alone.data"), "w") as f:
        f.write("some text\n")
    rec = check_file(tap, world)
    os.unlink(tap.path("alone.data"))
    check_real(tap)
    check_inherited(tap)
    check_ends(tap)
    check_children(tap)
    check_killed(tap, "")
    check_divergences(tap, rec, world)
    check_shared(tap)
    check_maps(tap)
    check_generated(tap)
    check_debugger(tap)
    check_options(tap, rec, world)
    check_mutants(tap, "", int(os.environ.get("DCFG_RECORD_MUTANTS", "120")))
    tap.done()


main()
