#!/usr/bin/env python3
"""Checks the order that HACKING.md describes: rooms, lists of sources, headers, no circles, the grain of files and functions.

Reads the sources below SRCDIR, and calls in the object files below BUILDDIR.  Checks that need objects are skipped without
them.  The same rules hold for the tool, the library and the command, each a Tree; purity is the tool's alone.  Prints TAP.
"""
import functools
import glob
import os
import re
import subprocess
import sys

SRC, BUILD = os.environ["SRCDIR"], os.environ.get("BUILDDIR", "")

# Fronts stand above their rooms.  The DCFG's output is a room of its own: it needs graph/, and run/, which needs graph/.
FRONTS = {"dcfg_bb": "run", "tool/dcfg_output": "run", "dcfg_json": "graph", "tool/output_dcfg": "dcfg",
          "dcfg_trace_enc": "trace", "dcfg_main": "main"}
PURE_ROOMS = ("format", "arch", "graph")
# The order of the tool's rooms.  The order of the others' is that of their lists of sources.
ORDER = "format base arch graph files steady jit run calls dcfg trace profile xray uftrace wet record main".split()
# Files of a pure room that know Valgrind's view of the processor.
GUEST = re.compile(r"tool/arch/(\w+/)?(\w+_)?guest\.c$")
# By tree: words that name a processor, and the files that may have them.  In the tool these are, besides a processor's
# folder, files about versions of Valgrind, about all guests of VEX, and about the map of an XRay log, which is amd64's
# everywhere.
PROCESSORS = {
    "tool": (r"\bVG[AP]_\w+|\bVexGuest\w+State\b|libvex_guest_\w+\.h|\bEM_[A-Z0-9_]+|\bDCFG_\(\w*(?:x86_|_x86\b|arm64)\w*",
             r"(?:format/port\.h|tool/base/core\.h|tool/arch/\w+/.*|tool/arch/(?:\w+_)?guest\.c|tool/xray/elf_map\.c)"),
    "lib": (r"\bEM_[A-Z0-9_]+", r"lib/wet/wet_machine\.c"),
    "cmd": (r"\b(?:CS_ARCH|CS_MODE(?!_BIG_ENDIAN)|SCMP_ARCH|EM|R_X86_64|R_386|R_AARCH64|(?:X86|ARM64)_(?:REG|INS|GRP|OP|PREFIX))_\w+",
            r"cmd/machine/machine_\w+\.c|cmd/state/\w+_(x86|arm64)\.c"),
}
# The most sources of a room, without headers, the most lines of a file, and of a function without its tables.
MOST_SOURCES, MOST_LINES, MOST_FUNCTION = 15, 1500, 60
# Rooms, by tree, that still have many small files: they are written anew, and get their grain with it.
WAITING = {"tool": set(), "lib": set(),
           "cmd": set()}
# Headers for others than this program's files: installed ones, those of format/, which other trees take, and those of fronts, for tests.
FOR_OTHERS = re.compile(r"lib/\w+\.h|tool/run/requests\.h|format/\w+\.h|dcfg_\w+\.h")
# Files of format/ that have no numbers of files.
HELPERS = ("format/order.h", "format/numbers.h", "format/port.h", "format/put.h")
FILE_NAME = re.compile(r"(?<![\w/.-])((?:[a-z]+/)?[a-z][a-z0-9_]*\.[ch])\b")


@functools.cache
def text(path):
    with open(os.path.join(SRC, path), encoding="utf-8") as f:
        return f.read()


def make_variables(path):
    """Returns the variables of a Makefile.am as lists of words; variables of the same file are expanded."""
    found = re.findall(r"^(\w+)\s*\+?=\s*((?:.*\\\n)*.*)$", text(path), re.M)
    words = {name: value.replace("\\\n", " ").split() for name, value in found}
    return {name: [x for w in value for x in (words.get(w[2:-1], [w]) if w.startswith("$(") else [w])]
            for name, value in words.items()}


def stem(path):
    return os.path.splitext(path)[0]


def circles(edges):
    """Returns the strongly connected components of a graph with more than one node, as sorted lists (R. Tarjan's algorithm).
    """
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in edges.get(v, ()):
            if w not in index:
                visit(w)
            if w in stack:
                low[v] = min(low[v], low[w])
        if low[v] == index[v]:
            part = stack[stack.index(v):]
            del stack[stack.index(v):]
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for v in sorted(edges):
        if v not in index:
            visit(v)
    return found


