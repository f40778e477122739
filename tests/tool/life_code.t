#!/usr/bin/python3
"""Code that comes and goes: objects unloaded, code overwritten, compilers that write machine code.  Each generation is
an image of its own, with the counts that belong to it.  (TAP)
"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
import regionlib
from commandlib import command
from lifelib import Dcfg, check, equal, run


def check_plugins(tap, prog, objects):
    rounds = [5, 3, 2, 7, 11]
    r = run(tap, "plugins", [prog] + objects + [str(n) for n in rounds])
    if not check(tap, "dlopen and dlclose", r, 1):
        return
    d = Dcfg(r.files[0])
    places = {im.load for im, _ in d.by_image("plugin")}
    tap.ok(len(places) == 1, "dlopen and dlclose: all at one address", places)
    got = [(os.path.basename(im.name), n) for im, n in d.by_image("plugin")]
    want = [(os.path.basename(o), sum(rounds[i::2])) for i, o in enumerate(objects)]
    equal(tap, "dlopen and dlclose: an image for each object, with its counts", sorted(got), sorted(want))
    equal(tap, "dlopen and dlclose: what each object calls", (d.calls("only_one"), d.calls("only_two")),
          (sum(rounds[::2]), sum(rounds[1::2])))
    for im, _ in d.by_image("plugin"):
        own = {nm for nm, _, _ in im.symbols} & {"only_one", "only_two"}
        equal(tap, "dlopen and dlclose: symbols of image %d" % im.id, own,
              {"only_one" if im.name == objects[0] else "only_two"})
        tap.ok(im.source, "dlopen and dlclose: lines of image %d" % im.id)


def check_child(tap, prog, objects):
    """The child's counts are its own, even where other code had run before in its parent."""
    r = run(tap, "plugins_child", [prog] + objects + ["5", "3", "2", "-7", "11"])
    if not check(tap, "dlopen and dlclose, with a child", r, 2):
        return
    got = sorted(sorted((os.path.basename(im.name), n) for im, n in Dcfg(f).by_image("plugin")) for f in r.files)
    equal(tap, "dlopen and dlclose, with a child: counts of each", got,
          [[("plugin1.so", 11), ("plugin2.so", 7)], [("plugin1.so", 18), ("plugin2.so", 10)]])


def check_jit(tap, prog):
    generations = [4, 9, 1, 6]
    for way in ("inplace", "protect", "remap", "patch", "alias"):
        opts = []
        if way == "alias":
            # Valgrind checks for changed code, but not in mappings of files; --smc-check=all does.
            opts = ["--smc-check=all"]
        r = run(tap, way, [prog, way] + [str(n) for n in generations], opts)
        if not check(tap, "code " + way, r, 1):
            continue
        equal(tap, "code %s: result" % way, r.out.split(), [str(sum(1000 * g * n for g, n in enumerate(generations, 2)))])
        d = Dcfg(r.files[0])
        images = [im for im in d.p.images if im.name.startswith("[anon") or "memfd" in im.name]
        # Code is a mov, nops and a return: the number of instructions identifies the generation.
        got = sorted((b.ninstr - 2, b.count) for im in images for b in im.blocks or ())
        nops = [1] * 4 if way == "patch" else range(2, 6)
        equal(tap, "code %s: generations" % way, got, sorted(zip(nops, generations)))
        equal(tap, "code %s: an image for each" % way, [len(im.blocks) for im in images], [1] * 4)


