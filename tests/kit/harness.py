"""Shared by all tests of the suite: TAP output, compiling, running programs under the tool and under Lackey alike.

Environment: VALGRIND is the valgrind command to test (its tools dcfg and lackey); SRCDIR is the source tree; BUILDDIR
is for temporary files.  If GLIBC_TUNABLES is set, programs get it: with glibc.cpu.hwcaps=-AVX2,-ERMS they run code that
libc has for other processors.

The two runs of a comparison must be the same to the instruction.  libc behaves differently with another environment
length, another kind of standard output, other open files.  So both runs get the same few variables, the same arguments,
and the null device for input and output.  Valgrind writes its messages to a file that it opens itself (Lackey's trace:
to a named pipe), not to a descriptor that the program would see.
"""
import contextlib
import gc
import glob
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import oracles
sys.path.append(oracles.PROGRAMS)

# Collect garbage rarely: data are large trees, most of which stay.  A search for cycles after every 700 objects takes half
# the time.
gc.set_threshold(100000, 20, 20)

# Programs begin with default signals, even if nohup has started the tests, or a shell in the background.
for _signal in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(_signal) == signal.SIG_IGN:
        signal.signal(_signal, signal.SIG_DFL)

HERE = os.path.dirname(os.path.abspath(__file__))
SRCDIR = os.environ.get("SRCDIR") or os.path.dirname(os.path.dirname(HERE))
ORACLE = os.path.join(HERE, os.pardir, "oracle")
PROGS = os.path.join(SRCDIR, "tests", "progs")
VALGRIND = os.environ.get("VALGRIND") or "valgrind"
# A tool that prints Lackey's lines about instructions in a third of the time; ./dev test has it.
LIB = os.path.normpath(os.path.join(os.path.dirname(VALGRIND), os.pardir, "libexec", "valgrind"))
LACKEY = "lackey_insns" if glob.glob(os.path.join(LIB, "lackey_insns-*")) else "lackey"
VGDB = os.path.join(os.path.dirname(VALGRIND), "vgdb")
COMPILED = os.environ.get("DCFG_COMPILED")      # programs that other tests have compiled
PYTHON = "/usr/bin/python3"         # the distribution's, which has Capstone
TIMEOUT = 600
# VEX's checks of each superblock, a tenth of a run.  The tests of the command and of the library, which read what is written, do
# without them.
FOLDER = os.path.relpath(os.path.realpath(sys.argv[0]), os.path.join(SRCDIR, "tests")).split(os.sep)[0]
CHECKS = [] if FOLDER in ("cmd", "lib") else ["--sanity-level=2"]
# The process id is the first value in the only row of PROCESSES, in a DCFG and in a trace.
PID = re.compile(rb'("(?:THREAD_DATA|PROCESS_DATA)"\s*\]\s*,\s*\[\s*)\d+')
# The line of a DCFG that tells which run it is of.
RUN = re.compile(rb'"RUN" : \[ \[.*\n')
# Programs that do the same each time.
SAME_EACH_TIME = (("ls", ["/bin/ls", "-l", "/usr/lib"]),
                  ("perl", ["/usr/bin/perl", "-e", "my %h = map { $_ => 1 } 1 .. 99; print sort keys %h"]),
                  ("bash", ["/bin/bash", "--norc", "-c", "for i in 1 2 3; do echo $((i * i)); done"]))

# Programs find the path of a library in LD_PRELOAD.  The package's tools, if links to them stand beside ours, would have
# another directory for it.
if os.path.islink(os.path.join(LIB, "default.supp")):
    os.environ.setdefault("VALGRIND_LIB", LIB)

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HOME": "/", "TZ": "UTC",
       "PERL_HASH_SEED": "0", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
for k in ("VALGRIND_LIB",):         # a Valgrind that is not installed where it was configured for
    if os.environ.get(k):
        ENV[k] = os.environ[k]
# Other functions of glibc than those for this processor.  glibc 2.36 reads on behind the last name, over the other
# variables, up to random bytes; an empty name ends that.
if os.environ.get("GLIBC_TUNABLES"):
    ENV["GLIBC_TUNABLES"] = os.environ["GLIBC_TUNABLES"].rstrip(",") + ","


