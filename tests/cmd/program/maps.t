#!/usr/bin/python3
"""The file that has an address depends on time.  (TAP)

Plug-ins follow each other at one address: different ones, two builds of one file, one that comes back elsewhere.  Files and
code are mapped where a plug-in was.  What the program prints of its memory is the truth for dcfg gdb, dcfg slice and dcfg why.
"""
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import gdblib
import harness

PROGS = os.path.join(harness.SRCDIR, "tests", "progs", "maps")
DIGITS = b"0123456789abcdefghijklmnopqrstuvwxyz" * 200


def line_of(source, text):
    with open(os.path.join(PROGS, source)) as f:
        return 1 + [text in line for line in f].index(True)


SUM, ODD, RETURN = [line_of("plug.c", text) for text in ("sum +=", "sum = ODD", "return sum")]
TOTAL = line_of("host.c", "total += got;")


class Run:
    """A recorded run of the host with arguments ARGV: its trace, and the lines of seen()."""

    def __init__(self, tap, name, *argv):
        self.tap, self.name, self.wet = tap, name, tap.path(name + ".wet")
        graph, status, why = harness.dcfg(tap, name, [tap.path("host"), tap.path(name + ".out"), *argv],
                                          ["--wet=yes", "--wet-out-file=" + self.wet])
        self.ok = tap.ok(graph and status == 0, name + ": is recorded", why)
        self.lines = []
        if self.ok:
            self.lines = harness.read(tap.path(name + ".out")).splitlines()[:-1]
        self.at = [int(line.split()[0], 16) for line in self.lines]

    def gdb(self, *commands):
        return gdblib.gdb(self.wet, *commands)

    def same(self):
        """Whether all plug-ins were at one address, as this test needs it."""
        if len(set(self.at)) == 1:
            return True
        self.tap.skip(self.name, "the plug-ins were not at one address")
        return False


def plug(tap, name, who, n, label, odd=0):
    return harness.cc(tap, os.path.join(PROGS, "plug.c"), name, "-O0", "-shared", "-fPIC", "-DWHO=" + who, "-DN=%d" % n,
                      '-DLABEL="%s"' % label, "-DODD=%d" % odd)


# ---- plug-ins ----------------------------------------------------------------------------------------------------

SHOW = ('printf "seen %p %d %s\\n", at, n, text', "info symbol at", "print *at@4")


def check_follow(tap, one, two):
    """Data, constants, symbols, lines and names of the plug-in that is there, forward, backward and where one goes."""
    run = Run(tap, "follow", one, two, one)
    if not run.ok or not run.same():
        return
    names = ["one", "two", "one"]
    stocks = {"one": "{100, 101, 102, 103}", "two": "{200, 201, 202, 203}"}
    want = []
    for line, who in zip(run.lines, names):
        want += ["seen " + line, "stock_%s in section .data of %s" % (who, tap.path("lib%s.so" % who)), stocks[who]]

    def shown(said):
        return re.findall(r"^(?:\$\d+ = )?(seen 0x.*|stock_.*|\{.*\}|No symbol matches.*)$", said, re.M)
    said = run.gdb("break seen", *("continue", *SHOW) * 3)
    tap.ok(shown(said) == want, "follow: forward", said)
    said = run.gdb("break seen", "dcfg-goto end", *("reverse-continue", *SHOW) * 3)
    tap.ok(shown(said) == [x for k in (2, 1, 0) for x in want[3 * k:3 * k + 3]], "follow: backward", said)
    said = run.gdb("break serve_two", "continue", "print n", "print stock_two", "continue")
    tap.ok(re.search(r"^Breakpoint 1, serve_two \(n=3\) at .*plug\.c:\d+$", said, re.M) and stocks["two"] in said
           and said.count("Breakpoint 1, ") == 1, "follow: a breakpoint in a plug-in that is loaded later", said)
    said = run.gdb("break serve_one", "dcfg-goto end", *("reverse-continue", "print stock_one[0]", "monitor when") * 2, "reverse-continue")
    times = [int(t.replace(",", "")) for t in re.findall("^time ([0-9,]+)", said, re.M)]
    tap.ok(said.count("Breakpoint 1, serve_one (n=3)") == 2 and len(times) == 2 and times[0] > times[1],
           "follow: and one backward", said)
    entry = re.search(r"0x[0-9a-f]+#", run.gdb("break serve_two", "continue", "monitor when")).group()[:-1]
    said = run.gdb("break *%s if $rdi == 3" % entry, *("continue", "bt 1") * 3)
    tap.ok(re.findall(r"^#0 +(\w+)", said, re.M) == ["serve_one", "serve_two", "serve_one"], "follow: code of one address", said)
    said = run.gdb(*("dcfg-goto plug.c:%d#%d" % (SUM, 0), "bt 1", "dcfg-goto plug.c:%d#%d" % (SUM, 3), "bt 1", "info sharedlibrary",
                     "dcfg-goto begin", "info sharedlibrary"))
    first, begin = said.split("From  ")[1:]
    tap.ok(re.findall(r"^#0 +(?:0x\w+ in )?(\w+)", said, re.M) == ["serve_one", "serve_two"] and "libtwo.so" in first
           and "libone.so" not in first and "libtwo.so" not in begin and "libone.so" not in begin, "follow: the place that one goes to", said)
    for n, who, other in ((0, "one", "two"), (1, "two", "one"), (2, "one", "two")):
        for options in ((), ("--index=no",)):
            at = "--at=host.c:%d#%d" % (TOTAL, n)
            status, out, err = commandlib.command("slice", *options, at, "--of=stock_%s[3]" % who, run.wet)
            tap.ok(status == 0 and "stock_%s[3]" % who in out.splitlines()[0], "follow: %s in words %s" % (at, " ".join(options)), out + err)
            status, out, err = commandlib.command("slice", *options, at, "--of=stock_%s[3]" % other, run.wet)
            tap.ok(status != 0 and "which is not known to be loaded then" in err, "follow: what is not there then is not named", out + err)
    err = commandlib.command("slice", "--at=%s#0" % entry, run.wet)[2]
    tap.ok("several images had code at %s, one after the other" % entry in err, "follow: an address does not say whose", err)
    check_stops(tap, run)
    check_why(tap, run)


