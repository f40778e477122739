#!/usr/bin/python3
"""The options that the pages name are those of the tables.  (TAP)

The tool prints its table with --help, the command with dcfg NAME --options, one option a line.  Each option that a page gives to
`dcfg NAME` or to `valgrind --tool=dcfg` is one of theirs, and any other that it names is Valgrind's or in OTHERS.  The pages of
reference have all options: docs/reference.md and the manual those of the tool, with defaults, dcfg.1 those of the command.
"""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness

MANUAL, REFERENCE, MAN_PAGE = "docs/dcfg-manual.xml", "docs/reference.md", "cmd/dcfg.1"
# Options of other programs that pages name.
OTHERS = """--add --aggregation-type --all-stacks --args --auto --binary --branch-coverage --cache-sim --cflags --chrome --coverage --detach --flame-graph --global --icf --ignore-errors --jumps
            --libs --lintian --list --max-invoke-ms --no-install-recommends --ntasks --only --perf-basic-prof --perf-prof --pop-on-jump --prefix --quick --refresh --sample-time --simulation-instructions
            --skip-direct-rec --skip-plt --sortorder --stack-format --static --sysroot --trace-jump --trace-mem
            --unsymbolized-profile --use-offset --warmup-instructions""".split()
OPTION = re.compile(r"(?<![\w.\[=/-])(--[a-z][\w-]*|-[a-zA-Z](?![\w-]))")
END = r"[^\n|;&<>`#)\"]*"                # the rest of a command in a page


def read(page):
    return harness.read(os.path.join(harness.SRCDIR, page))


def pages():
    found = []
    for pattern in ("*.md", "docs/*.md", "docs/dev/*.md", "lib/*.md", "lib/*.3", MANUAL, MAN_PAGE, "cmd/completion/dcfg"):
        paths = glob.glob(os.path.join(harness.SRCDIR, pattern))
        found += sorted(os.path.relpath(p, harness.SRCDIR) for p in paths)
    return found


