#!/usr/bin/python3
"""Names cannot send codes to a terminal, or break a format.  (TAP)

Runs every form of every command, over a program with wild names: functions, sources, file, directory and arguments have
markup, escapes, newlines, and bytes that are not UTF-8.

`dcfg --help` lists the commands; each command's help and messages list options and forms.  An entry of these lists that
is in no row of WALKS fails.
"""
import csv
import glob
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness

NAMES = [b"<script>alert(1)</script>", b"\033]0;pwn\007\033[31m", b"a\nb\nfn=(1)\n+5 9", b'q"uo\\te`id`$(id)%s%n',
         b"c,o;m:ma\tx|y", b"\377\376\233[31mz", b"\342\200\256rev\342\201\246", b"../../../tmp/PWN", b"\302\233[31mcsi",
         b"</script><img src=x onerror=alert(1)>-->]]>", b"=cmd|calc", b'}; evil [label="x"]; {',
         b"x\nend\nshell touch /tmp/PWNED\npython", b"it's", b"\r\noverwrite", b"m" * 3000, b" sp ace ", b"_ZN3fooE\033[31m",
         b"line\342\200\250sep\342\200\251\330\234\342\200\216"]
# Names that a spreadsheet takes for formulas.
FORMULAS = [b"-[NSFoo bar:]", b"+1+1", b"@SUM(A1)", b"'kept", b"-2+3", b"\357\274\2351+1", b"=A1;=A2"]
NAMES += FORMULAS
SOURCE = b'a<script>"b\033[31m\302\233\342\200\256,x;y.c'
PROGRAM = b"p<b>\"\n\033[31m\302\233\342\200\256;,:%s$(id)`id`.'e"
ARGUMENT = b"arg\033[31m\n<b>"
MAIN = r"""
long write(int fd, const void* from, unsigned long n);
int go(void);
int main(int argc, char** argv)
{
   char text[5];
   volatile int i, s = argc > 2 ? go() + go() : go();
   for (i = 0; i < 5; i++)
      text[i] = "hello"[i];
   write(1, text, 5);
   return s == 0;
}
"""
# The program's own write() and begin, because each output would have all of libc.  The data is there for Valgrind, which reads no symbols
# without it.
LIBC = r"""
.globl _start, write
_start: mov (%rsp),%edi; lea 8(%rsp),%rsi; and $-16,%rsp; call main; mov %eax,%edi; mov $60,%eax; syscall
write: mov $1,%eax; syscall; ret
.data
.quad 1
.section .note.GNU-stack,"",@progbits
"""

# By command: arguments, each a row.  G, T, X, M, W, R, U, L, B, S and P are files: graph, trace, log, map, whole execution
# trace, recording for replays, turns, Lackey's trace, vectors, SimPoint's choice.  D is the graph of which the vectors are.  Outputs go to OUT.
WHICH = ["--function=main", "--source=main.c:4-10", "--image=*"]
SOME = [[w] for w in WHICH] + [["--routine=main"]]
FILES = {"report": "G", "annotate": "G", "check": "G T", "disasm": "G", "dot": "G", "trace": "G T", "diff": "G G", "first": "W OTHERW", "gate": "BASE OTHER", "blocks": "G T", "xray": "X",
         "wet": "W", "slice": "W", "gdb": "W", "replay": "R", "merge": "G G", "flame": "G T", "view": "G", "export": "G", "bbv": "G T", "regions": "B S P D"}
