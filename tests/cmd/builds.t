#!/usr/bin/python3
"""Builds of files: BUILD_ID and CODE_HASH of the graph, and the build ids of a whole execution trace, against the
files; and no command takes the file of another build for the executed one.  (TAP)
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command

# Another build has another comparison than LESS.  The program replaces its file and its library's by other builds (arguments
# 2 to 5), before and after it runs their code.
PROGRAM = harness.text("cmd/builds.c")
LIBRARY = "int twice(int n)\n{\n   return n LESS 50 ? 2 * n : n;\n}\n"
SAYS = " is not the file that was executed: "


def build(tap, name, build_id, less):
    """Builds the program and its library; returns both paths."""
    program, library = tap.path(name), tap.path(name + ".so")
    for text, path, flags in ((PROGRAM, program, ["-no-pie"] if "fixed" in name else []),
                              (LIBRARY, library, ["-shared", "-fPIC"])):
        source = harness.written(tap, os.path.basename(path) + ".c", text)
        subprocess.run(["cc", "-O1", "-g", "-DLESS=" + less, "-Wl,--build-id=" + build_id, "-o", path, source, "-ldl"] + flags,
                       check=True)
    return program, library


def segments(data):
    """Returns (type, flags, offset, address, size in the file) of each segment."""
    at, = struct.unpack_from("<Q", data, 32)
    size, n = struct.unpack_from("<HH", data, 54)
    return [struct.unpack_from("<IIQQ", data, at + i * size) + struct.unpack_from("<Q", data, at + i * size + 32)
            for i in range(n)]


def note_of(data):
    """Return the offset of the note with the build id in the file, or None."""
    for kind, _, offset, _, size in segments(data):
        at = offset
        while kind == 4 and at < offset + size:
            name, desc, what = struct.unpack_from("<III", data, at)
            if what == 3 and data[at + 12:at + 16] == b"GNU\0":
                return at
            at += 12 + (name + 3 & -4) + (desc + 3 & -4)
    return None


def build_of(path):
    """Returns ("BUILD_ID" or "CODE_HASH", text) of a file, by its description in docs/reference.md."""
    data = harness.read(path, "rb")
    note = note_of(data)
    if note is not None:
        return "BUILD_ID", data[note + 16:note + 16 + struct.unpack_from("<I", data, note + 4)[0]].hex()
    h, headers = 0xCBF29CE484222325, struct.unpack_from("<Q", data, 32)[0] + 56 * len(segments(data))
    for kind, flags, offset, _, size in segments(data):
        if kind == 1 and flags & 1:
            for byte in data[max(offset, headers):offset + size]:
                h = (h ^ byte) * 0x100000001B3 % (1 << 64)
    return "CODE_HASH", hex(h)


def images(path):
    """Returns the IMAGE_DATA of each file."""
    d = json.loads(harness.read(path))
    names = {r[0]: r[1] for r in d["FILE_NAMES"][1:]}
    return {names[r[3]["FILE_NAME_ID"]]: r[3] for r in d["PROCESSES"][1][1]["IMAGES"][1:]}


def told(path):
    """Returns the (member, value) of each file of a graph."""
    return {name: next(((k, data[k]) for k in ("BUILD_ID", "CODE_HASH") if k in data), None)
            for name, data in images(path).items()}


def record(tap, name, program, *args):
    graph, wet = tap.path(name + ".json"), tap.path(name + ".wet")
    r = subprocess.run([harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=" + graph, "--wet=yes",
                        "--wet-out-file=" + wet, program] + list(args), env=harness.ENV, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.TIMEOUT)
    return r.returncode, r.stderr.decode(errors="replace"), graph, wet


def opens(graph, wet, out):
    """Returns all commands that open the program's file."""
    return [("disasm", ["disasm", "--function=work", graph]), ("disasm --sde", ["disasm", "--sde", "--function=work", graph]),
            ("dot --code", ["dot", "--code", "--routine=work", graph]), ("export --bolt", ["export", "--bolt", "-o", out, graph]),
            ("export --profgen", ["export", "--profgen", "-o", out, graph]),
            ("export --lcov", ["export", "--lcov", "-o", out, graph]), ("export --mca", ["export", "--mca", "-o", out, graph]),
            ("slice --of", ["slice", "--at=" + line_of(wet), "--of=n", wet])]


def line_of(wet):
    with open(re.sub(r"\.wet$", ".c", wet)) as f:
        return "%s:%d" % (re.sub(r"\.wet$", ".c", wet), f.read().split("\n").index("   int sum = 0;") + 1)


