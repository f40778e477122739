#!/usr/bin/python3
"""dcfg slice and why: stores that could have changed a value, but did not run, and lines that never ran.  (TAP)

- Random programs (omitted_programs.py), compiled in several ways: gdb sends each branch the other way that a claim without
  "maybe" names (tests/oracle/omitted_flip.py), and the store must run and hit the place.
- One program, by hand: branches, else, calls, loops that end early, returns, switches, recursion; 64 and 32 bits, without debug
  information, C++ with exceptions; what the options do; JSON.
- dcfg why: the branch is among the first two inputs on the way.
- Lines that never ran: which branch kept them from running.

DCFG_SLOW=1: twenty programs more.  The arguments are numbers of programs.
"""
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
import omitted_programs

CASES = harness.text("cmd/omitted_cases.c")
THROWS = harness.text("cmd/omitted_throws.cc")
TEXT = re.compile(r"(maybe )?could have changed (\S+), but did not run( again)?: (?:line (\d+)|0x[0-9a-f]+)(?:, which calls (?:(\S+): line (\d+)|0x[0-9a-f]+))? "
                  r"\(because (?:line (\d+)|0x[0-9a-f]+) (was true|was false|went to (?:line \d+|0x[0-9a-f]+)) at (0x[0-9a-f]+)#(\d+)\)")


def marked(text, words):
    return next(k for k, line in enumerate(text.splitlines(), 1) if "/* %s */" % words in line)


def omitted(wet, *opts):
    """Returns the matches of TEXT in the output of dcfg slice; None if it fails."""
    status, out, _ = commandlib.command("slice", *opts, wet)
    return [m for m in map(TEXT.fullmatch, out.splitlines()) if m] if status == 0 else None


# --- random programs ---

def claims_of(tap, source, wet):
    """Returns (claims without "maybe", the number of others)."""
    claims, maybe = [], 0
    with open(source) as f:
        lines = [n for n, line in enumerate(f, 1) if "/* USE */" in line]
    for line in lines:
        status, out, err = commandlib.command("slice", "--at=%s:%d" % (os.path.basename(source), line), "--omitted", "--json", wet)
        if status != 0:
            # Some functions are not called.
            if "never ran" not in err and "nothing" not in err:
                tap.ok(False, "a slice of line %d" % line, err)
            continue
        for o in json.loads(out).get("omitted", ()):
            claim = {"branch": o["branch"]["address"], "instance": o["branch"]["instance"], "taken": o["branch"]["taken"],
                     "other": o["branch"]["other"], "store": o["store"]["address"], "memory": o.get("memory"),
                     "size": o.get("size"), "called": "call" in o,
                     "text": "%s: line %s, because of line %s" % (o["place"], o["store"].get("line"), o["branch"].get("line"))}
            maybe += o["maybe"]
            if not o["maybe"] and claim not in claims:
                claims.append(claim)
    return claims, maybe


def check_random(tap, number, cc, level):
    name = "random_%d_%s%s" % (number, cc, level)
    source, prog = tap.path("random_%d.c" % number), tap.path(name)
    harness.write(source, omitted_programs.program(number))
    r = subprocess.run([cc, "-g", "-w", level, "-no-pie", "-o", prog, source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if r.returncode != 0:
        tap.ok(False, name + ": is compiled", r.stdout.decode(errors="replace"))
        return 0, 0
    wet = tap.path(name + ".wet")
    r = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--dcfg-out-file=" + tap.path(name + ".json"), "--wet=yes",
                        "--wet-out-file=" + wet, prog], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=harness.ENV)
    if not os.path.exists(wet) or not r.stdout.startswith(b"0x"):
        tap.ok(False, name + ": is recorded", r.stderr.decode(errors="replace")[-1000:])
        return 0, 0
    claims, maybe = claims_of(tap, source, wet)
    asked, answered = tap.path(name + ".claims"), tap.path(name + ".answers")
    with open(asked, "w") as f:
        json.dump({"program": prog, "frame": int(r.stdout.split()[-1], 16), "claims": claims}, f)
    r = subprocess.run(["gdb", "-nx", "-batch", "-x", os.path.join(harness.ORACLE, "omitted_flip.py")],
                       env=dict(os.environ, CLAIMS=asked, ANSWERS=answered), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)
    answers = []
    if os.path.exists(answered):
        answers = json.loads(harness.read(answered))
    bad = ["%s (%s#%d): %s" % (c["text"], c["branch"], c["instance"], a) for c, a in zip(claims, answers) if a not in ("yes", "fault")]
    tap.ok(len(answers) == len(claims) and not bad, "%s: gdb confirms %d stores, %d are maybe" % (name, len(claims), maybe),
           "\n".join(bad[:10]) or r.stdout.decode(errors="replace")[-1000:])
    os.unlink(wet)
    return answers.count("yes"), maybe


