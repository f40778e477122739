#!/usr/bin/env python3
"""Checks that no struct is written by more than four files: other files change it by calling functions.

Reads the sources below SRCDIR, without a compiler.  A write is an assignment to a member, or ++ or --, through a pointer or
a global variable.  The type follows from declarations of parameters, local and global variables, members and functions, and
from casts.  A file's own variable, if it is no pointer, does not count.  A source and the header of its name are one file.
Not seen: memcpy() and the like, and writes through a pointer to one member.  Prints TAP.
"""
import collections
import glob
import os
import re

SRC = os.environ["SRCDIR"]
MOST = 4
# Structs that more files write: how many, and why.
MORE = {
    # The file's tables.  Most members have one writer; wet_chunks.c keeps what an index would have.
    "DcfgWet": 6,
    # An event has parts from its record, its value, its uses and their writers, each set by another file.
    "DcfgWetEvent": 5,
    # Bytes, and which of them are known: a value as a number is one, which functions return through pointers.
    "StateValue": 7,
    # Private to run/, where most members are one file's.
    "Thread": 6,
}
TREES = {"lib": ["lib/**/*.[ch]"], "cmd": ["cmd/**/*.[ch]", "lib/*.h"], "tool": ["*.[ch]", "*/**/*.[ch]"]}
OTHERS = ("lib", "cmd", "tests", "docs", "bench", "build", "build-aux")

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|->|\+\+|--|<<=|>>=|[-+*/%&|^]=|==|!=|<=|>=|<<|>>|&&|\|\||\S")
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}
NAME = re.compile(r"[A-Za-z_]\w*$")
FUNCTION = re.compile(r"^[^\s#}{][^;{}]*?\(([^;{}]*)\)\s*\{", re.M)


def code_of(path):
    """Returns the code of a file, without comments, texts and directives; names of the core and ours without their macros.
    """
    with open(os.path.join(SRC, path), encoding="utf-8") as f:
        code = re.sub(r"/\*.*?\*/|//[^\n]*", " ", f.read(), flags=re.S)
    code = re.sub(r'"(\\.|[^"\\\n])*"', '""', code)
    code = re.sub(r"'(\\.|[^'\\\n])+'", "0", code)
    code = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", code, flags=re.M)
    return re.sub(r"\b(?:VG|DCFG|ML)_\((\w+)\)", r"\1", code)


