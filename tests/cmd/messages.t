#!/usr/bin/python3
"""Messages of the command dcfg about a wrong file, a wrong name, or none.  Each has a command line that causes it.  (TAP)

A run writes a file of each kind.  Each is given to each command that needs another kind; the message must name both kinds
and a command that reads the file.  MESSAGES has the other messages, a row each.
"""
import glob
import gzip
import os
import re
import resource
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import DCFG, PLAIN, command, process

PROGRAM = r"""
#include <cstdio>
namespace work {
__attribute__((noinline)) int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
template<class T> __attribute__((noinline)) T twice(T n) { volatile T m = n; return m * 2; }
}
int main(int argc, char** argv)
{
   printf("%d %d\n", work::factorial(5 + argc), work::twice<int>(argc));
   return 0;
}
"""

# By file name: the name of its kind, the option that writes it, and the command that reads it.
KINDS = {
    "graph.json": ("a DCFG", "", "dcfg report %s"),
    "trace.json": ("a DCFG-trace", "--trace=yes", "dcfg trace DCFG %s"),
    "trace.json.turns": ("a file of threads' turns", "--trace=yes --trace-turns=yes", "dcfg bbv --turns=%s DCFG TRACE"),
    "log": ("an XRay log", "--xray=yes", "dcfg xray %s"),
    "log.map": ("the map of an XRay log", "--xray=yes", "dcfg xray LOG %s"),
    "wet": ("a whole execution trace", "--wet=yes", "dcfg wet %s"),
    "rec": ("a recording for replays", "--record=yes", "dcfg replay %s"),
    "profile": ("a Callgrind profile", "--callgrind=yes", "callgrind_annotate %s"),
    "uftrace": ("a directory of uftrace", "--uftrace=yes", "uftrace report -d %s"),
    "bbv.T.0.bb": ("a file of basic-block vectors", None, "dcfg regions %s SIMPOINTS WEIGHTS"),
    "prog": ("a program", None, "valgrind --tool=dcfg %s"),
    "base.gate": ("a baseline of dcfg gate --save", None, "dcfg gate %s DCFG"),
}
UNNAMED = {"UNFINISHED": "a temporary file of a whole execution trace", "LACKEY": "a trace of Lackey's",
           "SIMPOINT": "a file of SimPoint's"}

# Command lines with a file X, and the kind of file that they need.
PLACES = [
    ("report X", "graph.json"), ("check X", "graph.json"), ("disasm X", "graph.json"), ("dot X", "graph.json"),
    ("blocks -o x X", "graph.json"), ("export --lcov X", "graph.json"), ("diff X graph.json", "graph.json"),
    ("diff graph.json X", "graph.json"), ("first X trace.json graph.json trace.json", "graph.json"),
    ("first graph.json X graph.json trace.json", "trace.json"), ("gate base.gate X", "graph.json"), ("gate --save=x X", "graph.json"),
    ("gate X graph.json", "base.gate"), ("merge X graph.json", "graph.json"), ("merge graph.json X", "graph.json"),
    ("trace X trace.json", "graph.json"), ("flame X trace.json", "graph.json"), ("bbv X trace.json", "graph.json"),
    ("trace graph.json X", "trace.json"), ("flame graph.json X", "trace.json"), ("bbv graph.json X", "trace.json"),
    ("report --trips graph.json X", "trace.json"), ("report --inclusive graph.json X", "trace.json"),
    ("check graph.json X", "trace.json"), ("blocks -o x graph.json X", "trace.json"),
    ("bbv --turns=X graph.json trace.json", "trace.json.turns"), ("xray X", "log"), ("xray --diff log X", "log"),
    ("xray log X", "log.map"), ("flame log X", "log.map"), ("wet X", "wet"), ("export --champsim -o x X", "wet"), ("slice --at=prog.cc:4 X", "wet"), ("why X prog.cc:4", "wet"), ("replay X", "rec"),
    ("wet --salvage -o x X", "UNFINISHED"), ("blocks -o x --lackey=X", "LACKEY"),
    ("regions X simpoints weights", "bbv.T.0.bb"), ("regions bbv.T.0.bb X weights", "SIMPOINT"),
    ("regions bbv.T.0.bb simpoints X", "SIMPOINT"), ("regions bbv.T.0.bb simpoints weights X", "graph.json"),
]