def check_programs(tap, numbers):
    if not shutil.which("gdb"):
        tap.skip("random programs", "gdb is not installed")
        return
    compilers = [cc for cc in ("gcc", "clang") if shutil.which(cc)]
    ways = [(cc, level) for level in ("-O0", "-O2", "-O1") for cc in compilers]
    right = maybe = 0
    for number in numbers:
        for cc, level in ways if os.environ.get("DCFG_SLOW") or sys.argv[1:] else {ways[0], ways[len(compilers)], ways[-1]}:
            a, b = check_random(tap, number, cc, level)
            right, maybe = right + a, maybe + b
    tap.ok(right > 5 * len(numbers) and maybe > 0, "%d stores are confirmed, %d are maybe" % (right, maybe))


# --- by hand ---

def claim(text, what, *, maybe=False, again=False, call=None):
    """Returns the expected claim for USE WHAT: (maybe, last word of the place, again, line that did not run, called
    function, line of the branch).
    """
    return (maybe, again, marked(text, ("CALL " if call else "STORE ") + what), call, marked(text, "BRANCH " + what))


def seen(m):
    return (bool(m[1]), bool(m[3]), int(m[4] or 0), m[5], int(m[7] or 0))


def check_cases(tap, name, wet, *, pointers, switch):
    """POINTERS, SWITCH: whether addresses over pointers and tables of jumps are understood."""
    text = CASES
    expected = {"off": claim(text, "off", call="discount", maybe=not pointers),
                "rate": claim(text, "rate", call="set_rate"),
                "found": claim(text, "found"), "size": claim(text, "size"), "last": claim(text, "last"),
                "deepest": claim(text, "deepest"), "late": claim(text, "late")}
    if switch:
        expected["kind"] = claim(text, "kind")
    bad = []
    for what, wanted in expected.items():
        found = omitted(wet, "--at=cases.c:%d" % marked(text, "USE " + what), "--omitted") or []
        if wanted not in [seen(m) for m in found]:
            bad.append((what, wanted, [m.group() for m in found]))
        # Each claim names a store of the source, and its branch.
        for m in found:
            line = text.splitlines()[int(m[4] or 1) - 1]
            if not re.search(r"=|\+\+|\(", line) or not m[4] or not m[7]:
                bad.append((what, m.group()))
    tap.ok(not bad, name + ": what did not run, and the branch", bad[:4])
    none = omitted(wet, "--at=cases.c:%d" % marked(text, "USE state"), "--of=state", "--omitted")
    tap.ok(none == [], name + ": of a value that no branch could have changed there is none", none)


def check_words(tap, wet):
    words = {"size": "was true", "off": "was false", "deepest": "was false", "last": "went to line"}
    bad = []
    for what, wanted in words.items():
        found = omitted(wet, "--at=cases.c:%d" % marked(CASES, "USE " + what), "--omitted") or []
        if not any(m[8].startswith(wanted) and int(m[7]) == marked(CASES, "BRANCH " + what) for m in found):
            bad.append((what, [m.group() for m in found]))
    tap.ok(not bad, "a condition was true or false, where the source has one and nothing jumps", bad)


