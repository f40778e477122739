"""One process, measured, and the words in which its numbers are shown."""
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time

ENV = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "HOME": "/nonexistent", "PERL_HASH_SEED": "0",
       "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
if os.environ.get("VALGRIND_LIB"):          # a Valgrind that is not installed where it was configured for
    ENV["VALGRIND_LIB"] = os.environ["VALGRIND_LIB"]


def fail(text):
    sys.exit("bench: " + text)


def say(text):
    print("bench: " + text, file=sys.stderr, flush=True)


class Missing(Exception):
    """A program that this machine lacks: what needs it is skipped."""


def need(program):
    """Returns the path of PROGRAM itself, not of a script that looks for it."""
    path = shutil.which(program, path=ENV["PATH"])
    if not path:
        raise Missing(program + " is not installed")
    with open(path, "rb") as f:
        if f.read(4) == b"\x7fELF":
            return path
    for path in ("/usr/bin/" + program, "/bin/" + program):
        if os.path.exists(path):
            return path
    raise Missing(program + " is a script")


class Run:
    """One finished process: .cpu and .wall in seconds, .peak in bytes, .out its output."""

    def __init__(self, argv, scratch):
        out = os.path.join(scratch, "stdout")
        null = os.open(os.devnull, os.O_RDONLY)
        fd = os.open(out, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)
        started = time.monotonic()
        pid = os.posix_spawn(argv[0], argv, ENV, file_actions=[(os.POSIX_SPAWN_DUP2, null, 0),
                                                              (os.POSIX_SPAWN_DUP2, fd, 1),
                                                              (os.POSIX_SPAWN_DUP2, fd, 2)])
        _, status, used = os.wait4(pid, 0)
        self.wall = time.monotonic() - started
        os.close(null)
        os.close(fd)
        self.cpu = used.ru_utime + used.ru_stime
        # Linux also counts our own memory, before the exec: see check_peak().
        self.peak = used.ru_maxrss * 1024
        self.status = os.waitstatus_to_exitcode(status)
        with open(out, "rb") as f:
            self.out = f.read()

    def check_peak(self):
        """Fails if the peak is not above our own: then it says nothing of the process."""
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        if self.peak <= own:
            fail("peak memory cannot be measured: this script itself needs %d bytes" % own)


def run(argv, scratch):
    """Returns the Run of ARGV, which must succeed."""
    done = Run(argv, scratch)
    if done.status != 0:
        fail("%s: exit status %d\n%s" % (" ".join(argv), done.status, done.out.decode(errors="replace")[-2000:]))
    return done


def command(valgrind):
    """Returns the path of the command dcfg."""
    path = os.path.join(os.path.dirname(valgrind), "dcfg")
    if not os.path.exists(path):
        raise Missing("the command dcfg is not installed")
    return path


# ---- numbers as text -----------------------------------------------------------------------------------------

def spread(values):
    return "%.2f (%.2f-%.2f)" % (statistics.median(values), min(values), max(values))


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def layout(rows):
    """Returns ROWS of strings with aligned columns: the first to the left, others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip()
                     for row in rows)


def compiler_version():
    if not shutil.which("cc", path=ENV["PATH"]):
        return "none"
    cc = subprocess.run(["cc", "--version"], stdout=subprocess.PIPE, env=ENV)
    return cc.stdout.decode().split("\n")[0]
