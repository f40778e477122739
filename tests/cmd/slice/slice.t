#!/usr/bin/python3
"""Slices of whole execution traces: dcfg slice and dcfg why.  (TAP)

- The example of WET's document: the lines of its slice, criteria of all kinds, forms of output.
- Small programs, random ones and some with threads, signals, call-backs and files, against the slow model of
  tests/oracle/slice_model.py, instance by instance and input by input: backward, thin, full and forward.
  DCFG_SLOW=1: a hundred more.
- Images that are elsewhere, or are not what ran.
- Wrong use: a line each.

    slice.t SEED...        only these random programs
"""
import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
import wet_programs
from slicelib import lines_of, talk
from wetlib import FOO1
from harness import record_wet

PROGS = os.path.join(harness.SRCDIR, "tests", "progs")
# TABLE: its output depends on line 3 only by the address of a constant.
TABLE = """#include <unistd.h>
int main(int argc, char **argv) {
    int which = argc - 1;
    static const char letters[] = "ny";
    char out = letters[which];
    return write(1, &out, 1) != 1;
}
"""


# ---- the document's example --------------------------------------------------------------------------------------

def run_beside_pipes(words, pipes):
    """Returns the command's exit status, and the pipes that it has opened: it waits there for a writer, which is this test.
    """
    p = subprocess.Popen([commandlib.DCFG] + words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=harness.ENV)
    opened = set()
    while p.poll() is None:
        for path in pipes:
            with contextlib.suppress(OSError):      # nobody reads
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                opened.add(path)
        time.sleep(0.01)
    return p.returncode, opened


def check_images(tap):
    """Files of the run are read below --root, or at their own paths.  A file of another build is not used."""
    source, other = tap.path("tables.c"), tap.path("other.c")
    for path, text in ((source, TABLE), (other, TABLE.replace("argc - 1", "2 * argc - 2"))):
        harness.write(path, text)
    prog, changed = harness.cc(tap, source, "tables", "-O0"), harness.cc(tap, other, "changed", "-O0")
    wet = prog and changed and record_wet(tap, "tables", [prog])
    if not wet:
        return
    root = tap.path("images")
    os.makedirs(root + tap.dir)
    thin = ["slice", "--thin", "--output=n", wet]
    variable = ["slice", "--at=tables.c:5", "--of=argc", wet]
    found = [commandlib.command(*words) for words in (thin, variable)]
    tap.ok([f[0] for f in found] == [0, 0] and not found[0][2], "images: as they were", found)
    shutil.copy2(prog, root + prog)
    os.replace(changed, prog)
    below = [commandlib.command(*words, "--root=" + root) for words in (thin, variable)]
    tap.ok(below == found, "images: below --root", below)
    wrong = [commandlib.command(*words) for words in (thin, variable)]
    tap.ok(wrong[0][0] == 0 and wrong[0][2].count(prog) == 1 and wrong[0][1] != found[0][1], "images: another one is not taken for them",
           wrong[0])
    tap.ok(wrong[1][0] == 2 and wrong[1][2].count("\n") == 1 and prog in wrong[1][2], "images: nor for where a variable is", wrong[1])
    for path in (source, prog):
        os.remove(path)
        os.mkfifo(path)
    bad = []
    for words in (thin, thin + ["--as=html"], variable, ["slice", "--output=n", "--json", wet]):
        status, opened = run_beside_pipes(words, (source, prog))
        if opened or status != (2 if words is variable else 0):
            bad.append((words, status, opened))
    tap.ok(not bad, "images: a pipe is not opened, nor one that has a source's name", bad)


def check_example(tap):
    harness.written(tap, "foo1.c", FOO1)
    subprocess.run(["cc", "-g", "-O0", "-static", "-o", "foo1", "foo1.c"], cwd=tap.dir)
    wet = record_wet(tap, "foo1", [tap.path("foo1"), "2", "7"])
    if not wet:
        return None
    status, out, err = commandlib.command("slice", "--at=foo1.c:12", wet)
    tap.ok(status == 0 and err == "" and lines_of(out, "foo1.c") == [6, 8, 9, 10, 11, 12], "foo1: lines 6, 8 to 12, without the brace",
           out + err)
    tap.ok("RSP as an address" in out and "control of code that is not the program's own" in out,
           "it says what was not followed", out)
    # The start code of a static program saves and restores registers once for each level of cache.
    nodes = json.loads(commandlib.command("slice", "--at=foo1.c:12", "--json", wet)[1])["nodes"]
    own = [n for n in nodes if re.search("^main$|^atoi$|strto", n.get("function", ""))]
    full = json.loads(commandlib.command("slice", "--at=foo1.c:12", "--full", "--as=json", wet)[1])["nodes"]
    tap.ok(60 <= len(own) <= 100 and len(nodes) < 300 and len(full) > 10000,
           "its code and atoi's: some 80 instances; with all control: most of what ran", (len(own), len(nodes), len(full)))
    bad = [row for opts in (["--at=foo1.c:12", "--thin"], ["--at=foo1.c:12", "--full"], ["--syscall=write"],
                            ["--at=foo1.c:12", "--of=rax", "--full"]) for row in wrong_sums(wet, *opts)]
    tap.ok(not bad, "the annotated source has the sums of the instances", "\n".join(bad))
    check_criteria(tap, wet)
    check_why(tap, wet)
    check_forms(tap, wet)
    return wet


