#!/usr/bin/python3
"""Callgrind's command line and output for programs that call it: options, the sums on standard error, parts in one file, and the command
lines of runners of benchmarks through the wrapper of docs/profile.md.  (TAP)

Each option is compared with Callgrind's profile of the same run.  Callgrind gives the names of divided contexts numbers that
collide, so those are compared without numbers.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import libc_objects
from profilelib import PERL

PROGS = os.path.join(harness.SRCDIR, "tests", "progs", "callgrind")
WHOLE = ["--compress-strings=no", "--compress-pos=no"]
COMPARED = (["--separate-callers=1"], ["--separate-callers=5", "--dump-instr=yes"], ["--separate-recs=1"],
            ["--separate-recs=5", "--collect-jumps=yes", "--dump-instr=yes"], ["--separate-callers2=leaf", "--separate-recs3=e*"],
            ["--separate-callers=2", "--separate-recs4=fact", "--separate-callers1=compare"], ["--separate-callers=auto"],
            ["--fn-skip=leaf"], ["--fn-skip=even", "--fn-skip=odd", "--dump-instr=yes"], ["--fn-skip=first", "--separate-callers=3"])
OF_CACHES = ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64", "--branch-sim=yes", "--collect-bus=yes",
             "--simulate-wb=yes", "--simulate-hwpref=yes", "--simulate-sectors=yes", "--cacheuse=yes", "--simulate-cache=yes"]
# Options of Callgrind that are not here: they have one value.
NOT_HERE = {"--skip-plt", "--skip-direct-rec"}
# Command lines of runners: CodSpeed's, those of iai-callgrind, php-src's.  FILE and NAME are replaced.
RUNNERS = {
    "codspeed": "-q --tool=callgrind --trace-children=yes --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64 "
                "--instr-atstart=no --collect-systime=nsec --compress-strings=no --combine-dumps=yes --dump-line=no "
                "--trace-children-skip=*esbuild --obj-skip=/usr/lib/libnone.so.1 --callgrind-out-file=FILE --log-file=FILE.log",
    "iai": "--tool=callgrind --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64 --cache-sim=yes --compress-pos=no --compress-strings=no "
           "--collect-atstart=no --toggle-collect=work --dump-line=yes --dump-instr=no --separate-threads=yes --combine-dumps=no "
           "--fair-sched=try --trace-children=yes --callgrind-out-file=FILE --log-file=FILE.log",
    "php": "--tool=callgrind --dump-instr=yes --callgrind-out-file=FILE -v --log-file=FILE.log --",
}


def run(tap, tool, name, argv, *opts, env=None):
    """Returns (status, stderr, path of the profile)."""
    path = tap.path("%s.%s" % (name, tool))
    more = ["--callgrind=yes", "--dcfg-out-file=" + path + ".json"] if tool == "dcfg" else []
    status, err = harness.run([harness.VALGRIND, "--tool=" + tool, *more, "--callgrind-out-file=" + path, *opts, *argv], tap.dir,
                              env or libc_objects.env())
    return status, err, path


def read(path):
    with open(path, errors="surrogateescape") as f:
        return f.read()


class Events:
    """The events of a profile with WHOLE names: of functions alone and of calls, sums of columns; header lines by name."""
    def __init__(self, path):
        self.self, self.calls, self.header = {}, {}, {}
        fn = to = None
        for line in read(path).splitlines():
            word, _, rest = line.partition("=")
            if word in ("fn", "cfn"):
                fn, to = (rest, to) if word == "fn" else (fn, rest)
            elif re.match(r"[a-z]+: ", line):
                self.header.setdefault(line.split(":")[0], []).append(line.split(": ", 1)[1].strip())
            elif line[:1].isdigit():
                table, key = (self.calls, (fn, to)) if to else (self.self, fn)
                row = table.setdefault(key, [0] * 4)
                for i, n in enumerate(line.split()[1:]):
                    row[i] += int(n)
                to = None


def check_compared(tap, prog):
    for opts in COMPARED:
        ours, theirs = (run(tap, tool, "compared", [prog], *WHOLE, *opts) for tool in ("dcfg", "callgrind"))
        status, text = harness.oracle("callgrind_compare.py", *(["--jumps"] if "--collect-jumps=yes" in opts else []), ours[2], theirs[2])
        tap.ok(status == 0, "as Callgrind's: " + " ".join(opts), text + ours[1][-500:])
    perl = ["/usr/bin/perl", "-e", PERL]
    opts = ["--separate-callers=3", "--separate-recs=4", "--fn-skip=Perl_sv_*"]
    ours, theirs = (run(tap, tool, "perl", perl, *WHOLE, *opts) for tool in ("dcfg", "callgrind"))
    status, text = harness.oracle("callgrind_compare.py", ours[2], theirs[2])
    tap.ok(status == 0, "perl as Callgrind's: " + " ".join(opts), text)
    # Objects are skipped as their functions are.
    names = sorted({line[3:] for line in read(run(tap, "dcfg", "plain", [prog], *WHOLE)[2]).splitlines() if line.startswith("fn=")})
    _, err, path = run(tap, "dcfg", "object", [prog], *WHOLE, "--obj-skip=libc.so*", "--obj-skip=nosuch")
    text = read(path)
    tap.ok("ob=" + prog in text and not re.search(r"^ob=.*/libc\.so", text, re.M) and "cfn=qsort" not in text and "fn=compare" in text
           and "cfn=compare" in text, "--obj-skip: what the object calls is called by its callers", names)
    tap.ok("--obj-skip=nosuch matches no code" in err and "--obj-skip=libc" not in err, "... and an object that is not there is told", err)


def check_systime(tap, prog):
    for unit, events, names in (("yes", 3, "ms"), ("usec", 3, "us"), ("nsec", 4, "ns")):
        ours, theirs = (Events(run(tap, tool, "time", [prog], *WHOLE, "--collect-systime=" + unit)[2]) for tool in ("dcfg", "callgrind"))
        # Callgrind's file lacks the last superblock.
        same = [{k: row[1] for k, row in table.items() if row[1] and "_Exit" not in k} for table in (ours.self, theirs.self)]
        inclusive = [{k: row[1] for k, row in table.items() if row[1] and k[0] != "_Exit"} for table in (ours.calls, theirs.calls)]
        late = {k for k in inclusive[0] if inclusive[0][k] != inclusive[1].get(k)}
        tap.ok(len(same[0]) > 4 and same[0] == same[1] and all(inclusive[0][k] == inclusive[1].get(k, 0) + 1 for k in late),
               unit + ": as many system calls as Callgrind's, in functions and calls", "%s\n%s" % (same, late))
        total = [int(n) for n in ours.header["summary"][0].split()]
        tap.ok(ours.header["events"] == theirs.header["events"] and len(total) == events and ours.header["event"] == theirs.header["event"]
               and total[1] == int(theirs.header["summary"][0].split()[1]) and names in ours.header["event"][0],
               unit + ": the events and their sum", ours.header)
    tap.ok(total[2] > 0 and sum(row[2] for row in ours.self.values()) == total[2]
           and sum(row[3] for row in ours.self.values()) == total[3], "the times of functions add up to the total", total)


def pieces(text):
    """Returns the parts of a combined file."""
    return re.split(r"(?m)^(?=part: )", text)[1:]


def check_combined(tap, prog):
    for opts in ([], ["--separate-threads=yes"]):
        _, _, apart = run(tap, "dcfg", "apart" + str(len(opts)), [prog], *WHOLE, *opts)
        _, err, one = run(tap, "dcfg", "one" + str(len(opts)), [prog], *WHOLE, *opts, "--combine-dumps=yes")
        tail = "-01" if opts else ""
        files = [apart + ".%d%s" % (i, tail) for i in range(1, 6)] + [apart + tail]
        combined = pieces(read(one))
        squeezed = [[re.sub(r"\n+", "\n", p) for p in parts] for parts in (combined, [pieces(read(f))[0] for f in files])]
        tap.ok(squeezed[0] == squeezed[1] and not os.path.exists(one + ".1"), "one file has what six have " + " ".join(opts),
               [len(p) for p in combined])
        collected = int(re.search(r"Collected : (\d+)", err)[1])
        tap.ok(collected == sum(int(re.search(r"^totals: (\d+)", p, re.M)[1]) for p in combined), "the sum on standard error is of all parts", err)
    _, err, path = run(tap, "callgrind", "theirs", [prog], *WHOLE, "--combine-dumps=yes")
    heads = [re.findall(r"^(?:part|desc: Trigger|events|positions): .*", t, re.M) for t in (read(path), read(one))]
    tap.ok(heads[0] == heads[1] and len(heads[0]) == 24, "the heads of parts are Callgrind's", heads)
    # Names have the same numbers in all parts.
    numbers = {}
    text = read(run(tap, "dcfg", "numbers", [prog], "--combine-dumps=yes")[2])
    for number, name in re.findall(r"fn=(\(\d+\)) (.+)", text):
        numbers.setdefault(number, set()).add(name)
    tap.ok(len(numbers) > 30 and all(len(names) == 1 for names in numbers.values()), "a number has one name in the file",
           [n for n in numbers.values() if len(n) > 1])


def check_every(tap):
    perl = ["/usr/bin/perl", "-e", PERL]
    whole = run(tap, "dcfg", "whole", perl, *WHOLE)
    total = int(re.search(r"^totals: (\d+)", read(whole[2]), re.M)[1])
    _, err, path = run(tap, "dcfg", "every", perl, *WHOLE, "--dump-every-bb=100000", "--combine-dumps=yes")
    parts = pieces(read(path))
    told = [re.search(r"^desc: Trigger: (.*)", p, re.M)[1] for p in parts]
    tap.ok(len(parts) > 3 and set(told[:-1]) == {"--dump-every-bb=100000"} and told[-1] == "Program termination", "--dump-every-bb writes parts", told)
    sums = [int(re.search(r"^totals: (\d+)", p, re.M)[1]) for p in parts]
    tap.ok(sum(sums) == total and min(sums[:-1]) > 100000, "their sum is the whole run's", "%s %d" % (sums, total))


def check_sums(tap, prog):
    lines = {}
    for tool in ("dcfg", "callgrind"):
        _, err, path = run(tap, tool, "sums", [prog], "--collect-systime=usec")
        text = re.sub(r"(?m)^==\d+== ?", "", err)
        m = re.search(r"(?m)^Events .*\n.*\n.*\n.*\n", text)
        lines[tool] = m and re.sub(r"\d[\d,]*", "N", m[0])
        summary = re.search(r"^summary: (.*)", read(path), re.M)[1]
        if tool == "dcfg":
            tap.ok("\nCollected : %s\n" % summary in text and "refs:      {:,}\n".format(int(summary.split()[0])) in text,
                   "the sums are those of the file", text)
    tap.ok(lines["dcfg"] and lines["dcfg"] == lines["callgrind"], "standard error has Callgrind's lines", lines)
    tap.ok("Collected" not in run(tap, "dcfg", "quiet", [prog], "-q")[1], "with -q it has not")
    path = tap.path("off.json")
    tap.ok("Collected" not in harness.run([harness.VALGRIND, "--tool=dcfg", "--dcfg-out-file=" + path, prog], tap.dir)[1], "nor without a profile")


def check_caches(tap):
    status, err, _ = run(tap, "dcfg", "caches", ["/bin/true"], *OF_CACHES, "--cache-sim=yes")
    said = re.findall(r"no effect here: (.*);", err)
    tap.ok(status == 0 and len(said) == 1 and sorted(said[0].split(", ")) == sorted(o.split("=")[0] for o in OF_CACHES),
           "options of caches are accepted, and have no effect", err)
    status, err, _ = run(tap, "dcfg", "caches", ["/bin/true"], "--cache-sim=no", "--branch-sim=no")
    tap.ok(status == 0 and "no effect" not in err, "nothing is said if they are off", err)
    for opts in ([o] for o in (*OF_CACHES, "--combine-dumps=yes", "--collect-systime=no", "--separate-callers=1", "--separate-callers2=x",
                               "--separate-recs=3", "--separate-recs4=x", "--dump-every-bb=9", "--fn-skip=x", "--obj-skip=x")):
        path = tap.path("without.json")
        status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "--dcfg-out-file=" + path, *opts, "/bin/true"], tap.dir)
        tap.ok(status == 1 and "add --callgrind=yes" in err and re.match(r"--[a-zA-Z1-]*?(?=\d*=)", opts[0])[0].rstrip("24") in err
               and not os.path.exists(path), "without a profile refused: " + opts[0], err)
    for opt in ("--cache-sim=maybe", "--collect-systime=hours", "--separate-callers=x", "--separate-callers=-1", "--separate-recs=9999",
                "--separate-recs0=f", "--separate-callers2=", "--fn-skip=", "--obj-skip=a,,b", "--dump-every-bb=x"):
        status, err, path = run(tap, "dcfg", "wrong", ["/bin/true"], opt)
        tap.ok(status == 1 and opt.split("=")[0] in err and not os.path.exists(path), "wrong: " + opt, err)
    p = subprocess.run([harness.VALGRIND, "--tool=callgrind", "--help"], env=harness.ENV, stdout=subprocess.PIPE, universal_newlines=True)
    theirs = re.search(r"user options for Callgrind:\n(.*?)\n\n  Extra", p.stdout, re.S)
    theirs = set(re.findall(r"^    (--[\w-]+)(?:<n>)?=", theirs[1] if theirs else p.stdout, re.M))
    p = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--help"], env=harness.ENV, stdout=subprocess.PIPE, universal_newlines=True)
    ours = set(re.findall(r"^    (--[\w-]+)(?:<n>)?=", p.stdout, re.M)) | {o.split("=")[0] for o in OF_CACHES}
    tap.ok(len(theirs) > 20 and theirs - ours <= NOT_HERE, "Callgrind has no option that is not here", theirs - ours)


def wrapper(tap):
    """Writes the page's wrapper; it runs the Valgrind that is tested.  Returns the environment that has it."""
    page = read(os.path.join(harness.SRCDIR, "docs", "profile.md"))
    text = re.search(r"```sh\n(#!/bin/sh\n.*?)```", page, re.S)[1]
    there = tap.path("bin")
    os.makedirs(there, exist_ok=True)
    with open(os.path.join(there, "valgrind"), "w") as f:
        f.write(text.replace("/usr/bin/valgrind", harness.VALGRIND))
    os.chmod(os.path.join(there, "valgrind"), 0o755)
    return dict(harness.ENV, PATH=there + ":" + harness.ENV["PATH"]), len(text.splitlines())


