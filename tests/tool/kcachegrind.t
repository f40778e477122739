#!/usr/bin/python3
"""KCachegrind opens the profile that --callgrind=yes writes, as it opens Callgrind's: in a window, on a display of its
own, with call graph, source, and machine code with its jumps.  (TAP)

KCACHEGRIND_PICTURE=FILE keeps a picture of the window, ours, as a PNG file; that takes ImageMagick's import.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness

NEEDED = ("kcachegrind", "Xvfb", "xdotool", "dbus-run-session", "dot", "objdump")
PICTURE = os.environ.get("KCACHEGRIND_PICTURE")
SIZE = ("1280", "900")
OURS, THEIRS, BROKEN = "primes.callgrind", "theirs.callgrind", "broken.callgrind"
# The view of a program called ./primes: its letters are the end of the group's name.
CONFIG = """[TipOfDay]
RunOnStart=false

[MainView-TabView-1-primes]
TopTabs=SourceView
BottomTabs=CallGraphView
RightTabs=InstrView
ActiveTop=SourceView
ActiveBottom=CallGraphView
ActiveRight=InstrView
RightSize=55
TopSize=40
ActiveItemType=Function
ActiveItemName=is_prime

[MainView-TabView-1-CallGraphView-primes]
MaxCaller=2
ZoomPosition=Hide