# Command lines, their status, and a pattern of all they write to standard error.
NEWEST = r"dcfg \w+: reading %s, the newest in this directory\n"
GRAPH, LOG, WET = (NEWEST % name for name in (r"dcfg\.out\.1\.json", r"xray-log\.2", r"wet\.out\.2"))
MESSAGES = [
    # A command, an option, a value.
    ("reprot", 2, "dcfg: there is no command `reprot'; dcfg --help lists them; did you mean `report'?"),
    ("slcie", 2, "dcfg: there is no command `slcie'; dcfg --help lists them; did you mean `slice'?"),
    ("frobnicate", 2, "dcfg: there is no command `frobnicate'; dcfg --help lists them"),
    ("report --lops", 2, "dcfg report: there is no option --lops; see dcfg report --help; did you mean `--loops'?"),
    ("report --rutine=x", 2, "dcfg report: there is no option --rutine=x; see dcfg report --help; did you mean `--routine' or "
     "`--routines'?"),
    ("report --memroy=1", 2, "dcfg report: there is no option --memroy=1; see dcfg report --help; did you mean `--memory'?"),
    ("report --x", 2, "dcfg report: there is no option --x; see dcfg report --help"),
    ("report --sort=nmae graph.json", 2,
     "dcfg report: --sort is instructions, count, name or address, not `nmae'; did you mean `name'?"),
    ("trace --as=edge graph.json trace.json", 2, "dcfg trace: --as is edges, blocks or calls, not `edge'; did you mean `edges'?"),
    ("xray --as=stakcs log", 2, "dcfg xray: --as is functions, stacks, folded, calls or chrome, not `stakcs'; did you mean `stacks'?"),
    ("slice --as=htm --at=prog.cc:4 wet", 2,
     "dcfg slice: --as is lines, source, instances, json or html, not `htm'; did you mean `html'?"),
    # A routine, a function, an image, a source file, a thread.
    ("disasm --routine=factoral graph.json", 2, "dcfg disasm: there is no routine `factoral'; dcfg report --routines --top=0 lists "
     "all; did you mean `work::factorial'?"),
    ("dot --routine=work::factorail graph.json", 2, "dcfg dot: there is no routine `work::factorail'; dcfg report --routines "
     "--top=0 lists all; did you mean `work::factorial'?"),
    ("report --routine=twcie graph.json", 2, re.compile(r"dcfg report: there is no routine `twcie' in process \d+; did you mean "
                                                        r"`work::twice<.*>'\?\n")),
    ("report --callers=mian graph.json", 2, "dcfg report: there is no routine `mian'; dcfg report --routines --top=0 lists all; did "
     "you mean `main'?"),
    ("report --function=factoril graph.json", 2, re.compile(r"dcfg report: no function of process \d+ is called `factoril'; did you "
                                                            r"mean `work::factorial'\?\n")),
    ("report --image=porg graph.json", 2, re.compile(r"dcfg report: no image of process \d+ matches `porg'; did you mean `prog'\?\n")),
    ("report --image=lbic graph.json", 2, re.compile(r"dcfg report: no image of process \d+ matches `lbic'; did you mean "
                                                          r"`libc\.so[.\d]*'\?\n")),
    ("report --source=porg.cc:4 graph.json", 2, re.compile(r"dcfg report: no block of process \d+ is from the source `porg.cc:4'; did "
                                                           r"you mean `prog\.cc'\?\n")),
    ("report --thread=7 graph.json", 2, "dcfg report: there is no thread 7: the file has 1, counted from 0"),
    ("xray --thread=7 log", 2, "dcfg xray: there is no thread 7 in log, whose threads are counted from 1"),
    ("xray --thread=0 log", 2, "dcfg xray: there is no thread 0: those of a log are counted from 1"),
    ("xray --source=porg.cc:4 log", 2, "dcfg xray: no function of the log begins in the source `porg.cc:4'; did you mean `prog.cc'?"),
    ("wet --info --function=main wet", 2, "dcfg wet: --info is about the whole file: it goes with -o FILE, and no other option"),
    ("xray --function=factoral log", 2, "dcfg xray: no function of the log is called `factoral'; did you mean `work::factorial'?"),
    ("xray --image=porg log", 2, "dcfg xray: no image of the log matches `porg'; did you mean `prog'?"),
    ("export --tables=tables --image=prog graph.json", 2, "dcfg export: --tables exports whole runs: leave out --image, --routine, "
     "--function, --source and --thread"),
    ("wet --thread=7 wet", 2, "dcfg wet: there is no thread 7: the file has 1, counted from 0"),
    ("wet --function=factoral wet", 2, "dcfg wet: no instruction that ran has that image, function and source; did you mean "
     "`work::factorial'?"),
    ("wet --image=porg wet", 2, "dcfg wet: no instruction that ran has that image, function and source; did you mean "
     "`prog'?"),
    ("slice --at=porg.cc:4 wet", 2, "dcfg slice: --at: no code of a source file `porg.cc' ran; did you mean `prog.cc'?"),
    ("why wet porg.cc:4", 2, "dcfg why: --at: no code of a source file `porg.cc' ran; did you mean `prog.cc'?"),
    ("report --source=none.c bare.json", 2, re.compile(r"dcfg report: no block of process \d+ is from the source `none\.c'; bare has no "
                                                       r"source lines: install its debug information, or compile it with -g\n")),
    ("disasm --routine=none bare.json", 2, "dcfg disasm: there is no routine `none'; dcfg report --routines --top=0 lists all; bare has "
     "no symbols: its routines are called bare+0xOFFSET"),
    ("slice --at=none.c:4 bare.wet", 2, "dcfg slice: --at: no code of a source file `none.c' ran; bare has no source lines: install "
     "its debug information, or compile it with -g"),
    # The trace is missing.
    ("trace graph.json", 2, "dcfg trace: the DCFG graph.json needs its DCFG-trace beside it, which --trace=yes writes; usage: dcfg "
     "trace [FILE TRACE]"),
    ("trace trace.json", 2, "dcfg trace: the DCFG-trace trace.json needs the DCFG of the same run beside it; usage: dcfg trace "
     "[FILE TRACE]"),
    ("bbv graph.json", 2, "dcfg bbv: the DCFG graph.json needs its DCFG-trace beside it, which --trace=yes writes; usage: dcfg bbv "
     "[FILE TRACE]"),
    ("report --trips graph.json", 2, "dcfg report: --trips needs a trace behind the DCFG: it is written with --trace=yes"),
    ("in trace", 2, "dcfg trace: there is no trace dcfg-trace.out.1.* of the newest DCFG here, dcfg.out.1.json: "
     "record it with --trace=yes; usage: dcfg trace [FILE TRACE]"),
    # Empty files, and files that are not there.
    ("report hollow", 2, "dcfg report: hollow is an empty file, not a DCFG"),
    ("wet hollow", 2, "dcfg wet: hollow is an empty file, not a whole execution trace, which valgrind --tool=dcfg --wet=yes writes"),
    ("first --more=0 wet wet", 2, "dcfg first: --more=0: give a number from 1 on"),
    ("first --after=man wet wet", 2, "dcfg first: --after: wet did not run a function `man'; did you mean `main'?"),
    ("first wet graph.json", 2, "dcfg first: two whole execution traces are needed, or two DCFGs each with its trace; usage: dcfg first "
     "A [TRACE-A] B [TRACE-B]"),
    ("flame hollow", 2, "dcfg flame: hollow is an empty file, not a DCFG"),
    ("xray log cut.map", 2, "dcfg xray: cut.map: the file ends before its sections do"),
    ("flame missing", 2, "dcfg flame: missing: cannot open: No such file or directory"),
    ("export --callgrind=weights graph.json", 2, "dcfg export: weights is not a Callgrind profile: it has no line events:"),
    ("gate hollow graph.json", 2, "dcfg gate: hollow is an empty file, not a baseline of dcfg gate --save"),
    ("gate base.gate", 2, "dcfg gate: name a recording behind the baseline base.gate; usage: dcfg gate BASELINE DCFG..."),
    ("gate missing graph.json", 2, "dcfg gate: missing: cannot open: No such file or directory"),
    ("gate --name=x base.gate graph.json", 2, "dcfg gate: --name=x: the baseline has no such run"),
    ("merge -o  graph.json", 2, "dcfg merge: -o needs the name of a file, not `'"),
    ("blocks -o  graph.json", 2, "dcfg blocks: -o needs the name of a file, not `'"),
    ("bbv --turns= graph.json trace.json", 2, "dcfg bbv: --turns needs the name of a file, not `'"),
    ("report ", 2, "dcfg report: the name of a file is empty; usage: dcfg report [FILE [TRACE]]"),
    # Without a file, the newest one of the kind is taken.
    ("in report", 0, re.compile(GRAPH)), ("in xray", 0, re.compile(LOG + r"dcfg xray: there is no map xray-log\.2\.map: .*\n")),
    ("in wet --function=main", 0, re.compile(WET)), ("in slice --at=prog.cc:4", 0, re.compile(WET)),
    ("in why --index=no prog.cc:4", 0, re.compile(WET)),
    ("why wet", 2, "dcfg why: name a line or an instruction behind wet; usage: dcfg why [FILE] [ADDRESS#INSTANCE]"),
    ("wet --salvage -o x", 2, "dcfg wet: name the temporary file that the killed program left: --salvage reads it"),
    ("empty report", 2, "dcfg report: name a file, for there is no DCFG in this directory; usage: dcfg report [FILE "
     "[TRACE]]"),
    ("empty xray", 2, "dcfg xray: name a file, for nothing in this directory is an XRay log, which valgrind --tool=dcfg "
     "--xray=yes writes; usage: dcfg xray [LOG [MAP]]"),
    ("empty wet", 2, "dcfg wet: name a file, for nothing in this directory is a whole execution trace, which valgrind "
     "--tool=dcfg --wet=yes writes; usage: dcfg wet [FILE]"),
]

