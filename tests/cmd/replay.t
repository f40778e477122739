#!/usr/bin/python3
"""dcfg replay, and dcfg why, slice and gdb on a recording for replays.  (TAP)

- Recordings made by the format's description (rec_by_hand.py): `dcfg list', messages, which Valgrind is found, with which options
  it is started, program and libraries of another build.  Mutants of a recording.
- Recordings of the tool: a replay does what the run did; which part of it a question needs.
"""
import ctypes
import glob
import json
import os
import random
import re
import shutil
import stat
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
import rec_by_hand
import reclib
from commandlib import command, one_line, table

# The stub that stands for a Valgrind: it prints its version, or its own path and arguments.
STUB = """#!/bin/sh
[ "$2" = --version ] && { %s; exit; }
echo "$0"
for a; do printf '%%s\\n' "$a"; done
exit 7
"""
PAIRS = [("tool", "1.0.0"), ("valgrind", "9.9.9"), ("tool-build", "0123456789abcdef"), ("platform", "amd64-linux"),
         ("program", "/bin/true"), ("program-build", "00"), ("command", "/bin/true 'a b'"), ("directory", "/"),
         ("start", "2026-01-31T12:34:56Z"), ("pid", 4711), ("parent", 42), ("processor", "one"), ("conditions", ""),
         ("unknown", "x")]


def build_id(path):
    out = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    found = re.search(r"Build ID: (\w+)", out)
    return found.group(1) if found else None


def put(tap, name, data):
    return harness.write(tap.path(name), data)


def stub(tap, name, version, tool=True):
    """Makes a Valgrind of that version; returns its command."""
    os.makedirs(tap.path(name + "/bin"))
    path = put(tap, name + "/bin/valgrind", (STUB % ("echo valgrind-" + version if tool else ":")).encode())
    os.chmod(path, 0o755)
    return path


def check_list(tap):
    folder = tap.path("list")
    os.mkdir(folder)
    whole = rec_by_hand.recording(PAIRS)
    size = len(rec_by_hand.header(PAIRS))
    files = {"run.out.4711.rec": whole, "run.out.1.rec": rec_by_hand.recording(PAIRS, end=None),
             "run.out.2.rec": whole[:size - 1], "run.out.3.rec": rec_by_hand.header(PAIRS, version=2) + whole[size:],
             "run.out.4.rec": whole[:100] + b"?" + whole[101:], "named": whole, "run.out.5.rec": b"",
             "run.out.6.rec": rec_by_hand.header(PAIRS)}
    for name, data in files.items():
        put(tap, "list/" + name, data)
    status, out, err = command("list", "--csv", folder)
    rows = {os.path.basename(r["file"]): r for r in table(out)}
    tap.ok(status == 0 and set(rows) == set(files) and {r["kind"] for r in rows.values()} == {"rec"}, "list: recordings are rows", out + err)
    r = rows["run.out.4711.rec"]
    tap.ok((r["command"], r["process_id"], r["parent_id"], r["start"], r["problem"])
           == ("/bin/true 'a b'", "4711", "42", "2026-01-31T12:34:56Z", ""), "list: which run it is", r)
    for name, words in (("run.out.1.rec", "killed"), ("run.out.2.rec", "ends before its header"), ("run.out.3.rec", "version 2"),
                        ("run.out.4.rec", "check sum"), ("run.out.5.rec", "empty"), ("run.out.6.rec", "killed")):
        tap.ok(words in rows[name]["problem"], "list: " + words, rows[name])
    tap.ok(rows["named"]["problem"] == "" and rows["named"]["command"] == r["command"], "list: under any name", rows["named"])
    status, out, err = command("list", folder)
    tap.ok(status == 0 and "process 4711 of 42" in out, "list: text", out)


