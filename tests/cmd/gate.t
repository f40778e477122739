#!/usr/bin/python3
"""dcfg gate: a status and words for each way in which a run and its baseline differ.  (TAP)

A program is built in variants: its code moves, grows by a known part, gets another name.  Its runs are gated by the
baseline of the first one.  Conditions are changed in the files.  Growth is measured with the graphs' INSTR_COUNT.
"""
import gzip
import json
import math
import os
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import DCFG, command

INCLUDE = os.path.join(os.path.dirname(harness.VALGRIND), os.pardir, "include")
OTHER = os.path.join(harness.PROGS, "cmd", "gate_other.c")


def data_of(graph):
    return graph["PROCESSES"][1][1]


def total(path):
    return data_of(json.loads(harness.read(path)))["INSTR_COUNT"]


class Runs:
    """Builds and runs variants of the program; files have the variant's name."""

    def __init__(self, tap):
        self.tap = tap

    def run(self, name, *flags, opts=("--calls=yes",), env=None, args=()):
        """The program is called prog in each variant, since its name is in the environment and on its stack."""
        os.makedirs(self.tap.path(name), exist_ok=True)
        prog = harness.program(self.tap, "cmd/gate.c", "-I" + INCLUDE, OTHER, *flags, name="prog")
        path, _, why = harness.dcfg(self.tap, name, [prog, *args], opts, env)
        if not path:
            self.tap.ok(False, name + ": is recorded", why)
        return path

    def edited(self, path, name, change):
        """Writes the graph at PATH, as CHANGE makes it, to NAME.json."""
        graph = json.loads(harness.read(path))
        change(graph)
        return harness.written(self.tap, name + ".json", json.dumps(graph))


def gate(tap, name, status, *args, want=(), without=(), **more):
    """One case: gate ends with STATUS, and prints what WANT says, regular expressions.  Returns both outputs."""
    got, out, err = command("gate", *args, **more)
    said = out + err
    missing = [w for w in want if not re.search(w, said, re.M)] + [w for w in without if re.search(w, said, re.M)]
    tap.ok(got == status and not missing, name, "%d, %s\n%s" % (got, missing, said))
    return out, err


def save(tap, name, *args, status=0):
    path = tap.path(name + ".gate")
    got, out, err = command("gate", "--save=" + path, *args)
    tap.ok(got == status and out == "", "a baseline " + name, out + err)
    return path


def check_code(tap, runs, base, old):
    """Code that moves, has another name, is new or gone."""
    gate(tap, "the same run", 0, base, old, want=["^old.dcfg: within the limits$", r"\(the same, limit 1%\)$"], without=["\\(grew"])
    moved = runs.run("moved", "-DSPLIT")
    growth = total(moved) / total(old) - 1
    gate(tap, "a loop in a function of its own is no growth", 0, "--limit=%d%%" % (growth * 100 + 1), base, moved,
         want=["^shrank .* work ", "^new .* inner "])
    renamed = runs.run("renamed", "-DWORK=labour")
    gate(tap, "a function with another name", 0, base, renamed, want=["^new .* labour ", "^gone .* work ", r"\(the same"])
    gate(tap, "a function with a limit is gone", 1, "--limit=work:1%", base, renamed,
         want=["^beyond: work is gone, with [0-9,]+ instructions, and has a limit$", "beyond the limits$"])
    gate(tap, "a function with a limit is new", 1, "--limit=labour:1%", base, renamed, want=["^beyond: labour is new, with "])
    added = runs.run("added", "-DADDED")
    gate(tap, "a new function within the limit", 0, "--limit=3%", base, added, want=["^new .* added "])
    gate(tap, "--by=self: a new function alone does not decide", 0, "--limit=3%", "--by=self", base, added)
    gate(tap, "a function that never was", 2, "--limit=wrok:1%", base, old,
         want=["^not comparable: no function `wrok' in A or B; did you mean `work'\\?$"])
    gate(tap, "--least leaves functions out", 0, "--limit=3%", "--least=100000", base, added, without=["^new"])
    gate(tap, "--top=1", 0, "--limit=3%", "--top=1", base, renamed, want=[r"^\.\.\. and \d+ more$"])