AT = ["--at=main.c:7"]
TEN = ["--share=0", "--top=0"]
WALKS = {
    "report": [["--top=0", "--loops", "--routines", "--blocks", "--edges", "--images"] + f + m
               for f in ([], ["--csv"], ["--json"], ["--wide"], ["--sort=name"]) for m in ([], ["--mangled"])]
    + [["--functions", "--lines", "--top=0"] + f for f in ([], ["--csv"], ["--json"], ["--wide"], ["--inline"])]
    + [["--branches", "--indirect", "--top=0"] + f for f in ([], ["--csv"], ["--json"])]
    + [["--all"], ["--callers=go"], ["--callees=go"], ["--callees=go", "--json"], ["--thread=0"]] + SOME
    + [["--inclusive", "--trips", "--top=0", "G", "T"] + f for f in ([], ["--csv"], ["--json"], ["--wide"])]
    + [["--inline", "--top=0"] + f for f in ([], ["--csv"], ["--json"], ["--wide"])]
    + [["--sites", "--top=0", "--root=/"], ["--inline", "--inclusive", "--top=0", "G", "T"]],
    "annotate": [["G", "main.c"], ["G", "main.c:4-10"], ["G", "go"], ["--asm", "G", "go"], ["--all", "--mangled", "--att"], ["--root=/"],
                 ["--image=*"], ["--thread=0"]],
    "list": [[], ["--top=2", "--wide"], ["--csv"], ["--json"]],
    "check": [[], ["--limit=1", "--writer=other", "--disjoint"], ["BAD", "T"]],
    "disasm": [[], ["--all"], ["--att", "--bytes"], ["--sde"], ["--mangled"], ["--sde", "--mangled"], ["--root=/"], ["--thread=0"], ["--inline"]] + SOME,
    "dot": [["--all"], ["--routine=go"], ["--routine=go", "--code", "--root=/"], ["--callgraph", "--top=0", "--min=0"], ["--mangled"],
            ["--hot"], ["--thread=0"], ["--svg=OUT"], ["--callgraph", "--top=0", "--min=0", "--svg=OUT"], ["--png=OUT"]]
    + [[w] for w in WHICH],
    "trace": [["--as=" + a] + f for a in ("edges", "blocks", "calls") for f in ([], ["--csv"], ["--mangled"])]
    + [["--thread=0", "--from=100", "--edges=50"]] + SOME,
    "diff": [TEN + ["--functions", "--inclusive", "--loops", "--routines", "--blocks", "--edges"] + f + ["G", "OTHER"]
             for f in ([], ["--csv"], ["--json"], ["--wide"], ["--mangled"], ["--markdown"])]
    + [TEN + ["--inline", "--functions"] + f + ["G", "OTHER"] for f in ([], ["--csv"], ["--json"], ["--root=/"])]
    + [TEN + ["--markdown", "G", "OTHER"], ["--fail=50", "--threshold=3", "G", "OTHER"]] + [s + ["G", "OTHER"] for s in SOME],
    "first": [[], ["--json"], ["--more=3", "--after=main", "--thread=0", "--root=/"], ["G", "T", "OTHER", "OTHERT"]],
    "gate": [[], ["--save=OUT", "G"], ["--top=0", "--limit=main:1%", "--by=self"], ["--by=inclusive", "--json"], ["--markdown"], ["--github"],
             ["--least=100", "--name=a"], ["--wide", "--mangled"], ["--limit=go\033[31m:2", "BASE", "G"]],
    "blocks": [[], ["--csv"], ["--json"], ["--dot"], ["-a"], ["--paths=100"], ["--paths=100", "--json"], ["--paths", "--csv"],
               ["-o", "OUT"], ["--threshold=0", "--likely=50"], ["--thread=0"], ["--lackey", "L"]] + SOME,
    "xray": [["--as=" + a, "--top=0"] + f for a in ("functions", "stacks", "folded", "calls", "chrome")
             for f in ([], ["--csv"], ["--json"], ["--mangled"], ["--wide"])]
    + [["--check", "--limit=3"], ["--check", "X", "OTHERMAP"], ["--thread=1", "--threads"], ["--as=calls", "--from=9", "--calls=9"]]
    + [["--diff", "--share=0", "--top=0"] + f + ["X", "OTHERX"] for f in ([], ["--csv"], ["--json"], ["--wide"])]
    + [["--function=*"], ["--source=main.c:4-10"], ["--image=*"]],
    "wet": [["--function=*"], ["--history=500"], ["--image=*", "--history"], ["--source=main.c:4-10"], ["-o", "OUT"],
            ["--thread=0", "--from=1", "--to=900", "--instances=0-5", "--limit=1G"], ["--info"], ["--salvage", "-o", "OUT"]],
    "slice": [AT + ["--as=" + a] for a in ("source", "lines", "instances", "json", "html")]
    + [AT + f for f in (["--own=*"], ["--all"], ["--instructions"], ["--full"], ["--thin"], ["--whole"], ["--json", "--root=/", "--memory=4096"], ["--forward", "-o", "OUT"],
                           ["--inline"], ["--inline", "--json"], ["--omitted"])]
    + [AT + ["--window=all", "R"]] + [AT + ["--index=no", "--omitted"]] + [["--at=HOSTILE"], ["--output=hello"], ["--output=5", "--computed"], ["--syscall=write", "--of=rsi"]],
    "why": [["--steps=60", "--index=no", "W", "main.c:7"], ["--steps=60", "W", "HOSTILE"], ["--steps=60", "--json", "W", "HOSTILE"],
            ["--steps=60", "--instructions", "W", "HOSTILE"], ["--all", "--at=main.c:7", "W"], ["--syscall=write", "--of=rsi", "W"],
            ["--output=hello", "--root=/", "W"], ["--output=hello", "--instructions", "W"],
            ["--inline", "--at=main.c:7", "W"], ["--window=all", "R", "main.c:7"]]
    + [["--table", "W", "main.c:7"] + f for f in ([], ["--csv"], ["--json"], ["--all"], ["--where", "argc > 0"])],
    "gdb": [["--serve"], ["--serve", "--window=99", "R"], ["--serve", "--at=main.c:7", "--root=/"], ["--serve", "--index=no", "--at=end"]],
    "replay": [["--graph", "R", "--", "-q"], ["--trace", "--wet", "-o", "replayed", "R", "--", "-q", "--replay-output=no"]],
    "record": [["pack", "R", "-o", "OUT"]],
    "merge": [[], ["--processes"], ["--threads=keep"], ["--threads=add", "--root=/", "-o", "OUT"],
              ["--partial", "--builds=apart"], ["-j", "2"], ["--files-from=/dev/null", "-0"],
              ["--partial", "--keep-going", "G", "BAD"], ["--in-place", "G"]],
    "flame": [[], ["--folded"], ["--svg"], ["--svg=OUT"], ["--speedscope"], ["--speedscope=OUT"], ["--mangled"], ["--thread=0"]]
    + [["--inline"] + f for f in ([], ["--svg"], ["--speedscope"], ["--root=/"])]
    + [["--diff"] + f + ["G", "T", "OTHER", "OTHERT"] for f in ([], ["--svg"])] + SOME,
    "view": [["-o", "OUT"], ["--mangled", "-o", "OUT", "--trace", "T", "G"], ["--graphs=1", "--root=/", "-o", "OUT"],
             ["--inline", "--at=main.c:7", "--wet", "W", "-o", "OUT", "G"], ["--xray", "X", "-o", "OUT", "G"],
             ["--old-wet", "W", "--wet", "OTHERW", "-o", "OUT", "G", "OTHER"],
             ["--callgrind", "C", "-o", "OUT", "G"], ["--old-trace", "T", "--trace", "OTHERT", "-o", "OUT", "G", "OTHER"]],
    "export": [["--" + f] for f in ("bolt", "profgen", "lcov", "drcov", "mca")]
    + [["--lcov", "-o", "OUT"], ["--bolt", "-o", "HOSTILEOUT"], ["--mca=main", "--thread=0", "--root=/"], ["--bolt", "--routine=go"],
       ["--bolt", "--function=*"], ["--drcov", "--source=main.c:4-10"], ["--drcov", "--image=*"], ["--callgrind=CG", "--lines-only"], ["--lcov", "--no-markers"], ["--pprof=TR", "-o", "OUT"], ["--callgrind=CG", "-o", "OUT"],
       ["--champsim", "-o", "OUT", "W"], ["--champsim", "--warmup=1", "-o", "OUT", "W"], ["--tables=tables"], ["--tables=tables", "--job=one", "--shard=0/1", "--keep-going", "--files-from=/dev/null", "-0"]],
    "bbv": [["--slice=500", "-o", "OUT"], ["--slice=500", "--at-loops", "-o", "OUT"], ["--slice=500", "--turns=U", "-o", "OUT"],
            ["--slice=500", "--thread=0", "-o", "OUT"], ["--looppoint", "--slice=500", "--skip=libc.*", "--turns=U", "-o", "OUT"]] + [s + ["--slice=500", "--at-loops", "-o", "OUT"] for s in SOME],
    "regions": [[], ["--share=0"], ["--mangled"], ["--labels=LABELS"], ["--labels=LABELS", "--warmup=1", "--csv=OUT"],
                ["--labels=LABELS", "--warmup=1", "--gem5=OUT", "--base=0"]],
}
# Options that start another program, or a server.
STARTING = {"--open", "--listen"}
# Forms that are not text.
BINARY = ("pack", "--drcov", "--champsim", "--png", "--pprof")
TABBED = ("blocks", "slice", "disasm", "first")         # their text has tabs, also from the source


