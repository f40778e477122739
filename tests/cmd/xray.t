#!/usr/bin/python3
"""dcfg xray on logs and maps made by hand: the lists of good ones; and a single error breaks only its rule.  (TAP)"""
import csv
import io
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
import xraylib as x
from commandlib import command, within


def write(tap, log, map_, name="log"):
    """Writes a log and its map, either of which may be bytes; returns the log's path."""
    path = tap.path(name)
    for p, thing in ((path, log), (path + ".map", map_)):
        harness.write(p, thing if isinstance(thing, bytes) else thing.pack())
    return path


def rules_of(text):
    """Returns {rule: how often} from the output."""
    found = {}
    for rule in re.findall(r"^([a-z]+(?:-[a-z]+)?): ", text, re.M):
        found[rule] = found.get(rule, 0) + 1
    return found


# ---- each rule alone ---------------------------------------------------------------------------------------------

def change_record(record, at, byte):
    return record[:at] + bytes([byte]) + record[at + 1:]


def broken_logs():
    """Yields (rule, version, text of the message, log)."""
    def log(version=1):
        return x.small_log(version)

    for field, rule, value in (("flags", "header-flags", 1), ("frequency", "header-frequency", 1000000000),
                               ("reserved", "header-reserved", 1)):
        for version in (1, 5):
            d = log(version)
            setattr(d, field, value)
            yield rule, "", d
    d = log(5)
    d.size = 250
    yield "header-size", "250 bytes", d
    d = log()
    d.buffers = []
    yield "empty", "no buffer", d

    # Each record of a head is missing, or is there twice.
    for version in (1, 5):
        for i in range(len(log(version).buffers[2].head)):
            d = log(version)
            del d.buffers[2].head[i]
            yield "buffer-head", "BUFFERS[2]", d
    d = log(5)
    d.buffers[-1].extents = b"\0" * 16
    yield "buffer-head", "BufferExtents: nothing behind it can be read", d
    d = log(5)
    d.buffers[1].head[3:] = []
    d.buffers[1].body = []
    yield "buffer-head", "must be a NewCPUId", d
    d = log(5)
    b = d.buffers[-1]
    b.extents = x.extents(len(b"".join(b.head + b.body)) + 4)
    b.body.append(b"\0\0\0\0")
    yield "buffer-extents", "within a record", d
    d = log()
    b = d.buffers[2]
    b.end, b.padding = [], b""
    b.body += [x.tsc_wrap(151)] * ((256 - len(b"".join(b.head + b.body))) // 16)
    b.body += [x.function(4, x.ENTER, 0), x.function(4, x.EXIT, 0)] * 20
    b.body = fit(b, 256)
    yield "buffer-end", "no EndOfBuffer", d
    d = log(5)
    d.buffers[1].body.append(x.end_of_buffer())
    yield "buffer-end", "version 5 does not have", d
    d = log()
    d.buffers[0].padding = b"\0" * (256 - len(b"".join(d.buffers[0].head + d.buffers[0].body)) - 17) + b"\1"
    yield "buffer-padding", "BUFFERS[0]", d

    d = log()
    for b in d.buffers:
        if b.head[0] == x.new_buffer(2):
            b.head[0] = x.new_buffer(0)
    yield "thread", "thread 0: ", d
    d = log(5)
    d.buffers[1].head[2] = x.pid(4712)
    yield "process", "4712", d
    d = log(5)
    for b in d.buffers[:1]:
        b.head[2] = x.pid(0)
    yield "process", "process 0", d
    d = log()
    d.buffers[0].head[2] = x.new_cpu(1, 7)
    yield "cpu", "processor 7", d
    d = log()
    d.buffers[0].head[2] = x.new_cpu(1)[:-1] + b"\1"
    yield "reserved", "NewCPUId", d
    d = log()
    d.buffers[3].head[0] = change_record(d.buffers[3].head[0], 9, 1)
    yield "reserved", "BUFFERS[3].RECORDS[0]", d

    # The third buffer is the second of thread 1.
    for seconds, micros in ((0, 2), (2, 0), (0, 0)):
        d = log()
        d.buffers[2].head[1] = x.wall_clock(seconds, micros)
        yield "wall-clock", "BUFFERS[2].RECORDS[1]", d
    threads = x.small_threads()
    threads[2] = [(a, f, t + 5) for a, f, t in threads[2]]
    yield "first-tick", "thread 2 begins at tick 6", x.make_log(threads)
    threads = {1: [(x.ENTER, 1, 0), (x.EXIT, 1, 7)]}
    yield "first-tick", "at tick 0", x.make_log(threads)
    d = log()
    d.buffers[-1].head[2] = x.new_cpu(1 << 33)
    d.buffers[-1].body.insert(0, x.tsc_wrap((1 << 33) - 10))
    yield "tick-order", "behind 8589934592", d
    d = log()
    d.buffers[2].head[2] = x.new_cpu(1)
    yield "tick-order", "tick 1 behind", d

    for version in (1, 5):
        threads = x.small_threads()
        threads[1][1:1] = [(x.OTHERS, n, threads[1][1][2]) for n in (700, 1 << 40, 699)]
        yield "others-order", "before %d" % (1 << 40), x.make_log(threads, version)

    for record, what in ((bytes([20 << 1 | 1]) + b"\0" * 15, "unknown kind 20"), (x.pid(4711), "a Pid,"),
                         (struct.pack("<II", 3 << 4 | 5 << 1, 0), "unknown action 5"), (x.new_buffer(1), "a NewBuffer,"),
                         (x.metadata(8, struct.pack("<Iq", 8, 0)), "TypedEvent"),
                         (x.metadata(5, struct.pack("<Iq", 10000, 20)), "longer than its buffer")):
        d = log()
        d.buffers[-1].body.append(record)
        yield "record", what, d
    d = log()
    d.buffers[0].body.insert(0, x.function(0, x.ENTER, 0))
    yield "function-id", "function 0", d
    d = log()
    d.buffers[0].body.insert(1, x.call_argument(1))
    yield "argument", "BUFFERS[0].RECORDS[4]", d

    for n in (3, 100, 200):
        d = log()
        packed = d.pack()
        yield "cut", "BUFFERS[", packed[:-n] if n != 3 else packed + packed[32:35]
    yield "cut", "BUFFERS[", log(5).pack() + b"\x0f\0"

    # Calls.
    threads = x.small_threads()
    threads[2][2] = (x.EXIT, 3, 70)
    yield "exit", "leaves function 3 (work), where function 4 (box", x.make_log(threads), ["no-exit"]
    threads = x.small_threads()
    threads[2].insert(2, (x.EXIT, 3, 70))
    yield "exit", "leaves function 3 (work), where function 4 (box", x.make_log(threads)
    threads = x.small_threads()
    threads[2].append((x.TAIL_EXIT, 5, 1001))
    yield "exit", "and none is active", x.make_log(threads)
    threads = x.small_threads()
    threads[2].pop()
    yield "no-exit", "thread 2: function 5 (thread) and 0 more", x.make_log(threads)
    threads = x.small_threads()
    threads[2][1:3] = [(x.ENTER, 6, 7), (x.EXIT, 6, 70)]
    yield "function-unknown", "function 6", x.make_log(threads)


def fit(buffer, size):
    """Returns those of the buffer's records that fit into SIZE bytes."""
    body, n = [], len(b"".join(buffer.head))
    for r in buffer.body:
        if n + len(r) <= size:
            body.append(r)
            n += len(r)
    # An odd ENTER at the end would be another violation.
    if body[-1] == x.function(4, x.ENTER, 0):
        body[-1] = x.function(4, x.TAIL_EXIT, 0)
    return body


def broken_maps():
    def good():
        return x.small_map()

    for name, what in (("text", "not without contents"),):
        for i, value in ((0, 0x2000), (1, 0x40), (2, 1), (3, 2)):
            m = good()
            m.text[i] = value
            yield "map-text", what, m
    m = good()
    m.names["text"] = ".code"
    yield "map-text", "", m
    for at, value in ((0, 1), (16, 1), (17, 0), (18, 1), (31, 1)):
        m = good()
        m.sleds[2] = change_record(m.sleds[2], at, value)
        yield "map-sled", "xray_instr_map[2]", m
    m = good()
    m.sleds.append(b"\0" * 8)
    yield "map-sled", "within a sled", m
    m = good()
    del m.symbols[1]
    yield "map-symbol", "the function has no symbol", m
    m = good()
    m.symbols.append(["other", 2, 1, 0x1010, 16])
    yield "map-symbol", "another symbol", m
    m = good()
    m.symbols.append(["other", 2, 1, 0x1011, 16])
    yield "map-symbol", "no function", m
    for i, value in ((1, 0x12), (4, 8)):
        m = good()
        m.symbols[1][i] = value
        yield "map-symbol", "not a local symbol of size 16", m
    m = good()
    m.symbols.pop(0)
    yield "map-image", ".symtab[1]", m
    for name in ('operator""_s', "a\\b", "a\nb", "a\udcff"):
        m = good()
        m.symbols[1][0] = name
        yield "map-name", ".symtab[2]", m
    f = [dict(f) for f in x.FUNCTIONS]
    for what, more in (("another row", x.line_row(0x1010, 1, 5)), ("where no function begins", x.line_row(0x1018, 1, 5)),
                       ("end with its function", x.line_row(0x1040, 1, 5, 32)), ("without a file", x.line_row(0x1040, 9, 5)),
                       ("with a line that cannot be", x.line_row(0x1040, 1, 1 << 33)),
                       ("within an instruction", b"\0\x09\x02abc"),
                       ("within a sequence", x.line_row(0x1040, 1, 5)[:-3])):
        m = good()
        # MORE has the last function's row.
        body = x.line_table(x.FUNCTIONS[:-1] if b"\x40\x10" in more else x.FUNCTIONS)[4:] + more
        m.lines = struct.pack("<I", len(body)) + body
        yield "map-line", what, m
    for functions, line in ((x.FUNCTIONS[:4], "the function has no row"), ([], "the function has no row")):
        m = good()
        m.lines = x.line_table(functions)
        yield "map-line", line, m
    m = good()
    m.names["lines"] = ".lines"
    yield "map-line", "no such section", m
    m = good()
    m.lines = m.lines[:4] + b"\x05" + m.lines[5:]
    yield "map-line", "not of DWARF 4", m
    m = good()
    m.lines = b"\xff" + m.lines[1:]
    yield "map-line", "longer than its section", m


def check_rules(tap):
    seen = set()
    for rule, what, log, *more in broken_logs():
        out = command("xray", "--check", write(tap, log, x.small_map()))
        found = rules_of(out[1])
        one_line = [l for l in out[1].splitlines() if l.startswith(rule + ": ")]
        others = set(found) - {rule}
        tap.ok(out[0] == 1 and rule in found and others <= set(itertools.chain(*more)) | FOLLOWS.get(rule, set())
               and what in "\n".join(one_line), "broken: %s %s" % (rule, what), out)
        seen.add(rule)
    for rule, what, map_ in broken_maps():
        out = command("xray", "--check", write(tap, x.small_log(), map_))
        found = rules_of(out[1])
        tap.ok(out[0] == 1 and set(found) == {rule} and what in out[1], "broken: %s %s" % (rule, what), out)
        seen.add(rule)
    with open(os.path.join(harness.SRCDIR, "lib", "dcfg_xray.h")) as f:
        lists = [c for c in re.findall(r"/\*.*?\*/", f.read(), re.S) if re.search(r"Rules of maps:|The rules are", c)]
    known = set(re.findall(r"^      ([a-z]+(?:-[a-z]+)?) +\S", "".join(lists), re.M))
    known |= {"exit", "no-exit", "function-unknown"}
    tap.ok(seen == known, "each rule has been broken", seen ^ known)


# Rules that an error breaks as well, because records that cannot be read are missing elsewhere.
FOLLOWS = {"buffer-head": {"exit", "no-exit"}, "record": {"no-exit", "exit"}, "cut": {"no-exit", "exit"},
           "buffer-end": {"exit", "no-exit"}}


# ---- what is listed ----------------------------------------------------------------------------------------------

def figures(threads):
    """Returns {function: [ticks of each call]}, by going over the calls."""
    took = {}
    for events in threads.values():
        stack = []
        for action, f, tick, *_ in events:
            if action in (x.ENTER, x.ENTER_ARGS):
                stack.append((f, tick))
            else:
                g, begun = stack.pop()
                assert g == f
                took.setdefault(f, []).append(tick - begun)
    return took


def random_threads(seed):
    import random
    r = random.Random(seed)
    threads = {}
    for thread in range(1, r.randrange(2, 6)):
        tick, events, stack = 1, [(x.ENTER, 1, 1)], [1]
        for _ in range(r.randrange(400)):
            tick += r.choice((0, 1, 7, r.randrange(1000), 1 << 33 if r.random() < 0.01 else 3))
            if len(stack) > 1 and r.random() < 0.5:
                events.append((r.choice((x.EXIT, x.TAIL_EXIT)), stack.pop(), tick))
            else:
                stack.append(r.randrange(1, 6))
                events.append((x.ENTER_ARGS, stack[-1], tick, [1] * r.randrange(7)) if r.random() < 0.2
                              else (x.ENTER, stack[-1], tick))
        while stack:
            events.append((x.EXIT, stack.pop(), tick + 1))
        threads[thread] = events
    return threads


def with_turns(threads, seed):
    """Returns the threads with what others had executed at some of the records, and the events of their timeline:
    {thread: [(B or E, function, microsecond)]}."""
    import random
    r = random.Random(seed)
    out, line = {}, {}
    for thread, events in threads.items():
        n, out[thread], line[thread] = 0, [], []
        for e in events:
            if r.random() < 0.3:
                n += r.choice((0, 1, 1000, 1 << 35))
                out[thread].append((x.OTHERS, n, e[2]))
            out[thread].append(e)
            line[thread].append(("B" if e[0] in (x.ENTER, x.ENTER_ARGS) else "E", e[1], e[2] - 1 + n))
    return out, line


def check_lists(tap):
    bad = []
    for seed in range(25):
        threads = random_threads(seed)
        turns, line = with_turns(threads, seed)
        log = x.make_log(turns, 1 if seed % 2 else 5, 256 if seed % 3 else 1024)
        path = write(tap, log, x.small_map())
        events = json.loads(command("xray", "--as=chrome", path)[1])["traceEvents"]
        names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
        for thread in threads:
            got = [(e["ph"], e["name"], e["ts"]) for e in events if e["tid"] == thread and e["ph"] != "M"]
            called = {(f, name) for (_, f, _), (_, name, _) in zip(line[thread], got)}
            if [(ph, ts) for ph, _, ts in got] != [(ph, ts) for ph, _, ts in line[thread]] \
                    or len(called) != len({f for f, _ in called}) or names[thread] != "thread %d" % thread:
                bad.append((seed, thread, "chrome"))
        took = sum(e["args"]["instructions"] for e in events if e["ph"] == "E")
        if took != sum(sum(v) for v in figures(threads).values()) or {e["pid"] for e in events} != {0 if seed % 2 else 4711}:
            bad.append((seed, "chrome: costs"))
        status, out, err = command("xray", "--csv", "--top=0", path)
        rows = {int(r["function_id"]): r for r in csv.DictReader(io.StringIO(out))}
        for f, took in figures(threads).items():
            took.sort()
            want = [len(took), sum(took), took[0], took[len(took) // 2], took[int(len(took) * .9)],
                    took[int(len(took) * .99)], took[-1]]
            got = [int(rows[f][k]) for k in ("calls", "sum", "min", "median", "p90", "p99", "max")]
            if got != want:
                bad.append((seed, f, got, want))
        whole = sum(events[-1][2] - 1 for events in threads.values())
        if sum(int(r["self"]) for r in rows.values()) != whole or status or err:
            bad.append((seed, "self", status, err))
        folded = command("xray", "--as=folded", path)[1]
        if sum(int(l.rsplit(" ", 1)[1]) for l in folded.splitlines()) != whole:
            bad.append((seed, "folded"))
        rows = list(csv.DictReader(io.StringIO(command("xray", "--csv", "--as=calls", path)[1])))
        for thread, events in threads.items():
            want = [(tick - 1, "call" if a in (x.ENTER, x.ENTER_ARGS) else "return", f) for a, f, tick, *_ in events]
            got = [(int(r["instruction"]), r["event"], int(r["function_id"])) for r in rows if r["thread"] == str(thread)]
            if got != want:
                bad.append((seed, thread, "calls"))
    tap.ok(not bad, "twenty-five random logs: figures, stacks, calls", bad[:5])

    path = write(tap, x.small_log(5), x.small_map())
    status, out, err = command("xray", "--json", "--threads", "--top=0", path)
    d = json.loads(out)
    box = [(f["thread"], f["calls"], f["sum"]) for f in d["functions"] if f["function"] == "box<int>::area(int) const"]
    tap.ok(status == 0 and not err and d["process_id"] == 4711 and box == [(1, 41, 392), (2, 1, 63)], "--json --threads",
           out + err)
    status, out, err = command("xray", "--thread=2", path)
    tap.ok(status == 0 and "1,000 instructions in thread 2" in out and "main" not in out.split("\n", 1)[1], "--thread", out + err)
    status, out, err = command("xray", "--as=calls", "--calls=3", "--from=6", "--csv", path)
    calls = [(r["thread"], r["instruction"], r["name"]) for r in csv.DictReader(io.StringIO(out)) if r["event"] == "call"]
    tap.ok(status == 0 and sorted(calls) == [("1", "10", "main"), ("1", "11", "work"), ("1", "13", x.FUNCTIONS[3]["name"]),
                                             ("2", "6", x.FUNCTIONS[3]["name"])], "--from, --calls", out + err)
    status, out, err = command("xray", "--as=calls", "--calls=4", path)
    tap.ok(status == 0 and re.search(r"^ +11 +    work  prog\.c:3 \{\n +13 +0        box<int>::area const  box\.h:7\n"
                                     r" +40 +29      \} work$", out, re.M), "calls as text", out + err)
    log = x.small_log()
    log.buffers[-1].body[:0] = [x.others(50, (1 << 33) + 2000), x.event(b"the mark", (1 << 33) + 2000)]
    status, out, err = command("xray", "--as=calls", "--thread=1", write(tap, log, x.small_map()))
    tap.ok(status in (0, 1) and "[event] the mark" in out, "data of the program's own", out[-800:] + err)
    events = json.loads(command("xray", "--as=chrome", tap.path("log"))[1])["traceEvents"]
    tap.ok([(e["ts"], e["tid"]) for e in events if e["ph"] == "i" and e["name"] == "the mark"] == [((1 << 33) + 2049, 1)],
           "... in a timeline", events[-3:])


def check_files(tap):
    path = write(tap, x.small_log(), x.small_map())
    plain = command("xray", "--csv", path)[1]
    for program, suffix in (("gzip", ".gz"), ("bzip2", ".bz2"), ("xz", ".xz"), ("zstd", ".zst")):
        for p in (path, path + ".map"):
            with open(p + suffix, "wb") as f:
                subprocess.run([program, "-c", p], stdout=f, check=True)
        tap.ok(command("xray", "--csv", path + suffix, path + ".map" + suffix)[1] == plain, "compressed: " + suffix)
    shutil.copy(path + ".map", path + ".gz.map")
    tap.ok(command("xray", "--csv", path + ".gz")[1] == plain, "the map beside a compressed log")
    with open(path, "rb") as f:
        status, out, err = command("xray", "--csv", "-", path + ".map", stdin=f)
    tap.ok(status == 0 and out == plain, "standard input", err)
    os.remove(path + ".map")
    status, out, err = command("xray", path)
    tap.ok(status == 0 and "#4" in out and "there is no map" in err, "without a map functions have numbers", out + err)

    good = write(tap, x.small_log(), x.small_map(), "good")
    nothing = tap.path("nothing")
    for args in ([nothing], [good, nothing], [good, good], [good + ".map"], ["--as=song", good], ["--csv", "--json", good],
                 ["--diff", good], ["--diff", good, good, good], [good, good + ".map", good], ["--json", "--as=calls", good],
                 ["--thread=7", good], ["--share=x", good], ["-", "-"]):
        commandlib.refused(tap, "one line and status 2: " + " ".join(args).replace(tap.dir, ""), "dcfg xray: ", "xray", *args)
    for data, what in ((b"", "an empty file"), (b"\x02\0", "too short"), (b"\x02\0\1\0" + b"\0" * 40, "version 2, type 1"),
                       (struct.pack("<HHIQQQ", 1, 1, 3, 1000000, 48, 0), "room for nothing"),
                       (b"\x7fELF" * 20, "is a program, not an XRay log")):
        commandlib.refused(tap, "no log: " + what, what, "xray", write(tap, data, x.small_map()))


# ---- comparing ---------------------------------------------------------------------------------------------------

def check_diff(tap):
    a = write(tap, x.small_log(), x.small_map(), "a")
    # Other ids for the same functions, another directory; work takes longer, one function is new, one is gone.
    threads = x.small_threads()
    threads[1] = threads[1][:2] + [(x.ENTER, 3, 12), (x.EXIT, 3, 5012), (x.ENTER, 5, 5013), (x.EXIT, 5, 5020)] \
        + [(a_, f, t + 5010, *more) for a_, f, t, *more in threads[1][2:]]
    del threads[2]
    functions = [dict(f) for f in x.FUNCTIONS]
    functions[4] = {"name": "fresh", "image": "/lib/libz.so"}
    order = [4, 2, 0, 3, 1]
    for f in functions:
        f["image"] = "/other" + f["image"]
    new_id = {old + 1: new + 1 for new, old in enumerate(order)}
    threads = {t: [(a_, new_id[f], tick, *more) for a_, f, tick, *more in events] for t, events in threads.items()}
    b = write(tap, x.make_log(threads, 5), x.Map([functions[i] for i in order]), "b")
    status, out, err = command("xray", "--diff", a, a)
    tap.ok(status == 0 and "Functions: 0 changed" in out, "--diff of a log and itself", out + err)
    status, out, err = command("xray", "--diff", "--csv", "--top=0", "--share=0", a, b)
    rows = {r["function"]: r for r in csv.DictReader(io.StringIO(out))}
    work = rows["work"]
    tap.ok(status == 1 and rows["fresh"]["change"] == "new" and rows["thread"]["change"] == "gone"
           and [work[k] for k in ("instructions_a", "instructions_b", "calls_a", "calls_b")] == ["600", "5600", "22", "23"],
           "--diff --csv", out + err)
    status, out, err = command("xray", "--diff", "--json", a, b, a + ".map", b + ".map")
    tap.ok(status == 1 and {f["function"] for f in json.loads(out)["functions"]} >= {"work", "fresh", "thread"},
           "--diff with maps", out + err)
    os.rename(b + ".map", b + ".elsewhere")
    commandlib.refused(tap, "--diff without a map", "there is no map", "xray", "--diff", a, b)


# ---- hostile files -----------------------------------------------------------------------------------------------

def check_hostile(tap):
    import random
    r = random.Random(1)
    worst = {0: 0, 1: 0, 2: 0}
    crashed = []
    for n in range(150):
        log, map_ = bytearray(x.small_log(1 + 4 * (n % 2)).pack()), bytearray(x.small_map().pack())
        for data in (log, map_):
            for _ in range(r.randrange(4)):
                data[r.randrange(len(data))] = r.choice((0, 1, 0x7F, 0x80, 0xFF, r.randrange(256)))
            if r.random() < 0.2:
                del data[r.randrange(len(data)):]
        path = write(tap, bytes(log), bytes(map_))
        status, out, err = within(400, "xray", "--as=" + r.choice(("functions", "stacks", "folded", "calls", "chrome")), path)
        if status not in worst or "Sanitizer" in err:
            crashed.append((n, status, err[-300:]))
        else:
            worst[status] += 1
    tap.ok(not crashed and worst[1] > 10, "files with bytes changed: %s" % worst, crashed[:3])

    # Deep, wide, or with large claims.
    deep = {1: [(x.ENTER, 1, i + 1) for i in range(100000)] + [(x.EXIT, 1, 200000)] * 100000}
    path = write(tap, x.make_log(deep, size=16384), x.small_map())
    for view in ("functions", "stacks", "folded", "calls", "chrome"):
        status, out, err = within(200, "xray", "--as=" + view, path)
        tap.ok(status == 0 and not err, "100,000 calls within each other, as " + view, out[-300:] + err)
    log = x.Log(1, 64 + 16)
    log.buffers = [x.Buffer([x.new_buffer(i), x.wall_clock(0, 0), x.new_cpu(1)],
                            [x.function(1 + i % 5, x.ENTER, 0), x.function(1 + i % 5, x.EXIT, 1)]) for i in range(1, 20001)]
    path = write(tap, log, x.small_map())
    status, out, err = within(200, "xray", "--threads", "--top=3", path)
    tap.ok(status == 0 and "20,000 threads" in out, "20,000 threads", out[-300:] + err)
    exits = {1: [(x.ENTER, 1, 1)] * 30000 + [(x.EXIT, 2, 2)] * 30000}
    path = write(tap, x.make_log(exits, size=16384), x.small_map())
    status, out, err = within(200, "xray", "--check", path)
    tap.ok(status == 1 and "exit: and 29,980 more" in out, "exits that leave nothing, below many calls", out[-300:] + err)
    log = x.Log(1, 1 << 62)
    path = write(tap, log.pack() + x.small_log().buffers[0].pack(1, 256), x.small_map())
    status, out, err = within(100, "xray", path)
    tap.ok(status == 1 and "cut: " in out, "a buffer that claims 2^62 bytes", out + err)
    log = x.small_log(5)
    log.buffers[0].extents = x.extents(1 << 63)
    log.buffers[0].body.insert(0, x.metadata(5, struct.pack("<iI", 0x7FFFFFFF, 0)))
    status, out, err = within(100, "xray", write(tap, log, x.small_map()))
    tap.ok(status == 1 and "cut: " in out, "an event that claims 2^31 bytes", out + err)


def main():
    tap = harness.Tap("command_xray")
    for version in (1, 5):
        status, out, err = command("xray", "--check", write(tap, x.small_log(version), x.small_map()))
        tap.ok(status == 0 and out.endswith(": 0 violations\n") and not err, "a good log of version %d" % version, out + err)
    check_rules(tap)
    check_lists(tap)
    check_files(tap)
    check_diff(tap)
    check_hostile(tap)
    tap.done()


main()