# Command lines that write OUT: the error is their last line.  What to do next is said of a file that is there.
WRITERS = [
    "dot --callgraph --svg=OUT graph.json", "dot --callgraph --png=OUT graph.json", "merge -o OUT graph.json graph.json",
    "merge --partial -o OUT graph.json", "gate --save=OUT graph.json", "gate base.gate graph.json", "flame --svg=OUT graph.json trace.json", "view -o OUT graph.json",
    "export --bolt -o OUT graph.json", "export --profgen -o OUT graph.json", "export --lcov -o OUT graph.json",
    "export --drcov -o OUT graph.json", "export --pprof=trace.json -o OUT graph.json", "export --champsim -o OUT wet", "wet -o OUT wet",
    "slice --as=html -o OUT --at=prog.cc:4 wet",
    "export --profgen graph.json", "export --champsim wet", "report graph.json", "wet --function=main wet", "wet --info wet",
]

# Options of the tool, the file in its last line, and the next command that this line suggests.
NEXT = [
    ("", "dcfg.out.PID.json", "dcfg report"),
    ("--trace=yes", "dcfg-trace.out.PID.json", "dcfg report --inclusive"),
    ("--trace=yes --trace-turns=yes --dcfg-out-file=g.json", "dcfg-trace.out.PID.json.turns",
     "dcfg report --inclusive g.json dcfg-trace.out.PID.json"),
    ("--dcfg-out-file=under/g.json", "under/g.json", "dcfg report under/g.json"),
    ("--dcfg-out-file=dcfg.out.%p.json.gz", "dcfg.out.PID.json.gz", "dcfg report"),
    ("--callgrind=yes", "callgrind.out.PID", "callgrind_annotate callgrind.out.PID"),
    ("--xray=yes", "xray-log.PID.map", "dcfg xray"),
    ("--xray=yes --xray-out-file=it's", "it's.map", "dcfg xray \"it's\""),
    ("--wet=yes --wet-out-file=a&b", "a&b", "dcfg wet 'a&b'"),
    ("--record=yes", "run.out.PID.rec", "dcfg replay"),
    ("--record=yes --record-out-file=a&b.rec", "a&b.rec", "dcfg replay 'a&b.rec'"),
    ("--uftrace=yes", "uftrace.data/info", "uftrace report -d uftrace.data"),
    ("--dcfg-out-file=/dev/null", "/dev/null", None),
    ("--dcfg-out-file=/dev/null --trace=yes", "dcfg-trace.out.PID.json", None),
]

