#!/usr/bin/python3
"""Recordings of --wet=yes.  (TAP)

- Memory accesses of real programs, against Lackey's trace, access by access (tests/oracle/wet_accesses.c).
- Dependences of real programs, against slow models with Lackey's accesses, instance by instance: data
  (tests/oracle/wet_data.py) and control (wet_control.py).
- Values, against Valgrind's gdbserver of none, instruction by instruction (tests/oracle/gdb_lockstep.py).
- Memory that is moved.  Forked children, programs that a program starts, a dump while it runs: each file is whole.
- A trace holds what the program had in memory: the message says so, and only the user may read the file, its parts, what is
  salvaged, and its index.
- The end of a recording (--wet-ring) agrees with the whole one.

The arguments name programs of test_programs.py.  DCFG_SLOW=1: ten of them, fifty small programs, and more wrong
files.  DCFG_AGAIN=1: another Valgrind has been tested.  Then one program is tested; rings, regions, options and files' rights,
which do not depend on Valgrind, are left out.
"""
import collections
import ctypes
import glob
import os
import random
import re
import resource
import signal
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
import test_programs
from wetlib import check_accesses, check_dependences, is_whole

OUTSIDE = " --> before the window or nobody"
QUICK = ("sort", "gzip")
SLOW = ("bzip2", "bunzip2", "gzip", "xz", "perl", "sqlite3", "dash", "sed", "sort", "bash", "cc1", "python3")
SMALL = {"dates", "grades", "orders", "ranks", "stock", "taxes", "tree", "votes", "loops", "moved", "switch", "ifunc", "price",
         "words"}


def small_programs(tap):
    """Returns programs with one thread, without signals and longjmp."""
    tests = os.path.join(harness.SRCDIR, "tests")
    sources = [(os.path.join(tests, line.split()[1]), line.split()[2:]) for line in open(os.path.join(tests, "PROGRAMS"))]
    sources += [(s, ()) for where in ("progs", os.path.join("progs", "slice"), os.path.join("progs", "life"))
                for s in glob.glob(os.path.join(tests, where, "*.c"))]
    sources += [(s, ()) for s in glob.glob(os.path.join(harness.SRCDIR, "docs", "*.c"))]
    for source, flags in sorted(sources):
        name = os.path.splitext(os.path.basename(source))[0]
        if name in SMALL or source.endswith(".S"):
            for level in ("-O0", "-O2", "-O3") if source.endswith(".c") else ("-g",):
                prog = harness.cc(tap, source, name + level, level, *flags)
                if prog:
                    yield name + level, [prog]


# ---- values --------------------------------------------------------------------------------------------------------

def check_values(tap):
    """Registers and memory, which dcfg gdb makes of the values, at each step through instructions of many kinds."""
    prog = harness.program(tap, "wet/values.S", "-nostdlib", "-static", "-no-pie")
    wet = prog and harness.record_wet(tap, "values", [prog])
    if not wet:
        return
    status, text = harness.oracle("gdb_lockstep.py", wet, "10000", prog)
    agree = {kind: int(n) for kind, n in re.findall(r"^(.*): (\d+) agree", text, re.M)}
    tap.ok(status == 0 and agree["general"] > 150 * 16 and agree["memory"] > 500 and not re.search("[1-9] unavailable", text),
           "values: as Valgrind's own gdbserver has them", text)


# ---- secrets -------------------------------------------------------------------------------------------------------

def mode_of(path):
    return os.stat(path).st_mode & 0o777


def check_private(tap):
    forms = ("plain", []), ("packed.gz", []), ("packed.zst", []), ("ring", ["--wet-ring=1M"])
    for mask, tried in ((0o022, forms), (0o077, forms[:1])):
        for name, opts in tried:
            begin, graph = "private%o.%s." % (mask, name), tap.path("private.json")
            if name.endswith("zst") and not shutil.which("zstd"):
                continue
            p = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--wet=yes", "--wet-out-file=" + begin + "%p.wet" + os.path.splitext(name)[1],
                                "--dcfg-out-file=" + graph, *opts, "/bin/true"], cwd=tap.dir, env=harness.ENV, umask=mask,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            made = [tap.path(x) for x in os.listdir(tap.dir) if x.startswith(begin)]
            modes = [mode_of(x) for x in made + [graph]]
            tap.ok(modes == [0o600, 0o644 & ~mask], "private: only the user may read the trace, umask %03o, %s" % (mask, name), (made, modes))
            tap.ok(b"it holds the memory's contents" in p.stderr, "private: the message says what it holds", p.stderr)
            if name == "plain" and len(made) == 1:
                commandlib.command("why", "--syscall=exit_group", made[0], umask=mask)
                tap.ok(mode_of(made[0] + ".idx") == 0o600, "private: nor may others read the index, umask %03o" % mask)


