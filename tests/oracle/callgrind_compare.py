#!/usr/bin/python3
"""Compares a profile in Callgrind's format with the one that Callgrind wrote of the same run.

    callgrind_compare.py [--jumps] [--ends=N] [--unloaded=NAME]... OURS [CALLGRIND]

Both files are read strictly: text outside of the format is an error.  OURS must agree with itself: totals, summary, the
header's lines and their order.  It must agree with CALLGRIND in the total, and in the self cost of each function, source
line and instruction.  Calls are compared between each pair of functions and from each place, with their inclusive cost.
With --jumps, jumps are compared, too.  Prints one line for each difference.  Exit status 0 if there is none, 1 if there are some, 2
if a file cannot be read.

Callgrind adds the cost of a superblock when the next one begins.  So it misses the last superblock of each thread, and
of each signal handler that returns: at most N superblocks, by default 1.  OURS may have these instructions in addition,
each in one function, and in the inclusive cost of the calls that led there.  A call whose only cost is in such a
superblock is not in CALLGRIND's file.

Callgrind looks for source lines when it writes its file, so it has none for an object that has been unloaded.  For such
objects, named with --unloaded, files and lines are not compared.

Callgrind counts executions of a conditional jump in each superblock that has it, and leaves out superblocks in which it
was never taken.  OURS may have all of them.
"""
import os
import re
import sys

LAST = 100          # more instructions are not in a superblock
SHOWN = 30
NAMES = {"ob": "ob", "cob": "ob", "fn": "fn", "cfn": "fn", "jfn": "fn"}
NAMES.update(dict.fromkeys(("fl", "fi", "fe", "cfi", "cfl", "jfi"), "file"))
HEADER = ["version", "creator", "pid", "cmd", "part", "thread", "desc Timerange", "desc Trigger", "positions", "events",
          "summary", "totals"]
NUMBER = r"(?:0x[0-9a-f]+|\d+)"
POSITION = r"(?:%s|[+-]\d+|\*)" % NUMBER
re_name = re.compile(r"([a-z]+)=(.*)$")
re_compressed = re.compile(r"\((\d+)\)(?: (.+))?$")
re_header = re.compile(r"([a-z]+): ?(.*)$")
re_value = {
    "version": re.compile(r"1$"), "creator": re.compile(r"\S"), "pid": re.compile(r"\d+$"), "cmd": re.compile(r" ?\S"),
    "part": re.compile(r"[1-9]\d*$"), "thread": re.compile(r"[1-9]\d*$"), "events": re.compile(r"Ir$"),
    "positions": re.compile(r"(?:instr|line|instr line)$"), "summary": re.compile(r"\d+$"),
    "totals": re.compile(r"\d+$"),
    "desc": re.compile(r"(?:Timerange: Basic block \d+ - \d+|Trigger: .+|(?:I1|D1|LL) cache: )$")}


class Malformed(Exception):
    pass


def add(table, key, *amounts):
    row = table.get(key)
    if row is None:
        table[key] = list(amounts)
    else:
        for i, n in enumerate(amounts):
            row[i] += n