def check_options(tap, wet):
    at = "--at=cases.c:%d" % marked(CASES, "USE rate")
    few, always, no = omitted(wet, at), omitted(wet, at, "--omitted"), omitted(wet, at, "--omitted=no")
    tap.ok(few and [m.group() for m in few] == [m.group() for m in always] and no == [],
           "a slice of few lines has them, --omitted=no leaves them out", (few, always, no))
    many = "--at=cases.c:%d" % marked(CASES, "USE found"), "--full"
    tap.ok(omitted(wet, *many) == [] and omitted(wet, *many, "--omitted"), "a large slice has them with --omitted",
           (omitted(wet, *many), omitted(wet, *many, "--omitted")))
    plain = commandlib.command("slice", at, "--omitted=no", wet)[1].splitlines()
    more = commandlib.command("slice", at, wet)[1].splitlines()
    tap.ok([line for line in more if "could have" not in line and line] == [line for line in plain if line],
           "the rest of the slice is as without", (plain, more))
    forward = omitted(wet, "--forward", at, "--omitted")
    tap.ok(forward == [], "a forward slice has none", forward)
    status, out, err = commandlib.command("slice", at, "--omitted", "--as=source", wet)
    tap.ok(status == 2 and not out and "--omitted is for lines, json and html" in err, "--omitted with another form", err)
    commandlib.refused(tap, "--omitted with another value", "--omitted=yes", "slice", at, "--omitted=yes", wet)
    data = json.loads(commandlib.command("slice", at, "--json", wet)[1])
    o = data["omitted"][0]
    tap.ok(len(data["omitted"]) == len(few) and o["place"] == "rate" and o["maybe"] is False
           and o["branch"]["line"] == marked(CASES, "BRANCH rate") and o["store"]["line"] == marked(CASES, "STORE rate")
           and o["call"]["line"] == marked(CASES, "CALL rate") and o["node"] < len(data["nodes"])
           and few[0][9] == o["branch"]["address"], "JSON has the same", o)
    data = json.loads(commandlib.command("slice", at, "--json", "--omitted=no", wet)[1])
    tap.ok("omitted" not in data, "JSON without", data.get("omitted"))


def check_why(tap, wet):
    """The branch is reached from the use by first or second inputs alone."""
    bad = []
    for what in ("off", "rate", "found", "size", "last", "deepest"):
        status, out, err = commandlib.command("why", "--json", "--steps=60", wet, "cases.c:%d" % marked(CASES, "USE " + what))
        steps = {(s["address"], s["instance"]): s for s in json.loads(out)["steps"]} if status == 0 else {}
        level, way = list(steps)[:1], None
        for n in range(6):
            inputs = [i for k in level for i in steps.get(k, {"inputs": []})["inputs"][:2] if "from" in i]
            if any(i["use"] == "omitted" and i["from"].get("line") == marked(CASES, "BRANCH " + what) for i in inputs):
                way = n + 1
                break
            level = [(i["from"]["address"], i["from"]["instance"]) for i in inputs]
        if way is None:
            bad.append((what, err, out[:600]))
    tap.ok(not bad, "why comes to the branch in six steps, over the first two inputs", bad[:2])
    status, out, err = commandlib.command("why", "--steps=3", wet, "cases.c:%d" % marked(CASES, "USE rate"))
    branch = marked(CASES, "BRANCH rate")
    tap.ok(status == 0 and re.search(r"\d could have changed rate, but did not run: .*\n +cases.c:%d in main   if" % branch, out)
           and "\ncases.c:%d in main   if (n > 11)" % branch in out, "why goes on with the branch", out)