def check_messages(tap):
    whole = rec_by_hand.recording(PAIRS)
    one_line(tap, *command("replay", tap.path("missing")), "cannot open", "a file that is not there")
    other = put(tap, "other.json", b'{"MAJOR_VERSION":1}')
    one_line(tap, *command("replay", other), "", "another file")
    for name, data, words in (("cut", whole[:50], "ends before its header"), ("hollow", b"", "an empty file, not a recording for replays"),
                              ("newer", rec_by_hand.header(PAIRS, version=9), "version 9, and only version 1"),
                              ("damaged", whole[:60] + b"\xff\xff" + whole[62:], "check sum")):
        path = put(tap, name, data)
        one_line(tap, *command("replay", path), words, "replay: " + name)
        one_line(tap, *command("why", path, "main.c:1"), words if name != "hollow" else "an empty file", "why: " + name)
    foreign = "amd64-linux" if os.uname().machine == "aarch64" else "arm64-linux"
    other = put(tap, "foreign", rec_by_hand.recording([(k, foreign if k == "platform" else v) for k, v in PAIRS]))
    for words in (["replay", other], ["why", other, "main.c:1"], ["slice", "--at=main.c:1", other], ["gdb", other]):
        one_line(tap, *command(*words), "was recorded on %s, and this machine is" % foreign, words[0] + ": another processor's")
    wet = put(tap, "wet", bytes.fromhex("89") + b"DCFGWET" + bytes(100))
    one_line(tap, *command("replay", wet), "is a whole execution trace, not a recording for replays", "a whole execution trace")
    rec = put(tap, "run.out.4711.rec", whole)
    one_line(tap, *command("report", rec), "is a recording for replays, not a DCFG: use `dcfg replay %s'" % rec, "another command says which to use")
    one_line(tap, *command("why", "--window=x", rec, "main.c:1"), "--window=x: give a number", "--window that is no number")
    one_line(tap, *command("why", "--window=0", rec, "main.c:1"), "--window=0: give a number", "--window=0")
    one_line(tap, *command("slice", "--window=all", "--at=main.c:1", wet), "--window is of a recording", "--window of a trace")
    os.mkdir(tap.path("none"))
    one_line(tap, *command("replay", cwd=tap.path("none")), "name a file, for nothing in this directory is a recording for replays, which "
             "valgrind --tool=dcfg --record=yes writes", "no recording here")
    os.unlink(rec)