class Profile:
    """Functions are (object, file, name).  A row of a table is a list of counts, and a place is (file, line, address),
    with 0 for what the file does not say."""

    def __init__(self, path, unloaded=()):
        self.path = path
        self.unloaded = unloaded
        self.number = 0
        self.parts = []             # for each part: {name of a header line: value}
        self.order = []             # names in .parts, in their order
        self.self = {}              # function: [cost]
        self.lines = {}             # (function, file, line): [cost]
        self.addresses = {}         # (function, address): [cost]
        self.sites = {}             # (caller, callee, place, line and address called): [calls, inclusive cost]
        self.jumps = {}             # (function, place, function, place of the target): [jumps, executions]
        self.sums = []              # the self cost of each part
        self.names = {"ob": {}, "file": {}, "fn": {}}
        self.now = dict.fromkeys(("ob", "file", "fl", "fn", "cob", "cfile", "cfn", "jfile", "jfn"))
        self.of_now = None          # the function of ob, fl and fn, once it is known ...
        self.row_now = None         # ... and its self cost
        self.body = False
        self.pending = None         # the association that the next line of cost belongs to
        self.base = [0, 0]          # line and address of the last position
        self.read()

    def read(self):
        with open(self.path, errors="surrogateescape") as f:
            for line in f:
                self.number += 1
                if not line.endswith("\n"):
                    self.fail("the last line has no end")
                # Most lines are of cost.
                if line[0] in "0123456789+-*":
                    self.cost(line[:-1])
                else:
                    self.line(line[:-1])
        if self.pending or self.now["cfn"] or self.now["jfn"]:
            self.fail("a call or jump without its line of cost")
        if not self.parts:
            self.fail("no header")

    def fail(self, why):
        raise Malformed("%s:%d: %s" % (self.path, self.number, why))

    def line(self, line):
        if self.pending:
            self.fail("no line of cost after %s=" % self.pending[0])
        elif not line or line[0] == "#":
            if self.number == 1 and line != "# callgrind format":
                self.fail("begins with %r" % line)
        elif "=" in line and re_name.match(line):
            self.specification(*re_name.match(line).groups())
        else:
            m = re_header.match(line)
            if not m:
                self.fail("not of the format: %r" % line)
            self.header(m.group(1), m.group(2))

    def header(self, name, value):
        if name not in re_value or not re_value[name].match(value):
            self.fail("not of the format: %r" % (name + ": " + value))
        if name != "totals" and (self.body or not self.parts):
            self.parts.append({})
            self.order.append([])
            self.sums.append(0)
            self.body = False
        if name == "totals" and not self.parts:
            self.fail("totals before any header")
        if name == "desc":
            name += " " + value.split(":")[0]
        if name in self.parts[-1]:
            self.fail("%s: for the second time" % name)
        self.parts[-1][name] = value
        self.order[-1].append(name)
        if name == "positions":
            self.has = ["line" in value, "instr" in value]
            self.columns = [k for k in (1, 0) if self.has[k]]
            columns = r"(%s) " % POSITION * len(self.columns)
            target = " ".join([POSITION] * len(self.columns))
            self.re_cost = re.compile(columns + r"(\d+)$")
            self.re_place = re.compile(columns.rstrip() + " ?$")   # Callgrind ends the line with a space
            self.re_to = {"calls": re.compile(r"(\d+) (%s) ?$" % target), "jump": re.compile(r"(\d+) (%s) ?$" % target),
                          "jcnd": re.compile(r"(\d+)/(\d+) (%s) ?$" % target)}

    def known(self, kind, value):
        m = re_compressed.match(value)
        if not m:
            if not value:
                self.fail("no name")
            return value
        number, name = m.groups()
        table = self.names[kind]
        if name is None:
            if number not in table:
                self.fail("(%s) is not defined" % number)
            return table[number]
        if number in table:
            self.fail("(%s) is defined twice" % number)
        table[number] = name
        return name

    def specification(self, spec, value):
        if not self.parts or "events" not in self.parts[-1] or "positions" not in self.parts[-1]:
            self.fail("%s= without positions and events" % spec)
        self.body = True
        now = self.now
        if spec in ("calls", "jump", "jcnd"):
            m = self.re_to[spec].match(value)
            if not m or not now["fn"] or (spec == "calls") != (now["cfn"] is not None):
                self.fail("not of the format: %r" % (spec + "=" + value))
            counts = [int(n) for n in m.groups()[:-1]]
            self.pending = (spec, counts, self.position(m.groups()[-1].split()))
        elif spec not in NAMES:
            self.fail("not of the format: %r" % (spec + "=" + value))
        else:
            self.of_now = self.row_now = None
            name = self.known(NAMES[spec], value)
            if spec[0] not in "cj" and (now["cfn"] or now["jfn"]):
                self.fail("%s= between a function called and its calls=" % spec)
            if spec in ("fl", "fi", "fe"):
                now["file"] = name
                if spec == "fl":
                    now["fl"], now["fn"] = name, None
            else:
                now[{"cfi": "cfile", "cfl": "cfile", "jfi": "jfile"}.get(spec, spec)] = name
                if spec == "ob":
                    now["fn"] = None
                if spec == "fn":
                    now["file"] = now["fl"]

    def position(self, columns):
        """Return (line, address).  Differences are relative to the last line of cost."""
        out = [0, 0]
        for k, c in zip(self.columns, columns):
            if c == "*":
                out[k] = self.base[k]
            elif c[0] in "+-":
                out[k] = self.base[k] + int(c)
                if out[k] < 0:
                    self.fail("a negative position")
            else:
                out[k] = int(c, 0)
        return out

    def function(self, ob, file, name):
        return (ob, "" if os.path.basename(ob or "") in self.unloaded else file, name)

    def place(self, function, file, at):
        return (file, at[0], at[1]) if function[1] else ("", 0, at[1])

    def cost(self, line):
        now, jump = self.now, self.pending and self.pending[0] != "calls"
        if not self.body or not now["fn"]:
            self.fail("a cost without a function")
        m = (self.re_place if jump else self.re_cost).match(line)
        if not m:
            self.fail("not of the format: %r" % line)
        self.base = at = self.position(m.groups())
        if self.of_now is None:
            self.of_now = self.function(now["ob"], now["fl"], now["fn"])
        function = self.of_now
        place = self.place(function, now["file"], at)
        if self.pending is None:
            n = int(m.group(m.lastindex))
            if now["cfn"] or now["jfn"]:
                self.fail("a function called without calls=")
            self.sums[-1] += n
            if self.row_now is None:
                self.row_now = self.self.setdefault(function, [0])
            self.row_now[0] += n
            add(self.lines, (function, ) + place[:2], n)
            if self.has[1]:
                add(self.addresses, (function, at[1]), n)
            return
        spec, counts, to = self.pending
        self.pending = None
        if jump:
            target = self.place(function, now["jfile"] or now["file"], to)
            add(self.jumps, (spec, function, place, now["jfn"] or now["fn"], target), *counts)
            now["jfile"] = now["jfn"] = None
        else:
            callee = self.function(now["cob"] or now["ob"], now["cfile"] or now["file"], now["cfn"])
            target = self.place(callee, callee[1], to)[1:]
            # A position without a line has no file: then it is the function's file, or "???".
            place = place if place[1] else ("", 0, place[2])
            add(self.sites, (function, callee, place, target), counts[0], int(m.group(m.lastindex)))
            now["cob"] = now["cfile"] = now["cfn"] = None


