#!/usr/bin/python3
"""Files of the tool: links, descriptors, FIFOs, long names.  The program notices nothing of them.  (TAP)
"""
import contextlib
import gzip
import os
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from filelib import Run

PROCESS = os.path.join(harness.SRCDIR, "tests", "progs", "files", "process.c")


def check_links(tap, prog):
    def plant(directory):
        os.mkdir(os.path.join(directory, "there"))
        for name, to in (("link.json", "there/file.json"), ("chain.json", "link.json"), ("new.json", "there/new.json"),
                         ("absolute.json", os.path.join(directory, "there", "absolute.json")), ("self.json", "self.json")):
            os.symlink(to, os.path.join(directory, name))
        with open(os.path.join(directory, "there", "file.json"), "w") as f:
            f.write("old\n")
    for name, to in (("link.json", "there/file.json"), ("chain.json", "there/file.json"), ("new.json", "there/new.json"),
                     ("absolute.json", "there/absolute.json")):
        r = Run(tap, "to-" + name, [prog], ["--dcfg-out-file=" + name], before=plant)
        links = [os.path.islink(r.path(link)) for link in ("link.json", "chain.json", "new.json", "absolute.json")]
        tap.ok(not r.wrong(to) and all(links) and not os.path.islink(r.path(to)),
               "%s: the link stays, and what it leads to is written" % name, r.wrong(to) + str(links))
    r = Run(tap, "to-self", [prog], ["--dcfg-out-file=self.json"], before=plant)
    tap.ok(r.status == 1 and "symbolic links" in r.err, "a link to itself is refused", r.err)
    r = Run(tap, "twice", [prog], ["--dcfg-out-file=link.json", "--trace=yes", "--trace-out-file=there/file.json"],
            before=plant)
    tap.ok(r.status == 1 and "names the file of" in r.err, "two outputs in one file, by a link, are refused", r.err)


def check_descriptors(tap, prog):
    """/dev/stdout is a link to /proc/self/fd/1.  A link of our own is the same, and cannot harm the machine."""
    def plant(directory):
        os.symlink("/proc/self/fd/1", os.path.join(directory, "stdout"))
        with open(os.path.join(directory, "out"), "w") as f:
            f.write("before\n")
    for name, argv, said in (("/proc/self/fd/1", [prog], b""), ("/dev/fd/1", [prog], b""), ("stdout", [prog], b""),
                             ("stdout", [prog, "close"], b"last words\n")):
        what = "%s, %s" % (name, argv[1:] and "which the program closes" or "open")
        r = Run(tap, re.sub(r"\W+", "-", what), argv, ["--dcfg-out-file=" + name], before=plant, out="out")
        with open(r.path("out"), "rb") as f:
            written = f.read()
        start = b"before\n" + said
        with open(r.path("graph.json"), "wb") as f:
            f.write(written[len(start):])
        tap.ok(written.startswith(start) and not r.wrong("graph.json") and os.path.islink(r.path("stdout")),
               what + ": behind what was written", "%r\n%s" % (written[:80], r.wrong("graph.json")))
    for name in ("/dev/fd/77", "/dev/fd/0"):
        r = Run(tap, "fd" + name[-2:].strip("/"), [prog], ["--dcfg-out-file=" + name])
        good = r.status == 1 and "Bad file descriptor" in r.err
        tap.ok(good, name + ", which nobody can write to, is refused", r.err)


