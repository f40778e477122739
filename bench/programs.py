"""Programs that the benchmark runs.  Each runs about a second under none: see run."""
import os
import re
import shutil
import subprocess

from measure import ENV, Missing, need


def random_numbers():
    x = 1
    while True:
        x = x * 6364136223846793005 + 1442695040888963407 & 0xFFFFFFFFFFFFFFFF
        yield x >> 33


class Programs:
    """Programs: each method makes what its program needs, and returns its command line."""

    def __init__(self, srcdir, scratch):
        self.src = os.path.join(srcdir, "bench")
        self.root = srcdir
        self.scratch = scratch

    def path(self, name):
        return os.path.join(self.scratch, name)

    def compile(self, name, *flags):
        if not shutil.which("cc", path=ENV["PATH"]):
            raise Missing("cc is not installed")
        program = self.path(name)
        subprocess.run(["cc", "-O2", os.path.join(self.src, name + ".c"), "-o", program, *flags], check=True, env=ENV)
        return program

    def text(self, size):
        """Returns a text of about SIZE bytes: the same one each time, some words far more frequent than others.  It is
        written as it is made: see Run.
        """
        path = self.path("text-%d" % size)
        numbers = random_numbers()
        words = ["".join(chr(97 + next(numbers) % 26) for _ in range(2 + next(numbers) % 8)) for _ in range(3000)]
        with open(path, "w") as f:
            while f.tell() < size:
                some = (next(numbers) % 3000 for _ in range(12))
                f.write(" ".join(words[n if n % 3 == 0 else n % 40] for n in some) + ".\n")
        return path

    def branchy(self):
        return [self.compile("branchy"), "50"]

    def interp_calls(self):
        return [self.compile("interp_calls"), "50000"]

    def interp_goto(self):
        return [self.compile("interp_goto"), "100000"]

    def matrix(self):
        return [self.compile("matrix"), "30"]

    def recurse(self):
        return [self.compile("recurse"), "300"]

    def threads(self):
        return [self.compile("threads", "-pthread"), "2500000"]

    def bzip2(self):
        return [need("bzip2"), "-c", self.text(3000000)]

    def xz(self):
        return [need("xz"), "-T1", "-6", "-c", self.text(800000)]

    def gzip(self):
        return [need("gzip"), "-c", self.text(4000000)]

    def perl(self):
        return [need("perl"), os.path.join(self.src, "words.pl"), self.text(300000)]

    def python3(self):
        return [need("python3"), "-S", os.path.join(self.src, "objects.py"), self.text(300000), "20000"]

    def sqlite3(self):
        return [need("sqlite3"), "-batch", "-init", os.path.join(self.src, "queries.sql"), ":memory:", ".quit"]

    def cc1(self, level, source):
        """The compiler proper, with a preprocessed source file of this repository."""
        gcc = shutil.which("gcc", path=ENV["PATH"])
        cc1 = gcc and subprocess.run([gcc, "-print-prog-name=cc1"], stdout=subprocess.PIPE).stdout.decode().strip()
        if not cc1 or not os.path.isabs(cc1):
            raise Missing("gcc is not installed")
        preprocessed = self.path(os.path.basename(source).replace(".c", ".i"))
        subprocess.run([gcc, "-E", level, "-DDCFG_HOST=1", "-I" + self.root, os.path.join(self.root, source), "-o",
                        preprocessed],
                       check=True, env=ENV)
        return [cc1, "-quiet", level, "-fpreprocessed", preprocessed, "-o", "/dev/null"]

    def cc1_O1(self):
        return self.cc1("-O1", "tool/arch/x86/x86.c")

    def cc1_O2(self):
        return self.cc1("-O2", "tool/graph/routine.c")

    def clang(self):
        """The compiler proper, as the driver would start it."""
        driver = subprocess.run([need("clang"), "-###", "-O2", "-S", "-o", "/dev/null",
                                 os.path.join(self.src, "large.cpp")],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, env=ENV).stdout.decode()
        return re.findall(r'"([^"]*)"', next(line for line in driver.splitlines() if '"-cc1"' in line))

    def all(self):
        """Returns functions, by their programs' names."""
        return {"branchy": self.branchy, "interp-calls": self.interp_calls, "interp-goto": self.interp_goto,
                "matrix": self.matrix, "recurse": self.recurse, "threads": self.threads, "bzip2": self.bzip2,
                "gzip": self.gzip, "xz": self.xz, "perl": self.perl, "python3": self.python3,
                "sqlite3": self.sqlite3, "cc1 -O1": self.cc1_O1, "cc1 -O2": self.cc1_O2, "clang -O2": self.clang}


# Parts run these, unless --only names programs.  The others take long, or are like one of these.
KERNELS = ("branchy", "interp-goto", "recurse", "threads")
REAL = ("bzip2", "xz", "perl", "python3", "sqlite3")
QUICK = ("branchy", "interp-goto", "bzip2", "cc1 -O1")
LARGE = "clang -O2"                         # a billion instructions
