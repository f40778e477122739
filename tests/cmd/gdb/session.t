#!/usr/bin/python3
"""dcfg gdb with the system's gdb.  (TAP)

- Sessions of programs that can be loaded anywhere and ones that cannot, with threads, a signal's handler, a crash: what gdb says.
- Conditions that gdb evaluates and ones that the server evaluates stop at the same places.
- docs/gdb.md's launch.json: its server, and gdb's machine interface as the C/C++ extension of VS Code uses it.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import gdblib
import harness

CRASH = harness.text("gdb/session.c")


QUIET = "handle SIGUSR1 nostop noprint"
# As gdb 13 and gdb 16 have it.
AT_END = "No more reverse-execution history|Reached end of recorded history"


def check_crash(tap, name, *flags):
    prog = harness.cc(tap, tap.path("crash.c"), name, "-O0", *flags)
    wet = prog and harness.record_wet(tap, name, [prog])
    if not wet:
        return
    said = gdblib.gdb(wet, "break handler", "continue", "continue", "bt", "delete", "continue", "bt", "print i", "watch -l list->next",
                      "reverse-continue", "print n", "info locals", "reverse-finish", "print sum", "monitor when", "call add(5)",
                      "set var sum = 9", "jump 23", "return", "print sum", "monitor when")
    want = [r"^Program received signal SIGUSR1, User defined signal 1\.$", r"^Breakpoint 1, handler \(s=10\) at .*crash\.c:9$",
            r"^#1  <signal handler called>$", r"^#\d +0x[0-9a-f]+ in main \(\) at .*crash\.c:23$",
            r"^Program received signal SIGSEGV, Segmentation fault\.$", r"^#0  (0x[0-9a-f]+ in )?main \(\) at .*crash\.c:27$",
            r"^\$1 = \(struct item \*\) 0x8$", r"^New value = \(struct item \*\) 0x[0-9a-f]*$", r"^time [\d,]+ of [\d,]+, thread 1, 0x[0-9a-f]+#\d, crash\.c:25$"]
    missing = [w for w in want if not re.search(w, said, re.M)]
    sums = re.findall(r"^\$\d+ = (\d+)$", said, re.M)
    tap.ok(not missing, name + ": what gdb says of a crash", "%s\n%s" % (missing, said))
    tap.ok(re.search(r"add \(n=3\) at .*crash\.c:15$", said, re.M), name + ": watched back to where the wrong pointer was stored", said)
    tap.ok(len(sums) >= 2 and sums[-1] == sums[-2] and re.search("Could not write|Cannot access memory|reply 'E01'", said),
           name + ": nothing can be changed", said)
    times = re.findall("^time .*", said, re.M)
    tap.ok(said.count("Could not write register") == 2 and len(times) == 2 and times[0] == times[1], name + ": nor the way", said)


def check_conditions(tap):
    """As the server and as gdb evaluate them."""
    wet = tap.path("fixed.wet")
    if not os.path.exists(wet):
        return
    found = []
    for where in ("target", "host"):
        said = gdblib.gdb(wet, QUIET, "set breakpoint condition-evaluation " + where, "break add if n * 2 > 1 && n != 2",
                          "continue", "continue", "reverse-continue", "reverse-continue")
        found.append(re.findall(r"^Breakpoint 1, add \(n=(\d)\)|(%s|SIGSEGV)" % AT_END, said, re.M))
    tap.ok(found[0] == found[1] and [n for n, _ in found[0]][:3] == ["1", "3", "1"], "conditions stop where gdb's own do", found)


def check_goto(tap):
    """Going to a time; a wrong one, behind which the stepi of dcfg-goto must not move; what users of other debuggers type."""
    wet = tap.path("fixed.wet")
    if not os.path.exists(wet):
        return
    said = gdblib.gdb(wet, QUIET, "dcfg-goto crash.c:17#2", "print n", "print $eflags", "dcfg-goto 99999999", "print n", "monitor when", "monitor goto crash.c:12#0",
                      "break add", "continue", "print n", "find &list, +4, 0", "find &seen, +4, 10", "record", "reverse-continue",
                      "show remotetimeout")
    values = re.findall(r"^\$\d+ = (\d+)$", said, re.M)
    tap.ok(re.search(r"^\$2 = \[ ([A-Z]F )*\]$", said, re.M), "flags have names", said)
    tap.ok(values == ["2", "2", "0"] and "is behind the end" in said and re.search(r"^time .*crash\.c:17$", said, re.M),
           "dcfg-goto goes there, or stays; continue goes on from there", said)
    tap.ok(re.search(r"^0x\w+ <seen>\n1 pattern found", said, re.M), "memory is searched", said)
    tap.ok("respond is 3600" in said, "gdb waits for a server that others keep from running", said)
    tap.ok("without `record'" in said and re.search(AT_END, said), "record does not come between", said)


def check_no_index(tap):
    """The server gets the index that the command has made, through gdb."""
    wet = tap.path("fixed.wet")
    if not os.path.exists(wet):
        return
    os.unlink(wet + ".idx")
    before = os.listdir(tap.dir)
    said = gdblib.gdb(wet, QUIET, "break add", "continue", options=["--index=no"])
    tap.ok(said.count("dcfg gdb: made an index without a name") == 1 and "Breakpoint 1, add (n=0)" in said, "an index for a session", said)
    tap.ok(os.listdir(tap.dir) == before, "no file is left", os.listdir(tap.dir))


def check_changed(tap):
    """A program that is gone, and another one in its place: no wrong symbols, but those of libraries."""
    wet, prog = tap.path("pie.wet"), tap.path("pie")
    if not os.path.exists(wet):
        return
    os.unlink(prog)
    for what, text in (("gone", "is not there"), ("changed", "is not the file that was executed")):
        said = gdblib.gdb(wet, QUIET, "break raise", "continue", "bt")
        tap.ok(re.search("^dcfg gdb: no symbols: %s %s" % (re.escape(prog), text), said, re.M) and re.search("^#0 .* raise|^#0 .*_GI_raise", said, re.M)
               and not re.search(r"^#\d+ .* main \(", said, re.M), "a program that is " + what, said)
        shutil.copy(tap.path("fixed"), prog)


class Machine:
    """gdb's machine interface."""

    def __init__(self):
        self.p = subprocess.Popen(["gdb", "-nx", "-q", "--interpreter=mi"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env=dict(harness.ENV, DEBUGINFOD_URLS=""), universal_newlines=True)
        self.lines = []

    def until(self, start):
        while True:
            line = self.p.stdout.readline()
            self.lines.append(line)
            if not line or line.startswith(start):
                return line

    def send(self, text):
        self.p.stdin.write(text + "\n")
        self.p.stdin.flush()

    def ask(self, text):
        self.send(text)
        return self.until(("^done", "^error", "^running", "^connected", "^exit"))

    def run(self, text):
        self.ask(text)
        return self.until("*stopped")

    def end(self):
        self.ask("-gdb-exit")
        self.p.wait(harness.TIMEOUT)
        self.p.stdin.close()
        self.p.stdout.close()


def launch_of_page():
    with open(os.path.join(harness.SRCDIR, "docs", "gdb.md")) as f:
        return json.loads(re.search(r"^```json\n(.*?)^```$", f.read(), re.M | re.S)[1])["configurations"][0]


def start(tap, launch, folder):
    """The server of launch.json and gdb, as the C/C++ extension of VS Code starts them: (server, Machine); None if that fails."""
    words = [w.replace("${workspaceFolder}", folder) for w in shlex.split(launch["debugServerArgs"])]
    port = launch["miDebuggerServerAddress"].rsplit(":", 1)[1]
    tap.ok("--listen=" + port in words and launch["debugServerPath"] == "dcfg", "launch.json: server and client have one port", launch)
    # The port of the page may be another program's.
    server = subprocess.Popen([commandlib.DCFG] + [w.replace("--listen=" + port, "--listen=0") for w in words], stderr=subprocess.PIPE,
                              env=harness.ENV, universal_newlines=True)
    line = " "
    while line and not re.search(launch["serverStarted"], line):
        line = server.stderr.readline()
    m = re.search(r"localhost:(\d+)$", line)
    if not tap.ok(m, "launch.json: the server starts", line):
        server.kill()
        server.wait()
        return None
    mi = Machine()
    for c in launch["setupCommands"]:
        mi.ask('-interpreter-exec console "%s"' % c["text"])
    mi.ask("-gdb-set mi-async on")
    mi.ask("-environment-cd " + launch["cwd"].replace("${workspaceFolder}", folder))
    mi.ask("-file-exec-and-symbols " + launch["program"].replace("${workspaceFolder}", folder))
    mi.ask("-target-select remote localhost:" + m[1])
    return server, mi


def is_begin(stop):
    """Whether the recording had no more of the run.  gdb 13 gives no reason then."""
    return 'reason="no-history"' in stop or "reason=" not in stop


def check_stops(tap, mi):
    """Breakpoints, watchpoints and steps, by the buttons of the debug toolbar."""
    tap.ok('"reverse"' in mi.ask("-list-target-features"), "launch.json: there are buttons for reverse", "".join(mi.lines))
    mi.ask("-break-insert -f price.c:21")
    stop = mi.run("-exec-continue")
    tap.ok('reason="breakpoint-hit"' in stop and 'line="21"' in stop, "launch.json: a breakpoint", stop)
    mi.ask("-break-watch price")
    stop = mi.run("-exec-continue --reverse")
    tap.ok('reason="watchpoint-trigger"' in stop and 'value={old="52",new="54"}' in stop and 'line="20"' in stop,
           "launch.json: a watchpoint, backward", stop)
    mi.ask("-break-delete")
    stop = mi.run("-exec-next --reverse")
    tap.ok(re.search('reason="end-stepping-range".*line="(18|19|20)"', stop), "launch.json: a step backward", stop)
    for condition, line in (("pieces > 99", None), ("pieces == 12", "9")):
        mi.ask('-break-insert -f -c "%s" discount' % condition)
        stop = mi.run("-exec-continue --reverse")
        mi.ask("-break-delete")
        tap.ok('line="9"' in stop if line else is_begin(stop), "launch.json: a breakpoint if " + condition, stop)
        if not line:
            mi.run("-exec-continue")
    stop = mi.run("-exec-step --reverse")
    tap.ok('func="main"' in stop, "launch.json: a step backward out of a function", stop)
    stop = mi.run("-exec-step")
    tap.ok('func="discount"' in stop, "launch.json: a step into it", stop)
    stop = mi.run("-exec-finish")
    tap.ok('reason="function-finished"' in stop and 'return-value="10"' in stop or 'value="10"' in stop, "launch.json: a step out", stop)
    first = mi.run("-exec-step-instruction")
    mi.run("-exec-step-instruction")
    stop = mi.run("-exec-step-instruction --reverse")
    tap.ok(re.search('addr="(\\w+)"', stop)[1] == re.search('addr="(\\w+)"', first)[1], "launch.json: instructions", first + stop)


def check_views(tap, mi):
    """Call stack, variables, watches, registers, memory and disassembly."""
    wanted = (("-thread-info", r'threads=\[\{id="1",.*state="stopped"'),
              ("-stack-list-frames 0 100", r'frame=\{level="0",.*func="main"'),
              ("-stack-list-variables --thread 1 --frame 0 --simple-values", r'\{name="pieces",type="int",value="12"\}'),
              ("-var-create - * price", r'value="60",type="int"'),
              ("-data-evaluate-expression pieces*2", r'value="24"'),
              ("-data-list-register-names", r'"rip"'),
              ("-data-list-register-values --thread 1 --frame 0 x 6 7 16", r'\{number="16",value="0x[0-9a-f]+"\}'),
              ("-data-list-register-values --thread 1 --frame 0 x", r'value="<unavailable>"|value='),
              ("-data-read-memory-bytes &price 4", r'contents="3c000000"'),
              ("-data-disassemble -s $pc -e $pc+16 -- 0", r'inst="'),
              ("-data-evaluate-expression discount(12)", r"\^error"),
              ("-gdb-set var price=1", r"\^error"),
              ("-exec-jump price.c:21", r"\^error|reason="))
    for command, what in wanted:
        answer = mi.ask(command)
        tap.ok(re.search(what, answer), "launch.json: " + command.split()[0], answer)


def check_launch(tap):
    folder = tap.path("vscode")
    os.mkdir(folder)
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "docs", "price.c"), "vscode/price", "-O0")
    wet = prog and harness.record_wet(tap, "vscode/price", [prog])
    both = wet and start(tap, launch_of_page(), folder)
    if not both:
        return
    server, mi = both
    check_stops(tap, mi)
    check_views(tap, mi)
    # Each instruction backward stops here, so the run lasts until it is interrupted, unless nobody reads for seconds.
    mi.run("-exec-continue")
    mi.ask('-interpreter-exec console "set breakpoint condition-evaluation host"')
    mi.ask('-break-watch $rsp==1')
    mi.ask("-exec-continue --reverse")
    mi.send("-exec-interrupt")
    stop = mi.until("*stopped")
    tap.ok('reason="signal-received"' in stop or is_begin(stop), "launch.json: the pause button", stop)
    mi.ask("-break-delete")
    late = is_begin(stop)
    stop = mi.run("-exec-continue --reverse")
    # An interrupt that came too late for one run stops the next one.
    if late and 'reason="signal-received"' in stop:
        stop = mi.run("-exec-continue --reverse")
    tap.ok(is_begin(stop), "launch.json: and on", stop)
    mi.end()
    tap.ok(server.wait(harness.TIMEOUT) == 0, "launch.json: the server ends")
    server.stderr.close()


def main():
    tap = harness.Tap("gdb_session")
    if not shutil.which("gdb"):
        tap.skip("sessions", "gdb is not installed")
        tap.done()
        return
    harness.written(tap, "crash.c", CRASH)
    check_crash(tap, "pie", "-pie", "-fPIE")
    check_crash(tap, "fixed", "-no-pie", "-fno-pie", "-static")
    check_conditions(tap)
    check_goto(tap)
    check_no_index(tap)
    check_changed(tap)
    check_launch(tap)
    tap.done()


main()