def sums_of(text):
    """Return the contents of an annotated source: the number of instances, what is not followed, and instances and distance by
    line, or by function."""
    found, source = {}, None
    for line in text.splitlines():
        row = re.match(r" *(\d+) +([\d,]+) +\S+%(?: {1,9}\d[\d,+-]*(?= ))? +(\d+)(?:  .*)?$", line)
        code = re.match(r" *(\d+) +([\d,]+) +\S+%(?: {1,9}\d[\d,+-]*)? {9}(\S+) \((.*)\)$", line)
        if line.startswith("/"):
            source = line
        elif code or (row and source):
            key = (code[3], code[4]) if code else (source, int(row[3]))
            found[key] = [int((code or row)[2].replace(",", "")), int((code or row)[1])]
    count = re.search(r"^([\d,]+) instances", text, re.M)
    return int(count[1].replace(",", "")) if count else None, re.findall(r"^not followed: (.*)$", text, re.M), found


def wrong_sums(wet, *opts):
    """Checks that the source view, which keeps no instances, has the sums of the instances in --json."""
    total, not_followed, found = sums_of(commandlib.command("slice", "--as=source", *opts, wet)[1])
    data = json.loads(commandlib.command("slice", "--json", *opts, wet)[1])
    sums = {}
    for n in data["nodes"]:
        key = (n["source"], n["line"]) if "line" in n else (n.get("function", "?"), os.path.basename(n.get("image", "?")))
        have = sums.setdefault(key, [0, n["distance"]])
        have[0] += 1
        have[1] = min(have[1], n["distance"])
    bad = ["%s: %s, of instances %s" % (key, found[key], sums.get(key)) for key in found if found[key] != sums.get(key)]
    if total != len(data["nodes"]) or not_followed != data["not_followed"] or not found:
        bad.append("%s instances, not followed: %s; of instances %d, %s" % (total, not_followed, len(data["nodes"]),
                                                                            data["not_followed"]))
    return bad


def instances(*args):
    """Returns the number of criteria that matched, and of nodes."""
    status, out, err = commandlib.command("slice", "--json", *args)
    if status:
        return err, 0
    found = json.loads(out)
    return [(found["nodes"][i].get("line"), found["nodes"][i]["instruction"].split()[0]) for i in found["criteria"]], \
        len(found["nodes"])


def check_criteria(tap, wet):
    got, _ = instances("--at=foo1.c:12", wet)
    tap.ok(len(got) >= 4 and {line for line, _ in got} == {12}, "a line: all of it, when it ran last", got)
    by_name = [instances("--at=foo1.c:12", "--of=" + name, wet) for name in ("result", "x", "argc")]
    tap.ok(all(len(c) == 1 for c, _ in by_name) and by_name[0][1] > by_name[1][1] > by_name[2][1],
           "variables, in memory and in a frame: each has its slice", by_name)
    status, out, _ = commandlib.command("slice", "--at=foo1.c:12", "--of=x", "--thin", wet)
    tap.ok(status == 0 and lines_of(out, "foo1.c") == [8, 12], "x was made by line 8", out)
    status, out, _ = commandlib.command("slice", "--syscall=write", "--as=instances", wet)
    last = re.search(r"slice: --syscall=write: (0x[0-9a-f]+)#(\d+)", out)
    tap.ok(status == 0 and last, "a system call, by name", out[:500])
    if last:
        same = commandlib.command("slice", "--at=%s#%s" % last.groups(), "--json", wet)[1]
        tap.ok(instances("--syscall=1#0", wet)[0] == instances("--at=%s#%s" % last.groups(), wet)[0] and same,
               "the same by number, and by address and instance")
        tap.ok(instances("--at=" + last.group(1)[2:], wet) == instances("--at=" + last.group(1), wet), "an address alone")
    status, out, err = commandlib.command("slice", "--output=is 21\\n", wet)
    tap.ok(status == 0 and lines_of(out, "foo1.c") == [6, 8, 9, 10, 11, 12], "what was printed", out + err)
    one, both = (json.loads(commandlib.command("slice", "--json", "--output=" + t, wet)[1])["nodes"] for t in ("result", "21"))
    tap.ok(not any(n.get("line") in (8, 9, 10, 11) for n in one) and any(n.get("line") == 10 for n in both),
           "constant text was not computed, the number was")
    for what, word in (("rax", "registers"), ("flags", "flags"), ("0x1000,4", "memory"), ("xmm0", "vector registers")):
        got, n = instances("--at=foo1.c:12", "--of=" + what, wet)
        tap.ok(n >= 1, "--of has " + word, got)
    status, out, _ = commandlib.command("slice", "--at=foo1.c:8", "--forward", wet)
    tap.ok(status == 0 and {8, 10, 11, 12} <= set(lines_of(out, "foo1.c")) and 9 not in lines_of(out, "foo1.c"),
           "forward from line 8: 10 to 12, not 9", out)