# Messages of ./dev: command lines, and the first line.
DEV = [("tset", "dev: there is no command tset; did you mean test?"), ("biuld", "dev: there is no command biuld; did you mean build?"),
       ("frobnicate", "dev: there is no command frobnicate")]


def record(tap):
    """Makes a file of each kind in the test's directory, where all commands are started."""
    source = harness.written(tap, "prog.cc", PROGRAM)
    if harness.cc(tap, source, "prog", "-g", "-O1") is None:
        return False
    tool = [harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=graph.json", "--trace=yes", "--trace-out-file=trace.json",
            "--trace-turns=yes", "--xray=yes", "--xray-out-file=log", "--wet=yes", "--wet-out-file=wet", "--callgrind=yes",
            "--callgrind-out-file=profile", "--uftrace=yes", "--uftrace-out-dir=uftrace", "./prog"]
    r = subprocess.run(tool, cwd=tap.dir, env=harness.ENV, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                       timeout=harness.TIMEOUT)
    subprocess.run(["strip", "-o", "bare", "prog"], cwd=tap.dir, check=True)
    subprocess.run(tool[:3] + ["--dcfg-out-file=bare.json", "--wet=yes", "--wet-out-file=bare.wet", "./bare"], cwd=tap.dir,
                   env=harness.ENV, stdout=subprocess.DEVNULL, check=True)
    subprocess.run(tool[:3] + ["--record=yes", "--record-out-file=rec", "./prog"], cwd=tap.dir, env=harness.ENV, stdout=subprocess.DEVNULL, check=True)
    command("gate", "--save=base.gate", "graph.json", cwd=tap.dir)
    status, _, err = command("bbv", "--slice=100000", "graph.json", "trace.json", cwd=tap.dir)
    for name, text in (("simpoints", "0 0\n"), ("weights", "1 0\n")):
        harness.written(tap, name, text)
    return tap.ok(r.returncode == 0 and status == 0 and all(os.path.exists(tap.path(k)) for k in KINDS), "a file of each kind",
                  r.stderr.decode("utf-8", "replace") + err)