def check_valgrind(tap):
    """The Valgrind of VALGRIND, or else of PATH, if it is the version that recorded, and has the tool."""
    right, wrong, bare = stub(tap, "right", "9.9.9"), stub(tap, "wrong", "8.8.8"), stub(tap, "bare", "9.9.9", tool=False)
    images = [(p, build_id(p)) for p in ("/bin/true", "/lib64/ld-linux-x86-64.so.2") if os.path.exists(p)]
    images = [(p, b) for p, b in images if b]
    rec = put(tap, "run.out.4711.rec", rec_by_hand.recording(PAIRS, images))
    paths = {"right": os.path.dirname(right), "wrong": os.path.dirname(wrong), "bare": os.path.dirname(bare), "none": "/nowhere"}

    def replay(valgrind, path, *args, file=rec):
        env = {"VALGRIND": valgrind, "PATH": ":".join(paths[p] for p in path.split())}
        return command("replay", *args[:1], file, *args[1:], env=env) if args else command("replay", file, env=env)

    status, out, err = replay(right, "wrong")
    argv = out.splitlines()
    tap.ok(status == 7 and argv[0] == right and argv[1:3] == ["--tool=dcfg", "--replay=" + rec],
           "the Valgrind of VALGRIND replays, and its status is that of dcfg", out + err)
    tap.ok("--dcfg-out-file=dcfg.out.%p.json" in argv and not any(a.startswith(("--trace", "--wet")) for a in argv), "a graph, if nothing is asked for", argv)
    for name, valgrind, path in (("in PATH", "", "wrong right"), ("in PATH, behind one without the tool", "", "bare right"),
                                 ("in PATH, if that of VALGRIND is another version", wrong, "right"),
                                 ("by a name in VALGRIND", "valgrind", "none right")):
        status, out, err = replay(valgrind, path)
        tap.ok(status == 7 and out.splitlines()[0] == right, "Valgrind is found " + name, out + err)
    one_line(tap, *replay(wrong, "none"), "was recorded with Valgrind 9.9.9 and valgrind-dcfg 1.0.0", "another version is refused")
    one_line(tap, *replay("", "bare"), "lacks the tool" if commandlib.DCFG != commandlib.PLAIN else "9.9.9", "a Valgrind without the tool")
    # Outputs and options.
    folder = tap.path("out put %p")
    for args, want in ((["--trace"], {"--trace=yes", "--dcfg-out-file=dcfg.out.%p.json"}), (["--graph", "--wet"], {"--wet=yes", "--dcfg-out-file=dcfg.out.%p.json"}),
                       (["--wet"], {"--wet=yes", "--wet-out-file=wet.out.%p", "--dcfg-out-file=/dev/null"}),
                       (["-o" + folder], {"--dcfg-out-file=%s/dcfg.out.%%p.json" % folder.replace("%", "%%")}),
                       (["--wet", "--", "--start=end-9", "--replay-output=no"], {"--start=end-9", "--replay-output=no"})):
        status, out, err = replay(right, "none", *args)
        tap.ok(status == 7 and want <= set(out.splitlines()), "options: " + " ".join(args), out + err)
    tap.ok(os.path.isdir(folder), "-o makes the directory")
    # The first window of a long run is larger; the stub makes none.
    for superblocks, want in ((200000, ""), (99000000, "the last 250,000 "), (101000000, "the last 4,000,000 "), (9 * 10 ** 9, "the last 64,000,000 ")):
        long = put(tap, "long.rec", rec_by_hand.recording(PAIRS, end=(("end", "exit"), ("status", 0), ("superblocks", superblocks), ("threads", 1))))
        status, out, err = command("why", long, "main.c:1", env={"VALGRIND": right, "PATH": "/nowhere"})
        tap.ok(status != 0 and err.splitlines()[0].startswith("dcfg why: replaying " + (want or "/"))
               and err.count("replaying") == 1, "the first window of %d superblocks" % superblocks, err)
    os.unlink(long)
    # Files of another build.
    copy = tap.path("copy")
    put(tap, "copy", harness.read("/bin/true", "rb"))
    changed = put(tap, "changed.rec", rec_by_hand.recording(PAIRS, [(copy, "00ff")]))
    one_line(tap, *replay(right, "none", file=changed), "copy is another build than it executed", "a library of another build")
    gone = put(tap, "gone.rec", rec_by_hand.recording(PAIRS, [(tap.path("gone"), "00ff")]))
    one_line(tap, *replay(right, "none", file=gone), "gone, which it mapped, cannot be read", "a library that is gone")
    for path in (rec, changed, gone):
        os.unlink(path)


def check_mutants(tap):
    """One command with sanitizers reads many recordings that are cut or changed."""
    rng, folder = random.Random(4711), tap.path("mutants")
    os.mkdir(folder)
    whole = rec_by_hand.recording(PAIRS, [("/bin/true", "00ff"), ("/lib/x.so", "size-1-sum-2")])
    for i in range(0, len(whole), 3):
        put(tap, "mutants/run.out.%d.rec" % i, whole[:i])
    for i in range(400):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 2, 8))):
            at = rng.randrange(8, len(data))
            if rng.random() < 0.3 and at + 4 <= len(data):
                struct.pack_into("<I", data, at, rng.choice((0, 1, 0xffffffff, 0x7fffffff, 1 << 20, rng.getrandbits(32))))
            else:
                data[at] = rng.randrange(256)
        if rng.random() < 0.5:              # the check sum of the header is right: what stands in it is read
            size = struct.unpack_from("<I", data, 12)[0]
            if 24 + size <= len(data):
                struct.pack_into("<I", data, 16, reclib.check_sum(bytes(data[24:24 + size])))
        put(tap, "mutants/run.out.%d.rec" % (10000 + i), bytes(data))
    status, out, err = command("list", "--json", folder)
    rows = json.loads(out) if status == 0 else []
    tap.ok(status == 0 and len(rows) == len(os.listdir(folder)) and "Sanitizer" not in err, "mutants: each is a row", err)
    cut = [r for r in rows if int(os.path.basename(r["file"]).split(".")[2]) < 10000]
    tap.ok(all(r["problem"] for r in cut), "mutants: each file that is cut is told", [r for r in cut if not r["problem"]][:3])