class Report:
    def __init__(self):
        self.n = 0

    def say(self, text):
        self.n += 1
        if self.n <= SHOWN:
            print(text)

    def differ(self, kind, what, ours, theirs):
        self.say("%s: %s: ours %s, callgrind %s" % (kind, what, ours, theirs))

    def finish(self):
        if self.n > SHOWN:
            print("... and %d more" % (self.n - SHOWN))
        return 1 if self.n else 0


def show(function):
    return "%s [%s] (%s)" % (function[2], function[1], os.path.basename(function[0] or "?"))


def show_place(place):
    return "%s:%d" % place[:2] + (" %#x" % place[2] if place[2] else "")


def check_alone(p, report):
    for header, order, total in zip(p.parts, p.order, p.sums):
        first = header is p.parts[0]
        for name in HEADER:
            if name not in header and (first or HEADER.index(name) > 3) and name != "thread":
                report.say("header: no line %s:" % name)
        named = [name for name in order if name in HEADER]
        if named != [name for name in HEADER if name in header]:
            report.say("header: order of the lines: %s" % ", ".join(named))
        for name in ("summary", "totals"):
            if name in header and int(header[name]) != total:
                report.say("%s: %s, but all self cost is %d" % (name, header[name], total))


def process_and_total(path):
    """Return the process of a file, and its total cost, which check_alone() compares with its lines."""
    with open(path, errors="surrogateescape") as f:
        lines = [line for line in f if line.startswith(("pid: ", "totals: "))]
    return int(lines[0][len("pid: "):]), sum(int(line[len("totals: "):]) for line in lines if line[0] == "t")