def make_program(tap):
    """Builds the program whose functions have the wild names, from assembly with sources of such names.  Returns two paths: it is
    linked without libc, because most of what runs otherwise is libc's code, and with shared libraries."""
    where = os.fsencode(tap.path("dir\033[31m"))
    os.mkdir(where)
    text = '.text\n.file 1 "%s"\n.file 2 "../..//nl\\nSF:zz.c"\n.file 3 "/tmp/inj/plain.c"\n' % "".join(
        chr(c) if 32 <= c < 127 and c not in b'"\\' else "\\%03o" % c for c in SOURCE)
    for i in range(len(NAMES)):
        text += (".globl f%d\n.type f%d,@function\nf%d:\n.loc %d %d\n push %%rbp\n mov %%rsp,%%rbp\n lea 1(%%rdi),%%eax\n"
                 " pop %%rbp\n ret\n.size f%d,.-f%d\n" % (i, i, i, 1 + i % 3, i + 5, i, i))
    text += ".globl go\n.type go,@function\ngo:\n.loc 1 1\n push %rbx\n xor %edi,%edi\n"
    for i in range(len(NAMES)):
        text += ".loc 1 %d\n call f%d\n mov %%eax,%%edi\n" % (100 + i, i)
    text += " pop %rbx\n ret\n.size go,.-go\n.section .note.GNU-stack,\"\",@progbits\n"
    for name, content in ((b"nasty.s", text.encode()), (b"main.c", MAIN.encode()), (b"libc.s", LIBC.encode()),
                          (SOURCE, b"".join(b"%d\tx \033[31m\302\233 \342\200\256 \377 </script>\n" % i for i in range(1, 140)))):
        harness.write(os.path.join(where, name), content)
    for argv in (["as", "-o", "nasty.o", "nasty.s"], ["gcc", "-g", "-O0", "-fno-stack-protector", "-c", "main.c"],
                 ["gcc", "-g", "-static", "-nostdlib", "-o", "static", "main.o", "nasty.o", "libc.s"],
                 ["gcc", "-g", "-no-pie", "-o", "shared", "main.o", "nasty.o"]):
        subprocess.run(argv, cwd=where, check=True, stdout=subprocess.DEVNULL)
    wild = [a for i, n in enumerate(NAMES) for a in ("--redefine-sym", b"f%d=" % i + n)]
    for plain, program in (("static", PROGRAM), ("shared", PROGRAM + b"2")):
        subprocess.run(["objcopy", *wild, plain, program], cwd=where, check=True)
    return os.path.join(where, PROGRAM), os.path.join(where, PROGRAM + b"2")


