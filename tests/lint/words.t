#!/usr/bin/env python3
"""Counts sentences in comments and pages that a stranger would stumble over.  The numbers may only go down.

Reads the sources, the pages, NEWS, the man pages and the manual's chapter below SRCDIR.  Counts four kinds of places:

  long      a sentence of more than 35 words, in a comment or a page
  riddle    a comment whose first word is one of RIDDLES: it names no thing
  term      a term in *emphasis* that no glossary has; the glossaries are docs/glossary.md and docs/dev/words.md
  average   a page of docs/ whose sentences have more than 20 words on average

words.limits, beside this file, has how many places of a kind a room may have; a room that is not in it may have none.
words.exceptions has places that stay, with the reason.  `words.t --list [ROOM]` prints all places; `words.t --lower` lowers
the limits to the present numbers, and never raises one.  Prints TAP.
"""
import collections
import io
import os
import re
import sys
import tokenize

HERE = os.path.dirname(os.path.abspath(__file__))
SRC = os.environ.get("SRCDIR") or os.path.dirname(os.path.dirname(HERE))
LIMITS, EXCEPTIONS = os.path.join(HERE, "words.limits"), os.path.join(HERE, "words.exceptions")

MOST_WORDS, MOST_AVERAGE = 35, 20
RIDDLES = {"what", "of", "such", "it", "that", "where", "which"}
MDOC = "Ar Cm Dq Dv Ev Fl Fn Li Nm No Ns Op Pa Pq Ql Sq Va Xr".split()
KINDS = ("long", "riddle", "term", "average")
SKIPPED_FOLDERS = {".git", "build", "corpus", "autom4te.cache"}
SKIPPED_FILES = {"tests/lint/words.t"}       # quotes what it looks for

# A place: a comment or a paragraph, the line that it begins at, and its text.
Text = collections.namedtuple("Text", "line text")


def files():
    """Yields the paths of all sources and pages, relative to SRCDIR."""
    for folder, folders, names in os.walk(SRC):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), SRC)
            if path not in SKIPPED_FILES and kind_of(path):
                yield path


def kind_of(path):
    """Returns the language of a file by its name and first line: c, python, hash (comments with #), page, manual, man, or
    None.
    """
    end = os.path.splitext(path)[1]
    if end in (".1", ".3"):
        return "man"
    if path == "NEWS":
        return "page"
    if end in (".c", ".h", ".S"):
        return "c"
    if end == ".md":
        return "page"
    if end == ".xml":
        return "manual"
    if end == ".py":
        return "python"
    if end in (".sh", ".am", ".ac", ".jq", ".pl"):
        return "hash"
    if end in (".t", ""):
        with open(os.path.join(SRC, path), "rb") as f:
            first = f.readline(80)
        if first.startswith(b"#!"):
            return "python" if b"python" in first else "hash"
    return None