def check_why(tap, wet):
    status, out, err = commandlib.command("why", "--instructions", wet, "foo1.c:10")
    tap.ok(status == 0 and re.fullmatch(r"(dcfg why: made .*\n)?", err) and re.search(r"= 0xe +foo1\.c:10 in main\n", out), "why: line 10 stored 14", out + err)
    status, out, _ = commandlib.command("why", "--instructions", "--steps=4", wet, "foo1.c:11")
    tap.ok(status == 0 and len(out.split("\n\n")) == 4 and "through" in out and re.search(r"control .*foo1\.c:6 in main", out),
           "why --steps=4: through copies to what computed, and the branch of line 6", out)
    status, out, _ = commandlib.command("why", "--instructions", "--steps=2", wet, "foo1.c:6")
    tap.ok(status == 0 and re.search(r"\d rbp +\S+#0  push rbp .*foo1\.c:5 in main\n", out)
           and re.search(r"\d memory +\S+  (?!mov dword ptr \[rbp).*\n +through", out),
           "why: through a variable of a frame, and no further than what moved RSP", out)
    try:
        status, said = talk(["1", "b", "q"], "--instructions", wet, "foo1.c:11")
    except OSError as e:
        tap.skip("why asks where to go, and goes back", "there is no terminal: %s" % e)
        return
    parts = [part.split("\n")[1 if i else 0] for i, part in enumerate(said) if i < 3]
    tap.ok(status == 0 and len(parts) == 3 and parts[0] == parts[2] != parts[1], "why asks where to go, and goes back", said)


def check_forms(tap, wet):
    gone = [(commandlib.command("slice", "--at=foo1.c:12", *words, wet), name, instead) for words, name, instead in (
        (["--as=dot"], "--as=dot", "--as=html "), (["--as", "dot"], "--as=dot", "--json "), (["--as=gdb"], "--as=gdb", "dcfg gdb "),
        (["--gdb"], "--gdb", "dcfg gdb "), (["--diff", wet], "--diff", "diff(1)"))]
    tap.ok(all(status == 2 and not out and err.startswith("dcfg slice: there is no %s any more: " % name) and instead in err
               and err.count("\n") == 1 for (status, out, err), name, instead in gone),
           "of a form that is gone, a line says what is in its place", gone)
    text = commandlib.command("slice", "--at=foo1.c:12", "--as=instances", wet)[1]
    found = json.loads(commandlib.command("slice", "--at=foo1.c:12", "--json", wet)[1])
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    tap.ok(len(rows) == len(found["nodes"]) and all(" %s#%d " % (n["address"], n["instance"]) in row + " "
                                                    for n, row in zip(found["nodes"], rows)),
           "instances: a line each, as JSON has them", text[:300])
    out = tap.path("slice.txt")
    status, shown, _ = commandlib.command("slice", "--at=foo1.c:12", "-o", out, wet)
    tap.ok(status == 0 and shown == "" and harness.read(out) == commandlib.command("slice", "--at=foo1.c:12", wet)[1], "-o")


