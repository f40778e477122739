#!/usr/bin/python3
"""Objects that are unloaded, and loaded again at the same address.  They are one image if the file and the executed code are
the same, at no growing cost.  Otherwise each is a generation of its own.  (TAP)
"""
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
import tracelib
from lifelib import Dcfg, check, equal, run

NUMBER = {"plugin": bytes.fromhex("67452301"), "idle": bytes.fromhex("21436507")}
MANY = 1000
BUILD_ID = bytes.fromhex("04000000" "14000000" "03000000") + b"GNU\0"


def variant(tap, path, name, at, offset=0):
    """Copies an object, and changes one byte, which is found by its surroundings."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    if not tap.ok(data.count(at) == 1, "%s: there is one place to change" % name, data.count(at)):
        return None
    data[data.index(at) + offset] ^= 1
    out = tap.path(name)
    with open(out, "wb") as f:
        f.write(data)
    return out


def shape(d, image):
    """Return a file's description of an image, without counts."""
    return (image.load, image.symbols, image.source, sorted((b.start, b.ninstr) for b in image.blocks))


def check_one_object(tap, prog, plugin):
    """Lackey's trace has one instruction for an address, however often it was loaded."""
    argv = [prog, plugin, "-", "3", "20"]
    tracelib.crosscheck(tap, "20 loads", argv)
    once, r = (run(tap, name, [prog, plugin, "-", calls, loads])
               for name, calls, loads in (("once", "60", "1"), ("20", "3", "20")))
    if check(tap, "1 load", once, 1) and check(tap, "20 loads", r, 1):
        a, b = Dcfg(once.files[0]), Dcfg(r.files[0])
        equal(tap, "20 loads: one image with all calls", [n for _, n in b.by_image("plugin")], [60])
        (one, _), (many, _) = a.by_image("plugin")[0], b.by_image("plugin")[0]
        tap.ok(shape(a, one) == shape(b, many) and many.symbols and many.source,
               "20 loads: symbols, lines and blocks as of one load")


def check_changes(tap, prog, loaded):
    """The object is written anew, in place."""
    files = {"same": loaded, "-": "-", "+": "+"}
    for name, at, offset in (("code", NUMBER["plugin"], 0), ("idle", NUMBER["idle"], 0),
                             ("id", BUILD_ID, len(BUILD_ID))):
        files[name] = variant(tap, loaded, "loaded_%s.so" % name, at, offset)
    if not all(files.values()):
        return
    for name, contents, want in (
            # Contents in the order of loading, with their numbers of loads, and the calls of each image.
            ("written anew, nothing changed", ["same"] * 3, [1 + 2 + 4]),
            ("what did not run is changed", ["same", "idle", "same"], [1 + 2 + 4]),
            ("what ran is changed", ["same", "code"], [1, 2]),
            ("changed and changed back", ["same", "code", "same", "code", "code"], [1 + 4, 2 + 8 + 16]),
            ("another object with the same code", ["same", "id", "same"], [1 + 4, 2]),
            ("another file with the same name", ["-", "-", "+", "-"], [1 + 2, 4 + 8])):
        label = name.replace(" ", "_").replace(",", "")
        path = shutil.copy(loaded, tap.path(label + ".so"))
        steps = [s for i, c in enumerate(contents) for s in (files[c], str(1 << i), "1")]
        r = run(tap, label, [prog, path] + steps)
        if check(tap, name, r, 1):
            got = [(im.load, n) for im, n in Dcfg(r.files[0]).by_image("plugin")]
            equal(tap, name + ": calls by image", sorted(n for _, n in got), sorted(want))
            equal(tap, name + ": in one place", len({load for load, _ in got}), 1)


def check_other_file(tap, prog, plugin):
    """The same bytes at the same address, but another file: with plugins.c, A, B, A, B are two objects with two codes."""
    twins = [shutil.copy(plugin, tap.path("twin%d.so" % i)) for i in (1, 2)]
    r = run(tap, "twins", [prog] + twins + ["1", "2", "4", "8"])
    if check(tap, "two files with the same code", r, 1):
        got = Dcfg(r.files[0]).by_image("plugin")
        equal(tap, "two files with the same code: calls", sorted((os.path.basename(im.name), n) for im, n in got),
              [("twin1.so", 1 + 4), ("twin2.so", 2 + 8)])


def check_end_of_file(tap, prog):
    """An address that had code cannot be read any more."""
    path = tap.path("pages")
    r = run(tap, "pages", [prog, path, "3", "2", "3", "1", "2", "2"])
    if check(tap, "behind the end of a file", r, 1):
        images = [im for im in Dcfg(r.files[0]).p.images if im.name == path]
        got = sorted((b.start - im.load, b.count) for im in images for b in im.blocks)
        equal(tap, "behind the end of a file: what ran", got, [(0, 1), (4096, 1), (4096, 2), (8192, 1), (8192, 1)])


def memory_of_none(tap, argv):
    """Returns the most memory, in kB, that Valgrind has without a tool."""
    r = subprocess.run(lifelib.MEASURE + [harness.VALGRIND, "-q", "--tool=none"] + argv, cwd=tap.dir, env=harness.ENV,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return int(r.stdout.split()[-1])


def check_many(tap, prog, objects, plugins):
    """Many loads leave the same file as 20 do, but for counts, and the tool needs no more memory.  Valgrind itself does: its
    cache of translations touches new pages.  Reading debug information needs more for a while, and hides that."""
    for name, command in (("one object", lambda n: [prog, objects[0], "-", "3", str(n)]),
                          ("two objects in turn", lambda n: [plugins] + objects + ["3"] * n)):
        if not command(0)[0]:
            continue
        files, memory, alone = [], [], []
        for n in (20, MANY):
            alone.append(memory_of_none(tap, command(n)))
            r = run(tap, "%d loads of %s" % (n, name), command(n), before=lifelib.MEASURE)
            if not check(tap, "%d loads of %s" % (n, name), r, 1):
                return
            files.append(Dcfg(r.files[0]))
            memory.append(int(r.out.split()[-1]))
            equal(tap, "%d loads of %s: calls" % (n, name), sum(c for _, c in files[-1].by_image("plugin")), 3 * n)
        few, many = files
        equal(tap, "%d loads of %s: images" % (MANY, name), [im.name for im in many.p.images], [im.name for im in few.p.images])
        equal(tap, "%d loads of %s: blocks of the objects" % (MANY, name),
              [shape(many, im) for im, _ in many.by_image("plugin")], [shape(few, im) for im, _ in few.by_image("plugin")])
        if not lifelib.TRACE:       # a trace grows with the run
            tap.ok(memory[1] < memory[0] + 512 + 3 * max(0, alone[1] - alone[0]), "%d loads of %s: memory" % (MANY, name),
                   "%d kB after %d kB; without a tool %s" % (memory[1], memory[0], alone))


def main():
    tap = harness.Tap("loads")
    objects = lifelib.build_plugins(tap)
    prog, plugins, mapped = (lifelib.build(tap, source, "-ldl") for source in ("loads.c", "plugins.c", "mapped.c"))
    loaded = lifelib.build(tap, "loaded.c", "-shared", "-fPIC", "-Wl,--build-id", name="loaded.so")
    if prog and all(objects):
        check_one_object(tap, prog, objects[0])
        check_many(tap, prog, objects, plugins)
    if prog and loaded:
        check_changes(tap, prog, loaded)
    if plugins and loaded:
        check_other_file(tap, plugins, loaded)
    if mapped:
        check_end_of_file(tap, mapped)
    tap.done()


if __name__ == "__main__":
    main()
