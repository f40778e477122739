#!/usr/bin/python3
"""Checks every rule of a DCFG-trace, together with the DCFG of the same run.

    trace_rules.py DECODER DCFG TRACE [OPTIONS]

DECODER is trace_decode.c, compiled; the options are passed on to it (--threads, --chunk, --out, --chunks), and its head
explains them.  The files may be compressed.  Violations are printed as "RULE: TEXT".  Exit status 0: none, 1: some, 2:
a file cannot be read.

This script brings the files into the form that the decoder reads.  A file that is not too large is also parsed by the
usual JSON library, so that not only our own parser takes it for JSON.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import trace_table

PARSED_AS_A_WHOLE = 1 << 25
UNPACK = {b"\x1f\x8b": "gzip", b"BZ": "bzip2", b"\xfd7": "xz", b"\x28\xb5": "zstd"}


def unpacked(path):
    """Return an open binary file of the plain content, and the process behind it if there is one."""
    with open(path, "rb") as f:
        program = UNPACK.get(f.read(2))
    if not program:
        return open(path, "rb"), None
    p = subprocess.Popen([program, "-dcq", path], stdout=subprocess.PIPE)
    return p.stdout, p


def json_error(path):
    with tempfile.TemporaryFile() as plain:
        f, p = unpacked(path)
        with f:
            shutil.copyfileobj(f, plain, 1 << 20)
        if p and p.wait():
            return "it cannot be unpacked"
        if plain.tell() > PARSED_AS_A_WHOLE:
            return ""
        plain.seek(0)
        try:
            json.loads(plain.read().decode("ascii"))
        except ValueError as e:
            return str(e)
    return ""


def check(decoder, dcfg, trace, opts=()):
    """Return (exit status, the decoder's output)."""
    error = json_error(trace)
    if error:
        return 1, "json: %s\n" % error
    with tempfile.NamedTemporaryFile("w", prefix="table.") as table:
        trace_table.write(dcfg, table)
        table.flush()
        f, p = unpacked(trace)
        with f:
            r = subprocess.run([decoder, "--table=" + table.name] + list(opts), stdin=f, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
        if p:
            p.wait()
    return r.returncode, r.stdout.decode(errors="replace")


def summary(text):
    """Return the decoder's last line as a dictionary."""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["#"]:
            return {k: int(v) for k, v in zip(words[1::2], words[2::2])}
    return {}


def main(argv):
    if len(argv) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        status, text = check(argv[0], argv[1], argv[2], argv[3:])
    except (OSError, EOFError, ValueError) as e:
        print("unreadable: %s" % e)
        return 2
    sys.stdout.write(text)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