def check_why(tap, run):
    """Code that did not run is that of the plug-in; the host reads data of the plug-ins, which nothing wrote."""
    for n in range(3):
        status, out, err = commandlib.command("why", run.wet, "plug.c:%d#%d" % (RETURN, n))
        tap.ok(re.search(r"could have changed sum, but did not run: line %d \(because line %d was" % (ODD, ODD - 1), out),
               "follow: what did not run", out + err)
    for n, value in enumerate((103, 203, 103)):
        status, out, err = commandlib.command("why", "--steps=2", run.wet, "host.c:%d#%d" % (TOTAL, n))
        tap.ok(status == 0 and re.search(r"p\.stock\[3\] = %d$" % value, out, re.M), "follow: dcfg why has the value", out + err)


# ---- the protocol ------------------------------------------------------------------------------------------------

def libraries(r):
    return re.findall(r'<library name="[^"]*/lib(one|two)\.so"', r.ask("qXfer:libraries-svr4:read::0,4000"))


def now(r):
    return int(re.match("time ([0-9,]+)", r.monitor("when")).group(1).replace(",", ""))


def check_stops(tap, run):
    """The stops at which the list changes; steps that meet one end where other steps end."""
    r = gdblib.serve(run.wet)
    changes, stop = [], r.ask("vCont;c")
    while "library:" in stop:
        changes.append((now(r), libraries(r)))
        stop = r.ask("vCont;c")
    lists = [x for _, x in changes]
    if not tap.ok(lists == [["one"], [], ["two"], [], ["one"], []] and "replaylog:end" in stop and libraries(r) == [], "stops: forward",
                  changes):
        r.close()
        return
    back, stop = [], r.ask("bc")
    while "library:" in stop:
        back.append((now(r), libraries(r)))
        stop = r.ask("bc")
    tap.ok([t for t, _ in back] == [t for t, _ in reversed(changes)] and [x for _, x in back] == lists[-2::-1] + [[]]
           and "replaylog:begin" in stop, "stops: backward", back)
    wrong = []
    for t, there in changes:
        for command, to in (("vCont;s:1", 1), ("bs", -1)):
            r.monitor("goto %d" % (t - to))
            stop = r.ask("vCont;s:1")
            for _ in range(3):
                while "library:" in stop:
                    stop = r.ask("vCont;s:1" if now(r) == t - to else command)
                if now(r) != t - to:
                    break
                stop = r.ask(command)
            if now(r) != t or (to == 1 and libraries(r) != there):
                wrong.append((t, command, now(r), libraries(r), stop))
    tap.ok(not wrong, "stops: a step is a step", wrong)
    r.monitor("goto %d" % (changes[0][0] + 1))
    first = [r.ask("vCont;s:1")]
    r.monitor("goto %d" % (changes[2][0] + 1))
    while "library:" in first[-1]:
        first.append(r.ask("vCont;s:1"))
    stops = [libraries(r)]
    tap.ok("library:" not in first[-1] and stops == [["two"]] and now(r) == changes[2][0] + 1, "stops: from one plug-in to another", (first, stops))
    r.close()


# ---- others ------------------------------------------------------------------------------------------------------

