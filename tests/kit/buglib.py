"""Programs with a planted error (tests/progs/slice): slices and sessions of gdb lead to it.  slice/bugs.t says how they are checked."""
import os
import re

import commandlib
import gdblib
import harness
import slicelib

MOST, MOST_THIN = 30, 20
# Lines of the listing that are read.
NEAR = 10
# Programs of which the slice is small.
SMALL = ("dates", "grades", "orders", "pixels", "ranks", "sensor", "stock", "taxes", "tree", "votes")
BUILDS = ("cc -O0", "cc -O1", "cc -O2", "clang -O1")
# Builds whose faulty line is not near: a line far away; a line without code.
MISSED = {"matrix": BUILDS[:3], "meter": BUILDS[2:3], "publish": BUILDS[2:],
          "dates": BUILDS[1:], "taxes": BUILDS[1:], "flags": BUILDS[2:], "window": BUILDS[3:]}
# In optimized code, what was freed differs from what the program prints.
PRINTS_OTHER = {"stock": BUILDS[2:]}
# In these programs the error decides which branch is taken, or which element is smaller.  No value comes from it.
CONTROL_ONLY = ("ranks", "taxes")


def comment(source, name):
    return re.search(r"^[/ ]*%s: *(.*?)(?: \*/)?$" % name, source, re.M).group(1)


def faulty_lines(text):
    return [n for n, line in enumerate(text.splitlines(), 1) if "/* BUG" in line or "// BUG" in line]


def build_of(tap, path, build):
    """Builds the program of the source as BUILD says."""
    compiler, opt = build.split()
    name, suffix = os.path.splitext(os.path.basename(path))
    return harness.cc(tap, path, name + opt, opt, "-static", "-pthread", *["-lstdc++"] * (suffix == ".cpp"), compiler=compiler)


def check_near(tap, path, build, prog=None):
    """Checks that the faulty line is among the nearest.  Returns the recording, if there is one."""
    name, source = os.path.basename(path).split(".")[0], os.path.basename(path)
    with open(path) as f:
        text = f.read()
    wrong, right = comment(text, "wrong"), comment(text, "right")
    prog = prog or build_of(tap, path, build)
    wet, out = slicelib.record(tap, name, [prog]) if prog else (None, "")
    if not wet:
        return None
    if build in PRINTS_OTHER.get(name, ()):
        tap.skip("%s, %s" % (name, build), "there is no code that reads what was freed")
        return None
    if not tap.ok(wrong in out.splitlines() and right not in out, "%s, %s: what it prints is wrong" % (name, build), out):
        return None
    status, listed, said = commandlib.command("slice", *slicelib.OPTIONS, "--output=" + wrong, wet)
    near = slicelib.near_rows(listed, source)
    ranks = [n for n, lines in enumerate(near, 1) if set(lines) & set(faulty_lines(text))]
    what = "%s, %s: the faulty line is number %s" % (name, build, min(ranks) if ranks else "?")
    tap.ok(listed.count("\n") < 60 and (build in MISSED.get(name, ()) or (ranks and min(ranks) <= NEAR)), what, listed + said)
    return wet


def check(tap, path, prog=None):
    """prog: the program, if this machine does not build it.  Returns the recording, if there is one."""
    name, source = os.path.basename(path).split(".")[0], os.path.basename(path)
    wet = check_near(tap, path, BUILDS[0], prog)
    if not wet or name not in SMALL:
        return wet
    with open(path) as f:
        text = f.read()
    wrong, faulty = comment(text, "wrong"), faulty_lines(text)[0]
    for thin, most in ((False, MOST), (True, MOST_THIN)):
        s, said = slicelib.slice_of(tap, wet, "--output=" + wrong, *["--thin"] * thin)
        what = "%s%s: " % (name, ", producers only" * thin)
        if not tap.ok(s, what + "a slice", said):
            continue
        lines, executed = s.lines(source), s.executed(source)
        missing = thin and name in CONTROL_ONLY
        tap.ok((faulty in lines) != missing, what + ("does not have" if missing else "has") + " the faulty line", sorted(lines))
        tap.ok(len(lines) * 100 <= most * len(executed), what + "%d lines of %d, %d instances" % (
            len(lines), len(executed), len(s.nodes)), sorted(lines))
    return wet


def sessions():
    """By source, the sessions of docs/gdb.md: (where to begin, commands, whether the last one is repeated, line, whether it is the
    faulty one)."""
    with open(os.path.join(harness.SRCDIR, "docs", "gdb.md")) as f:
        rows = re.findall(r"^\| [^|]+ \| (\w+\.c\w*) \| `([^`]+)` \| ([^|]+) \| (\**)(\d+)\**[^|]* \|[^|]*\|$", f.read(), re.M)
    return {source: (at, re.findall("`([^`]+)`", commands), commands.endswith("repeated"), int(line), bool(bold))
            for source, at, commands, bold, line in rows}


def check_gdb(tap, path, wet, session):
    source = os.path.basename(path)
    at, commands, repeated, line, is_faulty = session
    with open(path) as f:
        faulty = faulty_lines(f.read())
    said = gdblib.gdb(wet, *commands[:-1], *[c for _ in range(12 if repeated else 1) for c in (commands[-1], "echo now\\n", "frame")],
                      options=["--at=" + at, *slicelib.OPTIONS], program=commandlib.PLAIN)
    places = [int(n) for n in re.findall(r"^now\n#\d+ .* at \S*%s:(\d+)$" % re.escape(source), said, re.M)]
    tap.ok(line in places and (line in faulty) == is_faulty, "%s: gdb gets to line %d" % (source, line), "%s\n%s" % (places, said))
