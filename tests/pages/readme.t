#!/usr/bin/python3
"""The output in README.md and in the pages of docs/ is what happens.  (TAP)

    readme.t [--refresh] [PAGE...]

The commands in a page's ```console blocks are one session.  They are run one after the other, in a directory that has
the repository's docs/ and nothing else.  PATH begins with the Valgrind under test, dcfg and callgrind_annotate, as for
somebody who has installed them.  Much of the output (offsets, libc's share of the counts) depends on the machine.
tests/pages/PAGE.txt describes the rest, by command, in the order of the page:

    $ COMMAND
    stable: REGEX       a line of the page, and a line of the command's output, match this
    status: N           the command exits with N, not with 0

One page shows Valgrind's banner, README.md; the others leave it out.

--refresh runs the same commands and, in place of comparing, writes their output to the pages, and pictures to docs/ if
one of that name was drawn.  Names of the directory and the process are replaced by those of a reader.  Numbers in the
text stay as they are; the test then says which of them are in no output.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness

PAGES = ["README.md", "docs/blocks.md", "docs/ci.md", "docs/diff.md", "docs/export.md", "docs/faq.md", "docs/first.md",
         "docs/flame.md", "docs/fleet.md", "docs/gdb.md", "docs/jq.md",
         "docs/merge.md", "docs/profile.md", "docs/recipes.md", "docs/regions.md", "docs/replay.md", "docs/report.md", "docs/simulators.md",
         "docs/slice.md", "docs/trace.md", "docs/tutorial.md", "docs/view.md", "docs/wet.md", "docs/xray.md"]
PROGRAMS = ["docs/orders.cc", "docs/price.c", "docs/primes.c", "docs/waves.c", "docs/words.c"]
LISTINGS = {"README.md": 1, "docs/tutorial.md": 1, "docs/wet.md": 1}     # by page: listings of a program or a part of
                                                                         # one
BLOCK = re.compile(r"^```console\n\$ (.*)\n((?:(?!```).*\n)*)```\n", re.M)
BANNER = re.compile(r"^==\d+== (?:DCFG-[\d.]+, a dynamic|Copyright \(C\)|Using Valgrind-|Command: |$).*\n", re.M)
HERE = "/home/me/valgrind-dcfg"         # the directory's name in the pages
PROCESS = re.compile(r"(?<=^==)\d+(?===)|(?<=, process )\d+|(?<=\.out\.)\d+|(?<=\(PID )\d+", re.M)
# A run's number of executed instructions, and texts that repeat the total.
WROTE = re.compile(r"^==\d+== dcfg: wrote .* ([\d,]+) instructions(?:; see it with: .*)?$", re.M)
TOTAL = re.compile(r"^(?:[AB]: .*, process \d+: )?([\d,]+) instructions(?: in \d+ threads?;| \([-+]\d+%\)$|$)|^\[(\d+),\[",
                   re.M)


def read(page):
    return harness.read(os.path.join(harness.SRCDIR, page))


class Notes:
    """The notes of tests/pages/ about a page's commands."""

    def __init__(self, page):
        path = os.path.join(harness.SRCDIR, "tests", "pages", os.path.basename(page)[:-len(".md")] + ".txt")
        text = ""
        if os.path.exists(path):
            text = harness.read(path)
        self.left = [paragraph.splitlines() for paragraph in text.split("\n\n") if paragraph]

    def of(self, command):
        """Takes the next note, if it is COMMAND's: returns the exit status and regular expressions."""
        lines = self.left.pop(0)[1:] if self.left and self.left[0][0] == "$ " + command else []
        values = lambda key: [line[len(key):] for line in lines if line.startswith(key)]
        return int((values("status: ") or [0])[0]), values("stable: ")