class Tree:
    """One of the three programs: the folder of its sources, the Makefile's list of them, and its objects."""

    def __init__(self, name, folder, listed, patterns, objects):
        self.name, self.folder = name, folder
        self.listed = sorted(listed)
        self.files = sorted(os.path.relpath(f, SRC) for p in patterns for f in glob.glob(os.path.join(SRC, p), recursive=True))
        self.order = {}                     # by room: its place in the list
        for room in ORDER if name == "tool" else map(self.room, listed):
            self.order.setdefault(room, len(self.order))
        self.objects = {}                   # by source: its object file
        for pattern, prefix in objects:
            for o in glob.glob(os.path.join(BUILD, pattern), recursive=True) if BUILD else ():
                where = os.path.relpath(os.path.dirname(o), BUILD)
                source = os.path.normpath(os.path.join(where, re.sub(prefix, "", os.path.basename(o))[:-2] + ".c"))
                if source in self.files:
                    self.objects[source] = o

    @functools.cache
    def included(self, path):
        """Returns the files of this tree that PATH includes."""
        named = re.findall(r'^#\s*include "([^"]+)"', text(path), re.M)
        either = ((name, os.path.normpath(os.path.join(os.path.dirname(path), name))) for name in named)
        return [f for f in (next((f for f in pair if f in self.files), None) for pair in either) if f]

    def room(self, path):
        """Returns the room of a file: its folder; "" for a file at the top of the library or the command."""
        return FRONTS.get(stem(path)) or os.path.dirname(re.sub(f"^{self.folder}/", "", path)).split("/")[0]

    def knows(self, file, other):
        """Return whether FILE may know OTHER.  A room knows itself and those before it.  All know the headers at the
        top, and files at the top know everything."""
        room, to = self.room(file), self.room(other)
        return room == "" or (other.endswith(".h") if to == "" else self.order.get(to, 0) <= self.order.get(room, 0))

    def reached(self, path):
        """Returns the files that PATH includes, directly or not."""
        seen, todo = set(), [path]
        while todo:
            new = set(self.included(todo.pop())) - seen
            seen |= new
            todo += new
        return seen

    @functools.cached_property
    def symbols(self):
        """Returns the source that defines each symbol, and the symbols of others that each source uses."""
        defined, used = {}, {source: set() for source in self.objects}
        sources = {o: source for source, o in self.objects.items()}
        out = subprocess.run(["nm", "-A", *sources], capture_output=True, text=True, check=True).stdout if sources else ""
        for o, kind, name in re.findall(r"^([^:\n]+):.* ([TDBRVCU]) (\S+)$", out, re.M):
            if kind == "U":
                used[sources[o]].add(name)
            else:
                defined[name] = sources[o]
        return defined, used

    @functools.lru_cache(maxsize=None)
    def calls(self):
        defined, used = self.symbols
        return {s: {defined[x] for x in used[s] if x in defined} - {s} for s in used}


def trees():
    top = make_variables("Makefile.am")
    yield Tree("tool", "tool", top["DCFG_SOURCES_COMMON"], ["tool/**/*.[ch]", "format/*.[ch]", "*.[ch]"],
               [("**/*_linux-*.o", r"^\w+_linux-")])
    lib = [f.replace("%D%", "lib") for f in make_variables("lib/sources.am")["LIBDCFG_SOURCES"]]
    headers = [f"lib/{f}" for f in make_variables("lib/Makefile.am")["include_HEADERS"]]
    yield Tree("lib", "lib", headers + lib, ["lib/**/*.[ch]"], [("lib/**/*.o", r"^libdcfg_a-")])
    mine = make_variables("cmd/Makefile.am")["dcfg_SOURCES"]
    yield Tree("cmd", "cmd", [f"cmd/{f}" for f in mine], ["cmd/**/*.[ch]"], [("cmd/**/*.o", r"^dcfg-")])


def check_list(tree):
    for f in sorted(set(tree.listed) ^ set(tree.files)):
        yield f"{f}: {'listed, but not on disk' if f in tree.listed else 'in no list of sources'}"
    for f in tree.files:
        if tree.objects and f.endswith(".c") and f not in tree.objects:
            yield f"{f}: has no object file"


def check_includes(tree):
    edges = {}
    for f in tree.files:
        edges.setdefault(stem(f), set()).update(stem(i) for i in tree.included(f) if stem(i) != stem(f))
    for part in circles(edges):
        yield "include each other: " + ", ".join(part)


def check_calls(tree):
    """Check calls and includes together, because a header may belong to no source, or to one of another name.  Headers
    at the top belong to all."""
    edges = {}
    for f in tree.files:
        known = set(tree.included(f)) | tree.calls().get(f, set())
        edges.setdefault(stem(f), set()).update(stem(i) for i in known if stem(i) != stem(f) and tree.room(i) != "")
    for part in circles(edges):
        yield "call or include each other: " + ", ".join(part)


