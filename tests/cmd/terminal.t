#!/usr/bin/python3
"""Output to a terminal: it fits the width, has colour, a pager and progress; files and pipes get none of these.  (TAP)"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness

NAME = "a_function_whose_name_is_as_long_as_names_of_functions_are_in_programs_that_are_generated_by_programs"
PROGRAM = "int %s(int n) { return n < 2 ? n : %s(n - 1) + %s(n - 2); }\nint main(void) { return %s(20) & 1; }\n" % ((NAME,) * 4)
ESCAPE = re.compile(r"\x1b\[[\d;]*m")


def open_terminal(columns):
    """Opens a terminal with so many columns; returns its two ends, ours and the program's."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return ours, theirs


def read_rest(ours):
    """Reads until the program's end of the terminal is closed, and closes ours; returns the bytes."""
    os.set_blocking(ours, True)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:                  # Linux reports the end this way
            piece = b""
        if not piece:
            os.close(ours)
            return text
        text += piece


def terminal(columns, *args, **env):
    """Returns (exit status, the text that a terminal of so many columns shows) of the command dcfg."""
    ours, theirs = open_terminal(columns)
    more = {"TERM": "xterm", "PAGER": "cat", **env}
    clean = {k: v for k, v in harness.ENV.items() if k not in ("COLUMNS", "NO_COLOR", "DCFG_PAGER", "LESS")}
    p = subprocess.Popen([commandlib.DCFG, *args], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=dict(clean, **more))
    os.close(theirs)
    text = read_rest(ours)
    return p.wait(), text.decode().replace("\r\n", "\n")


