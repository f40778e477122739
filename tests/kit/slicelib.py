"""Functions that the tests of dcfg slice share: slices as sets, from the data in their pages.

The data of a page is described at the head of cmd/slice/slice_html.c.
"""
import codecs
import os
import pty
import re
import select
import subprocess

import commandlib
import harness
import pagelib

# OPTIONS: options of the command for the files of another machine.
OPTIONS = []
PROGS = os.path.join(harness.SRCDIR, "tests", "progs", "slice")


class Slice:
    """A slice.  .nodes: instances, (address, instance), in order of time; .inputs: for each, numbers of nodes."""

    def __init__(self, data):
        self.data = data
        n = len(data["instr"])
        self.addr = [int(a, 16) for a in data["addr"]]
        self.nodes = [(self.addr[x], i) for x, i in zip(data["instr"], data["instance"])]
        self.inputs, at = [], 0
        for i in range(n):
            back = data["back"][at:at + data["count"][i]]
            at += data["count"][i]
            self.inputs.append([i - b for b in back if b > 0])
        self.places = [(self.source(x), data["line"][x]) for x in range(len(self.addr))]

    def source(self, x):
        """Returns the base name of an instruction's source; None if it has none."""
        f = self.data["files"][self.data["file"][x]]
        return os.path.basename(f["name"]) if f["source"] else None

    def lines(self, source):
        """Returns the lines of a source that are in the slice."""
        return {line for name, line in (self.places[x] for x in set(self.data["instr"])) if name == source}

    def executed(self, source):
        return {line for f in self.data["files"] if f["source"] and os.path.basename(f["name"]) == source
                for line in f["executed"]}


def slice_of(tap, wet, *opts, **more):
    """Returns the slice; (None, the message) if there is none."""
    out = tap.path("slice.html")
    status, text, err = commandlib.command("slice", "--as=html", "-o", out, *OPTIONS, *opts, wet, **more)
    if status != 0 or not os.path.exists(out):
        return None, "status %d: %s%s" % (status, text, err)
    with open(out, encoding="utf-8") as f:
        data = pagelib.data_of(f.read())
    os.unlink(out)
    return (Slice(data), err) if data else (None, "no data in the page")


def recording(tap, name):
    """Returns Valgrind's options, with files for each process."""
    return ["-q", "--tool=dcfg", "--wet=yes", "--wet-out-file=" + tap.path(name + ".%p.wet"),
            "--dcfg-out-file=" + tap.path(name + ".%p.json"), "--log-file=" + tap.path(name + ".%p.log")]


def record(tap, name, argv):
    """Records a run; returns its file, not its children's, and its output."""
    p = subprocess.Popen([harness.VALGRIND] + recording(tap, name) + argv,
                         stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=harness.ENV, cwd=tap.dir)
    out = p.communicate(timeout=harness.TIMEOUT)[0].decode(errors="replace")
    wet = tap.path("%s.%d.wet" % (name, p.pid))
    return wet if tap.ok(os.path.exists(wet), name + ": is recorded", "status %d" % p.returncode) else None, out


def near_rows(text, source):
    """Return for each row of a listing, the nearest first, its lines of a source.  A row of a store that did not run has the lines
    of the store and of its branch."""
    line = re.compile(r" *[\d,]+ +[\d,]+ +<?[\d.]+%%(?: +\d[\d,+-]*)?   %s:(\d+)\b" % re.escape(source))
    did_not_run = re.compile(r" *(?:maybe )?could have changed .*? \(because .* at 0x")
    rows = []
    for row in text.splitlines():
        if line.match(row):
            rows.append([int(line.match(row).group(1))])
        elif did_not_run.match(row):
            rows.append([int(n) for n in re.findall(r"(?:line |:)(\d+)", did_not_run.match(row).group())])
    return rows


def near_lines(text, source):
    """Returns the lines of a source in a listing, the nearest first."""
    found = re.findall(r"^ *[\d,]+ +[\d,]+ +<?[\d.]+%%(?: +\d[\d,+-]*)?   %s:(\d+)\b" % re.escape(source), text, re.M)
    return [int(line) for line in found]


def lines_of(text, source):
    return sorted(near_lines(text, source))


def key(step):
    return step["address"], step["instance"]


def is_line(step, source, *lines):
    return os.path.basename(step.get("source", "")) == source and step.get("line") in lines


def line_of(text, words):
    """Returns the number of the first line with these words."""
    return next(k for k, line in enumerate(text.splitlines(), 1) if words in line)


def talk(answers, *args):
    """Returns the status, and the text up to each answer, without what a slow machine tells of its progress; None if there is no
    terminal."""
    main, tty = pty.openpty()
    p = subprocess.Popen([commandlib.DCFG, "why", *args], stdin=tty, stdout=tty, stderr=tty, env=harness.ENV)
    os.close(tty)
    seen, answers = "", [a + "\n" for a in answers]
    decoder = codecs.getincrementaldecoder("utf-8")()
    while select.select([main], [], [], harness.TIMEOUT)[0]:
        try:
            seen += decoder.decode(os.read(main, 4096))
        except OSError:
            break
        if answers and seen.endswith("quit)? "):
            seen += "|"
            os.write(main, answers.pop(0).encode())
    os.close(main)
    seen = re.sub(r"(dcfg: reading [^\x1b]*)?\r?\x1b\[K", "", seen)
    return p.wait(), [x.replace("\r", "") for x in seen.split("quit)? |")]