def check_growth(tap, runs, base, old):
    """Growth by 0.9 % and 1.1 % of the program."""
    loop = (total(runs.run("longer", "-DTIMES=2100")) - total(old)) / 100
    for percent, status, want in ((0.9, 0, "within the limits$"), (1.1, 1, "^beyond: the program grew from [0-9,]+ to [0-9,]+ "
                                                                           r"instructions \(\+1\.1\d?%\), beyond 1%$")):
        more = math.ceil(total(old) * percent / 100 / loop)
        grown = runs.run("grown%d" % (percent * 10), "-DTIMES=%d" % (2000 + more))
        gate(tap, "growth by %s%%" % percent, status, base, grown, want=[want, r"\(grew, \+%s\d*%%, limit 1%%\)$" % percent])
    gate(tap, "another limit", 0, "--limit=1.2", base, grown)
    gate(tap, "a function's own limit", 1, "--limit=50%", "--limit=work:0.5%", base, grown,
         want=["^beyond: work grew from .*, beyond 0.5%$"])
    gate(tap, "a function's limit in its file", 1, "--limit=50%", "--limit=gate.c:work:0.5%", base, grown, want=["^beyond: work grew"])
    gate(tap, "a function's limit that holds", 0, "--limit=50%", "--limit=work:5%", base, grown, want=["^grew .* 5% +work "])
    gate(tap, "--by=self: each function is judged", 1, "--by=self", "--limit=1%", base, grown,
         want=["^beyond: the program grew", "^beyond: work grew from .*, beyond 1% of the program$"])
    out, _ = gate(tap, "--by=inclusive: a caller grew, too", 1, "--by=inclusive", base, grown, want=["^beyond: main grew from"])
    gate(tap, "what became less is no growth", 0, save(tap, "grown", grown), old, want=["shrank, -1\\.\\d+%", "^shrank .* work "])
    return grown


def check_namesakes(tap, runs, base, old):
    """Two static functions with one name."""
    more = runs.run("more", "-DMORE=2")
    gate(tap, "a name of two functions", 2, "--limit=9%", "--limit=twice:1%", base, more,
         want=["^not comparable: twice is several functions, such as gate\\S*\\.c:twice and gate\\S*\\.c:twice: name one"])
    gate(tap, "one of them grew", 1, "--limit=9%", "--limit=gate_other.c:twice:1%", base, more,
         want=["^beyond: gate_other.c:twice grew from "], without=["gate.c:twice"])
    gate(tap, "the other one did not", 0, "--limit=9%", "--limit=gate.c:twice:1%", base, more, want=["^the same .* gate.c:twice "])
    gate(tap, "the image names none alone", 2, "--limit=9%", "--limit=prog:twice:1%", base, more, want=["several functions"])


def replaced(old, new):
    """Returns a change of the graph's conditions."""
    def change(graph):
        row = data_of(graph)["RUN"][1]
        assert re.search(old, row[8])
        row[8] = re.sub(old, new, row[8])
    return change


def other_libc(graph):
    names = dict(graph["FILE_NAMES"][1:])
    libc, = [im[3] for im in data_of(graph)["IMAGES"][1:] if names[im[3]["FILE_NAME_ID"]].rpartition("/")[2].startswith("libc.so")]
    libc["BUILD_ID"] = "00" * 20