def check_progress(tap, path):
    """A recording comes through a pipe, after blanks that continue until progress is shown.  Then another file is read."""
    pipe = tap.path("pipe.json")
    os.mkfifo(pipe)
    ours, theirs = open_terminal(60)
    p = subprocess.Popen([commandlib.DCFG, "diff", pipe, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, env=harness.ENV)
    os.close(theirs)
    os.set_blocking(ours, False)
    shown = b""

    def look():
        nonlocal shown
        try:
            shown += os.read(ours, 65536)
        except (BlockingIOError, OSError):
            pass

    with open(pipe, "wb") as f, open(path, "rb") as whole:
        while b"pipe.json" not in shown and p.poll() is None:
            f.write(b" " * 65536)
            look()
        f.write(whole.read())
    out = p.communicate()[0].decode()
    shown += read_rest(ours)
    text = shown.decode()
    tap.ok(p.returncode == 0 and re.search(r"\rdcfg: reading pipe\.json: [\d,]+ MB\x1b\[K", text), "progress of a pipe", repr(text))
    tap.ok(re.search(r"\rdcfg: reading %s: \d+%%\x1b\[K" % re.escape(os.path.basename(path)), text), "progress of a file", repr(text))
    tap.ok(text.endswith("\r\x1b[K") and text.count("\n") == 0, "progress is gone when it is done", repr(text))
    tap.ok(out == commandlib.command("diff", path, path)[1].replace(path, pipe, 1), "what progress is of comes out as always", out)


def plain(text):
    return ESCAPE.sub("", text)


def widths(text):
    return max(len(line) for line in plain(text).splitlines())


def check_width(tap, report, piped):
    for columns in 80, 200:
        status, text = terminal(columns, *report)
        table = [line for line in plain(text).splitlines() if "a_function" in line]
        whole = [line for line in table if NAME in line]
        tap.ok(status == 0 and table and widths("\n".join(table)) <= columns
               and (len(whole) == len(table) if columns == 200 else "\u2026" in table[0] and not whole),
               "rows fit %d columns" % columns, text)
        numbers = re.findall(r"^ *[\d,.]+%? +[\d,]+", plain(text), re.M)
        tap.ok(numbers and numbers == re.findall(r"^ *[\d,.]+%? +[\d,]+", piped, re.M), "numbers are whole at %d" % columns, text)
    text = plain(terminal(80, "report", report[-1])[1])
    tap.ok(widths(text.split("\n", 1)[1]) <= 80 and len(text.splitlines()) <= 40, "the first screen fits 80 columns", text)
    text = plain(terminal(80, "report", "--all", "--loops", "--routines", "--blocks", "--edges", "--images", report[-1])[1])
    rows = [line for line in text.splitlines() if re.match(r" *[<\d,.]+%? +\S+  ", line)]
    tap.ok(len(rows) > 40 and widths("\n".join(rows)) <= 80 and "\u2026" in text, "all tables fit 80 columns", text)
    loops = text[text.index(" loops (with the loops inside)"):].splitlines()
    tap.ok(loops[1].endswith(" \u2026") and "image" not in loops[1], "the heading says that the image is left out", text)
    text = plain(terminal(80, "disasm", report[-1])[1])
    tap.ok(widths(text) <= 80 and re.search(r"call 0x\w+ <a_f\S*\u2026", text) and re.search(r"-> call a_\S*\u2026", text),
           "disassembly fits 80 columns", text)
    text = terminal(200, *report, COLUMNS="80")[1]
    tap.ok("\u2026" in text and NAME not in text, "COLUMNS is taken for the width", text)


def check_color(tap, report, piped):
    text = terminal(200, *report)[1]
    tap.ok("\x1b[1m" in text and "\x1b[1;33m" in text, "headings and large shares have colour", text)
    for why, args, env in (("NO_COLOR", [], {"NO_COLOR": "1"}), ("TERM=dumb", [], {"TERM": "dumb"}), ("--color=never", ["--color=never"], {})):
        got = terminal(200, *report, *args, **env)[1]
        tap.ok("\x1b" not in got and got == plain(text), "no colour: " + why, got)
    always = commandlib.command(*report, "--color=always")[1]
    tap.ok("\x1b[1m" in always and plain(always) == piped, "--color=always changes only the colour of a pipe", always)
    commandlib.refused(tap, "another --color", "--color is auto, always or never", *report, "--color=some")


def check_pager(tap, report, piped):
    pager = "sed 's/^/| /'"
    text = plain(terminal(200, *report, DCFG_PAGER=pager)[1]).splitlines()
    tap.ok(text and all(line.startswith("| ") for line in text), "DCFG_PAGER", "\n".join(text))
    text = plain(terminal(200, *report, PAGER=pager)[1]).splitlines()
    tap.ok(text and all(line.startswith("| ") for line in text), "PAGER", "\n".join(text))
    text = terminal(200, *report, PAGER=pager, DCFG_PAGER="cat")[1]
    tap.ok("| " not in text, "DCFG_PAGER comes before PAGER", text)
    text = terminal(200, *report, "--no-pager", PAGER=pager)[1]
    tap.ok("| " not in text, "--no-pager", text)
    text = plain(terminal(200, *report, DCFG_PAGER="echo LESS=$LESS; cat")[1])
    tap.ok(text.startswith("LESS=FRX\n"), "less gets FRX", text)
    status, text = terminal(200, "report", "no-such-file", PAGER="echo paged; cat")
    tap.ok(status == 2 and "no-such-file" in text and "paged" not in text, "an error alone needs no pager", text)
    status, text = terminal(200, *report, PAGER="true")
    tap.ok(status in (0, -13), "a pager that does not read", "%d %s" % (status, text))
    out = commandlib.command(*report, env={"PAGER": pager, "COLUMNS": "40", "TERM": "xterm"})[1]
    tap.ok(out == piped, "a pipe gets what it always got", out)


def main():
    tap = harness.Tap("terminal")
    try:
        for fd in open_terminal(80):
            os.close(fd)
    except OSError as e:
        tap.skip("what a terminal shows", "there is no terminal: %s" % e)
        tap.done()
        return
    prog = harness.compiled(tap, "long.c", PROGRAM, "-O0")
    path = harness.dcfg(tap, "long", [prog])[0] if prog else None
    if tap.ok(path is not None, "a recording"):
        report = ["report", "--routines", path]
        piped = commandlib.command(*report)[1]
        check_width(tap, report, piped)
        check_color(tap, report, piped)
        check_pager(tap, report, piped)
        check_progress(tap, path)
    tap.done()


main()