def check_heads(tree):
    """Checks that files named by comments exist."""
    for f in tree.files:
        for comment in re.findall(r"/\*.*?\*/|//.*", text(f), re.S):
            for name in FILE_NAME.findall(comment):
                if "/" in name and name not in tree.files and tree.room(name) in tree.order:
                    yield f"{f}: names {name}, which is not there"


def check_private(tree):
    for f in tree.files:
        for i in tree.included(f):
            if re.search(r"/\* Private to", text(i)) and tree.room(i) != tree.room(f):
                yield f"{f}: includes {i}, which is private to {tree.room(i)}/"


def check_rooms(tree):
    for f in tree.files:
        for i in tree.included(f):
            if not tree.knows(f, i):
                yield f"{f}: includes {i}, of a room behind its own"


def check_room_calls(tree):
    for source, callees in sorted(tree.calls().items()):
        for c in sorted(callees):
            if tree.room(c) != "" and not tree.knows(source, c):
                yield f"{source}: calls {c}, of a room behind its own"


def check_sizes(tree):
    """Checks that a room is small enough to grasp.  A processor's folder in a room is a room in this sense."""
    folders = {}
    for f in tree.files:
        folders.setdefault(os.path.dirname(f), []).append(f)
    for folder, files in folders.items():
        sources = [f for f in files if f.endswith(".c")]
        if len(sources) > MOST_SOURCES and tree.room(files[0]) not in WAITING[tree.name]:
            yield f"{folder}: {len(sources)} sources, {MOST_SOURCES} are allowed"


def check_lengths(tree):
    for f in tree.files:
        n = text(f).count("\n")
        if n > MOST_LINES:
            yield f"{f}: {n} lines, {MOST_LINES} are allowed"


def check_functions(tree):
    """Checks that functions are short.  Tables within a function, such as a command's options, do not count."""
    for f in tree.files:
        code = re.sub(r"^ +[^\n;{}]*\[\] = \{\n.*?^ +\};\n", "", text(f), flags=re.M | re.S)
        for name, body in re.findall(r"^(?:[\w*() ]*?)(\w+)\)?\([^;{}]*\)\n\{\n(.*?)^\}", code, re.M | re.S):
            n = body.count("\n")
            if n > MOST_FUNCTION:
                yield f"{f}: {name}() has {n} lines, {MOST_FUNCTION} are allowed"


def check_headers(tree):
    """Checks that a header has two takers besides its own source; what one file takes stands in that file.  Unit tests are
    takers, too.
    """
    takers = {}
    tests = [os.path.relpath(f, SRC) for f in glob.glob(os.path.join(SRC, "tests/unit/*.[ch]"))] if tree.name == "tool" else []
    for f in tree.files + tests:
        for i in tree.included(f):
            if stem(i) != stem(f):
                takers.setdefault(i, set()).add(f)
    for f in tree.files:
        if f.endswith(".h") and not FOR_OTHERS.fullmatch(f) and tree.room(f) not in WAITING[tree.name]:
            n = len(takers.get(f, ()))
            if n < 2:
                yield f"{f}: is taken by {', '.join(takers.get(f, ())) or 'nobody'} alone"


def check_commands(tree):
    """Checks that a command's room, one with a cmd_*.c, is used by itself alone, and of the library only public headers are.
    """
    own = {tree.room(f) for f in tree.files if os.path.basename(f).startswith("cmd_")}
    calls = tree.calls()
    for f in tree.files:
        for i in set(tree.included(f)) | calls.get(f, set()):
            if tree.room(i) in own and tree.room(f) not in (tree.room(i), ""):
                yield f"{f}: knows {i}, of another command"
        for i in re.findall(r'^#\s*include "(lib/\w+/[^"]+)"', text(f), re.M):
            yield f"{f}: includes {i}, which is no public header of the library's"


def check_pure(tree):
    pure = make_variables("Makefile.am")["DCFG_SOURCES_PURE"]
    for f in tree.files:
        if tree.room(f) in PURE_ROOMS and f not in pure and not GUEST.match(f):
            yield f"{f}: is not in DCFG_SOURCES_PURE"
    for f in set(pure) & set(tree.files):
        if f != "format/port.h" and "pub_tool_" in text(f):
            yield f"{f}: knows of Valgrind"
        for i in tree.included(f):
            if i not in pure:
                yield f"{f}: includes {i}, which is not pure"


def check_shared(all_trees):
    """Checks that the library uses of the tool only formats of files; the command also its pure rooms."""
    tool, lib, cmd = all_trees
    pure = set(make_variables("Makefile.am")["DCFG_SOURCES_PURE"])
    for tree, shared in (lib, {f for f in pure if tool.room(f) == "format"}), (cmd, pure):
        for f in tree.files:
            for i in re.findall(r'^#\s*include "([^"]+)"', text(f), re.M):
                if i in tool.files and i not in shared:
                    yield f"{f}: includes {i}, of the tool"


