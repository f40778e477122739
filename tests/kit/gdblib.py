"""Recordings for tests of dcfg gdb, its server, and gdb on them."""
import subprocess

import commandlib
import harness
from gdb_remote import Remote


def serve(wet, *options, **more):
    return Remote([more.pop("program", commandlib.DCFG), "gdb", "--serve", *options, wet], env=harness.ENV, **more)


def ask(wet, at, packet, text=False):
    """The answer of a server that begins at AT."""
    server = serve(wet, "--at=%s" % at)
    server.ask("?")
    answer = server.ask(packet)
    server.send("k")
    server.process.communicate()
    return bytes.fromhex(answer).decode() if text else answer


def gdb(wet, *commands, cwd=None, options=(), arguments=("-batch", "-nx"), program=commandlib.DCFG):
    """The output of gdb for these commands on a recording."""
    argv = [program, "gdb", *options, wet, "--", *arguments]
    for c in commands:
        argv += ["-ex", c]
    r = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       env=dict(harness.ENV, DEBUGINFOD_URLS=""), timeout=harness.TIMEOUT, cwd=cwd)
    return r.stdout.decode(errors="replace")