def expected(path, needed):
    """Returns the message about a file where another kind is needed."""
    name, option, _ = KINDS.get(needed, (UNNAMED.get(needed), None, None))
    if option:
        name += ", which valgrind --tool=dcfg %s writes" % option
    return "%s is %s, not %s: use `%s'" % (path, KINDS[path][0], name, KINDS[path][2] % path)


def check_kinds(tap):
    """Puts each kind in each place but its own; a place finds out about three of them with sanitizers."""
    for number, (place, needed) in enumerate(PLACES):
        wrong = []
        for n, path in enumerate(KINDS):
            # A program can be a map.  After a log, the trace is in the map's place.
            # Calls are also followed along a whole execution trace.
            if path == "wet" and re.match("flame|report --(trips|inclusive)", place):
                continue
            # These make a whole execution trace of a recording.
            if path == "rec" and re.match("slice|why", place):
                continue
            if path == needed or (path, needed) == ("prog", "log.map") or (path, place) == ("log", "flame X trace.json"):
                continue
            program = DCFG if (n - 3 * number) % len(KINDS) < 3 else PLAIN
            status, _, err = command(*place.replace("X", path).split(), cwd=tap.dir, program=program)
            if status != 2 or err.split(": ", 1)[-1] != expected(path, needed) + "\n":
                wrong.append((path, status, err))
        tap.ok(not wrong, "dcfg %s: every other kind is named" % place, "\n".join(map(str, wrong)))
    for path, (_, _, reader) in KINDS.items():
        if reader.startswith("dcfg "):
            words = reader.replace("DCFG", "graph.json").replace("LOG", "log").replace("TRACE", "trace.json") \
                    .replace("SIMPOINTS", "simpoints").replace("WEIGHTS", "weights").split()[1:]
            status, _, err = command(*[path if w == "%s" else w.replace("%s", path) for w in words], cwd=tap.dir,
                                     env={"VALGRIND": harness.VALGRIND})
            tap.ok(status == 0, "what %s is said to be read by reads it" % path, err)
    with open(tap.path("wet"), "rb") as wet, gzip.open(tap.path("wet.gz"), "wb") as packed:
        shutil.copyfileobj(wet, packed)
    err = command("report", "wet.gz", cwd=tap.dir)[2]
    tap.ok("wet.gz is a whole execution trace, not a DCFG" in err, "a packed file is known", err)
    with open(tap.path("trace.json")) as f:
        err = command("report", "-", stdin=f)[2]
    tap.ok("- is a DCFG-trace, not a DCFG" in err, "the standard input", err)