def check_processors(tree):
    """Checks that processors are named only in files for them.  EM_NONE is none, and comments may name any."""
    names, places = PROCESSORS[tree.name]
    for f in tree.files:
        if not re.fullmatch(places, f):
            for name in re.findall(names, re.sub(r"/\*.*?\*/|//[^\n]*", "", text(f), flags=re.S)):
                if name != "EM_NONE":
                    yield f"{f}: {name} is a matter of {places}"


def defined_names(code):
    """Returns the macros, members of enumerations and functions that a header defines, in one spelling."""
    names = re.findall(r"^#define (\w+)[ (]", code, re.M) + re.findall(r"^static inline .*?(\w+)\(", code, re.M)
    for body in re.findall(r"\benum\s*\w*\s*\{(.*?)\}", re.sub(r"/\*.*?\*/|//[^\n]*", "", code, flags=re.S), re.S):
        names += re.findall(r"(?:^|,)\s*(\w+)", body)
    return {n.replace("_", "").lower() for n in names}


def check_format(all_trees):
    """Checks that numbers of file formats are defined in format/ alone, for writers and readers."""
    tool = all_trees[0]
    numbers = {n: f for f in tool.files if tool.room(f) == "format" and f not in HELPERS for n in defined_names(text(f))}
    for tree in all_trees:
        for f in tree.files:
            if tree is not tool or tree.room(f) != "format":
                for name in sorted(defined_names(text(f)) & set(numbers)):
                    yield f"{f}: defines {name}, as {numbers[name]} does"


def check_symbols(all_trees):
    """Checks that no symbol is both in library and command: with sanitizers, their objects are linked together."""
    lib, cmd = (t.symbols[0] for t in all_trees[1:])
    for s in set(lib) & set(cmd):
        yield f"{lib[s]}, {cmd[s]}: both define {s}"


def check_names(all_trees):
    where = {}
    for f in sorted({stem(f) for t in all_trees for f in t.files}):
        where.setdefault(os.path.basename(f), []).append(f)
    for name, files in where.items():
        if len(files) > 1:
            yield "the same name: " + ", ".join(files)


def check_types(tree):
    """Checks that the name of a type in a header is not another type's in any other file of the program."""
    where = {}
    for f in tree.files:
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", text(f), flags=re.S)
        for name in re.findall(r"^typedef\b[^;{]*\{[^;]*?(?:;[^}]*)*\}\s*(\w+);|^   \}\s*(\w+);", code, re.M):
            where.setdefault(name[0] or name[1], set()).add(f)
    for name, files in where.items():
        if len(files) > 1 and any(f.endswith(".h") for f in files):
            yield f"{name}: a type in each of " + ", ".join(sorted(files))


def main():
    all_trees = list(trees())
    tool = all_trees[0]
    # Each check's name, its complaints, and the tree whose objects it needs.
    checks = [(f"{t.name}: {what}", check(t), t if check in (check_calls, check_room_calls) else None) for t in all_trees
              for what, check in (("the list of sources is what there is", check_list),
                                  ("nothing includes in a circle", check_includes),
                                  ("nothing calls in a circle", check_calls),
                                  ("heads name files that are there", check_heads),
                                  ("private headers stay in their rooms", check_private),
                                  ("rooms include those before them", check_rooms),
                                  ("rooms call those before them", check_room_calls),
                                  ("no room has too many sources", check_sizes),
                                  ("no file is too long", check_lengths),
                                  ("no function is too long", check_functions),
                                  ("a header has two takers", check_headers),
                                  ("a name is one type's", check_types),
                                  ("processors have files of their own", check_processors))]
    checks += [("cmd: a command knows no other", check_commands(all_trees[2]), None),
               ("tool: pure rooms know nothing of Valgrind", check_pure(tool), None),
               ("lib and cmd know of the tool what is shared", check_shared(all_trees), None),
               ("numbers of files are defined in format/ alone", check_format(all_trees), None),
               ("lib and cmd define no symbol twice", check_symbols(all_trees), all_trees[1]),
               ("no two files have one name", check_names(all_trees), None)]
    print(f"1..{len(checks)}")
    for n, (name, complaints, tree) in enumerate(checks, 1):
        if tree and not tree.objects:
            print(f"ok {n} - structure: {name} # SKIP there are no object files")
            continue
        complaints = sorted(set(complaints))
        for c in complaints:
            print(f"# {c}", flush=True)
        print(f"{'not ok' if complaints else 'ok'} {n} - structure: {name}")


main()