def record(tap, program, name, *args):
    """Returns the files of a run, by the letters of FILES."""
    path = {k: tap.path(name + "." + k) for k in "GTXWC"}
    path.update(M=path["X"] + ".map", U=path["T"] + ".turns")
    r = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--calls=yes", "--dcfg-out-file=" + path["G"], "--trace=yes", "--trace-out-file="
                        + path["T"], "--uftrace=yes", "--uftrace-out-dir=" + tap.path(name + ".uf"), "--xray=yes", "--xray-out-file=" + path["X"], "--wet=yes",
                        "--wet-out-file=" + path["W"], "--trace-turns=yes", "--callgrind=yes", "--dump-instr=yes",
                        "--callgrind-out-file=" + path["C"], program, *args], cwd=tap.dir, env=harness.ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    tap.ok(r.returncode == 0 and all(os.path.exists(path[k]) for k in "GTXMW"), "the program is recorded: " + name,
           r.stderr.decode(errors="replace")[-1500:])
    return path


# ---- what is no text ---------------------------------------------------------------------------------------------

def hidden(data, tabs):
    """Returns which of these bytes a terminal would obey."""
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        return "not UTF-8: %r" % data[max(0, e.start - 30):e.start + 10]
    for c in sorted(set(text)):
        if (unicodedata.category(c) in ("Cc", "Zl", "Zp") and c != "\n" and not (tabs and c == "\t")) \
                or unicodedata.bidirectional(c) in ("LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI") \
                or c in "\u200e\u200f\u061c":
            i = text.index(c)
            return "hidden %r in %r" % (c, text[max(0, i - 30):i + 10])
    return ""