def check_compressed(tap, wet):
    """Compressed traces are unpacked in TMPDIR."""
    want, bad, left = commandlib.command("slice", "--at=foo1.c:12", "--as=instances", wet), [], tap.path("unpacked")
    os.mkdir(left)
    for program, suffix in (("gzip", "gz"), ("bzip2", "bz2"), ("xz", "xz"), ("zstd", "zst")):
        path = tap.path("foo1." + suffix)
        with open(path, "wb") as f:
            subprocess.run([program, "-1", "-c", wet], stdout=f, check=True)
        r = commandlib.process("slice", "--at=foo1.c:12", "--as=instances", path, env={"TMPDIR": left})
        if (r.returncode, r.stdout.decode(), r.stderr.decode()) != want or os.listdir(left):
            bad.append("%s: status %d, %s %s" % (program, r.returncode, r.stderr.decode(), os.listdir(left)))
    tap.ok(not want[0] and not bad, "compressed files: the same slice, and nothing is left", "\n".join(bad))
    why = [commandlib.command("why", "--instructions", "--steps=4", path, "foo1.c:11") for path in (wet, tap.path("foo1.xz"))]
    tap.ok(why[0] == why[1] and not why[0][0], "why goes through one, too", why)
    data = harness.read(tap.path("foo1.xz"), "rb")
    harness.write(tap.path("cut.xz"), data[:len(data) - 40])
    for path, directory, words in ((tap.path("foo1.xz"), left + "/none", b"cannot be unpacked in %s" % left.encode()),
                                   (tap.path("foo1.xz"), "/dev/null", b"/dev/null"), (tap.path("cut.xz"), left, b"cut short")):
        r = commandlib.process("slice", "--at=foo1.c:12", path, env={"TMPDIR": directory})
        tap.ok(r.returncode == 2 and not r.stdout and r.stderr.count(b"\n") == 1 and words in r.stderr,
               "which cannot be: a line (%s)" % words.decode().split("/")[0], r.stderr)


# ---- against the model -------------------------------------------------------------------------------------------

MODES = {"default": ["--whole"], "thin": ["--thin", "--whole"], "full": ["--full"], "forward-default": ["--forward"],
         "forward-thin": ["--forward", "--thin"], "forward-full": ["--forward", "--full"]}


def check_model(tap, dumper, name, argv, n, modes=tuple(MODES)):
    """Checks N criteria: the last instance and random ones, of code with source lines if there is any."""
    wet = record_wet(tap, name, argv)
    if not wet:
        return
    events = tap.path(name + ".events")
    with open(events, "w") as f:
        subprocess.run([dumper, wet], stdout=f)
    with open(events) as f:
        lines = [line.split(None, 5)[:5] for line in f]
    addrs = {line[1]: line[2] for line in lines if line[0] == "I"}
    ours = {line[1] for line in lines if line[0] == "I" and line[4] != "0"}
    ran = [line[1:3] for line in lines if line[0] == "E"]
    ran = [e for e in ran if e[0] in ours] or ran
    where = random.Random(name)
    asked = ""
    for k in range(n):
        instr, instance = ran[-1] if k == 0 else where.choice(ran)
        for mode in modes:
            path = tap.path("%s.%d.%s.json" % (name, k, mode))
            with open(path, "w") as f:
                commandlib.process("slice", "--json", "--at=0x%s#%s" % (addrs[instr], instance), *MODES[mode], wet, stdout=f)
            asked += "0x%s %s %s %s\n" % (addrs[instr], instance, mode, path)
    status, text = harness.oracle("slice_model.py", events, harness.written(tap, name + ".asked", asked))
    rows = text.splitlines()
    bad = [row for row in rows if len(row.split()) > 4]
    tap.ok(status == 0 and len(rows) == len(modes) * n and not bad, "%s: %d slices, %d instances, as in the model" %
           (name, len(rows), sum(int(row.split()[0]) for row in rows if row[:1].isdigit())), "\n".join(bad[:5]) + text[-2000:])
    if any(kind in name for kind in ("threads", "signals", "callback")):
        bad = wrong_sums(wet, "--at=0x%s" % addrs[ran[-1][0]], "--full")
        if "callback" in name:
            # The line depends on the order of elements, which the comparisons' results decided.
            bad += wrong_sums(wet, "--at=ranks.c:109")
        tap.ok(not bad, name + ": the annotated source has the sums of the instances", "\n".join(bad))


def check_random(tap, dumper, seeds):
    for seed in seeds:
        name = "random_%d" % seed
        prog = harness.compiled(tap, name + ".S", wet_programs.program(seed), "-static", "-nostdlib", "-no-pie")
        if prog:
            check_model(tap, dumper, name, [prog], 4)


