"""Shared by the tests of the tool's files: runs in directories of their own."""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import harness
import lifelib


class Run:
    """A run in a directory of its own: .status, .out, .err, .path(name), .names."""

    def __init__(self, tap, name, argv, opts, env=None, before=lambda directory: None, out=None, ask=None):
        self.dir = tap.path(name)
        os.mkdir(self.dir)
        before(self.dir)
        stdout = open(self.path(out), "ab") if out else subprocess.PIPE
        p = subprocess.Popen([harness.VALGRIND, "-q", "--tool=dcfg"] + opts + argv, cwd=self.dir,
                             env=dict(harness.ENV, **(env or {})), stdin=subprocess.PIPE, stdout=stdout,
                             stderr=subprocess.PIPE)
        with p:
            self.asked = ask(p) if ask else None
            output, err = p.communicate(timeout=harness.TIMEOUT)
        if out:
            stdout.close()
        self.status, self.out, self.err = p.returncode, (output or b"").decode(), err.decode(errors="replace")
        self.names = sorted(os.listdir(self.dir))

    def path(self, name):
        return os.path.join(self.dir, name)

    def wrong(self, *graphs):
        """Return what is wrong with the run's graph, or with these graphs."""
        text = "exit status %s\n%s" % (self.status, self.err) if self.status or self.err else ""
        for name in graphs:
            text += lifelib.rules(self.path(name)) if os.path.exists(self.path(name)) else "no %s\n" % name
        return text