# ---- recordings of the tool ----------------------------------------------------------------------------------------------------

def record(tap, name, argv, *opts):
    """Records; returns the file and what the program printed."""
    folder = tap.path(name)
    os.mkdir(folder)
    r = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--record=yes", *opts, *argv], cwd=folder, env=harness.ENV, timeout=harness.TIMEOUT,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    found = glob.glob(os.path.join(folder, "run.out.*.rec"))
    return (found[0] if len(found) == 1 else None), r.stdout.decode(), r.returncode, r.stderr.decode()


def question(args, *more):
    """Runs dcfg with the Valgrind under test; returns status, output, and the lines about replays."""
    status, out, err = command(*args, *more, env={"VALGRIND": harness.VALGRIND})
    return status, out, [line.split(": ", 1)[1] for line in err.splitlines() if ": " in line]


def check_replay(tap, rec, printed, status):
    folder = tap.path("again")
    for i in range(2):
        r = command("replay", "--trace", "-o", folder, rec, env={"VALGRIND": harness.VALGRIND})
        tap.ok(r[1] == printed and r[0] == status, "a replay prints what the run printed, and ends as it did", r)
    graphs = sorted(glob.glob(os.path.join(folder, "dcfg.out.*.json")))
    tap.ok(len(graphs) in (1, 2) and all(os.path.getsize(g) for g in graphs) and glob.glob(os.path.join(folder, "dcfg-trace.out.*")),
           "a graph and its trace", os.listdir(folder))
    tap.ok(graphs and command("check", graphs[0])[0] == 0, "the graph keeps the rules")
    tap.ok(len({harness.without_pid(g) for g in graphs}) == 1, "graphs are equal")


def check_windows(tap, rec):
    first = question(["why", rec, "replay.c:17"])
    window = rec + ".last-250000.wet"
    tap.ok(first[0] == 0 and "replaying the last 250,000 superblocks of " + rec in first[2] and os.path.exists(window)
           and not os.path.exists(rec + ".wet"), "why: a value of the end needs the last part", first)
    tap.ok(os.path.exists(window) and stat.S_IMODE(os.stat(window).st_mode) & 0o077 == 0, "the window is private, as the recording is")
    again = question(["why", rec, "replay.c:17"])
    tap.ok(again[:2] == first[:2] and not any(x.startswith("replaying") for x in again[2]), "the next question finds it there", again)
    early = question(["why", rec, "--of=early", "--at=replay.c:19"])
    tap.ok(early[0] == 0 and os.path.exists(rec + ".wet") and "replay.c:27" in early[1] and "before the window" not in early[1],
           "why: a value of the begin needs the whole run", early)
    whole = question(["why", rec + ".wet", "replay.c:17"])
    tap.ok(whole[:2] == first[:2], "the answer of the window is that of the whole run", (whole, first))
    small = question(["why", rec, "--window=1000", "--of=early", "--at=replay.c:19"])
    tap.ok(small[0] == 0 and os.path.exists(rec + ".last-1000.wet") and "before the window" in small[1], "--window: it is told what was before", small)
    numbered = question(["why", rec, "replay.c:31#0"])
    tap.ok(numbered[0] == 0 and any(x.endswith(rec + ".wet") for x in numbered[2]), "an execution by its number: of the whole run", numbered)
    # A recording is small, but not what it replays: with sanitizers, this alone takes as long as all else here.
    sliced = [command("slice", "--at=replay.c:17", path, env={"VALGRIND": harness.VALGRIND}, program=commandlib.PLAIN)
              for path in (rec, rec + ".wet")]
    tap.ok(sliced[0][0] == 0 and sliced[0][1] == sliced[1][1], "slice: the whole run", sliced[0][2])
    os.utime(rec)
    stale = question(["why", rec, "replay.c:17"])
    tap.ok(stale[1] == first[1] and any(x.startswith("replaying") for x in stale[2]), "a window of an older recording is made again", stale)
    never = question(["why", rec, "replay.c:99"])
    tap.ok(never[0] == 2, "a line that is not there", never)
    alone = command("why", rec, "replay.c:17", env={"VALGRIND": "", "PATH": "/nowhere"})
    tap.ok(alone[0] == 0 and alone[1] == first[1], "a window that is there needs no Valgrind", alone)
    # Without a file, the recording is the newest; its windows are not taken for recordings of their own.
    status, out, err = command("why", "replay.c:17", cwd=os.path.dirname(rec), env={"VALGRIND": harness.VALGRIND})
    tap.ok(status == 0 and "reading %s, the newest" % os.path.basename(rec) in err, "the newest recording", err)
    bad = put(tap, os.path.relpath(rec + ".last-250000.checkpoint", tap.dir), b"no checkpoint")
    told = question(["why", rec, "--window=999", "replay.c:17"])
    tap.ok(any(bad + " is not used: " in x for x in told[2]) and os.path.exists(rec + ".last-999.wet"), "a checkpoint that is none is told", told)
    os.unlink(bad)
    gdb = [command("gdb", "--serve", *args, rec, env={"VALGRIND": harness.VALGRIND}, stdin=subprocess.DEVNULL)
           for args in (["--window=1000"], ["--window=all"])]
    tap.ok(all(r[0] == 0 for r in gdb) and ".last-1000.wet: numbers #N" in gdb[0][2] and rec + ".wet\n" in gdb[1][2], "gdb: a window", gdb)