def check_conditions(tap, runs, base, old):
    """Conditions that change counts, and others."""
    env = dict(harness.ENV, NEW="1")
    gate(tap, "another environment", 2, base, runs.run("env", env=env),
         want=["^conditions: variable NEW is in B only$", "^not comparable: variable NEW is in B only$", "^env.dcfg: not comparable$"])
    gate(tap, "other arguments", 2, base, runs.run("args", args=["x"]), want=["^not comparable: the arguments are none in A, x in B$"])
    gate(tap, "another libc", 2, base, runs.edited(old, "libc", other_libc), want=["^not comparable: libc.so.6 is another build$"])
    gate(tap, "another processor", 2, base, runs.edited(old, "cpu", replaced("processor=[^;]*", "processor=old")),
         want=["^not comparable: processor is .* in A, old in B$"])
    gate(tap, "another Valgrind", 2, base, runs.edited(old, "vg", replaced("valgrind=[^;]*", "valgrind=1.0")),
         want=["^not comparable: valgrind is "])
    gate(tap, "another kernel is told only", 0, base, runs.edited(old, "kernel", replaced("kernel=[^;]*", "kernel=9.9")),
         want=["^conditions: kernel is .* in A, 9.9 in B$"], without=["^not comparable"])
    steady = runs.run("steady", opts=("--calls=yes", "--deterministic=yes"))
    gate(tap, "one run is deterministic", 2, base, steady, want=["^not comparable: --deterministic is no in A, random.* in B"])
    gate(tap, "both are", 0, save(tap, "steady", steady), runs.run("again", opts=("--deterministic=yes",)), want=[r"\(the same"])
    grown = runs.edited(old, "both", lambda g: (other_libc(g), data_of(g).update(INSTR_COUNT=9 * total(old))))
    gate(tap, "growth under other conditions is not judged", 2, base, grown, want=["libc.so.6 is another build"], without=["^beyond"])


def check_benchmarks(tap, runs, old, grown):
    """Several runs in a baseline."""
    two = save(tap, "two", "--name=one", "--name=two", old, grown)
    gate(tap, "both runs", 0, "--name=one", "--name=two", two, old, grown, want=["^one: within", "^two: within"])
    gate(tap, "one of them grew", 1, "--name=two", "--name=one", two, old, grown, want=["^one: beyond", "^two: within"])
    gate(tap, "one alone", 0, "--name=two", two, grown, without=["^one"])
    gate(tap, "a name that is not there", 2, "--name=tow", two, grown, want=["--name=tow: the baseline has no such run; did you mean `two'"])
    gate(tap, "names that files have", 2, two, old, grown, want=["^old.dcfg: new: ", "^one: gone: no run of this benchmark"])
    gate(tap, "a name is missing", 2, "--name=one", two, old, grown, want=["--name is given 1 times, for 2 recordings"])
    gate(tap, "one name for two", 2, "--save=" + tap.path("x.gate"), "--name=a", "--name=a", old, grown, want=["are both called `a'"])
    named = save(tap, "named", old, grown)
    gate(tap, "a benchmark is gone", 2, named, old, want=["^grown11.dcfg: gone"])
    gate(tap, "a benchmark is new", 0, save(tap, "single", old), old, runs.run("more"),
         want=["^more.dcfg: new: .* instructions; save the baseline anew$"])


def check_parts(tap, runs):
    """Parts of a run have the names that the program gave them, the second one of a name a number."""
    last = runs.run("parts", "-DPARTS")
    parts = [last.replace(".json", ".%d.json" % n) for n in (1, 2, 3)]
    marks = []
    for p in parts + [last]:
        marks.append(data_of(json.loads(harness.read(p)))["PART"].get("MARK"))
    tap.ok(marks == ["before", "work", "work", None], "parts have their names", marks)
    tap.ok(command("check", parts[0])[0] == 0, "and keep the rules", command("check", parts[0])[1])
    harness.check_rules(tap, "a part with a name", parts[0])
    base = save(tap, "parts", *parts, last)
    gate(tap, "parts, in another order", 0, base, last, *reversed(parts),
         want=["^before: within", "^work: within", "^work 2: within", "^parts.dcfg: within"])
    gate(tap, "a part alone", 2, base, parts[0], want=["^before: within", "^work: gone"])
    gate(tap, "a part by its name", 0, "--name=work 2", base, parts[2])
    gate(tap, "a part that grew", 1, "--name=work", base, parts[2], want=[r"^work: beyond"])