class Session:
    """A page's directory, in which its commands run."""

    def __init__(self, tap, page):
        self.page, self.notes = page, Notes(page)
        self.dir = tap.path(os.path.basename(page)[:-len(".md")])
        self.processes = {}
        os.mkdir(self.dir)
        os.symlink(os.path.join(harness.SRCDIR, "docs"), os.path.join(self.dir, "docs"))
        self.env = dict(harness.ENV, PATH=commandlib.installed(tap) + ":" + harness.ENV["PATH"])

    def run(self, command):
        """Returns (exit status, output); (None, output) if something is missing here."""
        real = re.sub(r"^\./dev run ", "valgrind --tool=dcfg ", command)
        program = shlex.split(real)[0]
        if not shutil.which(program, path=self.env["PATH"]):
            return None, program + " is not installed"
        r = subprocess.run(real, shell=True, cwd=self.dir, env=self.env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=harness.TIMEOUT)
        printed = r.stdout.decode(errors="replace")
        # Since graphviz 14, Debian has neato's layout in a package that graphviz does not depend on.
        if "There is no layout engine support" in printed:
            return None, printed.splitlines()[0]
        return r.returncode, printed

    def as_shown(self, printed):
        """Returns TEXT with a reader's names for the directory and the processes."""
        number = lambda m: self.processes.setdefault(m.group(), str(4711 + len(self.processes)))
        if self.page != "README.md":
            printed = BANNER.sub("", printed)
        # A report shortens the directory of the run.
        printed = re.sub(r"(?m)^(\d{4}-\d\d-\d\d [\d:]+ UTC in )\S+(, valgrind-dcfg )", r"\g<1>%s\2" % HERE, printed)
        return PROCESS.sub(number, printed.replace(self.dir, HERE))


def not_ignored(tap, at):
    """Returns the files in directory AT that a clone would show as new, if they were made there."""
    files = [f + "/" * os.path.isdir(os.path.join(at, f)) for f in sorted(os.listdir(at)) if f != "docs"]
    clone = tap.path("clone")
    if not os.path.exists(clone):
        subprocess.run(["git", "init", "-q", clone], check=True)
        shutil.copy(os.path.join(harness.SRCDIR, ".gitignore"), clone)
    r = subprocess.run(["git", "-C", clone, "check-ignore", "--no-index", "--stdin"], input="\n".join(files), stdout=subprocess.PIPE,
                       universal_newlines=True)
    return sorted(set(files) - set(r.stdout.splitlines()))


def check_defaults(tap):
    """The tool's default file names, also beside other files."""
    place = tap.path("defaults")
    names = [n.replace("%p", "4711") for n in re.findall(r"^\| `--[\w-]+-out-(?:file|dir)=\w+` \| `(.*?)` \|", read("docs/reference.md"), re.M)]
    os.mkdir(place)
    for name in names + ["xray-log.4711.map", "dcfg-trace.out.4711.json.turns", "dcfg.out.4711.1.json"]:
        open(os.path.join(place, name), "w").close()
    tap.ok(len(names) == 7 and not not_ignored(tap, place), "a clone ignores what the tool writes", (names, not_ignored(tap, place)))


def check_session(tap, page, text):
    session = Session(tap, page)
    for command, shown in BLOCK.findall(text):
        status, printed = session.run(command)
        wanted, regexes = session.notes.of(command)
        what = "%s: %s" % (page, command[:100])
        if status is None:
            tap.skip(what, printed)
            continue
        wrong = ["exit status %d" % status] if status != wanted else []
        for regex in regexes:
            for where, output in (("shown", shown), ("printed", printed)):
                if not re.search(regex, output, re.M):
                    wrong.append("%s is not %s" % (regex, where))
        if not shown and printed:
            wrong.append("the page shows no output")
        tap.ok(not wrong, what, "\n".join(wrong + ["printed:", printed]))
    if shutil.which("git"):
        tap.ok(not not_ignored(tap, session.dir), page + ": a clone ignores what it makes", not_ignored(tap, session.dir))
    tap.ok(not session.notes.left, page + ": the notes on it are of its commands", session.notes.left[:1])


def check_text(tap, page, text):
    """Checks the parts that need no command."""
    blocks = BLOCK.findall(text)
    tap.ok(len(blocks) > 3 and len(blocks) == text.count("```console\n"), page + ": every console block can be read",
           "%d of %d" % (len(blocks), text.count("```console\n")))

    # A session is one run: each total is a run's that the page shows, or a sum's.
    outputs = [shown for _, shown in blocks]
    plain = lambda number: number.replace(",", "")
    wrote = {plain(n) for shown in outputs for n in WROTE.findall(shown)}
    totals = {plain(a or b) for shown in outputs for a, b in TOTAL.findall(shown)}
    merged = {str(int(a) + int(b)) for a in wrote for b in wrote}
    tap.ok(wrote and totals <= wrote | merged, page + ": totals are those of the runs", "%s, %s" % (totals, wrote))

    # A number that the text repeats must be in an output.  README's text has numbers of other programs, too.
    if page != "README.md":
        prose = re.sub(r"^```.*?^```$|<!--.*?-->", "", text, flags=re.M | re.S)
        lost = [n for n in re.findall(r"\d+(?:,\d{3})+", prose) if not any(n in shown for shown in outputs)]
        tap.ok(not lost, page + ": numbers in the text are those of the outputs", lost)