class Comparison:
    def __init__(self, ours, theirs, ends, report):
        self.ours, self.theirs, self.report = ours, theirs, report
        self.allowed_ends = ends
        self.ends = {}              # {function: instructions of last superblocks, which only OURS has}
        self.sums = {0}             # possible sums of these superblocks

    def tables(self, kind, ours, theirs, describe, accept=lambda key, a, b: False):
        """ACCEPT returns whether a difference is expected."""
        for key in sorted([key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key)], key=repr):
            a, b = ours.get(key), theirs.get(key)
            if not accept(key, a or [0] * len(b), b or [0] * len(a)):
                self.report.differ(kind, describe(key), *["none" if row is None else "/".join(map(str, row))
                                                          for row in (a, b)])

    def headers(self):
        if len(self.ours.parts) != len(self.theirs.parts):
            self.report.differ("header", "parts", len(self.ours.parts), len(self.theirs.parts))
        for a, b in zip(self.ours.parts, self.theirs.parts):
            for name in ("version", "cmd", "part", "thread", "desc Trigger", "positions", "events"):
                if a.get(name) != b.get(name):
                    self.report.differ("header", name, a.get(name), b.get(name))

    def self_cost(self):
        ours, theirs = self.ours.self, self.theirs.self
        differing = {f: ours.get(f, [0])[0] - theirs.get(f, [0])[0] for f in set(ours) | set(theirs)}
        more = {f: n for f, n in differing.items() if n}
        total = sum(self.ours.sums) - sum(self.theirs.sums)
        if not 0 <= total <= LAST * self.allowed_ends:
            self.report.differ("total", "Ir", sum(self.ours.sums), sum(self.theirs.sums))
        if min(more.values(), default=0) >= 0 and len(more) <= self.allowed_ends and total <= LAST * self.allowed_ends:
            self.ends = more
            for n in more.values():
                parts = {n // k * i for k in range(1, self.allowed_ends + 1) if n % k == 0 for i in range(1, k + 1)}
                self.sums |= {s + part for s in self.sums for part in parts}
        self.tables("self", ours, theirs, show, lambda f, a, b: f in self.ends)
        self.tables("line", self.ours.lines, self.theirs.lines,
                    lambda k: "%s at %s:%d" % (show(k[0]), k[1], k[2]),
                    lambda k, a, b: k[0] in self.ends and 0 <= a[0] - b[0] <= self.ends[k[0]])
        # A superblock has an instruction once.
        self.tables("instruction", self.ours.addresses, self.theirs.addresses,
                    lambda k: "%s at %#x" % (show(k[0]), k[1]),
                    lambda k, a, b: k[0] in self.ends and 0 <= a[0] - b[0] <= self.allowed_ends)

    def calls(self):
        ours, theirs = self.ours.sites, self.theirs.sites
        # Calls without cost are not in Callgrind's file.
        gone = {key for key in set(ours) - set(theirs) if ours[key][1] in self.sums}
        kept = {key: row for key, row in ours.items() if key not in gone}
        a, b = self.pairs(ours), self.pairs(theirs)
        counted = self.pairs(kept)
        self.find_ways(a, b)

        def describe(pair):
            return "%s -> %s" % (show(pair[0]), show(pair[1]))
        before = self.report.n
        # Nor are calls whose first superblock was a last one, if others from there have cost.
        self.tables("calls", {k: row[:1] for k, row in counted.items()}, {k: row[:1] for k, row in b.items()}, describe,
                    lambda k, x, y: y[0] and self.ended_in(k[1], x[0] - y[0]))
        self.tables("inclusive", {k: row[1:] for k, row in a.items()}, {k: row[1:] for k, row in b.items()}, describe,
                    lambda k, x, y: k in self.ways)
        if self.report.n == before:
            # Compare places and numbers of calls from each; costs only if the pair's are the same.
            self.tables("site", kept, theirs,
                        lambda k: "%s at %s, to %s" % (describe(k), show_place(k[2]), show_place(("", ) + k[3])),
                        lambda k, x, y: k[:2] in self.ways and x[1] >= y[1]
                        and (x[0] == y[0] or self.ended_in(k[1], x[0] - y[0])))

    def ended_in(self, callee, n):
        return 0 <= n <= min(self.allowed_ends, self.ends.get(callee, 0))

    @staticmethod
    def pairs(sites):
        pairs = {}
        for (caller, callee, _, _), row in sites.items():
            add(pairs, (caller, callee), *row)
        return pairs

    def find_ways(self, ours, theirs):
        """Find pairs whose calls were active at an end: the difference is the cost of the last superblock, and the
        callee is its function, or leads there.  In recursion, a call is active once for each frame."""
        more = {}
        for pair, row in ours.items():
            n = row[1] - theirs.get(pair, (0, 0))[1]
            if n:
                more[pair] = n
        self.ways, reached, todo = set(), set(self.ends), True
        while todo:
            todo = [p for p, n in more.items() if p not in self.ways and p[1] in reached and n > 0
                    and (n in self.sums or self.is_multiple(n, ours[p][0]) and self.leads(ours, p[1], p[0]))]
            self.ways.update(todo)
            reached.update(caller for caller, _ in todo)

    def is_multiple(self, n, most):
        return any(s and n % s == 0 and n // s <= most for s in self.sums)

    @staticmethod
    def leads(pairs, source, target):
        seen, todo = {source}, [source]
        while todo:
            f = todo.pop()
            if f == target:
                return True
            more = {callee for caller, callee in pairs if caller == f} - seen
            seen |= more
            todo += more
        return False

    def jumps(self):
        self.tables("jump", self.ours.jumps, self.theirs.jumps,
                    lambda k: "%s in %s at %s -> %s at %s" % (k[0], show(k[1]), show_place(k[2]), k[3],
                                                              show_place(k[4])), self.executions)

    def executions(self, key, a, b):
        """Return whether Callgrind's number lacks the executions in superblocks where the jump was never taken; all
        executions are the instruction's cost."""
        spec, function, place = key[:3]
        if spec != "jcnd" or not a[0] or a[0] != b[0]:
            return False
        return [a[1]] == self.theirs.addresses.get((function, place[2])) if self.ours.has[1] else a[1] > b[1]

    def all(self, jumps):
        self.headers()
        self.self_cost()
        self.calls()
        if jumps:
            self.jumps()


def compare(ours, theirs, ends=1, jumps=False, unloaded=()):
    """Compare two files, or check one alone if THEIRS is None.  Return the exit status."""
    report = Report()
    try:
        a = Profile(ours, unloaded)
        b = Profile(theirs, unloaded) if theirs else None
    except (Malformed, OSError) as e:
        print("unreadable: %s" % e)
        return 2
    check_alone(a, report)
    if b:
        Comparison(a, b, ends, report).all(jumps)
    return report.finish()


def main(argv):
    ends, jumps, unloaded, files = 1, False, [], []
    for arg in argv:
        if arg == "--jumps":
            jumps = True
        elif re.match(r"--ends=\d+$", arg):
            ends = int(arg[7:])
        elif arg.startswith("--unloaded="):
            unloaded.append(arg[11:])
        elif arg.startswith("-"):
            files = []
            break
        else:
            files.append(arg)
    if len(files) not in (1, 2):
        print(__doc__.split("\n\n")[1].strip(), file=sys.stderr)
        return 2
    return compare(files[0], files[1] if len(files) == 2 else None, ends, jumps, unloaded)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