def closing(tokens, i, pairs={"(": ")", "[": "]", "{": "}"}):
    """Returns the index of the bracket that closes the one at I."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j] == tokens[i]) - (tokens[j] == pairs[tokens[i]])
        if depth == 0:
            return j
    return len(tokens) - 1


class Program:
    def __init__(self, files):
        self.code = {f: code_of(f) for f in files}
        self.types = {}                     # by type: the type of each member, "" if it is no struct
        self.functions, self.globals = {}, {}
        for f in files:
            self.add_types(self.code[f])
        for code in self.code.values():
            for t, name in re.findall(r"\b(\w+)\s*\*+\s*(\w+)\s*\(", code):
                if t in self.types:
                    self.functions[name] = t
            for t, name in re.findall(r"^(?:extern |static )?(?:const )?(\w+)[\s*]+(\w+)\s*(?:;|=|\[)", code, re.M):
                if t in self.types:
                    self.globals[name] = t

    def add_types(self, code):
        for m in re.finditer(r"\b(typedef\s+)?(?:struct|union)\s*(\w*)\s*\{", code):
            end = closing(code, m.end() - 1)
            named = re.match(r"\s*(\w+)\s*;", code[end + 1:]) if m[1] else None
            if m[1] or code[:m.start()].count("{") == code[:m.start()].count("}"):
                for name in {m[2], named[1] if named else ""} - {""}:
                    self.types.setdefault(name, {}).update(self.members(code[m.end():end]))

    def members(self, body):
        found = {}
        while m := re.search(r"(?:struct|union)\s*\w*\s*\{([^{}]*)\}\s*(\w*)[^;]*;", body):
            inner = m[1]                    # a struct without a name: its members are the outer one's
            if m[2]:
                inner = f"@{len(self.types)} {m[2]};"
                self.types[inner.split()[0]] = self.members(m[1])
            body = body[:m.start()] + inner + body[m.end():]
        body = re.sub(r"enum\s*\w*\s*\{[^{}]*\}", "int", body)
        for declaration in body.split(";"):
            declaration = re.sub(r"\[[^\]]*\]|:\s*\w+", "", declaration)
            m = re.match(r"\s*((?:const|struct|union|enum|unsigned|volatile)\s+)*(@?\w+)([\s*(].*)$", declaration, re.S)
            if m and "(" in m[3]:
                found.update({name: "" for name in re.findall(r"\(\s*\*+\s*(?:const )?(\w+)", m[3])})
            elif m:
                found.update({name: m[2] for name in re.findall(r"(\w+)\s*(?:,|$)", m[3])})
        return found

    def writes(self, file):
        """Yields the types of which a file writes members."""
        code = self.code[file]
        for m in FUNCTION.finditer(code):
            body = code[m.end():closing(code, m.end() - 1)]
            variables = {}                  # by name: its type, and whether it is a pointer
            for part in (m[0], body):
                for t, stars, rest in re.findall(r"\b([A-Z]\w*)\b(\s*\**)\s*(?:const\s+)?((?:\w+\s*[,;=)\[][*\s]*)+)", part):
                    if t in self.types:
                        for name in re.findall(r"[A-Za-z_]\w*", rest):
                            variables[name] = (t, "*" in stars)
            yield from self.written(TOKEN.findall(body), variables)

    def postfix(self, tokens, i, variables):
        """Return, for the expression at I: its type, whether it is the function's own, the struct of the last member,
        and the next place."""
        kind, own, struct = "", False, ""
        if tokens[i] == "(":
            end = closing(tokens, i)
            inner = next((k for k in range(i + 1, end) if tokens[k] not in ("(", "&", "*", "const", "struct")), end)
            if tokens[inner] in self.types:     # a cast
                kind = tokens[inner]
            elif NAME.match(tokens[inner]):
                kind = self.postfix(tokens, inner, variables)[0]
            i = end + 1
        elif tokens[i + 1:i + 2] == ["("]:
            end = closing(tokens, i + 1)
            types = [t for t in tokens[i + 2:end] if t in self.types]
            kind = types[0] if tokens[i] == "ELEM" and types else self.functions.get(tokens[i], "")
            i = end + 1
        else:
            kind, pointer = variables.get(tokens[i], (self.globals.get(tokens[i], ""), True))
            own = not pointer
            i += 1
        while i + 1 < len(tokens) and tokens[i] in ("[", ".", "->"):
            if tokens[i] == "[":
                i = closing(tokens, i) + 1
                continue
            own = own and tokens[i] == "."
            struct, kind = kind, self.types.get(kind, {}).get(tokens[i + 1], "")
            i += 2
        return kind, own, struct, i

    def written(self, tokens, variables):
        for i, t in enumerate(tokens):
            before = tokens[i - 1] if i > 0 else ";"
            if (NAME.match(t) and before not in (".", "->")) or (t == "(" and not NAME.match(before)):
                kind, own, struct, after = self.postfix(tokens, i, variables)
                follows = tokens[after] if after < len(tokens) else ";"
                if struct and not own and (follows in ASSIGNMENTS or before in ("++", "--")):
                    yield struct
                # All of it is written: *x = ...
                if kind and not struct and not own and before == "*" and i > 1 and tokens[i - 2] in "{};)" and follows == "=":
                    yield kind


def main():
    print(f"1..{len(TREES)}")
    for n, (tree, patterns) in enumerate(TREES.items(), 1):
        files = {os.path.relpath(f, SRC) for p in patterns for f in glob.glob(os.path.join(SRC, p), recursive=True)}
        if tree == "tool":
            files = {f for f in files if f.split("/")[0] not in OTHERS}
        program, writers = Program(sorted(files)), collections.defaultdict(set)
        for f in files:
            for t in program.writes(f):
                writers[t].add(os.path.splitext(f)[0])
        complaints = [f"{t}: {len(w)} files write it, {MORE.get(t, MOST)} may: " + ", ".join(sorted(w))
                      for t, w in sorted(writers.items()) if len(w) > MORE.get(t, MOST)]
        if len(writers) < 20:
            complaints.append(f"only {len(writers)} structs are seen to be written: the sources are written in another way now")
        for c in complaints:
            print(f"# {c}", flush=True)
        print(f"{'not ok' if complaints else 'ok'} {n} - writers: {tree}: a struct has few writers")


main()
