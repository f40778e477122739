#!/usr/bin/python3
"""dcfg disasm: addresses in files, and names of targets, are those of objdump.  (TAP)"""
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command, table

PROGRAM_C = harness.text("cmd/disasm.c")
CODE_LINE = re.compile(r" *[\d,]+ {10,}([0-9a-f]+) +([0-9a-f]+)  (\S.*)\Z")


def objdump(*args):
    """Returns, by address, each instruction's bytes and the name in <...>."""
    r = subprocess.run(["objdump", "-d", "-w", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    found = {}
    for line in r.stdout.decode(errors="replace").splitlines():
        m = re.match(r" *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t?([^#]*)", line)
        if m:
            name = re.search(r"<(.*)>\s*\Z", m.group(3))
            found[int(m.group(1), 16)] = (m.group(2).replace(" ", ""), name and name.group(1))
    return found


def check_program(tap):
    """Builds the program in several ways; returns the last one's graph."""
    source = harness.written(tap, "even.c", PROGRAM_C)
    for name, flags, pie in (("even-pie", ["-fpie", "-pie"], True), ("even-fixed", ["-fno-pie", "-no-pie"], False)):
        program = harness.cc(tap, source, name, *flags)
        file, status, why = harness.dcfg(tap, name, [program])
        want = objdump(program)
        named, jumps, stubs, wrong = 0, 0, 0, []
        for routine in ("main", "even", "odd"):
            status, out, err = command("disasm", "--bytes", "--routine=" + routine, file)
            for line in out.splitlines():
                m = CODE_LINE.match(line)
                if not m or m.group(3).startswith("block "):
                    continue
                loaded, at = int(m.group(1), 16), int(m.group(2), 16)
                code, text = m.group(3).split(None, 1)
                there, target = want.get(at, ("", None))
                if not there.startswith(code.rstrip("+")) or (loaded != at) != pie:
                    wrong.append(line)
                ours = re.search(r" <(.*)>\Z", text)
                if (ours and ours.group(1)) != target:
                    wrong.append("%s: objdump says %s" % (line, target))
                named += target is not None
                jumps += target is not None and "+" in target
                stubs += target is not None and "@plt" in target
                # The edge has the same name.
                if target and text.startswith("call") and "-> call " + target not in out:
                    wrong.append("no edge to " + target)
        tap.ok(not wrong and named >= 9 and jumps >= 4 and stubs >= 1,
               "disasm of %s: addresses and targets as objdump shows them" % name,
               "\n".join(wrong + ["%d targets, %d inside, %d stubs" % (named, jumps, stubs), out, err]))
    return file


def check_shared_object(tap, path):
    """Checks the blocks of the hottest routine of libc."""
    top = table(command("report", "--csv", "--routines", "--image=*/libc.*", "--top=1", path)[1])[0]
    lines = command("disasm", "--bytes", "--routine=#" + top["node_id"], path)[1].splitlines()
    image = re.search(r"  \((\S+)\)\Z", lines[1]).group(1)
    rows = [m.groups() for m in map(CODE_LINE.match, lines) if m and not m.group(3).startswith("block ")]
    libc = next(n for _, n in json.loads(harness.read(path))["FILE_NAMES"][1:] if os.path.basename(n) == image)
    if not tap.ok(len(rows) > 5, "code of a routine of libc", "\n".join(lines)):
        return
    at = [int(r[1], 16) for r in rows]
    want = objdump("--start-address=%d" % min(at), "--stop-address=%d" % (max(at) + 16), libc)
    wrong = [r for r, a in zip(rows, at) if not want.get(a, ("",))[0].startswith(r[2].split()[0].rstrip("+"))]
    tap.ok(not wrong and all(int(r[0], 16) > a for r, a in zip(rows, at)), "and of a shared object",
           wrong[:5] or rows[:5])


def main():
    tap = harness.Tap("command_disasm")
    if not shutil.which("objdump"):
        tap.skip("addresses as objdump's", "no objdump")
    else:
        check_shared_object(tap, check_program(tap))
    tap.done()


main()