def check_builds(tap):
    """Two builds under one name: nothing of the second is shown while the first is there."""
    old, new = plug(tap, "libpart.so", "part", 3, "old"), plug(tap, "libpart.new", "part", 4, "new", 5)
    if not old or not new:
        return
    run = Run(tap, "builds", old, "--replace", new, old, old)
    if not run.ok or not run.same():
        return
    said = run.gdb("break seen", *("continue", "print text[0]", *SHOW[1:]) * 2)
    tap.ok(said.count("libpart.so is not the file that was executed: its build id is") == 1, "builds: one line says that one is gone", said)
    first, second = re.split(r"^Breakpoint 1, ", said, flags=re.M)[1:]
    tap.ok("No symbol matches" in first and "stock" not in first and not re.search(r"= 110 'n'|\{4", first)
           and (" = 111 'o'" in first or "Cannot access memory" in first), "builds: nothing of the second while the first is there", said)
    tap.ok(" = 110 'n'" in second and "stock_part in section .data of" in second and "{400, 401, 402, 403}" in second,
           "builds: the second", said)
    said = run.gdb("break serve_part", "continue", "print stock_part", "reverse-continue")
    tap.ok(said.count("Breakpoint 1, ") == 1 and "{400, 401, 402, 403}" in said, "builds: a breakpoint is in the second", said)
    at = "--at=host.c:%d#" % TOTAL
    tap.ok("which is not known to be loaded then" in commandlib.command("slice", at + "0", "--of=most_part", run.wet)[2]
           and commandlib.command("slice", at + "1", "--of=most_part", run.wet)[0] == 0, "builds: names in slices")


def check_file(tap, one):
    """A file where a plug-in was, and one over the data of a plug-in that is there."""
    text = tap.path("text")
    harness.write(text, DIGITS)
    for name, argv in (("file", (one, "--file", text)), ("over", ("--keep", one, "--file", text))):
        run = Run(tap, name, *argv)
        if not run.ok or not run.same():
            continue
        at = run.at[-1]
        said = run.gdb("break seen if n == 0", "continue", "print at", "info symbol at", "x/1xb %#x" % ((at & -4096) + 8),
                       *["x/1xb %#x" % (at + k) for k in range(16)])
        tap.ok(re.search(r"^0x[0-9a-f]+( <.*>)?:\t0x%02x$" % DIGITS[8], said, re.M), name + ": what the program loaded", said)
        known = dict(re.findall(r"^(0x[0-9a-f]+)(?: <.*>)?:\t(0x..)$", said, re.M))
        wrong = {a: v for a, v in known.items() if int(v, 16) != DIGITS[int(a, 16) % 4096]}
        tap.ok(not wrong, name + ": no bytes of the plug-in", said)
        if name == "file":
            tap.ok("No symbol matches at" in said, name + ": no symbol of the plug-in", said)


def check_code(tap, one):
    """Code that is made where code of a plug-in was."""
    run = Run(tap, "code", one, "--code")
    if not run.ok:
        return
    said = run.gdb("break seen if n == 43", "continue", "tbreak *at", "reverse-continue", "x/2i $pc", "bt", "info symbol $pc",
                   "break serve_one", "reverse-continue", "info symbol $pc")
    tap.ok(re.search(r"lea +0x2a\(%rdi\),%eax\n.*ret", said) and "No symbol matches $pc" in said
           and re.search(r"^#0 +0x[0-9a-f]+ in \?\? \(\)\n#1 .* in (make_code|main) ", said, re.M), "code: what was made, without names", said)
    tap.ok("serve_one in section .text" in said or "Breakpoint 3, serve_one" in said, "code: and what was there before", said)


def check_moved(tap, one):
    """A plug-in that comes back elsewhere."""
    run = Run(tap, "moved", one, "--block", one)
    if not run.ok:
        return
    if len(set(run.at)) != 2:
        tap.skip("moved", "the plug-in came back where it was")
        return
    said = run.gdb("break serve_one", *("continue", "print &stock_one", "print stock_one") * 2, "dcfg-goto host.c:%d#0" % TOTAL,
                   "print &stock_one", "dcfg-goto host.c:%d#1" % TOTAL, "print &stock_one")
    at = [int(a, 16) for a in re.findall(r"\(int \(\*\)\[4\]\) (0x[0-9a-f]+)", said)]
    tap.ok(at == run.at * 2 and said.count("{100, 101, 102, 103}") == 2, "moved: a breakpoint by name, and data, at both addresses", said)


def main():
    tap = harness.Tap("maps")
    if not shutil.which("gdb"):
        tap.skip("sessions", "gdb is not installed")
        tap.done()
        return
    host = harness.cc(tap, os.path.join(PROGS, "host.c"), "host", "-O0", "-ldl")
    one, two = plug(tap, "libone.so", "one", 1, "the first"), plug(tap, "libtwo.so", "two", 2, "the second", 1)
    if host and one and two:
        check_follow(tap, one, two)
        check_builds(tap)
        check_file(tap, one)
        if os.uname().machine == "x86_64":
            check_code(tap, one)
        check_moved(tap, one)
    tap.done()


main()
