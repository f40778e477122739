#!/usr/bin/python3
"""dcfg slice --of=: C's syntax for places, against the addresses, sizes and values that the program itself prints.  (TAP)

Structs, arrays, pointers, unions, bit-fields, statics, inlined functions; C++'s this, references and base classes; with and
without optimization, of 64 and of 32 bits.  Other languages: indices from 1, the first one innermost; Go.
"""
import json
import os
import platform
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness

# SHOW(x): the program prints the expression for x, its address, its size, and its number.
SOURCE = harness.text("slices/names_source.c")
CLASSES = harness.text("slices/names_classes.c")


def line_of(source, words):
    return source[:source.index("/* " + words)].count("\n") + 1


def asked(at, what, wet, *more):
    return commandlib.command("slice", "--thin", "--at=" + at, "--of=" + what, *more, wet)


def wrong_place(at, row, wet):
    """Returns the difference between the slice's answer for an expression and the program's output, or None."""
    what, addr, size, number = row
    status, out, err = asked(at, what, wet, "--json")
    data = json.loads(out) if not status else {"criterion": out}
    said = data["criterion"]
    have = re.match(r"\S+, of (.*) \((0x[0-9a-f]+), ([\d,]+) bytes?\): ", said)
    if status or not have or have.group(1) != what or int(have.group(2), 16) != int(addr, 16) or have.group(3) != size:
        return "%s at %s: wanted %s, %s: %s%s" % (what, at, addr, size, said.split("\n")[0], err)
    # The last writer has stored the number, if it stored nothing more.
    met = data["nodes"][data["criteria"][0]]
    by = [data["nodes"][i["node"]] for i in met["inputs"] if "node" in i and i.get("port", i.get("use")) != "control"]
    if len(by) == 1 and by[0].get("value"):
        text = by[0]["value"][2:]
        if len(text) <= 2 * int(size) and int(text, 16) != int(number) % (1 << 8 * int(size)):
            return "%s: %s was stored, %s printed" % (what, by[0]["value"], number)
    return None


def lines(at, what, wet):
    """Returns the lines of the program that are in the slice."""
    status, out, err = asked(at, what, wet, "--json")
    if status:
        return err
    return {n["line"] for n in json.loads(out)["nodes"] if os.path.basename(n.get("source", "")) == at.split(":")[0]}