def processor_time(pid):
    """Returns the seconds of a processor that a process, its ended children and its living ones took so far."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            ticks = sum(map(int, f.read().rsplit(")", 1)[1].split()[11:15]))
        children = "".join(open(path).read() for path in glob.glob("/proc/%d/task/*/children" % pid)).split()
    except OSError:         # the process has ended
        return 0
    return ticks / os.sysconf("SC_CLK_TCK") + sum(processor_time(int(child)) for child in children)


class Tap:
    def __init__(self, what):
        base = os.environ.get("BUILDDIR")
        self.dir = os.path.realpath(tempfile.mkdtemp(prefix=what + ".", dir=base))
        self.n = self.failed = self.spent = 0

    def ok(self, good, text, diag=""):
        self.n += 1
        self.failed += not good
        print("%s %d - %s" % ("ok" if good else "not ok", self.n, text))
        if os.environ.get("DCFG_TIMES"):
            spent, self.spent = self.spent, processor_time(os.getpid())
            print("# %.2f s of processor" % (self.spent - spent))
        if not good:
            for line in str(diag).splitlines()[:40]:
                print("# " + line)
        sys.stdout.flush()
        return good

    def skip(self, text, why):
        self.n += 1
        print("ok %d - %s # SKIP %s" % (self.n, text, why))
        sys.stdout.flush()

    def done(self):
        print("1..%d" % self.n)
        if self.failed:
            print("# kept: " + self.dir)
        else:
            shutil.rmtree(self.dir, ignore_errors=True)
        sys.exit(1 if self.failed else 0)

    def path(self, name):
        return os.path.join(self.dir, name)


def without_pid(path):
    """Returns the contents of a DCFG or a trace without the process id, which must be at its place, and without RUN's line."""
    with open(path, "rb") as f:
        data, n = PID.subn(rb"\1PID", RUN.sub(b"", f.read(), count=1))
    return data if n == 1 else None


def compiled_before(tap, source, flags):
    """Returns the path of a program that other tests of the same ./dev test compile, too; None if it is not known."""
    if not COMPILED or source.startswith(tap.dir + os.sep) or any(tap.dir in flag for flag in flags):
        return None
    return os.path.join(COMPILED, hashlib.sha256(repr((source, flags)).encode()).hexdigest())


def cc(tap, source, name, *flags, compiler="cc"):
    """Compiles; returns the program's path, or None with a failed test."""
    out = tap.path(name)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(out)
    kept = compiled_before(tap, source, flags) if compiler == "cc" else None
    if kept and os.path.exists(kept):
        # A link: a copy could still be open for writing in another thread's child when it is executed.
        os.link(kept, out)
        return out
    r = subprocess.run([compiler, "-O1", "-g", "-o", out, source] + list(flags), stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)
    if r.returncode:
        tap.ok(False, "compiling " + name, r.stdout.decode(errors="replace"))
        return None
    if kept:
        with contextlib.suppress(FileExistsError):
            os.link(out, kept)
    return out


def read(path, mode="r"):
    with open(path, mode) as f:
        return f.read()


def write(path, data):
    """Writes a text, or bytes; returns the path."""
    with open(path, "wb" if isinstance(data, (bytes, bytearray)) else "w") as f:
        f.write(data)
    return path


def text(path):
    """Returns the text of the program PATH of tests/progs."""
    return read(os.path.join(PROGS, path))


def written(tap, name, text):
    """Writes a text to the test's directory; returns its path."""
    return write(tap.path(name), text)


def compiled(tap, name, text, *flags, compiler="cc"):
    """Compiles a text that gets the NAME of a source, as cc() does."""
    return cc(tap, written(tap, name, text), os.path.splitext(name)[0], *flags, compiler=compiler)


def program(tap, path, *flags, name=None):
    """Compiles the program PATH of tests/progs, as cc() does."""
    return cc(tap, os.path.join(PROGS, path), name or os.path.splitext(os.path.basename(path))[0], *flags)


def reader(tap, name, prefix=None, folder=ORACLE):
    """Compiles a program of tests/oracle, or of another folder, that uses libdcfg, which is installed below PREFIX."""
    prefix = prefix or os.path.join(os.path.dirname(VALGRIND), os.pardir)
    return cc(tap, os.path.join(folder, name + ".c"), name, "-O2",
              "-I" + os.path.join(SRCDIR, "lib"), os.path.join(prefix, "lib", "libdcfg.a"),
              "-lyajl", "-lz", "-lbz2", "-llzma", "-lzstd")


def lacks_x86():
    """Returns why no 32-bit program can be tested, or nothing."""
    r = subprocess.run(["cc", "-m32", "-x", "c", "-o", "/dev/null", "-"], input=b"int main(void) { return 0; }\n",
                       stderr=subprocess.DEVNULL)
    if r.returncode:
        return "gcc -m32 cannot link a program"
    if not os.path.exists(os.path.join(LIB, "dcfg-x86-linux")):
        return "this Valgrind was built for amd64 only"
    return ""


_agg = {}


def aggregator(tap):
    if tap.dir not in _agg:
        _agg[tap.dir] = cc(tap, os.path.join(ORACLE, "lackey_agg.c"), "lackey_agg", "-O2")
    return _agg[tap.dir]