def newest(tap):
    """A directory whose files are what their contents say, whatever their names are."""
    os.mkdir(tap.path("in"))
    os.mkdir(tap.path("empty"))
    open(tap.path("hollow"), "w").close()
    with open(tap.path("log.map"), "rb") as whole, open(tap.path("cut.map"), "wb") as cut:
        cut.write(whole.read(os.path.getsize(tap.path("log.map")) // 2))
    names = ("graph.json wet.out.3", "graph.json dcfg.out.1.json", "trace.json dcfg.out.3.json", "log xray-log.1", "log xray-log.2", "log.map xray-log.3.map",
             "wet wet.out.1", "wet wet.out.2", "log.map wet.out.4")
    for age, pair in enumerate(names):
        old, new = pair.split()
        shutil.copy(tap.path(old), tap.path("in/" + new))
        os.utime(tap.path("in/" + new), (1000000000 + age, 1000000000 + age))


def check_messages(tap):
    for line, wanted, says in MESSAGES:
        words = line.split(" ")
        place = tap.dir
        if words[0] in ("in", "empty"):
            place = tap.path(words.pop(0))
        status, out, err = command(*words, cwd=place, stdin=subprocess.DEVNULL)
        good = says.fullmatch(err) if hasattr(says, "fullmatch") else err == says + "\n"
        tap.ok(status == wanted and good, "dcfg " + line, "%d, %s" % (status, err))
    texts = [command("export", "--lcov", *o, "graph.json", cwd=tap.dir)[1] for o in ((), ("-o", "-"))]
    tap.ok(texts[0] == texts[1] and texts[0] and not os.path.exists(tap.path("-")), "-o - is the standard output", texts)


def check_full(tap):
    """Every command that writes a file says that the disk is full, and leaves nothing that looks whole."""
    for line in WRITERS:
        if line.startswith("dot ") and not shutil.which("dot", path=harness.ENV["PATH"]):
            tap.skip("full: dcfg " + line, "no Graphviz")
            continue
        words = line.replace("OUT", "/dev/full").split()
        to_file = "OUT" in line
        with open("/dev/full", "w") as full:
            r = process(*words, cwd=tap.dir, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL if to_file else full)
        said = r.stderr.decode().splitlines()
        tap.ok(r.returncode == 2 and said[-1] == "dcfg %s: %s: No space left on device"
               % (words[0], "/dev/full" if to_file else "standard output") and not any(s.startswith("next") for s in said),
               "full: dcfg " + line, said)
    check_cut(tap)


def check_cut(tap):
    """A file may have as many bytes as the graph has for Graphviz: the picture is longer.  One whose compressor fails."""
    if shutil.which("dot", path=harness.ENV["PATH"]):
        size = len(command("dot", "--callgraph", "graph.json", cwd=tap.dir)[1].encode())
        status, _, err = command("dot", "--callgraph", "--svg=cut.svg", "graph.json", cwd=tap.dir, restore_signals=False,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        tap.ok(status == 2 and err.endswith("dcfg dot: a temporary file for Graphviz: File too large\n")
               and not glob.glob(tap.path("cut.svg*")), "a picture is whole or not there", err)
    os.symlink("/dev/full", tap.path("full.gz"))
    for line in ("wet -o full.gz wet", "export --champsim -o full.gz wet"):
        status, _, err = command(*line.split(), cwd=tap.dir)
        tap.ok(status == 2 and err.endswith("dcfg %s: full.gz could not be compressed\n" % line.split()[0]), "dcfg " + line, err)


def check_next(tap):
    """The last line of a run names the next command, which works.  Other processes, and runs with -q, print no such line."""
    for options, path, wanted in NEXT:
        place = tap.path("next%d" % tap.n)
        os.makedirs(os.path.join(place, "under"))
        run = subprocess.run([harness.VALGRIND, "--tool=dcfg"] + options.split() + ["/bin/true"], cwd=place, env=harness.ENV,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = [l for l in run.stderr.decode().splitlines() if " dcfg: wrote " in l]
        pid = re.match("==([0-9]+)==", said[-1]).group(1)
        hint = "; see it with: " + wanted.replace("PID", pid) if wanted else ""
        path = os.path.join(os.path.realpath(place), path.replace("PID", pid))
        tap.ok(re.fullmatch("==%s== dcfg: wrote %s: (?:(?!; see it).)*%s" % (pid, re.escape(path), re.escape(hint)), said[-1])
               and not any("see it" in l for l in said[:-1]), "the next step after %s" % (options or "a run"), said)
        if wanted and wanted.startswith("dcfg "):
            r = subprocess.run(wanted.replace("PID", pid), shell=True, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=dict(harness.ENV, PATH=os.path.dirname(DCFG) + ":" + harness.ENV["PATH"]))
            tap.ok(r.returncode == 0 and (r.stdout or b" dcfg: replayed " in r.stderr), "and it works", r.stderr.decode())
    place = tap.path("family")
    os.mkdir(place)
    for options, hints in (("--trace-children=yes", 1), ("-q", 0)):
        err = subprocess.run([harness.VALGRIND, "--tool=dcfg", options, "sh", "-c", "/bin/true; (exit 3); :"], cwd=place,
                             env=harness.ENV, stderr=subprocess.PIPE).stderr.decode()
        tap.ok(err.count("see it with") == hints and (hints == 0 or err.count("dcfg: wrote") > 2
                                                      and err.rstrip().endswith("see it with: dcfg report")),
               "once for all processes of a run, never with -q: " + options, err)


def check_dev(tap):
    for word, says in DEV:
        r = subprocess.run([os.path.join(harness.SRCDIR, "dev"), word], stderr=subprocess.PIPE, env=harness.ENV)
        tap.ok(r.returncode == 2 and r.stderr.decode().splitlines()[0] == says, "./dev " + word, r.stderr.decode())


def main():
    tap = harness.Tap("messages")
    if record(tap):
        newest(tap)
        check_kinds(tap)
        check_messages(tap)
        if os.path.exists("/dev/full"):
            check_full(tap)
        check_next(tap)
        check_dev(tap)
    tap.done()


main()