def check(tap, name, source, compiler, flags):
    path = harness.written(tap, name + (".cc" if "class" in source else ".c"), source)
    prog, wet = tap.path(name), tap.path(name + ".wet")
    r = subprocess.run([compiler, "-g", "-w", "-static", *flags, "-o", prog, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if r.returncode:
        tap.skip(name, "%s %s cannot compile it" % (compiler, " ".join(flags)))
        return None
    r = subprocess.run([harness.VALGRIND, "-q", "--tool=dcfg", "--wet=yes", "--wet-out-file=" + wet, "--dcfg-out-file=" + tap.path(name + ".json"), prog],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=harness.ENV,
                       timeout=harness.TIMEOUT)
    rows = [line.split("\t") for line in r.stdout.decode().splitlines()]
    base = os.path.basename(path)
    main = min(len(rows), len(re.findall(r"SHOW\(", source.split("main(")[0])) - 1)
    bad, gone = [], 0
    for k, row in enumerate(rows):
        at = "%s:%d" % (base, line_of(source, "here" if k < main else "there"))
        why = wrong_place(at, row, wet)
        # Optimized code may not have the place of a pointer, or no variable.  Then the message must say so.
        if why and flags[0] != "-O0" and ("is in no place" in why or "is no register" in why):
            gone += 1
        elif why:
            bad.append(why)
    tap.ok(len(rows) > 9 and not bad and gone < len(rows) // 2, name + ": places are where the program says (%d)" % (len(rows) - gone),
           "\n".join(bad) or (gone, rows, r.stderr.decode()))
    return wet, base


def check_wrong(tap, wet, base):
    here, bad = "%s:%d" % (base, line_of(SOURCE, "here")), []
    for what, words in (("totl", "did you mean `total'"), ("l.next", "--of='l->next'"), ("l->nxet", "did you mean `next'"), ("u->whole", "--of='u.whole'"),
                        ("a[", "ends too early"), ("a[3", "ends too early"), ("*n", "`n' is no pointer"), ("l->name->x", "null pointer"),
                        ("*l->name", "null pointer"), ("n.x", "no struct"), ("a[l]", "no integer"), ("a[99999999999]", "no index"),
                        ("a+1", "cannot go on"), ("l->", "ends too early"), ("(l", "ends too early"), ("*" * 99 + "l", "brackets"),
                        ("l->in.tag[0].x", "no struct"), ("", "ends too early")):
        status, out, err = asked(here, what, wet)
        if status != 2 or out or err.count("\n") != 1 or words not in err:
            bad.append("%s: status %d, %s%s" % (what, status, out[:200], err))
    tap.ok(not bad, "what is wrong: a line each", "\n".join(bad))
    high = asked(here, "l->high", wet)
    line = SOURCE[:SOURCE.index("l->high =")].count("\n") + 1
    tap.ok(", 1 byte)" in high[1] and line in lines(here, "l->high", wet), "a bit-field: the bytes that have it", high)
    pair = [lines(here, what, wet) for what in ("l->in.discount", "(*l).in.discount", "l[0].in.discount")]
    tap.ok(pair[0] == pair[1] == pair[2] and len(pair[0]) > 3, "one place has one slice, whatever it is called", pair)
    line = SOURCE[:SOURCE.index("at->in.discount +=")].count("\n") + 1
    tap.ok(line in pair[0], "what an inlined function has written", (line, pair[0]))
    inner = asked("%s:%d" % (base, line + 1), "at->in.discount", wet)
    tap.ok(inner[0] == 0 and "of at->in.discount (0x" in inner[1], "a variable of an inlined function", inner)


# Debug information in the name of another language.  With bounds from 1, m has 2 x 3 elements, row 7.
BOUNDS = """static int m[3][4];
int main(int argc, char **argv)
{
   long n = argc;
   int row[8];
   *(int *)((char *)m + 20) = 9;        /* STORE */
   row[n] = argc;                       /* ROW */
   return row[1] != 1;
}
"""


def in_language(tap, name, number, text):
    """Returns the whole execution trace of BOUNDS, whose assembly code is TEXT."""
    text = re.sub(r"(\.byte\t)0x1d(\t# DW_AT_language)", r"\g<1>0x%x\2" % number, text)
    if name == "go":
        text = re.sub(r"0x18(\t# \(DW_FORM_exprloc\))", r"0xa\1", text)
    prog = harness.cc(tap, harness.written(tap, name + ".s", text), name)
    return prog and harness.record_wet(tap, name, [prog])


def check_languages(tap):
    made = harness.run(["cc", "-g", "-O0", "-dA", "-S", "-o", tap.path("c.s"), harness.written(tap, "bounds.c", BOUNDS)], tap.dir)
    text = open(tap.path("c.s")).read() if made[0] == 0 else ""
    if platform.machine() != "x86_64" or not re.search(r"\.byte\t0x1d\t# DW_AT_language", text):
        tap.skip("programs in Fortran, Ada and Go", "this compiler's code names the language in another way")
        return
    at = ["bounds.c:%d" % line_of(BOUNDS, mark) for mark in ("STORE", "ROW")]
    for name, number, places in (("fortran", 8, {"m[1][1]": 0, "m[2][1]": 4, "m[1][2]": 8, "m[2][3]": 20}),
                                 ("ada", 13, {"m[1][1]": 0, "m[1][2]": 4, "m[2][1]": 12, "m[2][3]": 20})):
        wet = in_language(tap, name, number, text)
        if not wet:
            continue
        said = {what: re.search(r", of \S+ \((0x\w+), 4 bytes\)", asked(at[1], what, wet)[1]) for what in places}
        addrs = {what: int(m.group(1), 16) for what, m in said.items() if m}
        tap.ok({what: a - min(addrs.values()) for what, a in addrs.items()} == places, name + ": places of elements", said)
        rows = [commandlib.command("why", wet, where, "--table")[1] for where in at]
        tap.ok("m[2][3] =" in rows[0] and "row[n + 1] =" in rows[1], name + ": names of elements", rows)
        status, out, err = asked(at[1], "m[2]", wet)
        tap.ok("`m[2]' needs 2 indices" in err if name == "fortran" else "of m[2] " in out and ", 12 bytes)" in out,
               name + ": one of two indices", out + err)
    # Go's places have the form of a block, and its stacks move.
    wet = in_language(tap, "go", 0x16, text)
    if wet:
        rows = [commandlib.command("why", wet, where, "--table")[1] for where in at]
        tap.ok("m[1][1] =" in rows[0] and "row[n] =" in rows[1], "go: names", rows)
        status, out, err = asked(at[1], "n", wet)
        tap.ok(status == 2 and not out and "`n' is on a stack that Go may have moved" in err, "go: a place on the stack", out + err)


def main():
    tap = harness.Tap("slice_names")
    found = check(tap, "plain", SOURCE, "cc", ["-O0"])
    if found:
        check_wrong(tap, *found)
    for name, compiler, flags in (("optimized", "cc", ["-O2"]), ("bits32", "cc", ["-O0", "-m32"]), ("clang", "clang", ["-O0"]),
                                  ("clang2", "clang", ["-O2"]), ("split", "gcc", ["-O0", "-gdwarf-4", "-gsplit-dwarf"])):
        if shutil.which(compiler):
            check(tap, name, SOURCE, compiler, flags)
    for name, compiler, flags in (("class", "c++", ["-O0"]), ("class2", "c++", ["-O2"]), ("class32", "c++", ["-O0", "-m32"]),
                                  ("class_clang", "clang++", ["-O0"])):
        if shutil.which(compiler):
            check(tap, name, CLASSES + "/* class */", compiler, flags)
    check_languages(tap)
    tap.done()


main()
