#!/usr/bin/python3
"""Threads of a slice: the column, and which values went from one thread to another.  (TAP)

- Two threads without a lock, with one, with one that is waited for, with a condition; three threads; C++'s std::thread; a
  program without symbols; a program with one thread, of which nothing is said.
- The same values in both forms that have them, and lines and threads on the first screen.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
from harness import record_wet

# Threads follow each other by a pipe, which is no lock.
TWO = harness.text("slices/threads_two.c")

THREE = harness.text("slices/threads_three.c")

CXX = harness.text("slices/threads_cxx.cc")


def line_of(text, mark):
    return next(k for k, line in enumerate(text.splitlines(), 1) if "/* %s */" % mark in line)


def recorded(tap, name, text, *flags, suffix=".c", strip=False):
    source = harness.written(tap, name + suffix, text)
    prog = harness.cc(tap, source, name, "-O0", "-pthread", *flags)
    if prog and strip:
        subprocess.run(["strip", prog], check=True)
    return prog and record_wet(tap, name, [prog])


def listing(wet, name, text, *opts):
    return commandlib.command("slice", "--at=%s:%d" % (name, line_of(text, "TELLS")), "--of=seen", *opts, wet)


def row_has(out, place, thread):
    return re.search(r"^ *\d+ +[\d,]+ +\S+%% +%s +%s\b" % (re.escape(thread), re.escape(place)), out, re.M) is not None


def check_two(tap, name, flags, order):
    wet = recorded(tap, name, TWO, *flags)
    if not wet:
        return
    status, out, err = listing(wet, name + ".c", TWO)
    places = {m: "%s.c:%d" % (name, line_of(TWO, m)) for m in ("WRITES", "READS", "GIVES", "TELLS")}
    screen = "\n".join(out.splitlines()[:24])
    said = "%s reads what %s wrote: written by thread 1 (worker), read by thread 0 (main); %s" % (places["READS"], places["WRITES"], order)
    tap.ok(status == 0 and not err and said in screen, name + ": who wrote and who read, on the first screen", out + err)
    tap.ok(row_has(screen, places["WRITES"], "1") and row_has(screen, places["READS"], "0"), name + ": lines with their threads", out)
    given = "%s wrote: written by thread 0 (main), read by thread 1 (worker); no lock of pthread's lies between; " \
            "thread 1 began after the write" % places["GIVES"]
    tap.ok(given in out, name + ": what the thread was given was written before it began", out)
    crossings = [line for line in out.splitlines() if "written by thread" in line]
    status, source, err = listing(wet, name + ".c", TWO, "--as=source")
    tap.ok(status == 0 and [line for line in source.splitlines() if "written by thread" in line] == crossings
           and row_has(source, str(line_of(TWO, "WRITES")), "1") and row_has(source, str(line_of(TWO, "READS")), "0"),
           name + ": the same in the source", source + err)


def check_three(tap):
    wet = recorded(tap, "three", THREE)
    if not wet:
        return
    status, out, err = listing(wet, "three.c", THREE)
    at = {m: "three.c:%d" % line_of(THREE, m) for m in ("DOUBLES", "ADDS", "READS")}
    for row in ("%s reads what %s wrote: written by thread 1 (adder), read by thread 0 (main); ordered by mutex guard"
                % (at["READS"], at["ADDS"]),
                "%s reads what %s wrote: written by thread 2 (doubler), read by thread 1 (adder); no lock of pthread's lies between"
                % (at["ADDS"], at["DOUBLES"])):
        tap.ok(status == 0 and row in "\n".join(out.splitlines()[:24]), "three threads: " + row.split("; ")[1], out + err)
    tap.ok(row_has(out, at["DOUBLES"], "2") and row_has(out, at["ADDS"], "1"), "three threads: lines with their threads", out)
    status, out, err = commandlib.command("slice", "--forward", "--at=" + at["DOUBLES"], wet)
    tap.ok(status == 0 and row_has(out, at["ADDS"], "1") and row_has(out, at["READS"], "0"), "three threads: forward, too", out + err)


def check_cxx(tap):
    wet = recorded(tap, "account", CXX, "-lstdc++", suffix=".cpp")
    if not wet:
        return
    status, out, err = listing(wet, "account.cpp", CXX, "--thin")
    said = "account.cpp:%d reads what account.cpp:%d wrote: written by thread 1 (bank::deposit), read by thread 0 (main); no lock of " \
           "pthread's lies between; the read came after thread 1's last instruction" % (line_of(CXX, "READS"), line_of(CXX, "WRITES"))
    tap.ok(status == 0 and said in out, "std::thread: its function, and that it had ended", out + err)


def check_without(tap):
    wet = recorded(tap, "bare", TWO, "-DLOCKED=0", "-DHELD=0", strip=True)
    if wet:
        status, out, err = commandlib.command("slice", "--syscall=write", "--thin", wet)
        tap.ok(status == 0 and re.search(r"^bare\+0x\w+ reads what bare\+0x\w+ wrote: written by thread 1, read by thread 0; no lock", out,
                                         re.M), "a program without symbols: instructions", out + err)
    wet = recorded(tap, "alone", "int main(int argc, char **argv) {\n   int seen = argc * 3;\n   return seen == 7;  /* TELLS */\n}\n")
    if wet:
        texts = [listing(wet, "alone.c", "\n\n/* TELLS */", *opts)[1] for opts in ((), ("--as=source",))]
        tap.ok(all("seen = argc" in t and "written by thread" not in t and "share   line" in t for t in texts), "one thread: nothing is said of it", texts)


def main():
    tap = harness.Tap("slice_threads")
    free, ordered = "no lock of pthread's lies between", "ordered by mutex guard"
    check_two(tap, "race", ["-DLOCKED=0", "-DHELD=0"], free)
    check_two(tap, "locked", ["-DLOCKED=1", "-DHELD=0", "-DREADERS=guard"], ordered)
    check_two(tap, "waited", ["-DLOCKED=1", "-DHELD=1", "-DREADERS=guard"], ordered)
    check_two(tap, "mistaken", ["-DLOCKED=1", "-DHELD=0", "-DREADERS=other"], free)
    check_three(tap)
    check_cxx(tap)
    check_without(tap)
    tap.done()


if __name__ == "__main__":
    main()