def check_never(tap, wet):
    bad = []
    for what, branch, words in (("STORE size", "BRANCH size", "was true"), ("STORE off", "BRANCH off", "was false"),
                                ("NEVER", "BRANCH never", "was false"), ("STORE late", "BRANCH late", "was false"),
                                ("STORE kind", "BRANCH kind", "went")):
        line = marked(CASES, what)
        for command in (["slice", "--at=cases.c:%d" % line, wet], ["slice", "--at=cases.c:%d" % line, "--of=n", wet],
                        ["why", wet, "cases.c:%d" % line], ["why", wet, "cases.c:%d#2" % line]):
            status, out, err = commandlib.command(*command)
            lines = out.splitlines()
            if (status != 0 or err or lines[0] != "line %d of cases.c has code, but it never ran" % line
                    or not any(s.startswith("because line %d %s" % (marked(CASES, branch), words)) for s in lines)
                    or not any(s.startswith("cases.c:%d in main   " % marked(CASES, branch)) for s in lines)
                    or not any(re.match(r" +\d n = 3$", s) for s in lines)):
                bad.append((what, status, out, err))
    tap.ok(not bad, "a line that never ran: the branch that kept it from running, and why", bad[:2])
    status, out, err = commandlib.command("slice", "--at=cases.c:%d" % marked(CASES, "NEVER"), wet)
    tap.ok("never was never called: line %d would have called it\n" % marked(CASES, "CALL never") in out,
           "a function that was never called: the call, and the branch before it", out)
    commandlib.refused(tap, "a function that is only called over pointers", "nothing in the program calls its function directly",
                       "slice", "--at=cases.c:%d" % marked(CASES, "NOBODY"), wet)
    status, out, err = commandlib.command("slice", "--json", "--at=cases.c:%d" % marked(CASES, "STORE size"), wet)
    data = json.loads(out) if status == 0 else {}
    tap.ok(status == 0 and data["nodes"][data["criteria"][0]]["line"] == marked(CASES, "BRANCH size") and "never ran" in err,
           "for programs: the slice of that branch", (status, err))
    commandlib.refused(tap, "a line without code", "line 3 of cases.c has no code; the nearest that ran is line", "slice", "--at=cases.c:3", wet)


def compiled(tap, name, text, suffix, compiler, *flags):
    source, prog = tap.path(name + suffix), tap.path("-".join([name, compiler] + [f for f in flags if f[0] == "-"]).replace("/", ""))
    harness.write(source, text)
    r = subprocess.run([compiler, "-o", prog, source] + list(flags), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if r.returncode != 0:
        return None
    return prog


def check_hand(tap):
    prog = compiled(tap, "cases", CASES, ".c", "gcc", "-g", "-O0")
    wet = prog and harness.record_wet(tap, "cases", [prog])
    if not wet:
        return
    check_cases(tap, "-O0", wet, pointers=True, switch=True)
    check_words(tap, wet)
    check_options(tap, wet)
    check_why(tap, wet)
    check_never(tap, wet)
    prog = compiled(tap, "cases", CASES, ".c", "gcc", "-g", "-O0", "-m32", "-no-pie", "-fno-pie")
    wet = prog and harness.record_wet(tap, "cases32", [prog])
    if wet:
        check_cases(tap, "-m32", wet, pointers=False, switch=True)
    else:
        tap.skip("-m32", "no compiler for it, or no Valgrind")
    prog = compiled(tap, "cases", CASES, ".c", "gcc", "-O0", "-s", "-no-pie")
    wet = prog and harness.record_wet(tap, "stripped", [prog])
    found = wet and omitted(wet, "--output=0#1", "--thin", "--omitted")
    tap.ok(found and all(m[4] is None and m[7] is None for m in found), "without debug information there are addresses",
           found and [m.group() for m in found])


def check_throws(tap):
    prog = compiled(tap, "throws", THROWS, ".cc", "g++", "-g", "-O0")
    wet = prog and harness.record_wet(tap, "throws", [prog])
    if not wet:
        tap.skip("exceptions", "no compiler for C++")
        return
    found = omitted(wet, "--at=throws.cc:%d" % marked(THROWS, "USE value"), "--omitted") or []
    tap.ok([seen(m) for m in found if not m[1]] == [claim(THROWS, "value")], "exceptions: what a branch kept from running",
           [m.group() for m in found])
    status, out, err = commandlib.command("why", wet, "throws.cc:%d" % marked(THROWS, "NEVER"))
    tap.ok(status == 0 and "because line %d was false" % (marked(THROWS, "NEVER") - 1) in out, "a throw that never ran", (out, err))


def main():
    tap = harness.Tap("omitted")
    numbers = [int(a) for a in sys.argv[1:]] or (range(1, 21) if os.environ.get("DCFG_SLOW") else [2])
    check_hand(tap)
    check_throws(tap)
    check_programs(tap, numbers)
    tap.done()


main()