def check_forms(tap, runs, base, old, grown):
    """JSON, Markdown, and what GitHub's runners read."""
    out, _ = gate(tap, "--json", 1, "--json", "--limit=work:1%", base, grown)
    got = json.loads(out)
    b = got["benchmarks"][0]
    work = b["functions"][0]
    tap.ok((got["status"], b["verdict"], b["change"], b["a"], b["b"], b["limit"], len(b["reasons"]), got["new"], got["gone"])
           == (1, "beyond the limits", "grew", total(old), total(grown), "1%", 2, [], []), "its numbers", out)
    tap.ok(work["name"] == "work" and work["change"] == "grew" and work["limit"] == "1%" and re.fullmatch(r"gate\.c:\d+", work["source"]),
           "its functions", work)
    gate(tap, "--markdown", 1, "--markdown", base, grown,
         want=[r"^\| grown11\.dcfg \| [0-9,]+ \| [0-9,]+ \| grew \+1\.1\d?% \| 1% \| beyond the limits \|$", r"^- beyond: grown11\.dcfg: the program grew"])
    summary = harness.written(tap, "summary.md", "before\n")
    env = {"GITHUB_STEP_SUMMARY": summary, "GITHUB_WORKSPACE": os.path.realpath(harness.SRCDIR)}
    gate(tap, "--github: annotations", 1, "--github", "--limit=work:1%", base, grown, env=env,
         want=[r"^::error title=dcfg gate,file=tests/progs/cmd/gate\.c,line=\d+::grown11\.dcfg: the program grew .*\(\+1\.1\d?%25\), beyond 1%25$",
               r"^::error title=dcfg gate,file=tests/progs/cmd/gate\.c,line=\d+::grown11\.dcfg: work grew"])
    text = harness.read(summary)
    tap.ok(text.startswith("before\n| benchmark |") and "beyond the limits" in text, "and the summary", text)
    gate(tap, "--github elsewhere", 0, "--github", base, old, want=["GITHUB_STEP_SUMMARY is not set: there is no summary"], without=["::error"])
    gate(tap, "a summary that cannot be written", 2, "--github", base, old, env={"GITHUB_STEP_SUMMARY": tap.path("no/no")},
         want=["GITHUB_STEP_SUMMARY: cannot write .*No such file"])


