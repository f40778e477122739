#!/usr/bin/python3
"""dcfg record pack: a recording with the files that its replay needs.  (TAP)

The program is moved away when it has been packed: what replays then comes from the pack.  Archives that Python's tarfile makes, to
do harm or damaged, are refused in one line, and leave nothing behind.
"""
import glob
import gzip
import io
import os
import random
import re
import shutil
import stat
import subprocess
import sys
import tarfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import rec_by_hand
from commandlib import command, one_line

PAIRS = [("tool", "1.0.0"), ("valgrind", "9.9.9"), ("tool-build", "0123456789abcdef"), ("platform", "amd64-linux"), ("program", "/bin/true"),
         ("command", "/bin/true"), ("directory", "/"), ("start", "2026-01-31T12:34:56Z"), ("pid", 4711), ("parent", 42)]
REC = rec_by_hand.recording(PAIRS)


def build_id(path):
    out = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    found = re.search(r"Build ID: (\w+)", out)
    return found.group(1) if found else None


def archive(entries, format=tarfile.USTAR_FORMAT):
    """Returns a tar file; an entry is a name, its bytes, and members of its TarInfo."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as tar:
        for name, data, *more in entries:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for key, value in (more[0] if more else {}).items():
                setattr(info, key, value)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def put(tap, name, data):
    return harness.write(tap.path(name), data)


def question(*args, **more):
    return command(*args, env={"VALGRIND": harness.VALGRIND}, **more)


def nothing_left(tap, name):
    return not glob.glob(tap.path(name + ".unpacked*"))


# ---- archives that others made -------------------------------------------------------------------------------------------------

def check_hostile(tap):
    first = ("recording.rec", REC)
    link = {"type": tarfile.SYMTYPE, "linkname": "/etc"}
    cases = [("up", [first, ("../up", b"x")], "it has a file `../up'"), ("inside", [first, ("root/../../up", b"x")], "it has a file `root/../../up'"),
             ("dot", [first, ("root/./up", b"x")], "it has a file"), ("empty", [first, ("root//up", b"x")], "it has a file"),
             ("whole", [first, ("/up", b"x")], "it has a file `/up'"), ("other", [first, ("up", b"x")], "it has a file `up'"),
             ("link", [first, ("root/a", b"", link), ("root/a/up", b"x")], "root/a is no regular file"),
             ("hard", [first, ("root/a", b"", {"type": tarfile.LNKTYPE, "linkname": "recording.rec"})], "root/a is no regular file"),
             ("pipe", [first, ("root/a", b"", {"type": tarfile.FIFOTYPE})], "root/a is no regular file"),
             ("folder", [first, ("root/a", b"", {"type": tarfile.DIRTYPE})], "root/a"),
             ("twice", [first, ("root/a", b"x"), ("root/a", b"y")], "root/a is there twice"),
             ("below", [first, ("root/a", b"x"), ("root/a/b", b"y")], "Not a directory")]
    for name, entries, words in cases:
        path = put(tap, name + ".tar", archive(entries))
        one_line(tap, *question("replay", path), words, "replay: " + name)
        tap.ok(nothing_left(tap, name) and not os.path.exists(tap.path("up")), "nothing is left: " + name, os.listdir(tap.dir))
    whole = archive([first, ("root/a", b"x" * 5000)])
    at = 512 + (len(REC) + 511) // 512 * 512           # the head of root/a
    for name, data, words in (("cut", whole[:at + 3000], "it ends too early"), ("headless", whole[:at], "it ends too early"),
                              ("sum", whole[:at + 5] + b"?" + whole[at + 6:], "a check sum is wrong"),
                              ("gzip", gzip.compress(whole)[:-60], "gzip data"),
                              ("size", resummed(whole, at, b"77777777777\0"), "too much disk space"),
                              ("number", resummed(whole, at, b"-1         \0"), "a size is no number"),
                              ("binary", resummed(whole, at, b"\x80" + b"\xff" * 11), "a size is no number")):
        path = put(tap, name + ".tar", data)
        one_line(tap, *question("replay", path), words, "replay: " + name)
        one_line(tap, *question("why", path, "main.c:1"), words, "why: " + name)
        tap.ok(nothing_left(tap, name), "nothing is left: " + name, os.listdir(tap.dir))
    bomb = put(tap, "bomb.tar.gz", gzip.compress(archive([first, ("root/a", bytes(3 << 20))])))
    one_line(tap, *question("replay", "--disk=1", bomb), "allow more with --disk", "a file of zeros, and --disk")
    many = put(tap, "many.tar.gz", gzip.compress(archive([first] + [("root/%d" % i, b"") for i in range(2100)])))
    one_line(tap, *question("replay", "--disk=1", many), "allow more with --disk", "empty files, and --disk")
    tap.ok(nothing_left(tap, "bomb") and nothing_left(tap, "many"), "nothing is left")
    status, out, err = command("list", "--csv", tap.dir)
    tap.ok(status == 0 and "pack" in out, "list: packs", out + err)
    one_line(tap, *command("report", tap.path("twice.tar")), "is a packed recording for replays, not a DCFG: use `dcfg replay", "another command")


def resummed(data, at, size):
    """Returns DATA with another size in the head at AT, whose check sum is right."""
    head = bytearray(data[at:at + 512])
    head[124:136] = size
    head[148:156] = b"        "
    head[148:156] = b"%06o\0 " % sum(head)
    return data[:at] + bytes(head) + data[at + 512:]


def check_mutants(tap):
    """Heads with any bytes and right sums: nothing crashes, and nothing is written elsewhere."""
    rng, folder = random.Random(4711), tap.path("mutants")
    whole, wrong = archive([("recording.rec", REC), ("root/a/b", b"x" * 700), ("builds", b"00 /a/b\n")]), []
    heads = [0, 512 + (len(REC) + 511) // 512 * 512]
    heads.append(heads[1] + 512 + 1024)
    os.mkdir(folder)
    for i in range(1000 if os.environ.get("DCFG_SLOW") else 80):
        data, at = bytearray(whole), rng.choice(heads[1:])
        for _ in range(rng.choice((1, 2, 8))):
            data[at + rng.choice((rng.randrange(100), rng.randrange(124, 157), rng.randrange(345, 500)))] = rng.choice((0, 46, 47, 48, 50, 255, rng.randrange(256)))
        data = resummed(bytes(data), at, bytes(data[at + 124:at + 136])) if rng.random() < 0.9 else bytes(data)
        path = put(tap, "mutants/%d.tar" % i, data)
        status, out, err = question("replay", path)
        if status != 2 or len(err.splitlines()) > 2 or "Sanitizer" in err:
            wrong.append((i, status, out, err))
    left = [n for n in os.listdir(folder) if not re.fullmatch(r"\d+\.(tar|unpacked)", n)]
    tap.ok(not wrong and not left, "mutants: one line each, and no file but theirs", (wrong[:3], left))


def check_messages(tap):
    rec = put(tap, "messages.rec", REC)
    graph = put(tap, "graph.json", b'{ "MAJOR_VERSION" : 1 }')
    one_line(tap, *command("record", "unpack", rec), "`unpack' is nothing that dcfg record does", "record: not pack")
    one_line(tap, *command("record", "pack", graph), "not a recording for replays", "record pack: a graph")
    one_line(tap, *command("record", "pack", tap.path("missing")), "cannot open", "record pack: a missing file")
    gone = put(tap, "gone.rec", rec_by_hand.recording(PAIRS, [(tap.path("gone"), "00ff")]))
    one_line(tap, *command("record", "pack", gone), "gone, which it mapped, cannot be read", "record pack: a library that is gone")
    copy = tap.path("copy")
    shutil.copy("/bin/true", copy)
    other = put(tap, "other.rec", rec_by_hand.recording(PAIRS, [(copy, "00ff")]))
    one_line(tap, *command("record", "pack", other), "copy is another build", "record pack: a library of another build")
    deep = tap.dir + "".join("/" + "d" * 120 for _ in range(2)) + "/" + "f" * 120
    os.makedirs(os.path.dirname(deep))
    shutil.copy("/bin/true", deep)
    long = put(tap, "long.rec", rec_by_hand.recording(PAIRS, [(deep, build_id("/bin/true") or "size-1-sum-1")]))
    one_line(tap, *command("record", "pack", long), "its name is too long", "record pack: a long name")
    tap.ok(not glob.glob(tap.path("*.rec.tar.zst*")), "nothing is written")
    r = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--replay=" + rec, "--replay-root=/nowhere"], env=harness.ENV, stderr=subprocess.PIPE)
    tap.ok(r.returncode != 0 and b"--replay-root=/nowhere: No such file" in r.stderr, "--replay-root: no directory", r.stderr)


# ---- packs of the command ------------------------------------------------------------------------------------------------------

def check_archive(tap, pack, prog, rec):
    """The archive has the recording, all files and their builds, and is private."""
    with tarfile.open(pack) as tar:
        files = {m.name: tar.extractfile(m).read() for m in tar if m.isreg()}
    tap.ok(files.pop("recording.rec") == harness.read(rec, "rb"), "the recording is there")
    rows = dict(reversed(line.split(" ", 1)) for line in files.pop("builds").decode().splitlines())
    tap.ok({"root" + p for p in rows} == set(files), "each file has a row in the list", (sorted(rows), sorted(files)))
    wrong = []
    for path, build in rows.items():
        data = harness.read(path, "rb")
        if files["root" + path] != data or (data[:4] == b"\x7fELF" and build_id(path) not in (None, build)):
            wrong.append(path)
    tap.ok(not wrong and prog in rows and any("ld-linux" in p for p in rows) and any("libc.so" in p for p in rows),
           "files and builds are those of the machine", (wrong, rows))
    tap.ok("/usr/lib/os-release" in rows or not os.path.exists("/usr/lib/os-release"), "a file of the system that the program mapped", rows)
    tap.ok(stat.S_IMODE(os.stat(pack).st_mode) == 0o600, "the archive is private")


def graph_of(tap, file, name):
    """Replays FILE; returns status, output, messages and the graph."""
    path = tap.path(name + ".json")
    status, out, err = question("replay", file, "--", "-q", "--dcfg-out-file=" + path)
    return (status, out, harness.read(path if os.path.exists(path) else os.devnull, "rb")), err


def check_pack(tap, prog):
    rec, away = tap.path("run.rec"), prog + ".away"
    r = subprocess.run([harness.VALGRIND, "-q", "--tool=dcfg", "--record=yes", "--record-out-file=" + rec, prog, "x"], env=harness.ENV,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not tap.ok(os.path.exists(rec), "a recording", r.stderr):
        return
    here, _ = graph_of(tap, rec, "here")
    tap.ok(here[:2] == (r.returncode, r.stdout.decode()) and here[2], "a replay of the recording", here[:2])
    packs = [tap.path("pack.tar" + suffix) for suffix in ("", ".gz", ".zst") if suffix != ".zst" or shutil.which("zstd")]
    for pack in packs:
        status, out, err = command("record", "pack", rec, "-o", pack)
        tap.ok(status == 0 and not out and "wrote %s: the recording and " % pack in err, "record pack: " + pack, out + err)
    check_archive(tap, packs[0], prog, rec)
    os.rename(prog, away)
    source = question("why", rec, "packed.c:23")
    one_line(tap, *source, "which it mapped, cannot be read", "without the program")
    for pack in packs:
        there, err = graph_of(tap, pack, "there")
        tap.ok(there == here, "the same output, status and graph from " + pack, (there[:2], err))
        tap.ok(err.count("unpacked") == 2 and len(err.splitlines()) == 1, "it is unpacked, and said", err)
        if pack != packs[-1]:
            shutil.rmtree(tap.path("pack.unpacked"))
    again, err = graph_of(tap, packs[-1], "again")
    tap.ok(again == here and not err, "it is unpacked once", err)
    folder = tap.path("pack.unpacked")
    tap.ok(stat.S_IMODE(os.stat(folder).st_mode) == 0o700, "only the user may enter the directory")
    root = folder + "/root"
    links = [os.path.join(d, f) for d, _, names in os.walk(root) for f in names if os.path.islink(os.path.join(d, f))]
    named = re.search(r"interpreter: (\S+?)\]", subprocess.run(["readelf", "-l", away], stdout=subprocess.PIPE).stdout.decode())
    tap.ok(named and os.path.realpath(root + named[1]).startswith(os.path.realpath(root) + "/") and len(links) <= 1
           and os.path.isfile(root + named[1]), "the dynamic linker is there by the program's name for it", (named, links))
    inside, err = graph_of(tap, folder + "/recording.rec", "inside")
    tap.ok(inside == here, "the recording in the directory finds its files", err)
    check_questions(tap, packs[-1], prog, away)
    os.utime(packs[-1], (1 << 31, 1 << 31))
    one_line(tap, *question("replay", packs[-1]), "pack.unpacked is older than", "an archive that is newer")
    one_line(tap, *question("replay", rec, "--", "-q"), "which it mapped", "the recording alone")


def check_questions(tap, pack, prog, away):
    """Answers without the program are those with it."""
    without = [question("why", pack, "packed.c:23"), question("slice", "--at=packed.c:23", pack)]
    tap.ok(without[0][0] == 0 and "packed.c:23" in without[0][1] and glob.glob(tap.path("pack.unpacked/recording.rec.*wet")),
           "why: its window is beside the unpacked recording", without[0])
    gdb = question("gdb", "--serve", pack, stdin=subprocess.DEVNULL)
    tap.ok(gdb[0] == 0 and "reading " + tap.path("pack.unpacked/recording.rec") in gdb[2] and len(gdb[2].splitlines()) == 1, "gdb: a pack", gdb)
    os.rename(away, prog)
    with_it = [question("why", pack, "packed.c:23"), question("slice", "--at=packed.c:23", pack)]
    os.rename(prog, away)
    tap.ok([w[:2] for w in without] == [w[:2] for w in with_it], "why and slice: the same answers with the program", (without, with_it))


def main():
    tap = harness.Tap("pack")
    check_hostile(tap)
    check_mutants(tap)
    check_messages(tap)
    prog = harness.program(tap, "cmd/packed.c", "-O0", "-g")
    if prog:
        own = shutil.copy(prog, tap.path("own"))        # other tests may take the same program
        check_pack(tap, own)
    tap.done()


main()