def obey_permissions():
    """From here on, the process may not write where permissions forbid it, not even as root."""
    ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)     # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE: as root, it fails only in a container that has not got it


def check_read_only(tap, rec):
    """Windows are in the user's cache if no file can be made beside the recording."""
    folder, cache = tap.path("read-only"), tap.path("cache")
    os.mkdir(folder)
    there = shutil.copy(rec, folder)
    os.chmod(folder, 0o555)
    env = {"VALGRIND": harness.VALGRIND, "XDG_CACHE_HOME": cache}
    first, again = (command("why", there, "replay.c:17", env=env, program=commandlib.PLAIN, preexec_fn=obey_permissions) for _ in range(2))
    made = sorted(os.listdir(cache + "/dcfg")) if os.path.isdir(cache + "/dcfg") else []
    tap.ok(first[0] == 0 and os.listdir(folder) == [os.path.basename(rec)] and [re.sub("-[0-9a-f]{16}", "", x) for x in made]
           == [os.path.basename(rec) + ".last-250000.wet", os.path.basename(rec) + ".last-250000.wet.idx"],
           "a recording whose directory cannot be written", (first, made, os.listdir(folder)))
    tap.ok(again[:2] == first[:2] and "replaying" in first[2] and "replaying" not in again[2], "the next question finds the window in the cache", again)
    os.chmod(folder, 0o755)