def check_files(tap, runs, base, old):
    """Baselines that are none, or not whole."""
    gate(tap, "no such file", 2, tap.path("none.gate"), old, want=["none.gate: cannot open: No such file"])
    gate(tap, "a recording as baseline", 2, old, old, want=["is a DCFG, not a baseline of dcfg gate --save: use `dcfg report"])
    gate(tap, "a baseline as recording", 2, base, base, want=["is a baseline of dcfg gate --save, not a DCFG: use `dcfg gate"])
    whole = harness.read(base, "rb")
    lines = []
    end = len(whole.rstrip())  # the last line feed may be missing
    for n in range(0, end, end // 37):
        harness.write(tap.path("cut.gate"), whole[:n])
        status, out, err = command("gate", tap.path("cut.gate"), old)
        if status != 2 or out or len(err.splitlines()) != 1:
            lines.append((n, status, out, err))
    tap.ok(not lines, "a truncated baseline: one line", lines)
    text = whole.decode()
    for name, change, want in (
            ("another version", ('"BASELINE_VERSION" : 1', '"BASELINE_VERSION" : 2'), "BASELINE_VERSION"),
            ("without functions", ('"FUNCTIONS"', '"FUNCTION"'), "FUNCTIONS"),
            ("a count that is none", ('"LEAST" : ', '"LEAST" : -'), "LEAST")):
        harness.write(tap.path("bad.gate"), text.replace(*change))
        out, err = gate(tap, "a baseline of " + name, 2, tap.path("bad.gate"), old, want=[want])
        tap.ok(out == "" and len(err.splitlines()) == 1, "has one line", err)
    with open(tap.path("odd.gate"), "w") as f:
        f.write(re.sub(r'\[\d+,"work"', '[99999,"w\\\\u001bork\\\\n"', text).replace('"NAME": "old.dcfg"', '"NAME": "\\u001b[31m"'))
    out, err = gate(tap, "a baseline with odd names", 0, tap.path("odd.gate"), old, want=["^gone "])
    tap.ok("\x1b" not in out + err, "has no control characters", repr(out))
    with gzip.open(tap.path("packed.gate.gz"), "wb") as f:
        f.write(whole)
    gate(tap, "a packed one", 0, tap.path("packed.gate.gz"), old)
    gate(tap, "a recording is not overwritten", 2, "--save=" + old, old, want=["the file is there, and is no baseline"])
    gate(tap, "a baseline is", 0, "--save=" + base, old, want=["wrote .*: 1 run, [0-9]+ functions; compare later runs with: dcfg gate"])
    tap.ok(harness.read(base, "rb") == whole and len(whole) < 12000, "it is small, and the same each time", len(whole))
    for limit, want in (("x", "--limit needs a percentage such as 1%"), ("-1%", "--limit needs"), ("work:", "--limit needs"),
                        (":1%", "--limit needs"), ("work:1%x", "--limit needs"), ("nan", "--limit needs")):
        gate(tap, "--limit=" + limit, 2, "--limit=" + limit, base, old, want=[want])
    gate(tap, "two limits for all", 2, "--limit=1%", "--limit=2%", base, old, want=["one limit is for all"])
    gate(tap, "--by=all", 2, "--by=all", base, old, want=["--by is total, self or inclusive, not `all'"])
    gate(tap, "--save with --json", 2, "--save=" + tap.path("x.gate"), "--json", old, want=["--save compares nothing: leave out"])
    gate(tap, "--json with --github", 2, "--json", "--github", base, old, want=["--json or --github, not both"])
    gate(tap, "no recording", 2, base, want=["name a recording behind the baseline"])
    flat = runs.run("flat", opts=())
    gate(tap, "--by=inclusive without calls", 2, "--by=inclusive", base, flat, want=["--by=inclusive needs calls, which .*flat.* does not have"])


def check_mutants(tap, base, old):
    """Bytes of a baseline are changed at random: gate says what is wrong, or compares."""
    whole = harness.read(base, "rb")
    numbers = random.Random(58)
    bad = []
    for _ in range(1000 if os.environ.get("DCFG_SLOW") else 60):
        data = bytearray(whole)
        for _ in range(numbers.choice((1, 2, 9))):
            data[numbers.randrange(len(data))] = numbers.choice(b'0123456789[]{}",:\\x\x00\xff-')
        harness.write(tap.path("mutant.gate"), data)
        status, out, err = command("gate", "--limit=work:1%", tap.path("mutant.gate"), old, program=DCFG)
        if status not in (0, 1, 2) or (status == 2 and len(err.splitlines()) != (not out)) or "Sanitizer" in err:
            bad.append((status, out, err, bytes(data)))
    tap.ok(not bad, "mutants of a baseline", bad[:1])


def check_small(tap, runs, old):
    """A function below 0.01 % is kept if a limit names it, and is not told as new."""
    run = runs.run("rare", "-DTIMES=30000", opts=())
    rare = save(tap, "rare", "--limit=_start:1%", run)
    gate(tap, "a function with a limit is kept", 0, "--limit=_start:1%", rare, run, want=["^the same .* _start "])
    without = save(tap, "without", run)
    gate(tap, "without one it may be missing", 1, "--limit=_start:1%", without, run,
         want=["^beyond: _start is new, with .*; A has functions from [0-9,]+ instructions on, and those with a --limit at --save$"])
    gate(tap, "what is too small is not told", 0, without, run, without=["^new"])


def main():
    tap = harness.Tap("gate")
    runs = Runs(tap)
    old = runs.run("old")
    base = save(tap, "old", old)
    check_code(tap, runs, base, old)
    grown = check_growth(tap, runs, base, old)
    check_namesakes(tap, runs, base, old)
    check_conditions(tap, runs, base, old)
    check_benchmarks(tap, runs, old, grown)
    check_parts(tap, runs)
    check_forms(tap, runs, base, old, grown)
    check_small(tap, runs, old)
    check_mutants(tap, base, old)
    check_files(tap, runs, base, old)
    tap.done()


main()
