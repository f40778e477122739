"""Shared by the tests of inlined functions: programs, built and recorded once each, and the command's answers about them."""
import json
import os
import re
import shutil
import subprocess

import harness
from commandlib import command, table

PROGS = os.path.join(harness.SRCDIR, "tests", "progs", "inline")


def compiler(name):
    """Returns the path of a compiler; LLVM's releases have directories of their own."""
    path = shutil.which(name)
    m = re.match(r"(clang(?:\+\+)?)-(\d+)$", name)
    if path is None and m and os.path.exists("/usr/lib/llvm-%s/bin/%s" % (m[2], m[1])):
        path = "/usr/lib/llvm-%s/bin/%s" % (m[2], m[1])
    return path


class Program:
    """A program with its graph, and its trace if TRACE."""
    def __init__(self, tap, source, cc, *flags, name=None, trace=False, args=(), stripped=False):
        self.name = name or "-".join([os.path.splitext(source)[0], cc] + [f.lstrip("-") for f in flags])
        self.name = re.sub(r"[^\w.-]", "_", self.name)
        self.path = tap.path(self.name)
        path = source if os.path.isabs(source) else os.path.join(PROGS, source)
        if cc == "rustc":
            built = [cc, "-O", "-g", "-o", self.path, path]
        else:
            built = [compiler(cc), "-o", self.path, path, *flags]
        r = subprocess.run(built, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=tap.dir)
        if r.returncode:
            raise RuntimeError(r.stdout.decode(errors="replace"))
        self.trace = tap.path(self.name + "-trace.json") if trace else None
        if stripped:        # stripped while it runs: older Valgrinds cannot read some debug information
            shutil.copy(self.path, self.path + ".whole")
            subprocess.run(["strip", "-g", self.path], check=True)
        opts = ["--trace=yes", "--trace-out-file=" + self.trace] if trace else []
        self.graph, _, diag = harness.dcfg(tap, self.name, [self.path, *args], opts)
        if self.graph is None:
            raise RuntimeError(diag)
        if stripped:
            os.replace(self.path + ".whole", self.path)

    def data(self):
        """Returns the graph's only process."""
        with open(self.graph) as f:
            return json.load(f)["PROCESSES"][1][1]

    @property
    def files(self):
        return [self.graph] + ([self.trace] if self.trace else [])

    def rows(self, *args, image=True):
        """Returns rows of dcfg report in CSV, of the program's own image."""
        more = ["--image=" + self.name] if image else []
        files = self.files if "--inclusive" in args else [self.graph]
        return table(command("report", "--csv", "--mangled", "--top=0", *args, *more, *files)[1])


def programs(tap, wanted):
    """Returns programs of (source, compiler, flags...), and why others were left out."""
    for source, cc, *flags in wanted:
        name = " ".join([source, cc, *flags])
        if (compiler(cc) if cc != "rustc" else shutil.which(cc)) is None:
            tap.skip(name, cc + " is not installed")
            continue
        try:
            yield name, Program(tap, source, cc, *flags)
        except RuntimeError as e:
            tap.ok(False, "building and running " + name, e)