def balanced(text):
    """Returns whether each line of a picture's text has only whole strings."""
    return all(re.fullmatch(r'(?:[^"\\]|"(?:[^"\\]|\\.)*")*', line) for line in text.splitlines())


def wrong_form(command, args, text):
    """Returns what is wrong with the text, in the requested format."""
    asked = " ".join(args)
    try:
        if "--json" in asked or "=json" in asked or "speedscope" in asked or command == "merge":
            json.loads(text)
        elif "--csv" in asked:
            parts = text.split("\n\n") if command != "trace" else [text]
            for part in parts:
                rows = list(csv.reader(io.StringIO(part)))
                if len(rows) != len(part.strip("\n").split("\n")):
                    return "a record has two lines"
                formulas = [c for row in rows for c in row if c[:1] in tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
                            and not re.fullmatch(r"[-+]\d+(\.\d+)?%?", c)]
                if formulas and "regions" not in command:
                    return "formulas: %s" % formulas
        elif "--svg" in asked:
            xml.etree.ElementTree.fromstring(text)
        elif command == "dot" or "dot" in asked:
            return "" if balanced(text) else "a string is not closed"
        elif "gdb" in asked:
            compile(text[text.index("\npython\n") + 8:text.rindex("\nend")], "gdb", "exec")
            if re.search(r"^\s*shell ", text, re.M):
                return "a command of a name"
        elif "html" in asked:
            if text.count("<script") != text.count("</script") or "<script>alert" in text or "<img src" in text:
                return "markup of a name"
        elif any(a.startswith("--callgrind") for a in args):
            return "a line of a name" if re.search(r"^(fn=(?!\(\d+\)( |$))|\+5 9|shell touch|overwrite)", text, re.M) else ""
        elif "--sde" not in asked and re.search(r"^(fn=|\+5 9|shell touch|SF:zz|overwrite|fakeline)", text, re.M):
            return "a line of a name"
    except (ValueError, SyntaxError, xml.etree.ElementTree.ParseError) as e:
        return str(e)
    return ""


def wrong(command, args, data):
    if any(a.startswith(b) for a in args for b in BINARY):
        return ""
    return hidden(data, command in TABBED) or wrong_form(command, args, data.decode())


def check_uftrace(tap, where):
    """Checks that the tool's directory for uftrace names each object in the same way, in lines of their own."""
    texts = {f: open(os.path.join(where, f), "rb").read() for f in os.listdir(where) if not f.endswith(".dat")}
    texts["info"] = texts["info"][40:]
    bad = ["%s: %s" % (f, hidden(t, False)) for f, t in texts.items() if hidden(t, False)]
    bad += ["the name %r" % f for f in os.listdir(where) if hidden(os.fsencode(f), False)]
    tap.ok(len(texts) > 3 and not bad, "uftrace: no hidden character", "\n".join(bad))
    lines = texts["task.txt"].decode().splitlines()
    match = re.fullmatch(r'SESS timestamp=[0-9.]+ pid=\d+ sid=\w+ exename="([^"]*)"', lines[0])
    tap.ok(match and len(lines) == 2 and re.fullmatch(r"TASK timestamp=[0-9.]+ tid=\d+ pid=\d+", lines[1]),
           "uftrace: a session and a task in task.txt", lines)
    maps = [line.split() for f, t in texts.items() if f.endswith(".map") for line in t.decode().splitlines()]
    paths = [m[-1] for m in maps if m[-1] != "[stack]"]
    symbols = {f[:-4]: t.decode() for f, t in texts.items() if f.endswith(".sym")}
    tap.ok(all(len(m) == 6 for m in maps) and {os.path.basename(p) for p in paths} == set(symbols),
           "uftrace: the map's objects are the files of symbols", "%s\n%s" % (maps, list(symbols)))
    tap.ok(match and match[1] in paths, "uftrace: the program is one of them", lines)
    tap.ok(all("# path name: %s\n" % p in symbols.get(os.path.basename(p), "") for p in paths),
           "uftrace: the files of symbols say the same", paths)
    tap.ok(match and re.search(r"^[0-9a-f]{16} T a\?b\?fn=\(1\)\?\+5 9$", symbols.get(os.path.basename(match[1]), ""), re.M),
           "uftrace: a function is a line", symbols.keys())
    if not shutil.which("uftrace"):
        tap.skip("uftrace reads it", "it is not installed")
        return
    r = subprocess.run(["uftrace", "report", "-d", where, "--no-pager", "-f", "call"], env=harness.ENV, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)
    tap.ok(r.returncode == 0 and re.search(rb" 1 +a\?b\?fn=\(1\)\?\+5 9$", r.stdout, re.M), "uftrace reads it",
           r.stdout[-2000:].decode(errors="replace"))


