#!/usr/bin/python3
"""A function has one name in all commands: with its template arguments, or with its file and offset.  (TAP)"""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import small_dcfg
from commandlib import DCFG, command

STRIPPED = r"""
#include <unistd.h>
#define FAR __attribute__((noinline, noclone))
static volatile int sink;
FAR static int inner(int n) { for (int i = 0; i < n; i++) sink += i; return sink; }
FAR static int outer(int n) { for (int i = 0; i < n; i += 9) sink += inner(i); return sink; }
int main(int argc, char** argv)
{
   static volatile int none;
   char text[2] = "0";
   text[0] += outer(300 * argc) & none;
   return write(1, text, 2) == 2 ? 0 : 1;
}
"""
TEMPLATES = harness.text("cmd/names_templates.cc")
# Functions whose short forms are equal: overloaded; of types whose names have a long part in common; two of a name in Rust.
ALIKE = harness.text("cmd/names_alike.cc")
RUST = harness.text("cmd/names_rust.rs")

# Names with brackets before the parameters: local functions, functions that return a pointer to one; Go's methods and instances.
INSIDE = harness.text("cmd/names_inside.cc")

# Code in anonymous memory; a source, a program and a function whose names are globs, too, that match others.
BRACKETS = harness.text("cmd/names_brackets.c")
OTHER = "__attribute__((noinline)) int other(int n) { volatile int m = n; return m + 2; }\n"


class Run:
    """A program's files, and what all commands print of it."""

    def __init__(self, tap, name, source, suffix, *flags):
        self.tap, self.name = tap, name
        path = harness.written(tap, name + suffix, source)
        self.prog = harness.cc(tap, path, name, "-static", "-O1", *flags)

    def record(self, name, *args):
        """Returns the DCFG, the trace, the log and the WET of a run."""
        files = [self.tap.path(name + suffix) for suffix in (".json", "-trace.json", ".xray", ".wet")]
        r = subprocess.run([harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=" + files[0], "--trace=yes",
                            "--trace-out-file=" + files[1], "--xray=yes", "--xray-out-file=" + files[2], "--wet=yes",
                            "--wet-out-file=" + files[3], self.prog, *args], env=harness.ENV, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, timeout=harness.TIMEOUT)
        self.tap.ok(r.returncode == 0, name + " runs", r.stderr.decode("utf-8", "replace"))
        return files


def check(tap, name, files, other, functions, slices, wet):
    """Checks that all commands print FUNCTIONS with these names, and find them by these.  SLICES: a pattern of the text of
    --as=instances.  WET: a pattern of dcfg wet's text of the last function.
    """
    graph, trace, log, tape = files
    merged = tap.path(name + ".merged.json")
    command("merge", "-o", merged, graph, other[0])
    texts = {"report": ["report", "--routines", "--top=0", "--wide", graph],
             "report of a merged graph": ["report", "--routines", "--top=0", "--wide", merged],
             "report --inclusive": ["report", "--inclusive", "--top=0", "--wide", graph, trace],
             "dot --callgraph": ["dot", "--callgraph", "--min=0", graph],
             "trace": ["trace", "--as=calls", graph, trace], "flame": ["flame", graph, trace],
             "flame --svg": ["flame", "--svg", graph, trace], "flame --speedscope": ["flame", "--speedscope", graph, trace],
             "xray": ["xray", "--top=0", "--wide", log], "xray --as=folded": ["xray", "--as=folded", log],
             "xray --as=calls": ["xray", "--as=calls", log], "xray --diff": ["xray", "--diff", "--share=0", "--top=0", "--wide", log,
                                                                           other[2]],
             "diff": ["diff", "--routines", "--share=0", "--top=0", "--wide", graph, other[0]]}
    for what, words in texts.items():
        _, out, err = command(*words)
        out = out.replace("&lt;", "<").replace("&gt;", ">").replace("&#62;", ">").replace("&#60;", "<")
        missing = [f for f in functions if not re.search(r"(?<![\w:+])%s(?!\w)" % re.escape(f), out)]
        tap.ok(not missing, "%s: %s has the names" % (name, what), "%s\n%s%s" % (missing, err, out[:2000]))
    for f in functions:
        for words in (["disasm", "--routine="], ["dot", "--routine="], ["report", "--callers="],
                      ["report", "--routines", "--routine="]):
            words[-1] += f
            status, out, err = command(*words, graph)
            tap.ok(status == 0 and (f in out or "callers" in words[-1]) and not err, "%s: %s" % (name, " ".join(words)),
                   err + out[:1000])
        rows = json.loads(command("xray", "--json", "--function=" + f, log)[1])["functions"]
        tap.ok(len(rows) == 1, "%s: xray --function=%s" % (name, f), rows)
    out = command("slice", "--output=0", "--full", "--as=instances", tape)[1]
    tap.ok(re.search(slices, out), "%s: slice has the names" % name, out[-2000:])
    if wet:
        out = command("wet", "--function=" + wet, tape)[1]
        tap.ok(re.match(r"[1-9]", out), "%s: wet --function=%s" % (name, wet), out[:200])


