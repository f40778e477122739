#!/usr/bin/python3
"""libdcfg as it is installed: its symbols, and linking with it.  (TAP)"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commandlib
import harness

LIB = os.path.join(os.path.dirname(harness.VALGRIND), os.pardir, "lib")


def run(*args):
    env = dict(harness.ENV, PKG_CONFIG_PATH=os.path.join(LIB, "pkgconfig"), LD_LIBRARY_PATH=LIB)
    r = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
    return r.returncode, r.stdout.decode(errors="replace")


def names(*args):
    """Returns the names that nm finds, each with its letter."""
    status, out = run("nm", *args)
    if status:
        raise RuntimeError(out)
    return {tuple(line.split()[-2:]) for line in out.splitlines() if len(line.split()) > 1}


def check_names(tap):
    """Both libraries export exactly the functions that the headers declare."""
    declared = set()
    with open(os.path.join(harness.SRCDIR, "lib", "Makefile.am")) as f:
        headers = re.search(r"^include_HEADERS = (.*)", f.read(), re.M).group(1).split()
    for header in headers:
        with open(os.path.join(harness.SRCDIR, "lib", header)) as f:
            declared |= set(re.findall(r"^DCFG_API[^;(]*?\b(dcfg_\w+)\s*\(", f.read(), re.M))
    tap.ok(len(declared) > 40, "the headers declare functions", sorted(declared))
    for name, args in (("libdcfg.a", ["-g", "--defined-only"]), ("libdcfg.so", ["-D", "--defined-only"])):
        have = {n for _, n in names(*args, os.path.join(LIB, name))}
        tap.ok(have == declared, "%s has the names of its headers and no other" % name, sorted(have ^ declared))
    bare = {n for kind, n in names("-g", os.path.join(LIB, "libdcfg.a")) if kind != "U"}
    tap.ok(bare == declared, "also with those that are weak or common", sorted(bare ^ declared))


def check_linking(tap):
    """Builds and runs the program of lib/README.md, linked as the manual page says."""
    source = tap.path("prog.c")
    with open(os.path.join(harness.SRCDIR, "lib", "README.md")) as f, open(source, "w") as to:
        to.write(re.search(r"```c\n(.*?)```", f.read(), re.S).group(1))
    graph = commandlib.write(tap.path("graph.json"), commandlib.small.good())
    for what, more, ask in (("with the shared library", [], []), ("statically", ["-static"], ["--static"])):
        prog = tap.path("prog")
        status, flags = run("pkg-config", *ask, "--cflags", "--libs", "libdcfg")
        status, out = (status, flags) if status else run("cc", "-Wall", "-Werror", *more, "-o", prog, source,
                                                         *flags.split())
        tap.ok(status == 0, "a program is linked " + what, flags + out)
        status, out = run(prog, graph)
        tap.ok(status == 0 and "0x40010a: 3 iterations\n" in out, "and runs", out)
    kind = names(prog) if status == 0 else set()
    tap.ok(("T", "getenv") in kind or ("W", "getenv") in kind or ("T", "memcpy") in kind or ("i", "memcpy") in kind,
           "the last one has its libraries inside", len(kind))


def main():
    tap = harness.Tap("library")
    if not os.path.exists(os.path.join(LIB, "libdcfg.a")):
        tap.skip("libdcfg", "it was not built")
        tap.done()
    check_names(tap)
    check_linking(tap)
    tap.done()


if __name__ == "__main__":
    main()