def check_runners(tap, prog):
    env, lines = wrapper(tap)
    tap.ok(lines <= 12, "the wrapper has few lines", lines)
    for name, opts in RUNNERS.items():
        out = tap.path(name + ".out")
        status, err = harness.run(["valgrind", *opts.replace("FILE", out).split(), prog], tap.dir, env)
        files = [f for f in (out, out + "-01", out + ".1", out + ".1-01") if os.path.exists(f)]
        text = "".join(map(read, files))
        tap.ok(status == 0 and "creator: dcfg" in text and "fn=" in text and "no-such" not in err, name + ": the command line is accepted", err + str(files))
        triggers = re.findall(r"^desc: Trigger: (.*)", text, re.M)
        if name == "codspeed":
            tap.ok(triggers == ["Client Request: benchmark %d" % i for i in range(1, 5)] + ["Client Request: inside", "Program termination"]
                   and "sysCpuTime" in text, "codspeed: the names of benchmarks", triggers)
        if name == "iai":
            tap.ok(re.search(r"Collected : \d+", read(out + ".log")), "iai: the sum in the log", read(out + ".log"))
    tap.ok(harness.run(["valgrind", "--tool=none", "/bin/true"], tap.dir, env)[0] == 0, "other tools are what they were")


def main():
    tap = harness.Tap("runners")
    include = os.path.join(os.path.dirname(os.path.dirname(harness.VALGRIND)), "include")
    levels = harness.cc(tap, os.path.join(PROGS, "levels.c"), "levels", "-O1", "-fno-optimize-sibling-calls", "-Wl,-z,now")
    parts = harness.cc(tap, os.path.join(PROGS, "benchmarks.c"), "benchmarks", "-O1", "-I" + include)
    if levels and parts:
        check_compared(tap, levels)
        check_systime(tap, levels)
        check_combined(tap, parts)
        check_every(tap)
        check_sums(tap, levels)
        check_caches(tap)
        check_runners(tap, parts)
    tap.done()


if __name__ == "__main__":
    main()