def check_rewrites(tap, prog):
    """Between two changes of code, most functions are called, so often that the table of the branch that calls them grows
    each time.
    """
    functions, calls, rewritten = 100, 300, [7 * i % 100 for i in range(40)]
    r = run(tap, "rewrites", [prog, str(functions), str(calls)] + [str(f) for f in rewritten])
    if not check(tap, "rewrites", r, 1):
        return
    want, chance = [], 1
    for f in rewritten:
        if not want or f in want[-1]:       # otherwise nothing shows that it has changed
            want.append({})
        order = [f]
        for _ in range(calls):
            chance = (chance * 1103515245 + 12345) & 0xffffffff
            order.append((chance >> 16) % functions)
        for f in order:
            want[-1][f] = want[-1].get(f, 0) + 1
    d = Dcfg(r.files[0])
    got = [{(b.start - im.load) // 16: b.count for b in im.blocks} for im in d.anonymous() if im.blocks]
    equal(tap, "rewrites: how often each function ran in each generation", got, want)


def check_itself(tap, prog):
    """Code that changes the code that it jumps to.  The first time, nothing had run there; from then on, each jump ends its
    generation.
    """
    r = run(tap, "itself", [prog, "itself", "20"])
    if not check(tap, "itself", r, 1):
        return
    d = Dcfg(r.files[0])
    got = [{b.start - im.load: b.count for b in im.blocks} for im in d.anonymous() if im.blocks]
    equal(tap, "itself: how often each function ran in each generation", got,
          [{0: 2, 16: 1}] + 18 * [{0: 1, 16: 1}] + [{16: 1}])
    images = [im.id for im in d.anonymous()]
    steps = sorted((images.index(d.p.blocks[e.src].image.id), images.index(d.p.blocks[e.dst].image.id), e.total)
                   for e in d.p.edges if e.src in d.p.blocks and e.dst in d.p.blocks
                   and {d.p.blocks[e.src].image.id, d.p.blocks[e.dst].image.id} <= set(images))
    equal(tap, "itself: where each jump led", steps, [(0, 0, 1)] + [(g, g + 1, 1) for g in range(19)])


def check_half(tap, prog):
    """A part of a mapping is unmapped.  Code in the other part runs on, and changes: each generation has its counts."""
    calls = [5, 7, 11]
    r = run(tap, "half", [prog, "half"] + [str(n) for n in calls])
    if not check(tap, "half", r, 1):
        return
    images = [im for im in Dcfg(r.files[0]).anonymous() if im.blocks]
    got = [{b.start - images[0].load: b.count for b in im.blocks} for im in images]
    equal(tap, "half: how often each function ran in each generation", got,
          [{0: 1, 4096: 1, 4101: 1, 4112: 1}] + [{4096: n, 4101: n, 4112: n + 1} for n in calls])


def check_long(tap, prog):
    """Code that falls through to changed code at the end of a superblock, where another superblock went on before."""
    calls = 5
    r = run(tap, "long", [prog, "long", str(calls)])
    if not check(tap, "long", r, 1):
        return
    images = [im for im in Dcfg(r.files[0]).anonymous() if im.blocks]
    got = [sum(b.count for b in im.blocks if b.start + b.size == im.load + 166) for im in images]
    equal(tap, "long: how often the end ran in each generation", got, calls * [1])
    equal(tap, "long: instructions", sum(b.count * b.ninstr for im in images for b in im.blocks), 3 * 162 + 2 * 146)


def check_begin(tap, prog):
    """After many generations, translations stay.  Superblocks of two generations then fall through to the same code."""
    r = run(tap, "begin", [prog, "begin", "300"])
    if not check(tap, "begin", r, 1):
        return
    images = [im for im in Dcfg(r.files[0]).anonymous() if im.blocks]
    tap.ok(len(images) > 256, "begin: generations", len(images))
    equal(tap, "begin: instructions", sum(b.count * b.ninstr for im in images for b in im.blocks),
          300 * 2 + 3 * 162 + 2 * 146)


def check_uncollected(tap, prog):
    """Code that ran only while its thread was not collected has no counts, but it has run."""
    want = {"returns": [{0: 1}, {0: 1}, {0: 1, 64: 1}], "faults": [{0: 1, 128: 1, 137: 1}, {0: 1}, {0: 1, 128: 1, 137: 1}]}
    for way, generations in want.items():
        r = run(tap, "uncollected_" + way, [prog, way])
        if not check(tap, "not collected, %s" % way, r, 1):
            continue
        got = [{b.start - im.load: b.count for b in im.blocks} for im in Dcfg(r.files[0]).anonymous() if im.blocks]
        equal(tap, "not collected, %s: how often each function ran in each generation" % way, got, generations)


ALL = ["--wet=yes", "--wet-out-file=wet", "--xray=yes", "--xray-out-file=xray", "--uftrace=yes"]


def check_versions(tap, prog):
    """More images at one address than 16 bits count, in outputs in order of time, with their executions."""
    count = 66000
    what = "%d versions" % count
    r = run(tap, "versions", [prog, "written", str(count)], [*ALL, "--callgrind=no"], before=lifelib.MEASURE, trace=True)
    if not tap.ok(r.status == 0 and len(r.files) == 1 and len(r.traces) == 1 and "internal error" not in r.log, what,
                  r.log[-3000:]):
        return
    xray, wet = (os.path.join(r.dir, f) for f in ("xray", "wet"))
    for args in (["check", r.files[0], r.traces[0]], ["xray", "--check", xray], ["wet", "--history=1", wet]):
        status, out, err = command(*args)
        tap.ok(status == 0, "%s: dcfg %s" % (what, args[0]), out[-2000:] + err)
    d = Dcfg(r.files[0])
    got = [[b.count for b in im.blocks] for im in d.anonymous() if im.blocks]
    tap.ok(got == [[k % 3 + 1] for k in range(count)], what + ": how often each ran")
    made, calls = set(im.id for im in d.anonymous()), sum(k % 3 + 1 for k in range(count))
    for kind, node in (("INDIRECT_CALL", "dst"), ("RETURN", "src")):
        ends = [getattr(e, node) for e in d.edges(kind)]
        n = sum(e.total for e, b in zip(d.edges(kind), ends) if b in d.p.blocks and d.p.blocks[b].image.id in made)
        equal(tap, "%s: edges, %s" % (what, kind), n, calls)
    each = int(r.out.split()[-1]) / count
    tap.ok(each < 6, what + ": memory", "%.1f kB each" % each)


def check_costs(tap, prog):
    """The cost of a version does not depend on the number of versions before."""
    for way in ("inplace", "remap", "unmap"):
        looks = []
        for n in (100, 200, 300):
            r = run(tap, "%s%d" % (way, n), [prog, way, str(n)], ALL + ["--stats=yes"], trace=True)
            found = re.search(r"dcfg: (\d+) looks because code changed", r.log)
            if not tap.ok(r.status == 0 and found, "%d versions, %s" % (n, way), r.log[-3000:]):
                return
            looks.append(int(found.group(1)))
        more = [b - a for a, b in zip(looks, looks[1:])]
        tap.ok(0 < more[1] <= 1.05 * more[0], "versions, %s: each makes as much work" % way, "looks: %s" % looks)


def kept_memory(log):
    """Returns the tool's memory at the end, by --profile-heap=yes; each block takes 32 bytes more."""
    last = log[log.rfind('Arena "core"'):].split("-------- Arena")[0]
    return sum(int(size.replace(",", "")) + 32 * int(n.replace(",", ""))
               for size, n in re.findall(r"([\d,]+) in\s+([\d,]+): dcfg\.", last))


def check_memory(tap, prog):
    """The memory of each version, without and with overhead, in bytes: 350 and 520; about 700 with Valgrind 3.27.1."""
    few, many = 1000, 5000
    for collect, bound in (("no", 500), ("yes", 750)):
        kept = []
        for n in (few, many):
            r = run(tap, "memory%d%s" % (n, collect), [prog, "short", str(n)],
                    ["--profile-heap=yes", "--collect-atstart=" + collect])
            kept.append(kept_memory(r.log))
            if not tap.ok(r.status == 0 and kept[-1] > 0, "%d versions, memory, collect=%s" % (n, collect),
                          r.log[-3000:]):
                return
        each = (kept[1] - kept[0]) / (many - few)
        tap.ok(0 < each < bound, "memory of each version, collect=" + collect, "%d bytes" % each)


def callgrind_total(tap, name, argv, env=None):
    """Returns Callgrind's total, which lacks the run's last superblock."""
    out = tap.path(name + ".callgrind")
    status, _ = harness.run([harness.VALGRIND, "-q", "--tool=callgrind", "--callgrind-out-file=" + out] + argv,
                            tap.dir, env)
    try:
        with open(out) as f:
            return int(re.search(r"^(?:summary|totals): (\d+)", f.read(), re.M).group(1))
    except (OSError, AttributeError):
        return None


def check_total(tap, name, argv, images, env=None):
    env = dict(harness.ENV, **(env or {}))
    path, status, why = harness.dcfg(tap, name, argv, env=env)
    if not path:
        tap.ok(False, name, why)
        return
    wrong = lifelib.rules(path)
    tap.ok(status == 0 and not wrong, name + ": all rules", wrong or "exit status %s" % status)
    d = Dcfg(path)
    total = callgrind_total(tap, name, argv, env)
    last = d.p.blocks[d.edges("EXIT")[0].src]
    if total is None:
        tap.skip(name + ": total", "no callgrind")
    else:
        # VEX may have ended its last superblock inside the last block.
        tap.ok(0 < d.total - total <= last.ninstr, "%s: %d instructions, as Callgrind counts but for the last superblock"
               % (name, d.total), "%d, Callgrind %d; the last block has %d" % (d.total, total, last.ninstr))
    anon = d.anonymous()
    ran = sum(b.count * b.ninstr for im in anon for b in im.blocks or ())
    tap.ok(len(anon) >= images and ran > 1000, "%s: %d instructions in compiled code, %d images" % (name, ran, len(anon)))


def main():
    tap = harness.Tap("code")
    objects = lifelib.build_plugins(tap)
    prog = lifelib.build(tap, "plugins.c", "-ldl")
    if prog and all(objects):
        check_plugins(tap, prog, objects)
        check_child(tap, prog, objects)
    prog = lifelib.build(tap, "jit.c", "-static")
    if prog:
        check_jit(tap, prog)
    prog = lifelib.build(tap, "rewrites.c", "-static")
    if prog:
        check_rewrites(tap, prog)
        check_itself(tap, prog)
        check_half(tap, prog)
        check_long(tap, prog)
        check_begin(tap, prog)
    prog = lifelib.build(tap, "uncollected.c", "-static", "-I" + regionlib.INCLUDE)
    if prog:
        check_uncollected(tap, prog)
    prog = lifelib.build(tap, "versions.c", "-static")
    if prog:
        check_versions(tap, prog)
        check_costs(tap, prog)
        check_memory(tap, prog)
    luajit = shutil.which("luajit")
    fixed = lifelib.build(tap, "norandom.c", "-shared", "-fPIC", name="norandom.so")
    if luajit and fixed:
        check_total(tap, "luajit", [luajit, os.path.join(lifelib.PROGS, "traces.lua")], 1, {"LD_PRELOAD": fixed})
    else:
        tap.skip("luajit", "not installed")
    if subprocess.run(["cc", "-E", "-include", "pcre2.h", "-DPCRE2_CODE_UNIT_WIDTH=8", "-x", "c", os.devnull],
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
        prog = lifelib.build(tap, "pcre2.c", "-lpcre2-8")
        if prog:
            check_total(tap, "pcre2", [prog], 1)
    else:
        tap.skip("pcre2", "libpcre2-dev is not installed")
    tap.done()


if __name__ == "__main__":
    main()