def c_comments(text):
    """Returns the comments of C.  A comment goes on in the next line, if that has nothing but another one of its kind."""
    last = None                              # the line, and the kind, after which the last comment can go on
    found = []
    for m in re.finditer(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', text, re.S):
        if m.group()[0] != "/":
            continue
        kind, line = m.group()[:2], text.count("\n", 0, m.start()) + 1
        body = m.group()[2:-2] if kind == "/*" else m.group()[2:]
        alone = not text[text.rfind("\n", 0, m.start()) + 1:m.start()].strip()
        if alone and last == (line - 1, kind):
            found[-1] = Text(found[-1].line, found[-1].text + "\n" + body)
        else:
            found.append(Text(line, body))
        last = (line + body.count("\n"), kind) if alone or kind == "//" else None
    return found


def hash_comments(text):
    """Returns the comments of shell, make and the like.  Consecutive lines with # alone are one comment."""
    found, last = [], -1
    for n, line in enumerate(text.split("\n"), 1):
        m = re.match(r"\s*#(?!!)\s?(.*)|.*?\S\s+#\s(.*)", line)
        if not m:
            continue
        if m.group(2) is not None:
            if line.count("'", 0, m.start(2)) % 2 == 0 and line.count('"', 0, m.start(2)) % 2 == 0:
                found.append(Text(n, m.group(2)))
        elif last == n - 1:
            found[-1] = Text(found[-1].line, found[-1].text + "\n" + m.group(1))
            last = n
        else:
            found.append(Text(n, m.group(1)))
            last = n
    return found


def python_comments(text):
    """Returns the comments and docstrings of Python."""
    found, last, before = [], -1, None
    try:
        for t in tokenize.generate_tokens(io.StringIO(text).readline):
            if t.type == tokenize.COMMENT and not t.string.startswith("#!"):
                alone = not t.line[:t.start[1]].strip()
                if alone and last == t.start[0] - 1:
                    found[-1] = Text(found[-1].line, found[-1].text + "\n" + t.string[1:])
                else:
                    found.append(Text(t.start[0], t.string[1:]))
                last = t.start[0] if alone else -1
            elif t.type == tokenize.STRING and before in (None, tokenize.INDENT, tokenize.NEWLINE) \
                    and re.match(r'[rR]?"""', t.string):
                found.append(Text(t.start[0], t.string.strip('rR"')))
            if t.type not in (tokenize.COMMENT, tokenize.NL, tokenize.DEDENT, tokenize.ENCODING):
                before = t.type
    except (tokenize.TokenError, IndentationError):
        pass
    return found


def manual_paragraphs(text):
    """Returns the paragraphs of a chapter in DocBook; a tag of code is one word."""
    code = r"<(computeroutput|option|varname|function)>.*?</\1>"
    return [Text(text.count("\n", 0, m.start()) + 1, re.sub(r"<[^>]+>", "", re.sub(code, "Code", m.group(1), flags=re.S)))
            for m in re.finditer(r"<para>(.*?)</para>", text, re.S)]


def man_paragraphs(text):
    """The paragraphs of a page in mdoc; its macros divide them.  Literal text and tables of columns are none."""
    found, now, start, hidden = [], [], 1, False
    for n, line in enumerate(text.split("\n") + [".Pp"], 1):
        macro = re.match(r"\.(Sh|Ss|Pp|It|Bl|El|Bd|Ed|Dl|D1|Dd|Dt|Os|Nd|Nm$|Fn)\b", line)
        hidden = hidden and not re.match(r"\.E[dl]", line) or bool(re.match(r"\.Bd.* -literal|\.Bl.* -column", line))
        if macro or hidden:
            found += [Text(start, " ".join(now))] if now else []
            now = []
        elif not line.startswith('.\\"'):
            start = start if now else n
            words = line.split()
            if line.startswith("."):          # names of code are one word each, as in sentences()
                words = ["Code"] + [w for w in words[2:] if w not in MDOC]
            now.append(" ".join(re.sub(r"\\[&(]\w?\w?|\\f.|\\(?=-)", "", w) for w in words))
    return [Text(n, re.sub(r" ([.,;:)]+)(?= |$)", r"\1", p)) for n, p in found]


def paragraphs(text, page):
    """Returns the paragraphs of a comment or page.  Items of lists and cells of tables are paragraphs; code, headings and
    layouts are none.
    """
    found, now, start, code = [], [], 1, False

    def flush():
        if now:
            found.append(Text(start, " ".join(now)))
            now.clear()

    for n, line in enumerate(text.split("\n")):
        if page and line.lstrip().startswith("```"):
            code = not code
            flush()
            continue
        bare = line.strip()
        if code or not bare or (page and re.match(r"#+ |\[[^]]*\]: |    \S|<", line)) \
                or re.match(r"SPDX-|Copyright |-\*-|(\* )?[-=+|.~]{3,}", bare):
            flush()
        elif page and bare.startswith("|"):
            flush()
            found.extend(Text(n, cell.strip()) for cell in re.split(r"(?<!\\)\|", bare)
                         if re.search(r"\w", cell))
        elif not page and re.search(r"\S {3,}\S", bare):     # a column of words and their meanings
            flush()
            found.append(Text(n, re.split(r" {3,}", bare, maxsplit=1)[1]))
        else:
            if re.match(r"([-*+]|\d+\.) ", bare):
                flush()
            if not now:
                start = n
            now.append(bare)
    flush()
    return found


def sentences(text):
    """Yields the sentences of a paragraph; code is one word."""
    text = re.sub(r"`[^`]*`", "Code", text)
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b(e\.g|i\.e|cf|vs)\.|((?:^|[(,;] ?|and )[A-Z])\.(?= )", lambda m: m.group(1) or m.group(2), text)
    for s in re.split(r"(?<=[.!?])[)\"*_]*\s+(?=[\"'(*_`]?[A-Z0-9.-])|(?<=[.!?])\s{2,}", text):
        n = sum(1 for w in s.split() if re.search(r"\w", w))
        if n:
            yield n, s


def table(path, end=None):
    """Returns the first cell and the rest of each row of a page's tables, up to the heading END."""
    with open(os.path.join(SRC, path), encoding="utf-8") as f:
        text = f.read()
    if end:
        text = text[:text.index("\n## " + end)]
    return [(word, rest) for word, rest in re.findall(r"^\| ([^|]*) \|(.*)", text, re.M) if word != "word"]


def glossary():
    """Returns the terms of both glossaries, in small letters, and the errors of the glossaries."""
    words, wrong = collections.Counter(), []
    for cell, _ in table("docs/glossary.md"):
        words.update([cell.replace("**", "").lower()] if "**, of" in cell else [w.lower() for w in re.findall(r"\*\*(.*?)\*\*", cell)])
    for cell, rest in table("docs/dev/words.md", "Words with a longer name"):
        words.update(re.sub(r"^to ", "", word.strip().lower()) for word in cell.split(","))
        wrong += ["%s: no file %s" % (cell, path) for path in re.findall(r"`([\w/]+\.[ch])`", rest) if not os.path.exists(os.path.join(SRC, path))]
    wrong += ["%s has two rows" % word for word, n in words.items() if n > 1]
    return {re.sub(r", of .*", "", word) for word in words}, wrong


def known(term, terms):
    term = term.lower().strip(".,:")
    return any(t in terms for t in (term, re.sub(r"s$", "", term), re.sub(r"ies$", "y", term), re.sub(r"e?d$|ing$", "", term)))


def places(path, terms):
    """Yields the places of one file: (kind, line, text)."""
    with open(os.path.join(SRC, path), encoding="utf-8") as f:
        text = f.read()
    kind = kind_of(path)
    page = kind in ("page", "manual", "man")
    comments = [Text(1, text)] if kind == "page" else {"c": c_comments, "python": python_comments, "hash": hash_comments,
                                                        "manual": manual_paragraphs, "man": man_paragraphs}[kind](text)
    lengths = []
    for c in comments:
        body = re.sub(r"^\s*(SPDX-.*|Copyright .*)$", "", c.text, flags=re.M)
        first = re.match(r"[\s*!<]*([A-Za-z]+)", body)
        if not page and first and first.group(1).lower() in RIDDLES:
            yield "riddle", c.line, " ".join(body.split())[:90]
        for p in paragraphs(c.text, page):
            for n, s in sentences(p.text):
                lengths.append(n)
                if n > MOST_WORDS:
                    yield "long", c.line + p.line, "%d words: %s" % (n, " ".join(s.split())[:90])
            prose = re.sub(r"`[^`]*`", "Code", p.text)
            for term in re.findall(r"(?<![\w*/.\"(])\*([A-Za-z][a-z]+(?:[ -][a-z]+)?)\*(?![\w*/])", prose):
                if not known(term, terms):
                    yield "term", c.line + p.line, term
    if page and path.startswith("docs/") and lengths and sum(lengths) > MOST_AVERAGE * len(lengths):
        yield "average", 1, "%.1f words in a sentence" % (sum(lengths) / len(lengths))
    LENGTHS[path] = lengths


LENGTHS = {}


def room_of(path):
    """Returns the room of a file, as in HACKING.md; files at the top are one room."""
    folder = os.path.dirname(path)
    if folder.startswith(("lib/", "cmd/", "docs/")) or folder.startswith("tests/"):
        return "/".join(folder.split("/")[:2])
    return folder.split("/")[0] or "top"


def rows(path):
    """Returns the rows of a table of words, without comments."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]


def main():
    terms, wrong = glossary()
    exceptions = [row.split(": ", 2) for row in rows(EXCEPTIONS)]
    used = set()
    found = collections.defaultdict(list)
    for path in files():
        for kind, line, text in places(path, terms):
            for i, row in enumerate(exceptions):
                if row[0] == path and row[1] in text:
                    used.add(i)
                    break
            else:
                found[room_of(path), kind].append("%s:%d: %s" % (path, line, text))
    limits = {(room, kind): int(n) for room, kind, n in (row.split() for row in rows(LIMITS))}

    if "--list" in sys.argv:
        rooms = sys.argv[sys.argv.index("--list") + 1:]
        for (room, kind), texts in sorted(found.items()):
            if not rooms or room in rooms:
                print("\n".join("%s: %s" % (kind, t) for t in texts))
    if "--list" in sys.argv or "--numbers" in sys.argv:
        for kind in KINDS:
            print("# %s: %d" % (kind, sum(len(t) for (_, k), t in found.items() if k == kind)))
        return 0
    if "--lower" in sys.argv:
        with open(LIMITS, encoding="utf-8") as f:
            head = [line for line in f if line.startswith("#")]
        with open(LIMITS, "w", encoding="utf-8") as f:
            f.writelines(head)
            for (room, kind), n in sorted(limits.items()):
                n = min(n, len(found[room, kind]))
                if n:
                    f.write("%s %s %d\n" % (room, kind, n))
        return 0

    failed = 0
    print("1..%d" % (len(KINDS) + 3))
    for i, kind in enumerate(KINDS, 1):
        over = [(room, texts) for (room, k), texts in sorted(found.items()) if k == kind and len(texts) > limits.get((room, kind), 0)]
        print("%s %d - %s: %d places, and none above its room's limit" %
              ("not ok" if over else "ok", i, kind, sum(len(t) for (_, k), t in found.items() if k == kind)))
        for room, texts in over:
            print("# %s has %d, and may have %d:" % (room, len(texts), limits.get((room, kind), 0)))
            print("\n".join("#   " + t for t in texts))
        failed += bool(over)

    lengths = [n for path, ns in LENGTHS.items() if path.startswith("docs/") for n in ns]
    average = sum(lengths) / max(1, len(lengths))
    print("%s %d - sentences of docs/ have %.1f words on average, and may have %d" %
          ("not ok" if average > MOST_AVERAGE else "ok", len(KINDS) + 1, average, MOST_AVERAGE))
    failed += average > MOST_AVERAGE

    idle = [row for i, row in enumerate(exceptions) if i not in used]
    print("%s %d - each exception has a reason and a place" %
          ("not ok" if idle or any(len(row) < 3 for row in exceptions) else "ok", len(KINDS) + 2))
    for row in idle:
        print("# no such place any more: %s" % ": ".join(row))
    failed += bool(idle)

    print("%s %d - each word stands once in the glossaries, and its file exists" % ("not ok" if wrong else "ok", len(KINDS) + 3))
    for line in wrong:
        print("# " + line)
    failed += bool(wrong)

    low = [k for k, n in limits.items() if len(found[k]) < n]
    if low:
        print("# lower, by words.t --lower: " + ", ".join("%s %s" % k for k in sorted(low)))
    return failed > 0


sys.exit(main())