def check_files(tap, name, program, graph, wet, build_id):
    out = tap.path("out")
    kept, (other, _) = tap.path("kept"), build(tap, name + "-other", build_id, ">")
    shutil.copy(program, kept)
    for what, prepare, good in (
            ("the same", lambda: None, True), ("stripped", lambda: subprocess.run(["strip", program], check=True), True),
            ("another one", lambda: shutil.copy(other, program), False),
            ("another one, stripped", lambda: subprocess.run(["strip", program], check=True), False)):
        prepare()
        for form, args in opens(graph, wet, out):
            if "stripped" in what and form in ("export --lcov", "slice --of"):
                continue                                    # these say that there are no lines, or variables
            status, text, err = command(*args)
            if good:
                tap.ok(status == 0 and SAYS not in err, "%s: %s: %s" % (name, what, form), err)
            else:
                tap.ok(status == 2 and program + SAYS in err and err.count("\n") <= 2 and not os.path.exists(out)
                       and not re.search(r"\b(cmp|imul|XDIS)\b", text), "%s: %s: %s: refused" % (name, what, form), err + text)
            if os.path.exists(out):
                os.remove(out)
    os.remove(program)
    for form, args in opens(graph, wet, out):
        status, text, err = command(*args)
        tap.ok(program in err and SAYS not in err and status == (0 if form.startswith(("disasm", "dot")) else 2),
               "%s: no file: %s" % (name, form), err)
    shutil.copy(kept, program)


def check_merge(tap, name, graph, build_id):
    """The other build at the same path: symbols and blocks are the same, the build is not."""
    d = json.loads(harness.read(graph))
    out = tap.path("merged.json")
    status, _, err = command("merge", "-o", out, graph, graph)
    tap.ok(status == 0 and told(out) == told(graph), name + ": a sum is of the same builds", err)
    for row in d["PROCESSES"][1][1]["IMAGES"][1:]:
        for key in ("BUILD_ID", "CODE_HASH"):
            if key in row[3]:
                row[3][key] = "0xdeadbeef"
    changed = tap.path("changed.json")
    harness.write(changed, json.dumps(d))
    os.remove(out)
    status, _, err = command("merge", "-o", out, graph, changed)
    tap.ok(status == 2 and "use --builds=apart" in err and not os.path.exists(out),
           name + ": other builds are not merged", err)


def check_old(tap, name, program, graph):
    """A graph without ids: blocks tell which file ran."""
    d = json.loads(harness.read(graph))
    for row in d["PROCESSES"][1][1]["IMAGES"][1:]:
        row[3].pop("BUILD_ID", None), row[3].pop("CODE_HASH", None)
    old = tap.path("old.json")
    harness.write(old, json.dumps(d))
    status, _, err = command("export", "--bolt", "-o", tap.path("out"), old)
    tap.ok(status == 0 and program + " may be what was executed: " in err, name + ": a graph without ids", err)


def check_debug_file(tap):
    """A debug link leads to debug information of another build."""
    program, library = build(tap, "linked", "sha1", "<")
    _, err, graph, wet = record(tap, "linked", program, library)
    other, _ = build(tap, "linked-other", "sha1", ">")
    debug = tap.path("linked.debug")
    subprocess.run(["objcopy", "--only-keep-debug", other, debug], check=True)
    subprocess.run(["objcopy", "--strip-debug", "--add-gnu-debuglink=" + debug, program], check=True)
    status, text, err = command("export", "--lcov", "-o", tap.path("out"), graph)
    tap.ok(status == 2 and "no source lines" in err, "a debug file of another build: export --lcov", err + text)
    status, text, err = command("slice", "--at=" + line_of(wet), "--of=n", wet)
    tap.ok(status == 2 and "has no debug information" in err, "a debug file of another build: slice --of", err + text)


def check_replaced(tap, build_id):
    """A recording is of the file that ran, even if another one has replaced it since."""
    program, library = build(tap, "replaced-" + build_id, build_id, "<")
    others = build(tap, "replacing-" + build_id, build_id, ">")
    want = {program: build_of(program), library: build_of(library)}
    status, err, graph, _ = record(tap, "replaced-" + build_id, program, library, others[0], program, others[1], library)
    got = {k: v for k, v in told(graph).items() if k in want}
    tap.ok(status == 0 and got == want and build_of(program) != want[program] and build_of(library) != want[library],
           "replaced while it runs, --build-id=" + build_id, "%s\n%s\n%s" % (err, got, want))


# Loads a file into an anonymous mapping and runs it: Valgrind's own reader of ELF does not look there.
LOADER = r"""
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char** argv)
{
   char* at = mmap((void*)0x30000000, 8192, 7, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
   if (at == MAP_FAILED || read(open(argv[1], O_RDONLY), at, 8192) <= 0)
      return 1;
   ((void (*)(void))(at + 4096))();
   return 0;
}
"""