def stripped(tap, name, *flags):
    """Functions without a symbol have names by their offset in the file."""
    run = Run(tap, name, STRIPPED, ".c", *flags)
    if run.prog is None:
        return
    symbols = subprocess.run(["nm", run.prog], stdout=subprocess.PIPE).stdout.decode()
    address = {n: int(a, 16) for a, n in re.findall(r"^([0-9a-f]+) [tT] (inner|outer|main|__executable_start)$", symbols, re.M)}
    headers = subprocess.run(["readelf", "-lW", run.prog], stdout=subprocess.PIPE).stdout.decode()
    base = int(re.search(r"LOAD +0x0+ (0x\w+)", headers)[1], 16)
    subprocess.run(["strip", run.prog], check=True)
    names = ["%s+%#x" % (name, address[f] - base) for f in ("inner", "outer")]
    files, other = run.record(name), run.record(name + "2", "more")
    check(tap, name, files, other, names, r" %s\+0x[0-9a-f]+: " % name, None)


def brackets(tap):
    """A name with brackets means what has this name, not what it matches as a glob."""
    for name, text in (("a[1].c", BRACKETS), ("a1.c", OTHER)):
        harness.written(tap, name, text)
    for args in (["-shared", "-fPIC", "-o", "b1", "a1.c"], ["-o", "b[1]", "a[1].c", "./b1"]):
        r = subprocess.run(["cc", "-O1", "-g"] + args, cwd=tap.dir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if not tap.ok(r.returncode == 0, "compiling with brackets", r.stdout.decode(errors="replace")):
            return
    run = Run(tap, "plain", OTHER + "int main(void) { return other(0) == 0; }\n", ".c")
    run.prog = "./b[1]"
    where = os.getcwd()
    os.chdir(tap.dir)
    try:
        graph, trace, log, tape = run.record("brackets")
    finally:
        os.chdir(where)
    for words, want, others in (
            (["report", "--routines", "--image=[anon]", graph], "[anon]+", "main"),
            (["report", "--routines", "--image=b[1]", graph], "main", " other "),
            (["report", "--routines", "--image=b[12]", graph], "other", "main"),
            (["report", "--routines", "--source=a[1].c", graph], "main", "other"),
            (["report", "--routines", "--source=a[123].c", graph], "other", "main"),
            (["report", "--routines", "--source=a[1].c:6", graph], "par;ted", "main"),
            (["report", "--routines", "--all", "--function=par;ted", graph], "par;ted", "main"),
            (["disasm", "--image=b[1]", graph], "main", "other:"),
            (["blocks", "--image=[anon]", graph], "\t2\t9\tUB\t", "\tCB\t"),
            (["wet", "--image=[anon]", tape], " ??? ??? 0\n", " other "),
            (["xray", "--image=b[1]", log], "main", "other"),
            (["xray", "--image=b[12]", log], "other", "main"),
            (["xray", "--source=a[1].c", log], "main", "other"),
            (["xray", "--source=a[123].c", log], "other", "main")):
        status, out, err = command(*words)
        out = out.replace(tap.dir, "")  # Its path may have any name in it.
        tap.ok(status == 0 and not err and want in out and others not in out, "brackets: " + " ".join(words[:-1]), err + out[:1500])
    for words in (["xray", "--as=folded", log], ["flame", graph, trace], ["flame", log]):
        status, out, err = command(*words)
        stack = re.search(r"^(.*par.ted) \d+$", out, re.M)
        tap.ok(status == 0 and stack and stack[1].endswith(";main;par:ted"), "a frame has no semicolon: " + " ".join(words[:2]),
               err + str(stack))
    tap.ok(command("wet", "--image=b[1]", tape) == command("wet", "--image=main", tape), "brackets: wet --image=b[1]")
    rows = json.loads(command("xray", "--as=stacks", "--top=0", "--json", log)[1])["stacks"]
    tap.ok(any(r["stack"].endswith(";main;par:ted") for r in rows), "a frame has no semicolon: xray --as=stacks", rows[:3])


def check_completion(tap, graph):
    """The completion offers names as reports show them, divided into words as readline does."""
    script = os.path.join(harness.SRCDIR, "cmd", "completion", "dcfg")
    os.symlink(DCFG, tap.path("dcfg"))
    for words, want in ((["--routine", "=", "work", "::", "h"], ["half\\<double\\>", "half\\<int\\>"]),
                        (["--routine", "=", "'work::half<i"], ["work::half<int>"]),
                        (["--function", "=", "work", "::", "half\\<d"], ["half\\<double\\>"]),
                        (["--routine", "wor"], ["work::Box\\<long\\>::twice\\ const", "work::half\\<double\\>", "work::half\\<int\\>"])):
        r = subprocess.run(["bash", "-c", 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dcfg; '
                            'printf "%s\\n" "${COMPREPLY[@]}"', script, "dcfg", "report", graph, *words], cwd=tap.dir,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                           env=dict(harness.ENV, PATH=tap.dir + ":" + harness.ENV["PATH"]))
        tap.ok(sorted(r.stdout.splitlines()) == want, "completion of " + " ".join(words), r.stdout + r.stderr)


def rows_of(tap, what, *words):
    """Returns the names in the last but one column of a table, which has no source."""
    out = command(*words)[1]
    head = next(line for line in out.splitlines() if re.search(r"\b(routine|function|callee) ", line))
    at, end = re.search(r"\b(routine|function|callee) ", head).start(), re.search(r"\b(source|image)\b", head).start()
    return [line[at:end].strip() for line in out.splitlines()[out.splitlines().index(head) + 1:] if line[at:end].strip()]


def apart(tap, name, prog, alike):
    """No two functions of a table have one name.  ALIKE: how many rows each of these words has."""
    subprocess.run(["strip", "-g", prog], check=True)
    files = [tap.path(name + s) for s in (".json", "-trace.json", ".xray")]
    r = subprocess.run([harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=" + files[0], "--trace=yes", "--trace-out-file=" + files[1],
                        "--xray=yes", "--xray-out-file=" + files[2], prog], cwd=tap.dir, env=harness.ENV, stdout=subprocess.DEVNULL)
    if not tap.ok(r.returncode == 0, name + " runs"):
        return
    tables = {"routines": ("report", "--routines", "--top=0", "--image=main", files[0]),
              "inclusive": ("report", "--inclusive", "--top=0", "--image=main", *files[:2]),
              "callees": ("report", "--callees=main" if name == "overloaded" else "--callees=names::main", "--top=0", files[0])}
    for what, words in tables.items():
        found = rows_of(tap, what, *words)
        tap.ok(len(set(found)) == len(found) and all(sum(w in f for f in found) == n for w, n in alike.items()),
               "%s: %s are told apart" % (name, what), found)
        # A user may ask for each name that a table shows.
        for f in [f for f in found if any(w in f for w in alike)] if what == "routines" else []:
            rows = json.loads(command("report", "--routines", "--json", "--top=0", "--function=" + f, files[0])[1])["processes"][0]["routines"]
            tap.ok(len(rows) >= 1, "%s: --function=%s" % (name, f), rows)
            if "[" in f:
                tap.ok(len(rows) == 1, "%s: the hash chooses one" % name, rows)


def check_apart(tap):
    path = harness.written(tap, "overloaded.cc", ALIKE)
    prog = harness.cc(tap, path, "overloaded", "-static", "-O1")
    if prog:
        apart(tap, "overloaded", prog, {"twice(": 3, "element": 2})
    path = harness.written(tap, "names.rs", RUST)
    for kind in ("legacy", "v0"):
        prog = tap.path("rust-" + kind)
        try:
            made = subprocess.run(["rustc", "--crate-name=names", "-C", "opt-level=1", "-C", "symbol-mangling-version=" + kind, "-o", prog, path]
                                  + (["-Z", "unstable-options"] if kind == "legacy" else []), cwd=tap.dir, stderr=subprocess.PIPE,
                                  env=dict(os.environ, RUSTC_BOOTSTRAP="1"))
        except OSError:
            made = None
        if made is None or made.returncode != 0:
            tap.skip("names of Rust, " + kind, "rustc is missing, or does not know this" if made is None else made.stderr.decode()[:200])
            continue
        apart(tap, "rust-" + kind, prog, {"names::largest": 2, "f_this_shape": 2, "names::apply": 2})


def check_inside(tap):
    """Parameters are left out at the end alone; a short name keeps the last component; two rows never have one name."""
    prog = harness.compiled(tap, "inside.cc", INSIDE, "-static", compiler="c++")
    graph = harness.dcfg(tap, "inside", [prog])[0]
    rows = json.loads(command("report", "--json", "--functions", "--image=main", "--top=0", graph)[1])["processes"][0]["source_functions"]
    heads = {}
    for words in (["--wide"], []):
        out = command("report", "--functions", *words, "--image=main", "--top=0", graph)[1]
        head = next(t for t in out.split("\n") if t.startswith("share"))
        at, end = head.index("function"), head.index("source")
        heads[bool(words)] = [t[at:end].strip() for t in out.split(head + "\n")[1].split("\n\n")[0].strip("\n").split("\n")]
    named = ["main.(*Cat).Run", "main.(*Dog).Run", "main.Sum[go.shape.struct { X int }]",
             "Foo::sum(int) const::{lambda(int)#1}::operator() const", "Foo::sum(long) const::{lambda(int)#1}::operator() const"]
    tap.ok(set(named) <= set(heads[True]), "parameters are left out at the end of a name alone", heads[True])
    tap.ok(all(len(set(h)) == len(h) == len(rows) for h in heads.values()), "two functions never have one name", heads)
    tap.ok(len([h for h in heads[False] if h.startswith("Foo::sum(") and h.endswith("..::operator() const")]) == 2,
           "a short name keeps its last component", heads[False])
    for name in named:
        out = command("report", "--csv", "--functions", "--function=" + name, graph)[1]
        tap.ok(out.count("\n") == 2, "found by its name: " + name, out)



LONG_TEMPLATES = r"""
#include <map>
#include <string>
#include <vector>
#define FAR __attribute__((noinline))
static volatile int sink;
using Long = std::map<std::string, std::vector<std::map<int, std::string>>>;
template <class... T> struct Box {
   FAR operator std::map<std::string, int>*() { for (int i = 0; i < 210; i++) sink = i; return nullptr; }
   FAR bool operator<(const Box&) const noexcept { for (int i = 0; i < 220; i++) sink = i; return sink > 3; }
   FAR int operator()(int k) { for (int i = 0; i < 230; i++) sink = i; return k; }
   FAR int operator->*(int k) { for (int i = 0; i < 240; i++) sink = i; return k; }
};
[[gnu::abi_tag("new"), gnu::noinline]] int tagged(int n) { for (int i = 0; i < 270; i++) sink = i; return n; }
namespace of { template <class A, class B> FAR void generic(A, B) { for (int i = 0; i < 290; i++) sink = i; } }
template <class T> FAR void (*choose(T))(int) { for (int i = 0; i < 250; i++) sink = i; return nullptr; }
int main() {
   Box<Long, std::string, std::vector<Long>> b;
   sink = (std::map<std::string, int>*)b == nullptr; sink = b < b; sink = b(3); sink = b->*3;
   tagged(2); of::generic(Long(), 3); choose(Long()); choose(3);
}
"""


def graph_of(tap, symbols):
    """Writes a graph in which a routine of one block has each of SYMBOLS; returns its path."""
    d = small_dcfg.good()
    image = next(r for r in d["PROCESSES"][1][1]["IMAGES"] if r[0] == 1)
    image[2] = 16 * len(symbols) + 0x2000
    data = image[3]
    for i, name in enumerate(symbols):
        node, at = 100 + i, "0x%x" % (0x1000 + 16 * i)
        data["SYMBOLS"].append([name, at, 16])
        data["BASIC_BLOCKS"].append([node, at, 16, 4, 1, 1])
        data["ROUTINES"].append([node, [node], [small_dcfg.HEAD["NODES"], [node, node]]])
    path = tap.path("many.json")
    harness.write(path, json.dumps(d))
    return path


def filtered(symbols, *options):
    out = subprocess.run(["c++filt", *options], input="\n".join(symbols) + "\n", stdout=subprocess.PIPE, universal_newlines=True).stdout
    return dict(zip(symbols, out.split("\n")))


def last_name(name):
    """Returns the last component of a name without parameters, without its template arguments."""
    depth, begin, end = 0, 0, len(name)
    for i, c in enumerate(name):
        if depth == 0 and name.startswith("::", i):
            begin, end = i + 2, len(name)
        if depth == 0 and c in "<[" and i >= begin:
            end = min(end, i)
        depth += (c in "<({[") - (c in ">)}]")
    return name[begin:end]


def check_many(tap):
    """Names of the C++ library, at some widths: as c++filt has them without parameters, each once, with the last component."""
    library = subprocess.run(["g++", "-print-file-name=libstdc++.so.6"], stdout=subprocess.PIPE, universal_newlines=True).stdout.strip()
    listed = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, universal_newlines=True).stdout
    symbols = sorted({m[1] for m in re.finditer(r"^\w+ [TW] (_Z(?![GT])\w+)(?:@.*)?$", listed, re.M)})[::3]
    bare, full = filtered(symbols, "-i", "-p"), filtered(symbols, "-i")
    # Two symbols of one name, as of constructors, are one function.
    symbols = list({full[s]: s for s in symbols}.values())
    if not tap.ok(len(symbols) > 500, "libstdc++ has names", len(symbols)):
        return
    path = graph_of(tap, symbols)
    shown = {}
    for width in (80, 140, 0):
        out = command("report", "--routines", "--top=0", *([] if width else ["--wide"]), path, env=dict(harness.ENV, COLUMNS=str(width or 80)))
        rows = out[1].split("\n")
        head = next(r for r in rows if " routine " in r)
        at = head.index("routine")
        shown[width] = [r[at:].split("  ")[0].strip() for r in rows[rows.index(head) + 1:] if len(r) > at]
        names = [n for n in shown[width] if n]
        tap.ok(len(names) >= len(symbols) and len(set(names)) == len(names), "width %d: each name once" % width, out[1][-1500:] + out[2])
    qualifiers = re.compile(r"( const| volatile| &&?)*$")
    wrong = [s for s in symbols if bare[s] not in shown[0] and full[s] not in shown[0] and bare[s] + qualifiers.search(full[s])[0] not in shown[0]]
    tap.ok(not wrong, "names without parameters are c++filt's", [(full[s], bare[s]) for s in wrong[:5]])
    lasts = {last_name(bare[s]) for s in symbols if "operator" not in bare[s]}
    lost = [name for name in lasts if len(name) < 24 and not any(name in x for x in shown[80])]
    tap.ok(len(lasts) > 100 and not lost, "short names keep their last component", lost)