def check_real(tap, dumper):
    """Programs are linked statically, because most of what runs otherwise is the dynamic linker; DCFG_SLOW=1: both."""
    programs = [("longjmp", "longjmp.c", 1, ("full",)), ("threads", "threads_join.c", 1, ("default",)),
                ("signals", os.path.join("callgrind", "signals.c"), 1, ("default", "full")),
                # Threads that leave their stacks, for each other's, too.
                ("contexts", os.path.join("stacks", "contexts.c"), 1, ("default",)),
                ("fibers", os.path.join("stacks", "fibers.c"), 1, ("default",)),
                ("copied", os.path.join("stacks", "copied.c"), 1, ("default", "full")),
                ("moving", os.path.join("stacks", "moving.c"), 2, ("default", "forward-default"))]
    for name, source, n, modes in programs:
        for kind, flags in (("", ["-static"]), ("_dynamic", [])) if os.environ.get("DCFG_SLOW") else (("", ["-static"]),):
            prog = harness.cc(tap, os.path.join(PROGS, source), name + kind, "-g", "-pthread", "-fomit-frame-pointer",
                              *["-DSIZE=2048"] * (name == "copied"), *flags)
            if prog:
                check_model(tap, dumper, name + kind, [prog], n, modes)
    for name, source in (("threads_born", "born.S"), ("cold", "cold.S")):
        prog = harness.cc(tap, os.path.join(PROGS, "wet", source), name, "-nostdlib", "-static", "-no-pie")
        if prog:
            check_model(tap, dumper, name, [prog], 8)
    # A library that calls the program back must be another image.
    prog = harness.cc(tap, os.path.join(PROGS, "slice", "ranks.c"), "callback", "-g", "-pthread")
    if prog:
        check_model(tap, dumper, "callback", [prog], 3 if os.environ.get("DCFG_SLOW") else 1, ("default", "forward-default"))
    if os.environ.get("DCFG_SLOW"):
        check_model(tap, dumper, "sh", ["/bin/sh", "-c", "trap 'x=1' USR1; kill -USR1 $$; echo $x"], 1, ("full",))


# ---- wrong use ---------------------------------------------------------------------------------------------------

def check_wrong(tap, wet):
    bad = []
    for args, words in (((), "--at"), (("--at=foo1.c:12", "--syscall=write"), "one of"), (("--at=foo1.c:999",), "line 999"),
                        (("--at=none.c:1",), "none.c"), (("--at=zzz",), "zzz"), (("--at=0x1",), "0x1"),
                        (("--at=foo1.c:12", "--of=nix"), "nix"), (("--syscall=nix",), "nix"),
                        (("--syscall=write#9",), "called 1 time\n"), (("--output=never",), "never"), (("--at=foo1.c:x",), "FILE:LINE"),
                        (("--at=foo1.c:12", "--thin", "--full"), "--thin"), (("--at=foo1.c:12", "--as=nix"), "nix"),
                        (("--at=foo1.c:12", "--of=rax", "--forward"), "--forward"),
                        (("--syscall=write#18446744073709551616",), "no system call")):
        status, out, err = commandlib.command("slice", *args, wet)
        if status != 2 or out or err.count("\n") != 1 or words not in err:
            bad.append("%s: status %d, %s" % (args, status, err or "no message"))
    for args in (("why", wet), ("why", wet, "0x1#0"), ("why", "--steps=0", wet, "foo1.c:12"), ("why", wet[:-4], "foo1.c:12")):
        status, out, err = commandlib.command(*args)
        if status != 2 or out or err.count("\n") != 1:
            bad.append("%s: status %d, %s" % (args, status, err or "no message"))
    tap.ok(not bad, "wrong use: a line each", "\n".join(bad))
    with open(wet, "rb") as f:
        r = commandlib.process("slice", "--at=foo1.c:12", "-", stdin=f)
    tap.ok(r.returncode == 2 and r.stderr.count(b"\n") == 1 and b"pipe" in r.stderr, "a pipe cannot be read twice", r.stderr)


def main():
    tap = harness.Tap("command_slice")
    dumper = harness.reader(tap, "slice_events")
    if len(sys.argv) > 1:
        check_random(tap, dumper, map(int, sys.argv[1:]))
        tap.done()
    wet = check_example(tap)
    if wet:
        check_compressed(tap, wet)
        check_wrong(tap, wet)
    check_images(tap)
    if dumper:
        check_random(tap, dumper, range(1, 101) if os.environ.get("DCFG_SLOW") else (2, 5))
        check_real(tap, dumper)
    tap.done()


main()