def check_option(tap):
    """--wet-values is no option any more: values are always recorded."""
    def run(*opts):
        p = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--dcfg-out-file=option.json", "--wet-out-file=option.wet", *opts, "/bin/true"],
                           cwd=tap.dir, env=harness.ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        there = os.path.exists(tap.path("option.wet"))
        if there:
            os.unlink(tap.path("option.wet"))
        return p.returncode, there, [line for line in p.stdout.decode().splitlines() if "--wet-values" in line]
    status, there, said = run("--wet=yes", "--wet-values=yes")
    tap.ok(status == 0 and there and len(said) == 1 and said[0].endswith(
        " dcfg: --wet-values=yes is not needed: --wet=yes always records values"), "--wet-values=yes: a line, and the trace", (status, said))
    status, there, said = run("--wet=yes", "--wet-values=no")
    tap.ok(status == 1 and not there and said == ["valgrind: --wet-values=no is refused: every question about a trace needs values, so "
                                                  "--wet=yes always records them; leave the option out"], "--wet-values=no: refused", said)
    status, there, said = run("--wet-values=yes")
    tap.ok(status == 1 and not there and said == ["valgrind: --wet-values=yes needs --wet=yes"], "--wet-values=yes alone: refused", said)
    tap.ok(run("--wet=yes", "--help")[2] == [], "--help does not have it")


# ---- lives ---------------------------------------------------------------------------------------------------------


def check_children(tap, checker):
    pattern = tap.path("child.%p.wet")
    status, why = harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--trace-children=yes", "--wet=yes", "--wet-out-file=" + pattern,
                               "--dcfg-out-file=" + tap.path("child.%p.json"), "/bin/sh", "-c", "(echo x; :) | cat; exec /bin/true"], tap.dir)
    files = sorted(x for x in os.listdir(tap.dir) if x.startswith("child.") and x.endswith(".wet"))
    tap.ok(len(files) == 4, "children: a file for each process, and what the first one executes at last", "%s %s %s" % (files, status, why))
    for n, name in enumerate(files):
        is_whole(tap, checker, tap.path(name), "children: file %d is whole" % (n + 1))
        os.unlink(tap.path(name))