def leads_somewhere(at, file, anchor):
    path = os.path.join(at, file)
    if not anchor:
        return os.path.exists(path)
    return anchor in (re.sub("[^a-z0-9 -]", "", h.lower()).replace(" ", "-") for h in re.findall("^#+ (.*)", harness.read(path), re.M))


def check_links(tap, page, text):
    at = os.path.dirname(os.path.join(harness.SRCDIR, page))
    links = [link for link in re.findall(r"\]\(([^)]*)\)", text) if not link.startswith("https://")]
    bad = [link for link in links
           if not leads_somewhere(at, link.partition("#")[0] or os.path.basename(page), link.partition("#")[2])]
    tap.ok(not bad, page + ": links lead somewhere", bad)


def check_dev(tap, page, text):
    """The page's commands of ./dev exist, and ./dev run runs its argument."""
    usage = subprocess.run([os.path.join(harness.SRCDIR, "dev"), "help"], stdout=subprocess.PIPE,
                           universal_newlines=True).stdout
    unknown = set(re.findall(r"\./dev (\w+)", text)) - set(re.findall(r"^  (\w+)", usage, re.M))
    tap.ok(not unknown - {"help"}, page + ": ./dev has these commands", unknown)
    for block in re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S):
        for command in re.findall(r"^\./dev run .*$", block, re.M):
            status, printed = Session(tap, "%s.%d.md" % (page, tap.n)).run(command)
            tap.ok(status == 0, "%s: %s" % (page, command), printed)


def check(tap, pages):
    texts = {page: read(page) for page in pages}
    programs = {program: read(program) for program in PROGRAMS}
    for page in pages:
        listings = re.findall(r"^```c\n(.*?)^```$", texts[page], re.M | re.S)
        tap.ok(len(listings) == LISTINGS.get(page, 0) and
               all(any(listing in source for source in programs.values()) for listing in listings),
               page + ": its C is that of " + ", ".join(PROGRAMS), listings)
    for page in pages:
        check_text(tap, page, texts[page])
        check_links(tap, page, texts[page])
        check_dev(tap, page, texts[page])
        check_session(tap, page, texts[page])


def refresh(tap, page):
    session = Session(tap, page)

    def again(m):
        command = m.group(1)
        status, printed = session.run(command)
        if not tap.ok(status == session.notes.of(command)[0], "%s: %s" % (page, command[:100]), printed):
            return m.group()
        if printed and not printed.endswith("\n"):
            printed += "\n"
        return "```console\n$ %s\n%s```\n" % (command, session.as_shown(printed))

    text = BLOCK.sub(again, read(page))
    harness.write(os.path.join(harness.SRCDIR, page), text)
    for picture in glob.glob(os.path.join(session.dir, "*.svg")):
        there = os.path.join(harness.SRCDIR, "docs", os.path.basename(picture))
        if os.path.exists(there):
            shutil.copyfile(picture, there)


def main():
    args = sys.argv[1:]
    pages = [arg for arg in args if arg != "--refresh"] or PAGES
    tap = harness.Tap("readme")
    if "--refresh" in args:
        for page in pages:
            refresh(tap, page)
    else:
        there = ["README.md"] + sorted(os.path.relpath(path, harness.SRCDIR)
                                       for path in glob.glob(os.path.join(harness.SRCDIR, "docs", "**", "*.md"),
                                                             recursive=True))
        tap.ok(set(PAGES) == {page for page in there if "```console\n" in read(page)}, "all pages with sessions are run",
               there)
        for page in there:
            if page not in PAGES:
                check_links(tap, page, read(page))
        if shutil.which("git"):
            check_defaults(tap)
        check(tap, pages)
    tap.done()


main()
