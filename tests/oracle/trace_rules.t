#!/usr/bin/python3
"""The readers of traces find what they claim to find.  (TAP)

The specification's own examples are decoded.  A right file is broken in one way at a time, and the one rule which
forbids that is expected, and no other; if one error necessarily breaks two rules, both are named.  At the end, every
rule name in the checker's source must have been seen.  Random traces, written by the small encoder below in all ways
that the format allows, are decoded to their edges, by the fast decoder and by the plain one.
"""
import copy
import json
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import tracelib
import trace_plain
import trace_rules
from trace_files import CHUNKS, EDGES, NODES, PROCESSES, THREAD_EDGES, WALK
from trace_files import dcfg_file, good_dcfg, read_ids, trace_file

ALPHABET = trace_plain.ALPHABET


# ---- a small encoder -----------------------------------------------------------------------------------------

def encode(ids, transitions, rng=None):
    """Return the bits for the edges after the first: always the longest row that fits.  The last code word may lead
    further than the last edge, if there is no shorter one."""
    table = {}
    for current, code, following in transitions:
        table.setdefault(current, []).append((following, code))
    bits, at = [], 0
    while at < len(ids) - 1:
        rest = ids[at + 1:at + 40]
        last = rest == ids[at + 1:]
        fit = [(len(f), c) for f, c in table[ids[at]] if f == rest[:len(f)] or last and f[:len(rest)] == rest]
        n, code = rng.choice(fit) if rng else max(fit)
        bits.append(code)
        at += n
    return "".join(bits)


def to_text(bits, rng=None):
    fill = -len(bits) % 6
    bits += "".join(rng.choice("01") for _ in range(fill)) if rng else "0" * fill
    return "".join(ALPHABET[int(bits[i:i + 6], 2)] for i in range(0, len(bits), 6))


def chunks_of(ids, size, transitions, instrs, rng=None):
    """Returns rows of TRACE_DATA; INSTRS is {edge: instructions of its source}."""
    out, before = [], 0
    for i in range(0, len(ids), size):
        part = ids[i:i + size]
        n = sum(instrs[e] for e in part)
        out.append([before, n, len(part), part[0], to_text(encode(part, transitions, rng), rng)])
        before += n
    return out


def random_codes(n, rng):
    """Returns prefix-free code words for N rows, some of them long."""
    if n == 1:
        return [""]
    codes = ["0", "1"]
    while len(codes) < n:
        c = codes.pop(rng.randrange(len(codes)) if rng.random() < 0.5 else -1)
        if len(c) == 32:
            codes.append(c)
            continue
        codes += [c + "0", c + "1"]
    rng.shuffle(codes)
    return codes


def random_transitions(edges, used, rng):
    """Makes, for each edge, a tree of successors; its leaves are the rows."""
    after = {e: [f for f in used if edges[f][0] == edges[e][1]] for e in used}
    rows = []
    for e in used:
        leaves = [[f] for f in after[e]]
        for _ in range(rng.choice((0, 0, 1, 3, 10))):
            if not leaves:
                break
            leaf = leaves.pop(rng.randrange(len(leaves)))
            more = [leaf + [f] for f in after[leaf[-1]]]
            # An inner node of the tree can stay a row, too: then there is more than one way to write something.
            leaves += more + ([leaf] if not more or rng.random() < 0.2 else [])
        for following, code in zip(leaves, random_codes(max(1, len(leaves)), rng)):
            rows.append([e, code, following])
    rng.shuffle(rows)
    return rows