[MainView-TabView-1-InstrView-primes]
ShowHexCode=false
"""


class Display:
    """An X server, and the environment of its clients."""

    def __init__(self, tap):
        home = tap.path("home")
        os.makedirs(os.path.join(home, ".config"))
        os.mkdir(os.path.join(home, "run"), 0o700)
        with open(os.path.join(home, ".config", "kcachegrindrc"), "w") as f:
            f.write(CONFIG)
        r, w = os.pipe()
        with open(tap.path("Xvfb.log"), "w") as log:
            # At the end of its last client a server starts anew, unless told not to, and refuses others meanwhile.  The
            # number is our own: a server in another root directory may have the first one that seems free here.
            self.server = subprocess.Popen(["Xvfb", ":%d" % (1000 + os.getpid() % 50000), "-displayfd", str(w),
                                            "-screen", "0", "x".join(SIZE) + "x24", "-nolisten", "tcp",
                                            "-noreset"],
                                           pass_fds=[w], stdout=log, stderr=log)
        os.close(w)
        with os.fdopen(r) as f:
            number = f.readline().strip()
        self.env = dict(harness.ENV, DISPLAY=":" + number, HOME=home, XDG_CONFIG_HOME=os.path.join(home, ".config"),
                        XDG_RUNTIME_DIR=os.path.join(home, "run"), LC_ALL="C.UTF-8", QT_QPA_PLATFORM="xcb",
                        QT_LOGGING_RULES="default.debug=true")
        self.good = number.isdigit()

    def xdotool(self, *args):
        r = subprocess.run(["xdotool"] + list(args), env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return r.stdout.decode(errors="replace").splitlines()

    def windows(self):
        """Returns {id: title} of the visible windows."""
        ids = self.xdotool("search", "--onlyvisible", "--name", ".")
        titles = {w: "".join(self.xdotool("getwindowname", w)) for w in ids}
        # One that has gone meanwhile has none.
        return {w: title for w, title in titles.items() if title}

    def close(self):
        self.server.terminate()
        self.server.wait()


class Shown:
    """A file, opened in KCachegrind: .windows (titles seen after everything was there), .said (messages on stderr), .wrong
    (complaints).  There is no limit of time; the runner of this test ends it if it hangs.
    """

    def __init__(self, tap, display, name, picture=None):
        self.display, self.name, self.log = display, name, tap.path(name + ".log")
        self.said, self.windows = "", set()
        with open(self.log, "w") as log:
            p = subprocess.Popen(["dbus-run-session", "--", "kcachegrind", name], cwd=tap.dir,
                                 env=display.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 start_new_session=True)
        while not self.look() and p.poll() is None:
            time.sleep(0.1)
        # A dialog may come up behind it.  xdotool may miss a window that is just changing.
        for _ in range(10):
            time.sleep(0.1)
            self.look()
        self.wrong = self.check()
        if picture and not self.wrong:
            self.picture(picture)
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()

    def look(self):
        """Returns whether everything is there.  The window has the size of the display, so that all of it is drawn."""
        with open(self.log, errors="replace") as f:
            self.said = f.read()
        windows = self.display.windows()
        for w in windows:
            self.display.xdotool("windowmove", w, "0", "0", "windowsize", w, *SIZE)
        if not self.windows and not (any(title.startswith(self.name) for title in windows.values())
                                     and "dotExited" in self.said and "Running 'objdump" in self.said):
            return False
        self.windows.update(windows.values())
        return True

    def check(self):
        wrong = ""
        titles = sorted(self.windows)
        if len(titles) != 1 or not titles[0].startswith(self.name + " [./primes]"):
            wrong += "windows: %s\n" % titles
        for line in self.said.splitlines():
            if re.search("^Loading |error|warning|invalid|cannot|can't|not found", line, re.I) and "dbus" not in line:
                wrong += line + "\n"
        for what in ('Selected +"is_prime"', "Running 'objdump", "CallGraphView::dotExited"):
            if not re.search(what, self.said):
                wrong += "it does not say %s\n" % what
        return wrong

    def told(self):
        """Return the function that it found in the file, with the begin and end of its instructions."""
        return [line for line in self.said.splitlines() if line.startswith(("Selected", "Running 'objdump"))]

    def picture(self, path):
        """Waits until nothing changes any more."""
        before, now = None, b""
        while before != now:
            before = now
            time.sleep(1)
            now = subprocess.run(["import", "-silent", "-window", "root", "rgb:-"], env=self.display.env,
                                 stdout=subprocess.PIPE).stdout
        subprocess.run(["import", "-silent", "-window", "root", "-dither", "None", "-colors", "256", "png8:" + path],
                       env=self.display.env)


def profiles(tap):
    """Opens ours, Callgrind's, and ours with a broken line."""
    shutil.copy(os.path.join(harness.SRCDIR, "docs", "primes.c"), tap.dir)
    # The source's name is shown, too, and is better without directories.
    maps = ["-fdebug-prefix-map=%s=." % directory for directory in (os.getcwd(), tap.dir)]
    if not harness.cc(tap, tap.path("primes.c"), "primes", "-pthread", *maps):
        return False
    for name, tool in ((OURS, ["--tool=dcfg", "--callgrind=yes", "--dcfg-out-file=" + tap.path("graph.json")]),
                       (THEIRS, ["--tool=callgrind"])):
        out = tap.path(name)
        opts = ["--dump-instr=yes", "--collect-jumps=yes", "--callgrind-out-file=" + out]
        status, err = harness.run([harness.VALGRIND, "-q"] + tool + opts + ["./primes"], tap.dir)
        if not tap.ok(status == 0 and os.path.exists(out), "a profile, " + name, err[-2000:]):
            return False
    with open(tap.path(OURS)) as f, open(tap.path(BROKEN), "w") as broken:
        broken.write(f.read().replace("\ncalls=", "\ncells=", 1))
    return True


def main():
    tap = harness.Tap("kcachegrind")
    missing = [name for name in NEEDED if not shutil.which(name, path=harness.ENV["PATH"])]
    if missing:
        tap.skip("KCachegrind", "not installed: " + ", ".join(missing))
    elif profiles(tap):
        display = Display(tap)
        try:
            if tap.ok(display.good, "a display"):
                theirs = Shown(tap, display, THEIRS)
                tap.ok(not theirs.wrong, "KCachegrind shows Callgrind's file", theirs.wrong)
                ours = Shown(tap, display, OURS, PICTURE)
                tap.ok(not ours.wrong, "KCachegrind shows our file", ours.wrong)
                tap.ok(ours.told() == theirs.told(), "the same function with the same instructions",
                       "\n".join(ours.told() + ["callgrind:"] + theirs.told()))
                broken = Shown(tap, display, BROKEN)
                tap.ok("Loading" in broken.wrong, "a line that is not of the format is noticed", broken.said)
        finally:
            display.close()
    tap.done()


if __name__ == "__main__":
    main()