def check_moved(tap):
    """Memory that mremap() moves keeps its writers."""
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "progs", "moved.c"), "moved", "-static", "-g", "-O0")
    if not prog:
        return
    wet = tap.path("moved.wet")
    graph, _, why = harness.dcfg(tap, "moved", [prog], ["--wet=yes", "--wet-out-file=" + wet])
    if not tap.ok(graph, "moved: is recorded", why):
        return
    text = subprocess.run([os.path.join(os.path.dirname(harness.VALGRIND), "dcfg"), "wet", "--source=moved.c:16-20", wet],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
    blocks = re.findall(r"^(\d+) \d+ [0-9a-f]+ moved\.c main (\d+)\n((?:SIZE.*\n(?:    .*\n)*)*)", text, re.M)
    writers = {n for n, line, _ in blocks if line == "16"}
    users = [deps for _, line, deps in blocks if line == "20"]
    tap.ok(any(re.search(r":(%s) 0$" % "|".join(writers), deps, re.M) for deps in users) if writers else False,
           "moved: what is read has been written before the move", text[:2000])


def check_dump(tap, checker):
    """A dump in the middle, which ends a part, and the rest."""
    p = subprocess.Popen([harness.VALGRIND, "-q", "--tool=dcfg", "--wet=yes",
                          "--wet-out-file=" + tap.path("dump.%n.wet"), "--dcfg-out-file=" + tap.path("dump.json"), "/bin/sh",
                          "-c", "echo ready; read a; for i in 1 2 3 4 5 6 7 8 9; do a=$a$a; done"],
                         cwd=tap.dir, env=harness.ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    p.stdout.readline()
    said = harness.ask(p, "dump")
    p.communicate(b"b\n", timeout=harness.TIMEOUT)
    files = sorted(x for x in os.listdir(tap.dir) if x.startswith("dump.") and x.endswith(".wet"))
    if tap.ok(len(files) == 2, "dump: two files", "%s\n%s" % (files, said)):
        for n, name in enumerate(files):
            is_whole(tap, checker, tap.path(name), "dump: file %d is whole" % (n + 1))
        sizes = [os.path.getsize(tap.path(name)) for name in files]
        tap.ok(min(sizes) > 10000, "dump: both have something", sizes)
        tap.ok([mode_of(tap.path(name)) for name in files] == [0o600] * 2, "dump: only the user may read them")


def check_ring(tap, checker):
    """The end that is kept agrees with a whole recording, with the same numbers of instances."""
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "bench", "recurse.c"), "recurse", "-static", "-O1")
    if not prog:
        return
    command = os.path.join(os.path.dirname(harness.VALGRIND), "dcfg")
    texts, sizes = [], []
    for ring in ((), ("--wet-ring=1M",)):
        wet = tap.path("ring.wet")
        graph, _, why = harness.dcfg(tap, "ring", [prog, "10"], ["--wet=yes", "--wet-out-file=" + wet, *ring])
        if not tap.ok(graph, "ring: is recorded " + " ".join(ring), why):
            return
        p = subprocess.run([command, "wet", "--history=60000", wet], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        tap.ok((b"only the end of the run" in p.stderr) == bool(ring), "ring: what is not there is told, if so", p.stderr)
        texts.append(p.stdout.decode().splitlines())
        sizes.append(os.path.getsize(wet))
    tap.ok(sizes[1] * 2 < sizes[0] and sizes[1] < 3 << 20, "ring: it is smaller", sizes)
    with open(wet, "rb") as f:
        piped = subprocess.run([command, "wet", "--info", "-"], input=f.read(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    named = subprocess.run([command, "wet", "--info", wet], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    tap.ok(piped.returncode == 0 and piped.stdout == named.stdout, "ring: its first instances are found in a pipe, too", piped.stdout)
    # The uses are the same, except those whose writers are not there.  Control may depend on another branch, if an indirect
    # jump had other targets before.
    known, kept = set(texts[0]), texts[1][-50000:]
    unlike = [line for line in kept if line not in known and not line.endswith(OUTSIDE)]
    tap.ok(len(unlike) <= len(kept) // 200, "ring: what the whole record says", unlike[:9])
    # A writer that only the whole recording has is before the window, and is reported so.  Exceptions are operands with
    # other bytes in the window, and control, as above.
    sources = [collections.Counter(line.split(" ")[0] for line in lines if not line.endswith(OUTSIDE))
               for lines in (texts[0], kept)]
    told = collections.Counter(line.split(" ")[0] for line in kept if line.endswith(OUTSIDE))
    uses = set(line.split(" ")[0] for line in kept[100:])
    lost = {use: sources[0][use] - sources[1][use] for use in uses if sources[0][use] > sources[1][use]}
    silent = [use for use in lost if told[use] < lost[use]]
    tap.ok(lost and len(silent) <= len(lost) // 10, "ring: sources before the window are told: of %d uses, not of %d"
           % (len(lost), len(silent)), silent[:9])
    last = [line for line in kept[-100:] if not line.endswith(OUTSIDE)][-1:]
    tap.ok(len(kept) > 40000 and last == texts[0][-1:], "ring: it goes to the end", (len(kept), last))
    p = subprocess.run([command, "slice", "--thin", "--as=instances", "--at=" + kept[-1].split("#")[0], wet],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    m = re.search(r"# not followed: what was before the window, or nobody: ([\d,]+) times", p.stdout.decode())
    tap.ok(m and int(m.group(1).replace(",", "")) == p.stdout.count(b"=before-window-or-nobody"), "ring: slices tell it, too",
           p.stdout[:500] + p.stderr)
    for ring, why in (("12", "it is less than 1M"), ("lots", "it is no size; a size is such as 500M or 2G")):
        p = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--wet=yes", "--wet-ring=" + ring, "true"], cwd=tap.dir,
                           env=harness.ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        tap.ok(p.returncode == 1 and p.stdout.decode().splitlines()[-1] == "valgrind: --wet-ring=%s: %s" % (ring, why),
               "ring: %s is refused" % ring, p.stdout)


def ask(*argv):
    """Returns what the command prints and says.  A kernel without memory may kill it, since other tests run: once."""
    for _ in range(2):
        p = subprocess.run([os.path.join(os.path.dirname(harness.VALGRIND), "dcfg"), *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if p.returncode != -signal.SIGKILL:
            break
    return p.stdout.decode(), p.stderr.decode() + "status %d\n" % p.returncode * (p.returncode < 0)


def without_shares(text):
    """Returns a slice's text without shares of the whole."""
    return re.sub(r" of [\d,]+ that were executed; (\d+) of .*| +[\d.]+%|\n[\d.]+% of the run: .*\n", r"\1", text)


def check_early(tap):
    """A recording that was cut off is kept, and a slice of it is that of a whole, shorter one: what they share is the same."""
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "progs", "files", "scatter.c"), "scatter", "-O1", "-static")
    if not prog:
        return
    command = os.path.join(os.path.dirname(harness.VALGRIND), "dcfg")
    texts, at = [], None
    for spare, floods in (("0", "0"), ("1000000G", "6")):
        wet = tap.path("early.wet")
        graph, _, why = harness.dcfg(tap, "early", [prog, "110000", floods],
                                     ["--wet=yes", "--wet-out-file=" + wet, "--dcfg-spare=" + spare])
        if not tap.ok(graph and os.path.exists(wet), "early: is recorded, spare " + spare, why):
            return
        if at is None:
            p = subprocess.run([command, "slice", "--index=no", "--at=scatter.c:9", wet], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            m = re.search(rb"(0x[0-9a-f]+)#109999", p.stdout)
            if not tap.ok(m, "early: the whole record goes to the end", p.stdout[:500] + p.stderr):
                return
            at = m.group(1).decode()
        p = subprocess.run([command, "slice", "--index=no", "--at=%s#100000" % at, wet], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        tap.ok((b"ends early" in p.stderr) == (spare != "0") and p.stderr.count(b"\n") <= 1, "early: slices tell it, if so", p.stderr)
        # Shares are of the whole recording.
        texts.append(without_shares(p.stdout.decode()))
        os.unlink(wet)
    tap.ok(texts[0] == texts[1] and "scatter.c" in texts[0],
           "early: a slice is that of the whole record", texts)
    p = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--dcfg-spare=lots", "true"], cwd=tap.dir, env=harness.ENV,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    tap.ok(p.returncode == 1 and b"--dcfg-spare=lots: this is no size" in p.stdout, "early: lots is refused", p.stdout)


def check_room(tap, name, whole, limited, said, ring, least, last_one):
    """LIMITED is a part of WHOLE, and readers tell it."""
    if not tap.ok(os.path.exists(limited) and least < os.path.getsize(limited) < os.path.getsize(whole), name + "there is a file", said):
        return
    first = ask("slice", "--at=scatter.c:9", limited)
    last = re.search(r"(0x[0-9a-f]+)#(\d+)", first[0])
    question = ["wet", "--history=500"] if ring else ["slice", "--as=source", "--at=%s#%d" % (last and last.group(1), last_one // 10)]
    kept, err = ask(*question, limited)
    all_of_it, _ = ask(*["--history=1000" if ring and "=" in x else x for x in question], whole)
    tap.ok(kept and ("ends early" in err) != bool(ring) and last and (last.group(2) == str(last_one)) == bool(ring),
           name + "a reader tells the same", (first[0][:500], first[1:], err))
    if ring:       # some writers are before the window
        lines = [line for line in kept.splitlines() if not line.endswith(OUTSIDE)]
        same = len(lines) > 300 and set(lines) <= set(all_of_it.splitlines())
    else:
        same = without_shares(kept) == without_shares(all_of_it)
    tap.ok(same, name + "what the whole record says", (kept[:500], all_of_it[:500]))
    os.unlink(limited)


def check_limit(tap):
    """A file without room for the whole recording keeps its begin, or, of a ring, its end; a short recording, too."""
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "progs", "files", "scatter.c"), "scatter", "-O1")
    if not prog:
        return
    whole, limited = tap.path("limit.wet"), tap.path("limited.wet")

    def limit():
        ctypes.CDLL(None).prctl(24, 24, 0, 0, 0)     # PR_CAPBSET_DROP, CAP_SYS_RESOURCE: the limit cannot be raised
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    for n, most, ring in (("300000", 3 << 19, ()), ("300000", 3 << 19, ("--wet-ring=2M",)), ("100000", 1400000, ())):
        name = "limit: %s, %s: " % (n, (ring or ("no ring",))[0])
        graph, _, why = (True, 0, 0) if ring else harness.dcfg(tap, "limit", [prog, n], ["--wet=yes", "--wet-out-file=" + whole])
        if not tap.ok(graph, name + "is recorded", why):
            return
        p = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--wet=yes", "--wet-out-file=" + limited,
                            "--dcfg-out-file=" + tap.path("limited.json"), *ring, prog, n], cwd=tap.dir,
                           env=harness.ENV, preexec_fn=limit, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = [line for line in p.stderr.decode().splitlines() if "limited.wet" in line]
        tap.ok(p.returncode == 0 and len(said) == 1 and ("no room for all: the last" if ring else "it ends early") in said[0],
               name + "what is left out is told", p.stderr)
        check_room(tap, name, whole, limited, said, ring, most // 4, int(n) - 1)
    check_full(tap, prog, whole, limited)


def check_full(tap, prog, whole, limited):
    """WHOLE has a short recording, and a full disk keeps its begin."""
    small = tap.path("small")
    os.mkdir(small)
    script = 'mount -t tmpfs -o size=1400k none "$1" || exit 99; shift; "$@"; status=$?; cp %s/limited.wet %s; exit $status' % (small, limited)
    words = [harness.VALGRIND, "--tool=dcfg", "--wet=yes", "--wet-out-file=%s/limited.wet" % small,
             "--dcfg-out-file=" + tap.path("limited.json"), prog, "100000"]
    try:
        p = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", small, *words], cwd=tap.dir, env=harness.ENV,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except FileNotFoundError:
        p = None
    if p is None or p.returncode == 99 or p.stderr.startswith(b"unshare"):
        tap.skip("full disk: keeps the begin", "no file system can be mounted")
        return
    said = [line for line in p.stderr.decode().splitlines() if "limited.wet" in line]
    tap.ok(p.returncode == 0 and len(said) == 1 and "it ends early" in said[0], "full disk: what is left out is told", p.stderr)
    check_room(tap, "full disk: ", whole, limited, said, (), 700000, 99999)


EXTENT = 65536 + 32


def sum_of(data):
    """Returns the checksum of format/spool_file.h."""
    total, most = len(data), (1 << 64) - 1
    for i in range(0, len(data) & ~7, 8):
        total = (total ^ int.from_bytes(data[i:i + 8], "little")) * 0x100000001b3 & most
        total ^= total >> 29
    for byte in data[len(data) & ~7:]:
        total = (total ^ byte) * 0x100000001b3 & most
    return (total ^ total >> 32) & 0xffffffff


def change(whole, at, byte):
    """Returns the temporary file WHOLE with another byte in the extent at AT, and a right checksum."""
    new = bytearray(whole)
    used = int.from_bytes(new[at + 16:at + 20], "little")
    new[at + 32 + byte % used] ^= 1 << byte % 8
    new[at + 20:at + 24] = sum_of(bytes(new[at + 32:at + 32 + used])).to_bytes(4, "little")
    return bytes(new)


def check_salvage(tap):
    """A killed program's file becomes a trace that ends early; wrong files are refused in one line."""
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "tests", "progs", "files", "scatter.c"), "scatter", "-O1", "-static")
    if not prog:
        return
    whole, part = tap.path("salvage.wet"), tap.path("part.wet")
    # The second run ends by the signal only.
    graph, _, why = harness.dcfg(tap, "salvage", [prog, "600000", "0"], ["--wet=yes", "--wet-out-file=" + whole])
    left = glob.glob(glob.escape(whole) + ".tmp-*")
    tap.ok(graph and not left, "salvage: nothing is left at the end", (why, left))
    p = subprocess.Popen([harness.VALGRIND, "--tool=dcfg", "--wet=yes", "--wet-out-file=" + part, "--dcfg-out-file=" + tap.path("part.json"),
                          prog, "600000", "0w"], cwd=tap.dir, env=harness.ENV, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    # Before the first chunk's end, at 4 MB, nothing can be kept.
    p.stdout.read(1)
    p.stdout.close()
    p.kill()
    p.wait()
    left = glob.glob(glob.escape(part) + ".tmp-*")
    if not tap.ok(len(left) == 1 and not os.path.exists(part), "salvage: a file is left", left):
        return
    said = ask("wet", "--salvage", "-o", part, left[0])
    tap.ok(said == ("", "") and os.path.exists(part), "salvage: it becomes a trace", said)
    modes = mode_of(left[0]), mode_of(part)
    tap.ok(modes == (0o600, 0o600), "salvage: only the user may read it, before and after", modes)
    last = re.search(r"(0x[0-9a-f]+)#(\d+)", ask("slice", "--at=scatter.c:9", part)[0])
    tap.ok(last and int(last.group(2)) > 300000, "salvage: it has all but the last", last)
    (kept, err), (all_of_it, _) = (ask("slice", "--as=source", "--at=%s#50000" % (last and last.group(1)), wet) for wet in (part, whole))
    tap.ok("ends early" in err and without_shares(kept) == without_shares(all_of_it) and "scatter.c" in kept,
           "salvage: a slice is that of the whole record", (err, kept[:500], all_of_it[:500]))
    with open(left[0], "rb") as f:
        data = f.read()
    extents = [at for at in range(0, len(data), EXTENT) if data[at:at + 8] == b"\x89DCFGTMP"]
    rows = [at for at in extents if data[at + 8] == 1]
    dice = random.Random(28)
    cases = [("nothing", b""), ("foreign", open(prog, "rb").read()), ("a trace", open(whole, "rb").read(3 << 20)),
             ("cut in the rows", data[:EXTENT * 3 // 2]), ("a byte is wrong", data[:1000] + b"?" + data[1001:]),
             ("an extent is missing", data[:EXTENT] + bytes(EXTENT) + data[2 * EXTENT:])]
    cases += [("mutant %d" % n, change(data, dice.choice(rows), dice.randrange(65536)))
              for n in range(20 if os.environ.get("DCFG_SLOW") == "1" else 1)]
    for name, wrong in cases:
        os.unlink(left[0])
        with open(left[0], "wb") as f:
            f.write(wrong)
        if os.path.exists(part):
            os.unlink(part)
        p = subprocess.run([commandlib.DCFG, "wet", "--salvage", "-o", part, left[0]], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        refused = p.returncode == 2 and p.stderr.count(b"\n") == 1 and not os.path.exists(part)
        tap.ok(refused or (p.returncode == 0 and not p.stderr and name.startswith("mutant")), "salvage: refused, if it is wrong: " + name,
               (p.returncode, p.stderr))
    said = ask("wet", "--salvage", left[0])
    tap.ok(said[1].count("\n") == 1 and "-o FILE" in said[1], "salvage: needs a name", said)


def check_regions(tap, checker):
    """One region is recorded, from wherever threads are; several regions are refused."""
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "bench", "recurse.c"), "recurse", "-static", "-O1")
    if not prog:
        return
    for name, options, seen in (("to the end", ["--start=instructions:200000"], True),
                                ("from main", ["--start=main", "--stop=walk"], True),
                                ("empty", ["--start=walk:100000"], True),
                                ("main only", ["--toggle-collect=main"], False),
                                ("without libc", ["--exclude-images=libc*"], False)):
        wet = tap.path("region.wet")
        graph, _, why = harness.dcfg(tap, "region", [prog, "1"], ["--wet=yes", "--wet-out-file=" + wet, *options])
        if seen:
            is_whole(tap, checker, wet, "region: %s: is whole, as the graph counts" % name)
            os.unlink(wet)
        else:
            tap.ok(not os.path.exists(wet), "region: %s: none is written" % name)


def main():
    tap = harness.Tap("wet")
    accesses, order, dumper = (harness.reader(tap, name) for name in ("wet_accesses", "wet_order", "wet_dump"))
    if accesses and order and dumper:
        again = os.environ.get("DCFG_AGAIN") == "1"
        names = sys.argv[1:] or (SLOW if os.environ.get("DCFG_SLOW") == "1" else QUICK[:1] if again else QUICK)
        for name, argv in test_programs.real(tap):
            if name in names:
                if name == "gzip" and names is QUICK:
                    argv = ["gzip", "-nc", "small.txt"]
                check_accesses(tap, accesses, name, argv)
        if not sys.argv[1:]:
            check_dependences(tap, dumper, "true", ["/bin/true"])
            if os.environ.get("DCFG_SLOW") == "1":
                for name, argv in harness.SAME_EACH_TIME:
                    check_dependences(tap, dumper, name, argv)
                for name, argv in small_programs(tap):
                    check_dependences(tap, dumper, name, argv)
            check_values(tap)
            check_children(tap, order)
            check_moved(tap)
            check_dump(tap, order)
            if not again:
                check_private(tap)
                check_option(tap)
                check_ring(tap, order)
                check_early(tap)
                check_limit(tap)
                check_salvage(tap)
                check_regions(tap, order)
    tap.done()


if __name__ == "__main__":
    main()