def squeeze(texts, rng):
    """Rewrites the texts with repetitions and a dictionary, nested, and not always shorter."""
    dictionary = {}

    def repeated(s):
        m = re.search(r"([A-Za-z0-9+-]{1,7}?)\1+", s)
        if not m or rng.random() < 0.1:
            return s
        n = len(m.group(0)) // len(m.group(1))
        return repeated(s[:m.start()]) + "(%d*%s)" % (n, m.group(1)) + repeated(s[m.end():])

    def with_keys(s):
        plain = [m for m in re.finditer(r"(?<![(0-9A-Za-z+<-])[A-Za-z0-9+-]{4,}(?![*>0-9A-Za-z+-])", s)]
        if not plain or rng.random() < 0.2:
            return s
        m = rng.choice(plain)
        a = rng.randrange(m.start(), m.end() - 2)
        b = rng.randrange(a + 1, m.end())
        key = "".join(rng.choice(ALPHABET) for _ in range(rng.choice((1, 1, 2, 5))))
        if key in dictionary:
            return s
        dictionary[key] = s[a:b]
        if rng.random() < 0.7:
            dictionary[key] = with_keys(repeated(s[a:b]))
        return with_keys(s[:a]) + "<%s>" % key + s[b:]

    def outer(s):
        """Returns a repetition around a text that has repetitions and references."""
        for n in (3, 2):
            if s and len(s) % n == 0 and s[:len(s) // n] * n == s:
                return "(%d*%s)" % (n, with_keys(repeated(s[:len(s) // n])))
        return with_keys(repeated(s))

    return [outer(s) for s in texts], dictionary


def random_graph(rng):
    """Returns (nodes, edges); all nodes lead to the end somehow."""
    n = rng.randint(1, 7)
    nodes = {k: rng.randint(1, 9) for k in range(4, 4 + n)}
    pairs = {(1, 4), (3 + n, 2)} | {(k, k + 1) for k in range(4, 3 + n)}
    for _ in range(rng.randint(0, 3 * n)):
        pairs.add((rng.randrange(4, 4 + n), rng.randrange(4, 4 + n)))
    ids = rng.sample(range(1, 10 ** rng.randint(2, 9)), len(pairs))
    return nodes, dict(zip(ids, sorted(pairs)))


def random_walk(edges, rng):
    ids, node = [], 1
    limit = rng.choice((3, 20, 200, 2000))
    favourite = {}
    while node != 2:
        out = [e for e in sorted(edges) if edges[e][0] == node]
        if len(ids) > limit:
            out = [e for e in out if edges[e][1] == 2 or edges[e][1] > node] or out
            e = max(out, key=lambda e: (edges[e][1] == 2, edges[e][1]))
        else:
            e = favourite.setdefault(node, rng.choice(out)) if rng.random() < 0.8 else rng.choice(out)
        ids.append(e)
        node = edges[e][1]
    return ids


def check_random(tap, times):
    bad = []
    rng = random.Random(4)
    bits = chars = words = overshoot = nested = 0
    for i in range(times):
        nodes, edges = random_graph(rng)
        threads = {t: random_walk(edges, rng) for t in rng.sample(range(4), rng.randint(1, 3))}
        used = sorted({e for ids in threads.values() for e in ids})
        rows = random_transitions({e: edges[e] for e in used}, used, rng)
        instrs = {e: nodes.get(s, 0) for e, (s, _) in edges.items()}
        size = rng.choice((1, 2, 7, 50, 10 ** 6))
        data = [[t, chunks_of(threads[t], size, rows, instrs, rng)] for t in sorted(threads)]
        texts, dictionary = squeeze([c[4] for _, chunks in data for c in chunks], rng)
        for c in (c for _, chunks in data for c in chunks):
            c[4] = texts.pop(0)
        trace = trace_file(77, dictionary, rows, data)
        status, text, ids = check(tap, dcfg_file(77, nodes, edges, threads), trace, "--chunk=%d" % size)
        if status or ids != threads:
            bad.append("number %d: %s" % (i, text))
        if {t: sum(c, []) for t, c in trace_plain.read(trace).items()} != threads:
            bad.append("number %d by the plain decoder" % i)
        s = trace_rules.summary(text)
        bits += s.get("bits", 0)
        chars += s.get("expanded", 0)
        words += s.get("entries", 0)
        overshoot += s.get("overshoot", 0)
        nested += sum("<" in v or "(" in v for v in dictionary.values())
    tap.ok(not bad, "%d random traces come out as they went in" % times, "\n".join(bad))
    tap.ok(min(bits, chars, words, overshoot, 2 * nested) > times // 10, "with all that a trace can have in them",
           "%d bits, %d characters, %d words, %d that overshoot, %d nested" % (bits, chars, words, overshoot, nested))


# ---- running the decoder -------------------------------------------------------------------------------------

def check(tap, dcfg, trace, *opts, raw=None):
    """Reads the files; returns (exit status, text, {thread: edges})."""
    d, t, prefix = tap.path("x.dcfg"), tap.path("x.trace"), tap.path("x.ids")
    with open(d, "w") as f:
        f.write(json.dumps(dcfg))
    with open(t, "w") as f:
        f.write(json.dumps(trace) if raw is None else raw)
    status, text = trace_rules.check(tracelib.compiled(tap, "trace_decode"), d, t, ["--out=" + prefix] + list(opts))
    ids = {}
    for k in range(10):
        if os.path.exists(prefix + ".%d" % k):
            ids[k] = list(read_ids(prefix + ".%d" % k))
            os.unlink(prefix + ".%d" % k)
    return status, text, ids


def decode_alone(tap, trace):
    """Reads the trace without a DCFG."""
    prefix = tap.path("alone")
    r = subprocess.run([tracelib.compiled(tap, "trace_decode"), "--out=" + prefix], input=json.dumps(trace).encode(),
                       stdout=subprocess.PIPE)
    ids = list(read_ids(prefix + ".0")) if os.path.exists(prefix + ".0") else None
    return r.returncode, r.stdout.decode(), ids


# ---- the specification's examples ------------------------------------------------------------------------------

def expanded(tap, text, dictionary, want):
    """With these rows, bits are edges: 2 for 0, 3 for 1."""
    rows = [[e, str(b), [2 + b]] for e in (1, 2, 3) for b in (0, 1)]
    bits = trace_plain.to_bits(want)
    trace = trace_file(1, dictionary, rows, [[0, [[0, 0, len(bits) + 1, 1, text]]]])
    status, out, ids = decode_alone(tap, trace)
    tap.ok(status == 0 and ids == [1] + [2 + int(b) for b in bits] and trace_plain.expand(text, dictionary) == want,
           "the specification's %s becomes %s" % (text, want), out)


def check_examples(tap):
    expanded(tap, "A(4*BC)D", {}, "ABCBCBCBCD")
    # The specification's result has only five a's there, an error.
    expanded(tap, "123(2*(6*a)b)456", {}, "123aaaaaabaaaaaab456")
    words = {"a": "bks2hD7kB+KDk87(6*AB)Aw3ABD9", "b": "KkDk123(42*(25*a))45690D<a>7Fjdkpm"}
    a = "bks2hD7kB+KDk87ABABABABABABAw3ABD9"
    expanded(tap, "A<a>B", words, "A%sB" % a)
    expanded(tap, "(2*A<a>B)", words, "A%sBA%sB" % (a, a))
    expanded(tap, "A<b>B", words, "AKkDk123" + 42 * 25 * "a" + "45690D" + a + "7FjdkpmB")
    tap.ok(trace_plain.to_bits("C+") == "000010111110", "the specification's C+ becomes 000010111110")

    rows = [[123, "0", [124]], [123, "1", [125]], [124, "", [456]], [125, "0", [543]], [125, "10", [542, 549]],
            [125, "11", [540, 541]]]
    for bits, n, want in (("110", 4, [123, 125, 542, 549]), ("0", 3, [123, 124, 456]), ("110", 3, [123, 125, 542])):
        trace = trace_file(1, {}, rows, [[0, [[0, 0, n, 123, to_text(bits)]]]])
        status, text, ids = decode_alone(tap, trace)
        tap.ok(status == 0 and ids == want and trace_plain.read(trace) == {0: [want]},
               "the specification's transitions: %s is %s" % (bits, want), text)


# ---- a right file, and how to break it ---------------------------------------------------------------------------

ROWS = [[1, "", [2]], [2, "0", [3, 3, 3]], [2, "10", [4]], [2, "110", [5, 6]], [2, "111", [3]], [3, "0", [3]],
        [3, "10", [4, 2]], [3, "11", [5, 6]], [4, "", [2]]]
CHUNK = 16


def good():
    """Makes a trace.  Thread 2 did not run; thread 3 has repetitions, thread 0 a word of the dictionary."""
    instrs = {e: NODES.get(s, 0) for e, (s, _) in EDGES.items()}
    threads = [[t, chunks_of(ids, CHUNK, ROWS, instrs)] for t, ids in sorted(THREAD_EDGES.items())]
    words = {"x": threads[0][1][0][4], "y": "(2*A)"}
    threads[0][1][0][4] = "<x>"
    for c in threads[2][1]:
        c[4] = c[4].replace("AA", "<y>")
    return copy.deepcopy(trace_file(4711, words, ROWS, threads))


def proc(d):
    return d["PROCESSES"][1]


def rows(d):
    return proc(d)[2]


def row(d, edge, code):
    return next(r for r in rows(d) if r[:2] == [edge, code])


def chunk(d, thread, i):
    return next(r for r in proc(d)[3] if r[0] == thread)[1][i]


def put(seq, i, v):
    seq[i] = v


def add(seq, i, n):
    seq[i] += n


def renamed(d, old, new):
    return json.dumps(d).replace('"%s"' % old, '"%s"' % new)


def reordered(d, *keys):
    return json.dumps({k: d[k] for k in keys})


def swapped(table, i, j):
    """Exchanges columns I and J of a table, in all its rows."""
    for r in table:
        r[i], r[j] = r[j], r[i]


def merged(d, thread):
    """Joins two chunks."""
    table = next(r for r in proc(d)[3] if r[0] == thread)[1]
    a, b = table[1:3]
    ids = trace_plain.read(d)[thread]
    table[1:3] = [[a[0], a[1] + b[1], a[2] + b[2], a[3], to_text(encode(ids[0] + ids[1], ROWS))]]


def shortened(d):
    """Removes thread 1's last edge, and adapts the DCFG's counts: only the end of the path is wrong."""
    c = chunk(d, 1, 1)
    c[1:] = [5, 3, 1, to_text("110")]


# (rule or rules, change of the file; or a function that returns the text of a changed file).  Options follow.
TESTS = [
    # JSON
    ("json", lambda d: json.dumps(d)[:-1]),
    ("json", lambda d: json.dumps(d) + "}"),
    ("json", lambda d: json.dumps(d).replace("],", "] ", 1)),
    ("json", lambda d: json.dumps(d).replace("]]", ",]]", 1)),
    # order and columns
    ("top-keys", lambda d: reordered(d, "MINOR_VERSION", "MAJOR_VERSION", "PROCESSES")),
    ("top-keys", lambda d: reordered(d, "PROCESSES", "MAJOR_VERSION", "MINOR_VERSION")),
    ("top-keys", lambda d: reordered(d, "MAJOR_VERSION", "PROCESSES")),
    ("top-keys", lambda d: reordered(d, "MAJOR_VERSION", "MINOR_VERSION")),
    ("top-keys", lambda d: d.update(EDGES=[])),
    ("version", lambda d: d.update(MAJOR_VERSION=2)),
    ("version", lambda d: d.update(MINOR_VERSION=1)),
    ("columns", lambda d: swapped(d["PROCESSES"], 1, 2)),
    ("columns", lambda d: swapped(rows(d), 0, 2)),
    ("columns", lambda d: swapped(proc(d)[3], 0, 1)),
    ("columns", lambda d: swapped(proc(d)[3][1][1], 3, 4)),
    ("columns", lambda d: renamed(d, "NEXT_EDGE_IDS", "EDGE_ID_SEQUENCE")),
    ("columns", lambda d: rows(d)[0].append("COUNT")),
    ("columns", lambda d: proc(d)[3][1][1][0].pop() and None),
    ("row-length", lambda d: proc(d).append(0)),
    ("row-length", lambda d: proc(d).pop()),
    ("row-length", lambda d: rows(d)[1].append(0)),
    ("row-length", lambda d: rows(d)[1].pop()),
    ("row-length", lambda d: proc(d)[3][1].append(0)),
    ("row-length", lambda d: chunk(d, 0, 1).append(0)),
    ("row-length", lambda d: chunk(d, 0, 1).pop() and None),
    ("value-form", lambda d: put(chunk(d, 0, 1), 1, hex(chunk(d, 0, 1)[1]))),
    ("value-form", lambda d: put(chunk(d, 0, 1), 1, -1)),
    ("value-form", lambda d: put(chunk(d, 0, 1), 2, 16.5)),
    ("value-form", lambda d: put(chunk(d, 0, 1), 3, 0)),
    ("value-form", lambda d: put(chunk(d, 0, 1), 4, 7)),
    ("value-form", lambda d: put(rows(d)[1], 1, 0)),
    ("value-form", lambda d: put(rows(d)[1], 0, 0x80000000)),
    ("value-form", lambda d: proc(d)[1].update(z=5)),
    ("processes", lambda d: d["PROCESSES"].append(copy.deepcopy(proc(d)))),
    ("processes", lambda d: d["PROCESSES"].pop()),
    ("process-id", lambda d: put(proc(d), 0, 4712)),
    # the dictionary
    ("dictionary-key", lambda d: proc(d)[1].update({"a.b": "AA"})),
    ("dictionary-key", lambda d: proc(d)[1].update({"": "AA"})),
    ("dictionary-key", lambda d: proc(d)[1].update({"z": "AA"}) or renamed(d, "z", "y")),
    ("dictionary-text", lambda d: proc(d)[1].update(z="A/")),
    ("dictionary-text", lambda d: proc(d)[1].update(z="(2*A")),
    ("dictionary-text", lambda d: proc(d)[1].update(z="")),
    ("dictionary-reference", lambda d: proc(d)[1].update(z="A<w>")),
    ("dictionary-reference", lambda d: proc(d)[1].pop("x") and None),
    ("dictionary-circular", lambda d: proc(d)[1].update(z="A<w>", w="<z>")),
    ("dictionary-circular", lambda d: proc(d)[1].update(z="A(2*<z>)")),
    # transitions
    ("code-form", lambda d: put(rows(d)[2], 1, "02")),
    ("code-form", lambda d: put(rows(d)[2], 1, "0" * 33)),
    ("code-unique", lambda d: rows(d).append([3, "10", [3]])),
    ("code-unique", lambda d: rows(d).append([3, "1", [3]])),
    ("code-unique", lambda d: rows(d).append([3, "100", [3]])),
    ("code-unique", lambda d: put(rows(d), 1, [1, "0", [2]]) or rows(d).append([1, "", [2]])),
    ("code-prefix", lambda d: rows(d).append([3, "01", [3]])),
    ("code-unique code-prefix", lambda d: put(row(d, 2, "10"), 1, "11")),
    ("code-free", lambda d: put(row(d, 4, ""), 1, "1") or redo(d, (4, "1"))),
    ("row-empty", lambda d: put(rows(d)[2], 2, [])),
    ("row-edge", lambda d: put(row(d, 3, "0"), 2, [8])),
    ("row-edge", lambda d: rows(d).append([9, "", [2]])),
    ("row-edge", lambda d: rows(d).append([5, "", [7]])),           # an edge of the DCFG that was never taken
    ("row-path", lambda d: put(row(d, 3, "10"), 2, [4, 3])),
    ("row-path", lambda d: put(row(d, 3, "10"), 2, [2, 3])),
    # threads
    ("thread-unknown", lambda d: proc(d)[3].append([4, [CHUNKS]])),
    ("thread-unwanted", None, "--threads=0,1,2"),
    ("thread-missing", lambda d: proc(d)[3].pop() and None, "--threads=0,1,3"),
    ("thread-missing", lambda d: proc(d)[3].pop() and None),
    ("thread-missing", lambda d: proc(d)[3][1].pop() and proc(d)[3][1].append([CHUNKS])),
    ("thread-order", lambda d: proc(d)[3].append(proc(d)[3].pop(2))),
    ("thread-repeated", lambda d: proc(d)[3].append(proc(d)[3][3])),
    # chunks
    ("chunk-size", lambda d: merged(d, 0)),
    ("chunk-size", None, "--chunk=15"),
    ("chunk-size", None, "--chunk=17"),
    ("chunk-empty", lambda d: proc(d)[3][1][1].append([THREAD_INSTRS, 0, 0, 0, ""]), "any chunk-size"),
    ("chunk-preceding", lambda d: [add(chunk(d, 0, i), 0, 1) for i in (1, 2, 3)] and add(chunk(d, 0, 3), 1, -1),
     "any chunk-instrs"),
    ("chunk-preceding", lambda d: put(chunk(d, 0, 2), 0, 3), "any chunk-preceding thread-instrs"),
    ("chunk-instrs", lambda d: add(chunk(d, 0, 1), 1, 1) or add(chunk(d, 0, 2), 0, 1) or add(chunk(d, 0, 2), 1, -1)),
    ("chunk-first", lambda d: put(chunk(d, 0, 2), 3, 9)),
    ("chunk-first", lambda d: put(chunk(d, 0, 2), 3, 7)),
    ("chunk-first edge-count chunk-instrs", lambda d: other_first(d)),
    ("entry edge-count", lambda d: put(chunk(d, 1, 1), 3, 4), "any chunk-instrs thread-instrs"),
    ("exit edge-count", lambda d: shortened(d), "any thread-instrs"),
    ("thread-instrs", None),
    ("edge-count", None),
    ("chunk-text", lambda d: put(chunk(d, 0, 1), 4, "A/")),
    ("chunk-text", lambda d: put(chunk(d, 0, 1), 4, "(2*AA")),
    ("chunk-text", lambda d: put(chunk(d, 0, 1), 4, "AA)")),
    ("chunk-text", lambda d: put(chunk(d, 0, 1), 4, "(2AA)")),
    ("chunk-text", lambda d: put(chunk(d, 0, 1), 4, "(*AA)")),
    ("chunk-text", lambda d: put(chunk(d, 0, 1), 4, "(0*AA)")),
    ("chunk-text", lambda d: put(chunk(d, 0, 1), 4, "(2*)")),
    ("chunk-text", lambda d: put(chunk(d, 0, 1), 4, "<x")),
    ("chunk-text", lambda d: put(chunk(d, 0, 1), 4, "<(2*x)>")),
    ("chunk-text", lambda d: put(chunk(d, 0, 1), 4, "A B")),
    ("dictionary-reference", lambda d: put(chunk(d, 0, 1), 4, "<X>")),
    ("decode-short", lambda d: put(chunk(d, 3, 1), 4, "A")),
    ("decode-code", lambda d: rows(d).remove(row(d, 2, "10"))),
    ("decode-code", lambda d: rows(d).remove(row(d, 4, ""))),
    ("decode-long", lambda d: put(chunk(d, 0, 1), 4, chunk(d, 0, 1)[4] + "A")),
    ("decode-long", lambda d: put(chunk(d, 1, 1), 4, chunk(d, 1, 1)[4] + "(70000*A)")),
    ("decode-long", lambda d: single(d), "any chunk-size"),
]
THREAD_INSTRS = sum(NODES.get(EDGES[e][0], 0) for e in WALK)


def redo(d, *new):
    """Writes all sequences anew after rows got other codes; NEW are those rows."""
    table = [list(r) for r in rows(d)[1:]]
    for t, chunks in proc(d)[3][1:]:
        at = 0
        for c in chunks[1:]:
            c[4] = to_text(encode(THREAD_EDGES[t][at:at + c[2]], table))
            at += c[2]


def other_first(d):
    """The second chunk of thread 0 begins with an edge that does not follow the first chunk, but has the same successors."""
    c = chunk(d, 0, 2)
    ids = trace_plain.read(d)[0][1]
    other = next(e for e in EDGES if EDGES[e][1] == EDGES[ids[0]][1] and EDGES[e][0] != EDGES[ids[0]][0] and e != 7)
    c[3] = other
    c[4] = to_text(encode([other] + ids[1:], ROWS))


def single(d):
    """A chunk of one edge has no text."""
    proc(d)[3][2][1][1:] = [[0, 0, 1, 1, "A"], [0, NODES[4] + NODES[5] + NODES[6], 3, 2, to_text("110")]]


def check_rules(tap):
    dcfg = good_dcfg()
    status, text, ids = check(tap, dcfg, good(), "--chunk=%d" % CHUNK)
    tap.ok(status == 0 and ids == THREAD_EDGES, "the right file", text)
    tap.ok({t: sum(c, []) for t, c in trace_plain.read(good()).items()} == THREAD_EDGES, "the right file, plainly")
    status, text, _ = check(tap, dcfg, good(), "--threads=0,1,3")
    tap.ok(status == 0, "the right file and a list of its threads", text)
    some = good()
    some_threads = proc(some)[3]
    some_threads.pop(2)
    status, text, _ = check(tap, dcfg, some, "--threads=0,3")
    tap.ok(status == 0, "a file with some of the threads", text)
    status, text, _ = check(tap, dcfg, good(), raw=json.dumps(good(), indent=3).replace("3\n", "3\t\r\n"))
    tap.ok(status == 0, "the right file with more white space", text)

    seen = set()
    for case in TESTS:
        rule, change = case[0], case[1]
        opts = [o for o in case[2:] if o.startswith("-")]
        also = {r for o in case[2:] if o.startswith("any ") for r in o.split()[1:]}
        if not any(o.startswith("--chunk") for o in opts):
            opts.append("--chunk=%d" % CHUNK)
        d, g, raw = good(), copy.deepcopy(dcfg), None
        if rule == "thread-instrs":
            g["PROCESSES"][1][1]["INSTR_COUNT_PER_THREAD"][0] += 1
        elif rule == "edge-count":
            g["PROCESSES"][1][1]["EDGES"][3][4][0] += 1
        elif change:
            r = change(d)
            raw = r if isinstance(r, str) else None
        status, text, _ = check(tap, g, d, *opts, raw=raw)
        got = {line.split(":")[0] for line in text.splitlines() if not line.startswith("#")}
        want = set(rule.split())
        seen |= got
        tap.ok(status == 1 and want <= got <= want | also, "broken: " + rule, "status %d\n%s" % (status, text))
    source = ""
    for name in "trace_read.h", "trace_text.h", "trace_decode.c":
        with open(os.path.join(harness.ORACLE, name)) as f:
            source += f.read()
    known = set(re.findall(r'(?:wrong|stop|legal)\("([a-z-]+)"', source))
    known |= set(re.findall(r'[:?] "(thread-[a-z-]+)"', source))
    tap.ok(known <= seen, "every rule was seen", "not seen: " + " ".join(sorted(known - seen)))


def main():
    tap = harness.Tap("traceself")
    if tracelib.compiled(tap, "trace_decode"):
        check_examples(tap)
        check_rules(tap)
        check_random(tap, int(sys.argv[1]) if len(sys.argv) > 1 else 300)
    tap.done()


if __name__ == "__main__":
    main()