def an_object(**other):
    """Returns 8192 bytes: a header, segments for code and notes, a note with an id, and at 4096 a RET."""
    v = dict(phoff=64, phentsize=56, phnum=2, vaddr=0, offset=0, flags=5, filesz=8192, note=512, notes=20, align=4, namesz=4,
             descsz=4, kind=3)
    v.update(other)
    data = bytearray(8192)
    data[:16] = b"\x7fELF\2\1\1" + bytes(9)
    struct.pack_into("<HHIQQQIHHHHHH", data, 16, 3, 62, 1, 0, v["phoff"], 0, 0, 64, v["phentsize"], v["phnum"], 0, 0, 0)
    struct.pack_into("<IIQQQQQQ", data, 64, 1, v["flags"], v["offset"], v["vaddr"], 0, v["filesz"], v["filesz"], 4096)
    struct.pack_into("<IIQQQQQQ", data, 120, 4, 4, 512, v["note"], 0, v["notes"], v["notes"], v["align"])
    struct.pack_into("<III4s4s", data, 512, v["namesz"], v["descsz"], v["kind"], b"GNU", b"\xab\xcd\xef\x01")
    data[4096] = 0xC3
    return data


def check_hostile(tap):
    """Objects with wrong headers."""
    source, blob, most, high = tap.path("loader.c"), tap.path("blob"), 0xFFFFFFFFFFFFFFFF, 1 << 63
    harness.write(source, LOADER)
    loader = harness.cc(tap, source, "loader", "-static")
    for what, want, changes in (
            ("an object", "BUILD_ID", {}), ("an id of 4 GB", "CODE_HASH", {"descsz": 0xFFFFFFFF}),
            ("a name of 4 GB", "CODE_HASH", {"namesz": 0xFFFFFFFF}), ("a name that wraps around", "CODE_HASH", {"namesz": 0xFFFFFFF4}),
            ("an id that wraps around", "CODE_HASH", {"descsz": 0xFFFFFFF0}), ("an empty id", "CODE_HASH", {"descsz": 0}),
            ("an id behind the notes", "CODE_HASH", {"descsz": 8}), ("another kind", "CODE_HASH", {"kind": 7}),
            ("notes behind the mapping", "CODE_HASH", {"note": 8192 - 16}), ("notes that wrap around", "CODE_HASH", {"note": most - 15}),
            ("endless notes", "CODE_HASH", {"notes": most, "kind": 7}), ("an odd alignment", "BUILD_ID", {"align": 3}),
            ("headers that are nowhere", None, {"phoff": high}), ("headers that wrap around", None, {"phoff": most - 63}),
            ("headers at the end", None, {"phoff": 8191}), ("65,535 headers", None, {"phnum": 65535}),
            ("no headers", None, {"phnum": 0}), ("small headers", None, {"phentsize": 8}),
            ("an address beyond all", "CODE_HASH", {"vaddr": high}), ("an offset beyond all", None, {"offset": high}),
            ("code", "CODE_HASH", {"kind": 7}), ("code that is written to", None, {"kind": 7, "flags": 7}),
            ("endless code", None, {"kind": 7, "filesz": most}), ("code behind the mapping", None, {"kind": 7, "filesz": 8193})):
        harness.write(blob, an_object(**changes))
        status, err, graph, _ = record(tap, "hostile", loader, blob)
        got = told(graph).get("[anon]", ("no image",)) if status == 0 else ("no graph",)
        tap.ok(status == 0 and (got and got[0]) == want, "hostile: " + what, "%s %s" % (err, got))


def check_texts(tap, graph, program):
    """A recording may have anything for an id."""
    text = harness.read(graph)
    for what, value in (("an escape", '"\\u001b[31m"'), ("nothing", '""'), ("long", '"%s"' % ("ab" * 5000))):
        changed = harness.written(tap, "texts.json", re.sub(r'("BUILD_ID" : )"[^"]*"', lambda m: m.group(1) + value, text))
        status, out, err = command("export", "--bolt", "-o", tap.path("out"), changed)
        tap.ok(status == 2 and program + SAYS in err and "\x1b" not in err and len(err) < 1000, "an id that is " + what, err)


def main():
    tap = harness.Tap("builds")
    for build_id in ("sha1", "none", "0x77aa"):
        for kind in ("pie", "fixed"):
            name = "%s-%s" % (kind, build_id)
            program, library = build(tap, name, build_id, "<")
            status, err, graph, wet = record(tap, name, program, library)
            got = told(graph)
            files = {f: build_of(f) for f in got if f.startswith("/")}
            tap.ok(status == 0 and program in files and library in files and len(files) >= 4
                   and {f: got[f] for f in files} == files, name + ": the graph has what the files have", "%s\n%s" % (got, files))
            harness.check_rules(tap, name, graph)
            if build_id == "none" or name == "pie-sha1":
                check_files(tap, name, program, graph, wet, build_id)
                check_merge(tap, name, graph, build_id)
                check_old(tap, name, program, graph)
            if name == "fixed-sha1":
                check_texts(tap, graph, program)
    for build_id in ("sha1", "none"):
        check_replaced(tap, build_id)
    check_debug_file(tap)
    check_hostile(tap)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