def check_full_disk(tap, rec):
    """Windows are in the user's cache if the disk of the recording is full."""
    folder, cache = tap.path("full"), tap.path("cache-of-full")
    os.mkdir(folder)
    mount = "mount -t tmpfs -o size=%d none %s && " % (os.path.getsize(rec) + 65536, folder)
    if subprocess.run(["unshare", "-rm", "sh", "-c", mount + "true"], stderr=subprocess.DEVNULL).returncode:
        tap.skip("a recording on a full disk", "no file system can be mounted")
        return
    env = dict(harness.ENV, VALGRIND=harness.VALGRIND, XDG_CACHE_HOME=cache)
    asked = "%s why %s/full.rec replay.c:17" % (commandlib.PLAIN, folder)
    r = subprocess.run(["unshare", "-rm", "sh", "-c", "%s cp %s %s/full.rec && %s && %s" % (mount, rec, folder, asked, asked)],
                       env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    half = r.stdout[:len(r.stdout) // 2]
    tap.ok(r.returncode == 0 and half and r.stdout == 2 * half and b"replaying" in r.stderr.split(b".wet.idx")[0]
           and b"replaying" not in r.stderr.split(b".wet.idx")[-1], "a recording on a full disk, and the next question", r)


def check_regions(tap, rec):
    """Instructions before a place that is counted from the end, and those behind it, are all."""
    counts = []
    for options in ([], ["--start=end-99999999", "--stop=end-700000"], ["--start=end-700000"], ["--start=end-700000", "--stop=end-1"],
                    ["--start=end-1"]):
        path = tap.path("region%d.json" % len(counts))
        r = command("replay", rec, "--", "--replay-output=no", "--dcfg-out-file=" + path, *options, env={"VALGRIND": harness.VALGRIND})
        tap.ok(os.path.exists(path) and command("check", path)[0] == 0, "a region of a replay: " + " ".join(options), r)
        counts.append(json.loads(harness.read(path))["PROCESSES"][1][1]["INSTR_COUNT"])
    tap.ok(counts[0] == counts[1] + counts[2] and counts[2] == counts[3] + counts[4] and 0 < counts[4] < 100 and counts[3] > 700000,
           "before and behind a place are all", counts)
    r = command("replay", rec, "--", "--start=end-5", "--stop=end-6", env={"VALGRIND": harness.VALGRIND})
    tap.ok("must be less than that of the --start" in r[2] and r[0] != 0, "a stop before the start", r)
    r = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--start=end-5", "/bin/true"], env=harness.ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    tap.ok(r.returncode != 0 and b"where the run ends is known in the replay" in r.stderr, "without a replay", r)


def check_killed(tap, rec):
    """The end of a recording is not known, so windows cannot be counted from there: the whole run is replayed."""
    data = harness.read(rec, "rb")
    cut = put(tap, "cut.rec", data[:data.rindex(b"DRBK")])
    status, out, said = question(["why", cut, "replay.c:17"])
    tap.ok(status in (0, 2) and not glob.glob(cut + ".last-*"), "a process that was killed", (status, out, said))


def check_parted(tap, rec):
    """A replay that comes to another place than the run: one line, and no file.  Checkpoints before that place are right."""
    record = reclib.Record(harness.read(rec, "rb"))
    data = bytearray(record.all(reclib.EVENTS))
    calls = [e[0] for e in reclib.events(bytes(data)) if e[1] == "S"]
    data[calls[-2]] = ord("G")
    record.blocks = [[reclib.EVENTS, bytes(data)]] + [b for b in record.blocks if b[0] != reclib.EVENTS]
    bad = put(tap, "parted.rec", record.bytes())
    status, out, err = command("replay", "-o", tap.path("parted"), bad, env={"VALGRIND": harness.VALGRIND})
    tap.ok(status == 125 and "cannot be replayed beyond superblock" in err and not os.listdir(tap.path("parted")), "replay: it parts from the run", (status, err))
    status, out, err = command("why", bad, "replay.c:17", env={"VALGRIND": harness.VALGRIND})
    made = [p for p in glob.glob(bad + ".*") if not p.endswith(".checkpoint")]
    tap.ok(status == 2 and not out and "the replay failed: dcfg: " in err.splitlines()[-1] and not made, "why: it parts from the run",
           (status, out, err, made))


def main():
    tap = harness.Tap("replay")
    check_list(tap)
    check_messages(tap)
    check_valgrind(tap)
    check_mutants(tap)
    prog = harness.program(tap, "cmd/replay.c", "-static", "-O1", "-fno-inline")
    rec, printed, status, err = record(tap, "run", [prog, "x"]) if prog else (None, "", 0, "")
    if tap.ok(rec, "a recording", err):
        check_replay(tap, rec, printed, status)
        check_regions(tap, rec)
        check_windows(tap, rec)
        check_read_only(tap, rec)
        check_full_disk(tap, rec)
        check_killed(tap, rec)
        check_parted(tap, rec)
    tap.done()


main()
