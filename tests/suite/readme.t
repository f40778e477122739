#!/usr/bin/python3
"""What README.md shows is what happens.  (TAP)

Every command in a ```console block is run, in a directory of its own that has the repository's docs/; ./dev run is the
Valgrind under test, build/inst/bin/dcfg and callgrind_annotate there are the commands beside it.  Much of the output
(offsets, libc's share of the counts) depends on the machine.  What does not is described by the comments behind a
block, <!-- stable: REGEX -->: each must match a line of what README.md shows and a line of what the command prints.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commandlib
import harness

BLOCK = re.compile(r"^```console\n\$ (.*)\n((?:(?!```).*\n)*)```\n((?:<!-- stable: .* -->\n)*)", re.M)
STABLE = re.compile(r"<!-- stable: (.*) -->")


def main():
    tap = harness.Tap("readme")
    with open(os.path.join(harness.SRCDIR, "README.md")) as f:
        readme = f.read()
    docs = os.path.join(harness.SRCDIR, "docs")
    os.symlink(docs, tap.path("docs"))

    with open(os.path.join(docs, "primes.c")) as f:
        tap.ok("```c\n" + f.read() + "```\n" in readme, "the program is docs/primes.c")
    annotate = os.path.join(os.path.dirname(shutil.which(harness.VALGRIND)), "callgrind_annotate")
    blocks = BLOCK.findall(readme)
    tap.ok(len(blocks) > 3 and len(blocks) == readme.count("```console\n"), "every console block can be read",
           "%d of %d" % (len(blocks), readme.count("```console\n")))
    for command, shown, comments in blocks:
        real = re.sub(r"^\./dev run ", lambda m: shlex.quote(harness.VALGRIND) + " --tool=dcfg ", command)
        real = re.sub(r"^build/inst/bin/dcfg ", lambda m: shlex.quote(commandlib.DCFG) + " ", real)
        real = re.sub(r"^build/inst/bin/callgrind_annotate ", lambda m: shlex.quote(annotate) + " ", real)
        program = shlex.split(real)[0]
        if not shutil.which(program):
            tap.skip(command, program + " is not installed")
            continue
        r = subprocess.run(real, shell=True, cwd=tap.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=harness.TIMEOUT)
        printed = r.stdout.decode(errors="replace")
        wrong = ["exit status %d" % r.returncode] if r.returncode else []
        for regex in STABLE.findall(comments):
            for what, text in (("shown", shown), ("printed", printed)):
                if not re.search(regex, text, re.M):
                    wrong.append("%s is not %s" % (regex, what))
        if not shown and printed:
            wrong.append("README.md shows no output")
        tap.ok(not wrong, command[:100], "\n".join(wrong + ["printed:", printed]))
    tap.done()


if __name__ == "__main__":
    main()