def ask(p, *words):
    """Return the process's answer to a monitor command."""
    r = subprocess.run([VGDB, "--pid=%d" % p.pid] + list(words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       timeout=TIMEOUT, env=ENV)
    return r.stdout.decode(errors="replace")


def run(argv, cwd, env=None):
    """Runs; returns (exit status, its text on stderr).  Output is dropped: see above."""
    try:
        r = subprocess.run(argv, cwd=cwd, env=env or ENV, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return 124, "no end after %d s" % TIMEOUT
    return r.returncode, r.stderr.decode(errors="replace")


def dcfg(tap, name, argv, opts=(), env=None):
    """Runs under the tool; returns (file or None, exit status, diagnosis)."""
    out = tap.path(name + ".dcfg.json")
    log = tap.path(name + ".log")
    status, err = run([VALGRIND, "--tool=dcfg", *CHECKS, "--log-file=" + log, "--dcfg-out-file=" + out]
                      + list(opts) + argv, tap.dir, env)
    if not os.path.exists(out):
        try:
            err += open(log, errors="replace").read()
        except OSError:
            pass
        return None, status, "no file was written, exit status %d\n%s" % (status, err[-2000:])
    return out, status, ""


def record_wet(tap, name, argv, opts=()):
    """Returns the whole execution trace of a run, NAME.wet, beside its graph; None with a failed test."""
    wet = tap.path(name + ".wet")
    graph, _, why = dcfg(tap, name, argv, ["--wet=yes", "--wet-out-file=" + wet, *opts])
    if not graph or not os.path.exists(wet):
        tap.ok(False, name + ": is recorded", why)
        return None
    return wet


def reads_mappings(tap, name, argv):
    """Returns whether the program reads its own mappings, which differ under each of Valgrind's tools; if so, skips a test.
    Python does since 3.14.
    """
    log = tap.path(name + ".strace")
    try:
        run(["strace", "-f", "-e", "trace=open,openat", "-o", log] + argv, tap.dir)
        with open(log, errors="replace") as f:
            if "/proc/self/maps" not in f.read():
                return False
    except OSError:                     # strace is missing, or may trace nothing
        return False
    tap.skip(name, "it reads /proc/self/maps, where each tool has mappings of its own")
    return True


def lackey_into(tap, fifo, argv, env=None, opts=(), tool=LACKEY):
    """Runs under Lackey, with the trace to a pipe that somebody reads; returns the exit status."""
    status = run([VALGRIND, "-q", "--tool=" + tool, "--trace-mem=yes", "--vex-guest-chase=no", "--log-file=" + fifo]
                 + list(opts) + argv, tap.dir, env)[0]
    # The reader of a pipe that Valgrind never opened gets an end.  If Valgrind did, nothing happens.
    with contextlib.suppress(OSError):
        os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
    return status


def lackey(tap, name, argv, env=None, copy=()):
    """Runs under Lackey; returns (table, exit status).  copy: a pipe where another reader gets the same trace."""
    fifo, table = tap.path(name + ".fifo"), tap.path(name + ".tab")
    os.mkfifo(fifo)
    with open(table, "w") as t:
        agg = subprocess.Popen(["sh", "-c", 'fifo=$1 && shift && exec "$@" <"$fifo"', "sh", fifo, aggregator(tap)]
                               + list(copy), stdout=t)
        status = lackey_into(tap, fifo, argv, env)
        agg.wait(TIMEOUT)
    os.unlink(fifo)
    return table, status


def oracle(script, *args):
    """Calls a program of tests/oracle; returns (exit status, output)."""
    return oracles.call(PYTHON, script, args)


def loads_of(listed, *opts):
    """Returns how many loads of a whole execution trace are known, unknown, and wrong, and what the oracle says."""
    _, text = oracle("wet_memory.py", listed, *opts)
    words = text.partition("\n")[0].split()
    return (*map(int, words), text) if len(words) == 3 else (0, 0, 1, text)


def check_rules(tap, name, path, *opts):
    status, text = oracle("dcfg_rules.py", *opts, path)
    return tap.ok(status == 0, name + ": rules", text)


def check_static(tap, name, path):
    status, text = oracle("crosscheck.py", "--static", path)
    return tap.ok(status == 0, name + ": blocks agree with the code on disk", text)


def crosscheck(tap, name, argv, env=None):
    """Runs both tools, compares, checks rules.  The order only matters for failing early."""
    path, status, why = dcfg(tap, name, argv, env=env)
    if not path:
        tap.ok(False, name, why)
        return
    if compare_with_lackey(tap, name, path, status, *lackey(tap, name, argv, env)):
        os.unlink(path)


def compare_with_lackey(tap, name, path, status, table, other):
    """Compares a run's file and exit status with those of the identical run under Lackey, and checks the rules."""
    code, text = oracle("crosscheck.py", path, table)
    if status != other:
        text = "exit status %d, under lackey %d\n" % (status, other) + text
    with open(table) as f:
        total = f.readline().split()
    n = "%s instructions" % total[1] if len(total) == 2 else "no trace"
    good = tap.ok(code == 0 and status == other, "%s: same as Lackey, %s" % (name, n), text)
    if not check_rules(tap, name, path) or not good:
        return False
    os.unlink(table)
    return True