# ---- all forms ---------------------------------------------------------------------------------------------------

def walk(tap, command, args, names):
    """Runs one form.  Returns what is wrong, or ''; and whether it did its work."""
    out = tap.path("out")
    named = [a for a in args if a in names]
    plain = [a if a not in names else names[a] for a in args]
    if not named and command in FILES:
        plain += [names[f] for f in FILES[command].split()]
    for short, long in ((b"HOSTILEOUT", b"out\033[31m/of"), (b"HOSTILE", SOURCE + b":101"), (b"OUT", b"out/of"),
                        (b"=U", b"=" + os.fsencode(names["U"])), (b"=CG", b"=" + os.fsencode(names["C"])), (b"=TR", b"=" + os.fsencode(names["T"])),
                        (b"=LABELS", b"=" + os.fsencode(names["LABELS"]))):
        plain = [os.fsencode(a).replace(short, long) for a in plain]
    for d in (out, out + "\033[31m"):
        os.makedirs(d, exist_ok=True)
        for f in os.listdir(d):
            os.remove(os.path.join(d, f))
    r = commandlib.process(command, *plain, cwd=tap.dir, env={"LC_ALL": "C.UTF-8", "VALGRIND": harness.VALGRIND, "DCFG_LEAKS_SOUGHT": "1"},
                           stdin=subprocess.DEVNULL)
    bad = "" if r.returncode in (0, 1, 2, 3) else "status %d " % r.returncode
    bad += hidden(r.stderr, False)
    if r.returncode != 2 and r.stdout:
        bad += wrong(command, args, r.stdout)
    for f in glob.glob(os.path.join(tap.dir, "tables", "*", "*", "*.csv.gz")):
        with gzip.open(f) as g:
            data = g.read()
        bad += hidden(data, False) or wrong_form(command, ["--csv"], data.decode())
        os.remove(f)
    for f in os.listdir(out):
        data = open(os.path.join(out, f), "rb").read()
        if not any(a.startswith(b) for a in args for b in BINARY):
            bad += hidden(data, True) or wrong_form(command, args, data.decode())
    return bad, r.returncode != 2, r.stderr.decode(errors="replace")


def check_formulas(tap, names):
    """Readers of CSV get each name back: they remove the ' in front.  Numbers stay numbers."""
    for what in (["report", "--routines", "G"], ["diff", "--functions", "G", "OTHER"], ["trace", "--as=calls", "G", "T"],
                 ["xray", "X"], ["export", "--tables=" + tap.path("tables"), "G"]):
        args = [names.get(a, a) for a in what] + (["--csv"] if what[0] != "export" else [])
        args += ["--top=0"] if what[0] in ("report", "diff", "xray") else []
        args += ["--share=0"] if what[0] == "diff" else []
        text = commandlib.command(*args)[1]
        for f in glob.glob(os.path.join(tap.dir, "tables", "functions", "*", "*.csv.gz")):
            text = gzip.open(f, "rt").read()
        cells = {c for row in csv.reader(io.StringIO(text)) for c in row}
        wanted = {n.decode() for n in FORMULAS} | {"=cmd|calc"}
        if what[0] != "diff":
            tap.ok({"'" + n for n in wanted} <= cells and not wanted & cells, "a name is no formula: " + what[0],
                   sorted({"'" + n for n in wanted} - cells))
        else:
            tap.ok([c for c in cells if re.fullmatch(r"[-+]\d+(\.\d+)?%", c)], "a change is a number", sorted(cells)[:20])
    shutil.rmtree(tap.path("tables"), ignore_errors=True)


def options_of(help_text):
    """Returns the options that a help lists: at the begin of a line, up to the explanation."""
    found = set()
    for line in re.findall(r"^  (-.*)$", help_text.split("\noptions of all commands:")[0], re.M):
        found.update(re.findall(r"(?<![\w-])(--?[a-z][a-z0-9-]*)", line.split("  ")[0]))
    return found