def check_long_templates(tap):
    """A short name keeps its last component, however long its template arguments are."""
    source = tap.path("long.cc")
    harness.write(source, LONG_TEMPLATES)
    prog = tap.path("long")
    status, err = harness.run(["g++", "-g", "-O1", "-o", prog, source], tap.dir, harness.ENV)
    graph, _, _ = harness.dcfg(tap, "long", [prog])
    out = command("report", "--functions", "--source=long.cc", "--top=0", graph)[1]
    ends = (r"\S::operator std::\S*\.\.", r"\S::operator< const ", r"\S::operator\(\) ", r"\S::operator->\* ", r" tagged\[abi:new\] ", r" of::generic<.*\.\..*> ")
    wrong = [e for e in ends if len(re.findall(e, out)) != 1]
    tap.ok(status == 0 and not wrong, "short names keep their last component", str(wrong) + out + err)
    names = [line.split("  ")[-3:] for line in out.splitlines() if "choose" in line]
    tap.ok(len(names) == 2 and names[0] != names[1], "functions returned by functions: two names", names)


def main():
    tap = harness.Tap("names")
    check_apart(tap)
    stripped(tap, "moved")
    stripped(tap, "fixed", "-no-pie")
    run = Run(tap, "templates", TEMPLATES, ".cc")
    if run.prog:
        subprocess.run(["strip", "-g", run.prog], check=True)
        files = run.record("templates")
        check_completion(tap, files[0])
        check(tap, "templates", files, run.record("templates2", "more"),
              ["work::half<int>", "work::half<double>", "work::Box<long>::twice"], r" work::half<int>: ", "work::half<int>")
    brackets(tap)
    check_inside(tap)
    check_long_templates(tap)
    check_many(tap)
    tap.done()


main()
