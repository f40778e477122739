#!/usr/bin/python3
"""Files whose debug information is damaged: report, flame and disasm with --inline end in order, and soon.  (TAP)

    inline_damaged.t [NUMBER [SEED]]

A mutant is a program with some bytes changed in sections of debug information alone, so that the code is what ran.
"""
import os
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import harness
from commandlib import DCFG, command
from inlinelib import Program, compiler

SECTIONS = (".debug_info", ".debug_abbrev", ".debug_ranges", ".debug_rnglists", ".debug_addr", ".debug_str_offsets",
            ".debug_line", ".debug_str", ".debug_line_str")
WANTED = (("shapes.cc", "g++", "-O2", "-gdwarf-5"), ("shapes.cc", "g++", "-O2", "-gdwarf-4"),
          ("nest.c", "clang-14", "-O2", "-gdwarf-5"))
COMMANDS = (["report", "--sites", "--csv"], ["report", "--inline", "--top=0"], ["disasm", "--inline", "--image=main"])


def sections(path):
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    found = {}
    for name, offset, size in re.findall(r"\] (\.debug_\w+) +\w+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", out):
        if name in SECTIONS and int(size, 16):
            found[name] = (int(offset, 16), int(size, 16))
    return found


def damage(data, where, dice):
    """Makes one to eight changes: a bit, a byte, a run of bytes, or a copy of others."""
    for _ in range(dice.choice((1, 1, 2, 8))):
        offset, size = where[dice.choice(sorted(where))]
        at, n = offset + dice.randrange(size), dice.choice((1, 1, 4, 16))
        n = min(n, offset + size - at)
        kind = dice.randrange(4)
        if kind == 0:
            data[at] ^= 1 << dice.randrange(8)
        elif kind == 1:
            data[at] = dice.choice((0, 1, 0x7f, 0x80, 0xff, dice.randrange(256)))
        elif kind == 2:
            data[at:at + n] = bytes([dice.choice((0, 0xff))]) * n
        else:
            start = offset + dice.randrange(size)
            data[at:at + n] = data[start:start + n][:n].ljust(n, b"\0")


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    dice = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 33)
    tap = harness.Tap("inline_damaged")
    programs = []
    for source, cc, *flags in WANTED:
        if compiler(cc) is None:
            tap.skip(" ".join((source, cc)), cc + " is not installed")
        else:
            p = Program(tap, source, cc, *flags)
            shutil.copy(p.path, p.path + ".whole")
            programs.append((p, sections(p.path)))
    wrong, told = [], 0
    for n in range(number):
        p, where = programs[n % len(programs)]
        data = bytearray(harness.read(p.path + ".whole", "rb"))
        damage(data, where, dice)
        harness.write(p.path, data)
        args = COMMANDS[n % len(COMMANDS)]
        try:
            status, out, err = command(*args, p.graph, program=DCFG)
        except subprocess.TimeoutExpired:
            status, out, err = 124, "", "no end"
        told += "broken" in err or "no debug information" in err
        if status != 0 or "ERROR: " in err or "runtime error" in err or len(err.splitlines()) > 8 or not out:
            shutil.copy(p.path, tap.path("wrong.%d" % n))
            wrong.append("%d: %s: status %d\n%s" % (n, " ".join(args), status, err[:1500]))
    tap.ok(not wrong, "%d damaged files: none stops the command" % number, "\n".join(wrong[:5]))
    tap.done()


main()