def main():
    tap = harness.Tap("command_clean")
    program, shared = make_program(tap)
    a = record(tap, program, "a", ARGUMENT)
    b = record(tap, program, "b", ARGUMENT, b"more")
    # Markers of regions are in shared libraries: the program's path has a blank.
    d = record(tap, shared, "d", ARGUMENT)
    check_uftrace(tap, tap.path("a.uf"))
    names = {k: a[k] for k in "GTXMWUC"}
    names["R"] = tap.path("a.rec")
    r = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--record=yes", "--record-out-file=" + names["R"], program, ARGUMENT], cwd=tap.dir,
                       env=harness.ENV, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    tap.ok(r.returncode == 0 and os.path.exists(names["R"]), "the program is recorded for replays", r.stderr[-1500:])
    names.update(OTHER=b["G"], OTHERT=b["T"], OTHERX=b["X"], OTHERMAP=b["M"], OTHERW=b["W"], L=tap.path("lackey"),
                 B=tap.path("v.T.0.bb"), S=tap.path("simpoints"), P=tap.path("weights"), LABELS=tap.path("labels"), BAD=tap.path("bad"),
                 BASE=tap.path("base"), D=d["G"])
    harness.write(names["L"], "I  00401000,3\nI  00401003,2\n" * 9)
    harness.write(names["BAD"], open(a["G"], "rb").read().replace(b'"PROCESS_ID"', b'"\\u009b\\u202ePROCESS_ID"', 1))
    status, out, err = commandlib.command("bbv", "--slice=500", "-o", tap.path("v"), d["G"], d["T"])
    made = [f for f in os.listdir(tap.dir) if f.startswith("v.") and f.endswith(".bb")]
    tap.ok(status == 0 and made, "vectors are there", err)
    names["B"] = tap.path(made[0]) if made else names["B"]
    slices = sum(line.startswith(b"T:") for line in open(names["B"], "rb"))
    for k, text in (("S", "0 0\n2 1\n"), ("P", "0.5 0\n0.5 1\n"), ("LABELS", "0 0\n" * 2 + "1 0\n" * (slices - 2))):
        harness.write(names[k], text)

    # The baseline has other costs, and no conditions: so each function is told, and judged.
    commandlib.command("gate", "--save=" + names["BASE"], "--name=a", a["G"])
    text = re.sub(r'"RUN" : .*\n.*\n', "", harness.read(names["BASE"]))
    harness.write(names["BASE"], re.sub(r'(?m)^(\[\d+,".*",\d+),(\d+)', r"\1,1\2", text))
    check_formulas(tap, names)
    general = commandlib.command("--help")[1]
    listed = re.findall(r"^  ([a-z]+) +\S", general[general.index("\ncommands:"):general.index("\n\ndcfg COMMAND")], re.M)
    tap.ok(listed and set(listed) == set(WALKS), "all commands of `dcfg --help` are walked", set(listed) ^ set(WALKS))
    for command in listed:
        rows = WALKS.get(command, [])
        used = {re.match(r"--?[a-z0-9-]*", x).group() for r in rows for x in r if x.startswith("-")}
        listed_options = options_of(commandlib.command(command, "--help")[1])
        tap.ok(listed_options <= used | STARTING, command + ": all options of its help are walked", listed_options - used)
        if "--as" in listed_options:
            words = commandlib.command(command, "--as=zzz", *("x" for _ in FILES[command].split()))[2]
            forms = set(re.findall(r"[a-z]+", re.sub(r"^.*? (?:is|are) |, not .*", "", words))) - {"or", "and"}
            tap.ok(forms and forms <= {x[5:] for r in rows for x in r if x.startswith("--as=")},
                   command + ": all its forms are walked", forms)
        bad, ran = [], 0
        for args in rows:
            what, did, err = walk(tap, command, args, names)
            ran += did
            bad += ["%s: %s" % (" ".join(args), what)] if what else []
            if not did:
                print("# refused: %s %s: %s" % (command, " ".join(args), err[:200].encode("unicode_escape").decode()))
        tap.ok(rows and not bad, "%s: %d forms of a hostile program, %d of which it has" % (command, len(rows), ran), "\n".join(bad))
        tap.ok(2 * ran > len(rows), command + ": most are there", ran)
    tap.done()


main()