def usage(*args):
    return subprocess.run([harness.VALGRIND, "--tool=dcfg", *args], env=harness.ENV, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout


class Tables:
    """All options."""
    def __init__(self):
        self.usage = re.search(r"^  user options for DCFG:\n(.*?)^$", usage("--help"), re.M | re.S).group(1)
        self.tool = set(re.findall(r"^    (--[\w-]+)=", self.usage, re.M))
        self.valgrind = set(OPTION.findall(usage("--help-debug"))) | {"-q", "-v", "-d", "-h"}
        self.rows = {name: commandlib.command(name, "--options")[1].splitlines()
                     for name in commandlib.command("--options")[1].split()}
        self.commands = {name: {re.match(r"--?[a-z0-9-]+", row).group() for row in rows} for name, rows in self.rows.items()}
        self.common = set.intersection(*self.commands.values())
        self.all = {"--options"} | self.tool | self.valgrind | set.union(*self.commands.values())


def plain(text):
    """Returns TEXT with each command on one line, and with minus signs as they are typed."""
    text = text.replace("\\-", "-").replace("\\\n", " ")
    return re.sub(r"(?<!`)`([^`\n]+\n?[^`\n]*)`(?!`)", lambda m: m.group().replace("\n", " "), text)


def wrong_uses(text, tables):
    """Returns options in TEXT, of commands, that the program does not have."""
    wrong = []
    for name, rest in re.findall(r"(?<![\w./-])(?:\S*/)?dcfg ([a-z]+)\b(" + END + ")", text):
        if name in tables.commands:
            known = tables.commands[name] | {"--help", "--options"}
            wrong += ["dcfg %s %s" % (name, o) for o in OPTION.findall(rest.split(", ")[0].split(" -- ")[0]) if o not in known]
    for program, rest in re.findall(r"(?<![\w-])(valgrind|\./dev run) (" + END + ")", text):
        words = re.match(r"(?:-\S+\s*)*", rest).group()
        if program == "./dev run" or re.search(r"--tool=dcfg\b", words):
            known = tables.tool | tables.valgrind
            wrong += ["%s %s" % (program, o) for o in OPTION.findall(words) if o not in known]
    return wrong


def check_tool(tap, tables):
    """--help, the manual and the tables of pages have the same options, values and defaults."""
    known = dict(re.findall(r"^    (--[\w-]+)=[^[]*\[(.*?)\]", tables.usage, re.M))
    tap.ok(known and set(known) == tables.tool, "--help has a default for each option", tables.tool ^ set(known))
    tap.ok(usage("--help").startswith("usage: valgrind --tool=dcfg [options] prog-and-args\n\n  user options for DCFG:\n" + tables.usage)
           and usage("-h") == usage("--help"), "--help begins with the tool's options", usage("--help")[:300])
    tap.ok(all(len(l) < 80 for l in tables.usage.splitlines()), "--help fits", tables.usage)
    manual = dict(re.findall(r"<option><!\[CDATA\[(--[\w-]+)=\S* \[default: (.*?)\]", read(MANUAL)))
    table = lambda page: dict(re.findall(r"^\| `(--[\w-]+)=.*?` \| `?(.*?)`? \|", read(page), re.M))
    tap.ok(manual == known, "the manual has the options that there are", known.items() ^ manual.items())
    full = table(REFERENCE)
    tap.ok(full == known, REFERENCE + " has them too", known.items() ^ full.items())
    values = lambda text: set(re.findall(r"(--[\w-]+)=<?([a-z0-9]+\|[a-z0-9]+)(?![|<\w])", text.replace("\\|", "|")))
    for page in (REFERENCE, MANUAL):
        tap.ok(values(read(page)) >= values(tables.usage), page + " has their values",
               values(tables.usage) - values(read(page)))


def check_command(tap, tables):
    manual = read(MAN_PAGE)
    for name, options in tables.commands.items():
        here = manual.split(".Ss dcfg %s\n" % name)[1].split(".Ss")[0].split(".Sh")[0]
        here = re.sub(r"(?<=\w)\\-", "-", here)
        described = {"--" + o for o in re.findall(r"\\-([a-z][a-z0-9-]*)", here)} | tables.common
        described |= {"-" + o for o in re.findall(r"Fl ([a-z0-9])\b", here)}
        strangers = described - options - tables.tool - tables.valgrind - set(OTHERS)
        tap.ok(options <= described, "the manual page has the options of dcfg " + name, options - described)
        tap.ok(not strangers, "and no other", strangers)
        items = "\n".join(re.findall(r"^\.It .*", here, re.M))
        values = re.findall(r"Fl (\S+?)(?: Ns (?:Op )?= ?Ns)? Ar (\w+)", items)
        wrong = [(o, v) for o, v in values
                 if not any(re.match("-%s\\W+%s" % (o.replace("\\-", "-"), v), row) for row in tables.rows[name])]
        tap.ok(not wrong, "and calls their values as --help does", wrong)
    for name in [None, *tables.commands]:
        text = commandlib.command(*([name] if name else []), "--help")[1]
        tap.ok(text and all(len(l) < 80 for l in text.splitlines()), "dcfg %s fits" % " ".join(filter(None, (name, "--help"))), text)
    tap.ok(all(".Fl \\" + o[1:] in manual for o in tables.common), "the manual page has what all have", tables.common)


def main():
    tap = harness.Tap("options")
    tables = Tables()
    for text, want in (("`dcfg report --lops\nFILE`", ["dcfg report --lops"]), ("bin/dcfg merge -p x", ["dcfg merge -p"]),
                       ("valgrind --tool=dcfg \\\n --trice=yes ls --all", ["valgrind --trice"])):
        tap.ok(wrong_uses(plain(text), tables) == want, "%s is wrong" % want[0])
    others = set()
    for page in pages():
        text = plain(read(page))
        wrong = wrong_uses(text, tables)
        tap.ok(not wrong, page + ": the options of its commands are there", wrong)
        unknown = {o for o in OPTION.findall(text) if o.startswith("--")} - tables.all
        tap.ok(unknown <= set(OTHERS), page + ": options that it names are there", unknown - set(OTHERS))
        others |= unknown
    tap.ok(others == set(OTHERS), "pages name the options of other programs", set(OTHERS) - others)
    check_tool(tap, tables)
    check_command(tap, tables)
    tap.done()


main()
