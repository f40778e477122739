"""libc's objects with their debug information and without: the names of their functions, and running programs with them.

Symbols that are not exported are only in the debug information, which a machine may have (libc6-dbg) or not.  A profile and
a graph must be right in both cases.  So programs run as they are, which needs libc6-dbg, and again with copies of the
objects without any debug information.
"""
import functools
import glob
import os
import re
import struct
import subprocess

from elftools.elf.elffile import ELFFile

import harness
import callgrind_compare
import dcfg_model

OBJECTS = ("ld-linux*.so.*", "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1")


class Libc:
    """.suffix: of names of tests; .pop_on_jump: options that tell Callgrind the resolver; .rules: graphs of all programs are held
    against the rules, not only those of some."""
    rules = True

    def __init__(self, suffix, symbols, linker=None, pop_on_jump=()):
        self.suffix, self.symbols, self.linker, self.pop_on_jump = suffix, symbols, linker, list(pop_on_jump)

    def command(self, argv):
        if not self.linker:
            return argv
        return [self.linker, "--library-path", os.path.dirname(self.linker)] + argv

    def names_of(self, *names):
        """Returns the names that profiles have for libc's functions of these names."""
        at = {name: "0x%016x" % offset for path in objects() if os.path.exists(debug_file(path))
              for offset, of in functions(debug_file(path), ".symtab").items() for name in of}
        return set(names) | {at[name] for name in names if name in at}

    def wrong_names(self, graph):
        """Returns symbols in a DCFG that the objects do not have, as text."""
        wrong, found = "", 0
        for image in dcfg_model.load(graph, lambda *what: None)[0].images:
            known = self.symbols.get(image.name)
            if known is None:
                continue
            found += 1
            for name, offset, _ in image.symbols:
                if name.partition("@")[0] not in known.get(offset, ()):
                    wrong += "%s: no symbol %s at 0x%x\n" % (image.name, name, offset)
        return wrong or ("" if found else "none of libc's objects in the graph\n")


def functions(path, section):
    """Returns {offset: names} of a symbol table."""
    table = {}
    with open(path, "rb") as f:
        elf = ELFFile(f)
        symbols = elf.get_section_by_name(section)
        # pyelftools takes a second for libc's symbols.
        names = elf.get_section(symbols["sh_link"]).data() if symbols else b""
        for name, value in struct.iter_unpack("<I4xQ8x" if elf.elfclass == 64 else "<II8x", symbols.data() if symbols else b""):
            if value:
                table.setdefault(value, set()).add(names[name:names.index(b"\0", name)].decode().partition("@")[0])
    return table


def are_named():
    """Returns whether debug information tells the names of functions that are not exported."""
    return all(os.path.exists(debug_file(path)) for path in objects())


def env():
    """Returns the environment of runs that are compared with Callgrind's.  It knows the dynamic linker's resolver by its
    name; where nothing tells that, functions are bound at the start.
    """
    return harness.ENV if are_named() else dict(harness.ENV, LD_BIND_NOW="1")


def merged(*tables):
    out = {}
    for table in tables:
        for offset, names in table.items():
            out.setdefault(offset, set()).update(names)
    return out


def build_id(path):
    with open(path, "rb") as f:
        section = ELFFile(f).get_section_by_name(".note.gnu.build-id")
        return next(section.iter_notes())["n_desc"] if section else ""


def debug_file(path):
    number = build_id(path)
    return "/usr/lib/debug/.build-id/%s/%s.debug" % (number[:2], number[2:])


@functools.lru_cache(maxsize=None)
def objects():
    """Returns the files of libc that this machine's programs use."""
    loaded = subprocess.run(["ldd", "/bin/sh"], stdout=subprocess.PIPE).stdout.decode()
    directory = os.path.dirname(os.path.realpath(re.search(r"(/\S*/libc\.so\.6)", loaded).group(1)))
    return [path for name in OBJECTS for path in glob.glob(os.path.join(directory, name))]


def installed(tap):
    """Returns the objects as they are, with debug information; None, and a skipped test, without."""
    missing = [path for path in objects() if not os.path.exists(debug_file(path))]
    if missing:
        tap.skip("libc with debug information", "none for " + " ".join(missing))
        return None
    return Libc("", {path: merged(functions(path, ".dynsym"), functions(debug_file(path), ".symtab"))
                     for path in objects()})


def strip(path, copy):
    """Makes a copy without references to debug information.  Nothing is moved, so the same code runs."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    with open(path, "rb") as f:
        for name in (".note.gnu.build-id", ".gnu_debuglink", ".symtab"):
            section = ELFFile(f).get_section_by_name(name)
            if section and name == ".symtab":
                raise ValueError(path + " has a symbol table of its own")
            if section:
                # The id, behind the note's head; the file's name and its checksum.
                start = section["sh_offset"] + (16 if "note" in name else 0)
                end = section["sh_offset"] + section["sh_size"]
                data[start:end] = bytes(255 - byte if byte not in (0, 255) else byte for byte in data[start:end])
    with open(copy, "wb") as f:
        f.write(data)
    os.chmod(copy, 0o755)


def stripped(tap):
    """Makes copies of the objects for which no debug information is found."""
    directory = tap.path("libc")
    os.mkdir(directory)
    copies = []
    for path in objects():
        copies.append(os.path.join(directory, os.path.basename(path)))
        strip(path, copies[-1])
    libc = Libc(", libc stripped", {path: functions(path, ".dynsym") for path in copies}, copies[0])
    lazy = lazy_program(tap)
    libc.pop_on_jump = lazy and pop_on_jump(tap, libc.command([lazy]), libc.linker, libc.suffix)
    return libc if libc.pop_on_jump else None


def lazy_program(tap):
    """Builds a program that calls the resolver.  Programs of Debian 13 are bound at the start, and never call it."""
    source = tap.path("lazy.c")
    with open(source, "w") as f:
        f.write("#include <unistd.h>\nint main(void) { return getpid() < 0; }\n")
    return harness.cc(tap, source, "lazy", "-Wl,-z,lazy")


def pop_on_jump(tap, argv, linker, suffix):
    """Returns an option for Callgrind with the resolver's addresses.  Callgrind knows the resolver by its symbol, or by the
    code of some versions of libc.  Otherwise it must be told the function that a linkage table's first entry jumps to.  It
    needs all addresses in it, because each superblock without a symbol is a function of its own for Callgrind.
    """
    out = tap.path("resolver.callgrind.out")
    harness.run([harness.VALGRIND, "-q", "--tool=callgrind", "--skip-plt=no", "--callgrind-out-file=" + out]
                + argv, tap.dir)
    resolvers = {re.sub(r"'\d+$", "", to[2]) for from_, to, *_ in callgrind_compare.Profile(out).sites
                 if from_[2].endswith("[PLT]") and to[0] == linker and to[2].startswith("0x")}
    if not tap.ok(len(resolvers) == 1, "the resolver" + suffix, resolvers):
        return None
    name = resolvers.pop()
    start, width = int(name, 16), len(name) - 2
    return ["--pop-on-jump=0x%0*x" % (width, a) for a in range(start, start + 256)]
