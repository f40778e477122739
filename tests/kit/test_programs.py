"""Programs that several tests run, whose inputs are made on the spot, the same each time: small ones of tests/, and real ones of the
distribution.  The real ones are single-threaded here, and do not look at things that differ between two runs: time, process id,
addresses of the tool.
"""
import glob
import os
import shlex
import subprocess

import harness

TESTS = os.path.join(harness.SRCDIR, "tests")
# Those that trace_real.t tests, together with their traces.
WITH_TRACES = ("bzip2", "perl", "sqlite3", "cc1", "python3", "xz")
SLOW = os.environ.get("DCFG_SLOW") == "1"

SQL = """create table t(id integer primary key, name text, n real);
with recursive c(i) as (select 1 union all select i+1 from c where i<150)
insert into t select i, 'name'||(i*7919%1000), i*1.5 from c;
create index ti on t(name);
select name, sum(n) from t where id%3=1 group by substr(name,1,5) order by 2 desc limit 5;
select count(*) from t a join t b on a.name=b.name;"""
PERL = r"""my %h; my $s = "abc def ghi jkl " x 40; $h{$1}++ while $s =~ /(\w+)/g;
my @a = sort { $h{$b} <=> $h{$a} || $a cmp $b } keys %h; print "$_ $h{$_}\n" for @a;
my $n = 0; $n += $_ % 7 for 1 .. 3000; printf "%d %s\n", $n, join ",", map { $_ * 2 } 1 .. 50;"""
# Python imports nothing from the current directory.  With -P it does not list that directory either, where other runs have
# files.  Python 3.13 would list it: it imports linecache to show the lines of -c.
PYTHON = """def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
class A:
    def __init__(self, n): self.n = n
    def __lt__(self, other): return self.n % 10 < other.n % 10
try: [][1]
except IndexError as e: print(e, fib(9))
print([a.n for a in sorted(A(i * 7) for i in range(40))], {c: ord(c) for c in 'some text'})"""
# Not awk: mawk of Debian 13 seeds its random numbers by the time.
DASH = """f() { if [ $1 -lt 2 ]; then r=$1; else f $(($1 - 1)); set -- $1 $r; f $(($1 - 2)); r=$(($2 + r)); fi; }; f 7; s=$r
i=0; while [ $i -lt 40 ]; do case $((i * 7919 % 97)) in [1-5]*) s=$((s + i));; *7) w="$w x${s#?}";; esac; i=$((i + 1)); done
for x in $w; do printf '%s %05d\\n' "${x%[0-9]}" ${#x}; done; trap 'echo end' EXIT; unset w; echo "${w-none} $s" """
SED = r"s/\([a-z]*\) \([a-z]*\)/\2 \1/g; /line [0-9]*7/d; y/abc/xyz/; $!N; P; D"
BASH = """f() { local i s=0; for ((i = 0; i < $1; i++)); do ((s += i * i % 7)); done; r=$s; }
declare -A m; for w in a b c d e; do f 15; m[$w]=$r; done; echo "${m[@]}" "${BASH_VERSION%%.*}"
case foobar in f*r) x=${x:-yes};; esac; [[ $x =~ ^y(.)s$ ]] && echo "${BASH_REMATCH[1]}" """
C = """typedef struct node { struct node *next; int key; double w; } node;
static int hash(const char *s) { unsigned h = 5381; while (*s) h = h * 33 ^ *s++; return h % 101; }
int find(node **t, const char *s, double *out) {
  for (node *n = t[hash(s)]; n; n = n->next) if (n->key == *s) { *out = n->w; return 1; } return 0; }
"""


def text(n):
    words = "alpha beta gamma delta epsilon zeta eta theta iota kappa".split()
    x, out = 1, []
    for i in range(n):
        x = (x * 1103515245 + 12345) % 2 ** 31
        out.append("line %d %s %s" % (i, words[x >> 8 & 7], words[x >> 16 & 7]))
    return "\n".join(out) + "\n"


def real(tap):
    """Yields (name, command)."""
    def file(name, content):
        with open(tap.path(name), "w") as f:
            f.write(content)
        return name
    data = file("data.txt", text(600))
    small = file("small.txt", text(50))
    yield "bzip2", ["bzip2", "-c", file("block.txt", text(400))]
    yield "bunzip2", ["bzip2", "-dc", packed(tap, "bzip2", data)]
    yield "gzip", ["gzip", "-nc", data]
    yield "xz", ["xz", "-T1", "-0", "-c", data]
    yield "perl", ["perl", "-e", PERL]
    yield "sqlite3", ["sqlite3", "-batch", "-init", "/dev/null", ":memory:", SQL]
    python = ["/usr/bin/python3", "-S", "-P", "-c", PYTHON]
    if not harness.reads_mappings(tap, "python3", python):
        yield "python3", python
    yield "ls", ["ls", "-l", "/usr/lib"]
    yield "dash", ["dash", "-c", DASH]
    yield "sed", ["sed", SED, small]
    yield "sort", ["sort", "--parallel=1", "-k3", small]
    yield "bash", ["bash", "--norc", "--noprofile", "-c", BASH]
    # The compiler's work after its front end takes four times as long.
    yield "cc1", [compiler(), "-quiet", "-O1" if SLOW else "-fsyntax-only", file("small.i", C), "-o", "/dev/null"]


def packed(tap, program, name):
    with open(tap.path(name), "rb") as f, open(tap.path(name + ".p"), "wb") as out:
        subprocess.run([program, "-c"], stdin=f, stdout=out)
    return name + ".p"


def compiler():
    r = subprocess.run(["gcc", "-print-prog-name=cc1"], stdout=subprocess.PIPE)
    return r.stdout.decode().strip() or "cc1"


def small():
    """Yields (name, source, flags) of the programs of tests/PROGRAMS and of tests/progs."""
    with open(os.path.join(TESTS, "PROGRAMS")) as f:
        for line in f:
            name, _, rest = line.partition(":")
            words = shlex.split(rest.partition("#")[0])
            if words:
                yield name.strip(), os.path.join(TESTS, words[0]), words[1:]
    for source in sorted(glob.glob(os.path.join(TESTS, "progs", "*.[cS]"))):
        yield os.path.splitext(os.path.basename(source))[0], source, ["-static"]