def check_fifo(tap, prog):
    def plant(directory):
        os.mkfifo(os.path.join(directory, "fifo"))
    r = Run(tap, "unread", [prog], ["--dcfg-out-file=fifo"], before=plant)
    tap.ok(r.status == 0 and "nobody reads from it" in r.err, "a FIFO that nobody reads from: told, no waiting", r.err)
    readers = []

    def plant_and_read(directory):
        plant(directory)
        fifo = os.path.join(directory, "fifo")
        with open(os.path.join(directory, "graph.json"), "wb") as f:
            readers.append(subprocess.Popen(["cat", fifo], stdout=f))
        while readers[0].poll() is None:        # until it has opened the FIFO
            with contextlib.suppress(OSError):
                readers.append(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
                return
            time.sleep(0.01)
    r = Run(tap, "read", [prog], ["--dcfg-out-file=fifo"], before=plant_and_read)
    for fd in readers[1:]:
        os.close(fd)
    readers[0].wait(harness.TIMEOUT)
    tap.ok(not r.wrong("graph.json"), "a FIFO with a reader: all of it, once", r.wrong("graph.json"))


def check_names(tap, prog):
    long = "n" * 250 + ".json"
    traced = "t" * 247 + ".json.gz"
    r = Run(tap, "long", [prog], ["--dcfg-out-file=" + long, "--trace=yes", "--trace-out-file=" + traced])
    tap.ok(r.names == [long, traced] and not r.wrong(long), "names of 255 characters, a compressed one too",
           "%s\n%s" % (r.names, r.wrong()))
    r = Run(tap, "longer", [prog], ["--dcfg-out-file=n" + long])
    tap.ok(r.status == 1 and "File name too long" in r.err and not r.names, "a longer one is refused at once", r.err)
    r = Run(tap, "directory", [prog], ["--dcfg-out-file=" + tap.dir])
    tap.ok(r.status == 1 and "Is a directory" in r.err, "a directory is refused at once", r.err)


def check_new_files(tap, prog):
    """Nobody can put a link where a temporary file will be: its name is new each time, and it must not exist."""
    strace = shutil.which("strace")
    made = []
    for attempt in "12":
        log = tap.path("strace" + attempt)
        if strace and harness.run([strace, "-f", "-o", log, "-e", "trace=open,openat", harness.VALGRIND, "-q", "--tool=dcfg",
                                   "--dcfg-out-file=graph.json", "--trace=yes", "--trace-out-file=trace.json", prog],
                                  tap.dir)[0] == 0:
            with open(log, errors="replace") as f:
                made.append(re.findall(r'"([^"]*\.(?:tmp|spool)-[^"]*)", ([A-Z_|]+)', f.read()))
    if len(made) < 2:
        tap.skip("new files", "strace is not installed or may not trace here")
        return
    kinds = [sorted({re.sub(r"-[0-9a-f]+$", "", os.path.basename(name)) for name, _ in files}) for files in made]
    tap.ok(kinds == 2 * [["graph.json.tmp", "trace.json.spool", "trace.json.tmp"]], "temporary files", made)
    names = [name for files in made for name, _ in files]
    tap.ok(len(set(names)) == len(names), "each has a name of its own", names)
    tap.ok(all("O_EXCL" in flags and "O_CREAT" in flags for files in made for _, flags in files),
           "each must be new", made)


def unpacked(r, name):
    with gzip.open(r.path(name)) as packed, open(r.path("unpacked.json"), "wb") as f:
        f.write(packed.read())
    return r.wrong("unpacked.json")


def check_compressors(tap, prog):
    def dump(p):
        p.stdout.readline()
        answer = harness.ask(p, "dump", "%n.json.gz")
        p.stdin.close()
        p.stdin = None
        return answer
    r = Run(tap, "wait", [prog, "wait"], ["--dcfg-out-file=%p.json"], ask=dump)
    tap.ok(r.out == "mine\n" and "1.json.gz" in r.names and not unpacked(r, "1.json.gz"),
           "the program's wait() does not find the compressor",
           "%r %s\n%s\n%s" % (r.out, r.names, r.asked, r.wrong()))
    r = Run(tap, "ignored", [prog, "ignore"], ["--dcfg-out-file=graph.json.gz"])
    tap.ok(r.names == ["graph.json.gz"] and not unpacked(r, "graph.json.gz"), "children's ends are ignored", r.wrong())
    r = Run(tap, "missing", [prog, "ignore"], ["--dcfg-out-file=graph.json.gz"], env={"PATH": "/nonexistent"})
    tap.ok(r.names == ["graph.json"] and r.status == 0 and "is not compressed" in r.err,
           "so are they where there is no compressor: the plain file", "%s\n%s" % (r.names, r.err))
    r = Run(tap, "environ", [prog, "environ"], ["--dcfg-out-file=graph.json.gz"])
    tap.ok(r.names == ["graph.json.gz"] and not unpacked(r, "graph.json.gz"),
           "a program that overwrites its environment", "%s\n%s" % (r.names, r.wrong()))


def main():
    tap = harness.Tap("files")
    prog = harness.cc(tap, PROCESS, "process", "-static", "-pthread")
    if prog:
        check_descriptors(tap, prog)
        check_fifo(tap, prog)
        check_links(tap, prog)
        check_names(tap, prog)
        check_new_files(tap, prog)
        check_compressors(tap, prog)
    tap.done()


if __name__ == "__main__":
    main()
