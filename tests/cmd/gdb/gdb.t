#!/usr/bin/python3
"""dcfg gdb as a server, packet by packet.  (TAP)

- Stops backward are stops forward, reversed: of breakpoints and of watchpoints, in programs with threads, signals, recursion,
  longjmp and repeated instructions.  N steps and N steps backward lead through the same registers.
- A step over a range of addresses ends where single steps leave the range.
- Conditions are evaluated as a slow model does, and passing over steps of loops leads to the same place as all steps.
- Nothing can be changed; wrong packets have an answer; both ends of the recording; threads; --listen; what is refused.
"""
import os
import random
import re
import socket
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import gdb_remote
import gdblib
import harness
import wet_by_hand

WAYS = harness.text("gdb/gdb_ways.c")
THREADS = harness.text("gdb/gdb_threads.c")
TIME = re.compile(r"time ([\d,]+) of ([\d,]+), thread (\d+)(?:, (0x[0-9a-f]+)#(\d+))?(?:, (\S+))?$")


def when(r):
    """(time, end, thread, address, instance, line) of the present."""
    m = TIME.match(r.monitor("when").strip())
    return (int(m[1].replace(",", "")), int(m[2].replace(",", "")), int(m[3]), m[4] and int(m[4], 16), m[5] and int(m[5]), m[6])


def stops(r, packet, most=1000):
    """Each stop's reason and time, until the end of the recording."""
    found, reply = [], ""
    while len(found) < most:
        # A debugger steps over the breakpoint where it stands.
        if packet != "bc" and "break:" in reply:
            reply = r.ask("vCont;s:%x" % when(r)[2])
        if packet == "bc" or not re.search("watch:|replaylog:", reply) or found and found[-1][1] == when(r):
            reply = r.ask(packet)
        at = when(r)
        if "replaylog" in reply:
            return found, reply
        reason = re.search(r"(swbreak|hwbreak|watch|awatch|rwatch):([0-9a-f]*);", reply)
        found.append((reason and reason[0], at))
    return found, ""


def check_stops(tap, name, r, points, least):
    for p in points:
        tap.ok(r.ask("Z" + p) == "OK", "%s: a point, %s" % (name, p))
    forward, at_end = stops(r, "vCont;c")
    backward, at_begin = stops(r, "bc")
    tap.ok("replaylog:end" in at_end and "replaylog:begin" in at_begin and when(r)[0] == 0, name + ": goes from end to end",
           at_end + at_begin)
    # A watchpoint stops behind the instruction going forward, before it going backward.
    want = [(kind, at[0] - ("watch" in kind), at[3] if "break" in kind else None, at[4] if "break" in kind else None)
            for kind, at in forward]
    have = [(kind, at[0], at[3] if "break" in kind else None, at[4] if "break" in kind else None) for kind, at in backward]
    tap.ok(want == have[::-1] and len(want) >= least, name + ": %d stops, and backward the same, reversed" % len(want),
           "%s\n%s" % (want, have[::-1]))
    for p in points:
        r.ask("z" + p)
    return forward


def check_steps(tap, name, r, begin, n):
    """From time BEGIN, N steps and N steps backward."""
    r.monitor("exact on")
    r.monitor("goto %d" % begin)
    r.ask("s")
    seen = [(r.ask("g"), when(r)[0])]
    for _ in range(n):
        r.ask("vCont;s:%x" % when(r)[2] if name == "threads" else "s")
        seen.append((r.ask("g"), when(r)[0]))
    bad = []
    for i in range(n - 1, -1, -1):
        r.ask("bs")
        if (r.ask("g"), when(r)[0]) != seen[i]:
            bad.append("step %d: time %d, not %d; registers %s" % (i, when(r)[0], seen[i][1], r.ask("g") == seen[i][0]))
    tap.ok(not bad, "%s: %d steps and back lead through the same registers" % (name, n), "\n".join(bad[:5]))


def check_memory(tap, r, wet, begin, places, dice=random.Random(1)):
    """Memory during steps forward and back, against a server that can keep no answers: it is asked for half words only."""
    stack = gdb_remote.number(r.registers(r.rows())["rsp"]) & ~63
    places = [p & ~7 for p in places] + [stack + 64 * k for k in range(-4, 4)]
    r.monitor("exact on")
    r.monitor("goto %d" % begin)
    r.ask("s")
    seen = {}
    for packet in ["s"] * 400 + ["bs"] * 300 + ["s"] * 100:
        r.ask(packet)
        t = when(r)[0]
        for p in dice.sample(places, 3):
            seen.setdefault((t, p), set()).add(r.ask("m%x,40" % p))
    other, bad = gdblib.serve(wet), []
    for t, p in dice.sample(sorted(seen), 300):
        other.monitor("goto %d" % t)
        other.ask("s")
        want, k = "", 0
        while k < 64 and len(want) == 2 * k:    # an answer ends where memory is not known
            half = other.ask("m%x,4" % (p + k))
            want += "" if len(half) == 3 else half
            k += 4
        if seen[t, p] != {want or "E14"}:
            bad.append("time %d, 0x%x:\n%s\n%s" % (t, p, want, seen[t, p]))
    other.close()
    answers = {a for s in seen.values() for a in s}
    tap.ok(not bad and len(answers) > 20, "memory during steps is that of jumps",
           "%d different answers\n%s" % (len(answers), "\n".join(bad[:5])))


def check_pass(tap, r, begin, end):
    """Steps backward from time BEGIN to END: passed over, and all."""
    counts, ends = [], []
    for exact in ("on", "off"):
        r.monitor("exact " + exact)
        r.monitor("goto %d" % begin)
        r.ask("s")
        n = 0
        while when(r)[0] > end:
            r.ask("bs")
            n += 1
        counts.append(n)
        ends.append((when(r)[0], r.ask("g")))
    tap.ok(ends[0] == ends[1] and counts[0] > 500 and counts[1] < 150,
           "a loop's steps are passed over: %d instead of %d" % (counts[1], counts[0]), (ends[0][0], ends[1][0]))


def range_step(r, begin, low, high, points, most=3000):
    """The stop of a step over LOW to HIGH from time BEGIN, that of single steps, and the addresses that these were at."""
    r.monitor("goto %d" % begin)
    r.ask("s")
    thread, seen = when(r)[2], []
    for p in points:
        r.ask("Z" + p)
    at = [int(p.split(",")[1], 16) for p in points if p[0] in "01"]
    while len(seen) < most:
        single = r.ask("vCont;s:%x" % thread)
        seen.append(when(r)[3] or 0)
        if not single.startswith("T05") or re.search("break:|watch:|replaylog:|library:", single) or not low <= seen[-1] < high or seen[-1] in at:
            break
    single = (single, when(r))
    r.monitor("goto %d" % begin)
    r.ask("s")
    ranged = (r.ask("vCont;r%x,%x:%x" % (low, high, thread)), when(r))
    for p in points:
        r.ask("z" + p)
    # With a breakpoint at the last address, only the places are compared: one reply names the breakpoint.
    return ranged[1:] if at else ranged, single[1:] if at else single, seen


def check_ranges(tap, name, r, watched, n, dice=random.Random(3)):
    """A step over a range of addresses ends where single steps leave the range, or meet a breakpoint or an access to WATCHED."""
    end, bad, longest, later = when(r)[1], [], 0, 0
    for _ in range(n):
        begin = dice.randrange(end)
        r.monitor("goto %d" % begin)
        r.ask("s")
        addr = when(r)[3]
        low, high = addr - dice.choice((8, 64, 4096)), addr + dice.choice((8, 64, 4096))
        ranged, single, seen = range_step(r, begin, low, high, [])
        tried = [("no point", ranged, single, seen)]
        longest = max(longest, len(seen) % 3000)
        # An address that comes first behind many steps.
        new = [a for i, a in enumerate(seen[:-1]) if i > 70 and a not in seen[:i]]
        for p in ["0,%x,1" % a for a in new[-1:]] + ["2,%x,4" % watched] * (len(seen) > 70):
            tried.append((p, *range_step(r, begin, low, high, [p])))
            later += 70 < len(tried[-1][3]) < len(seen)
        bad += ["from %d, %x to %x, %s: %s, not %s" % (begin, low, high, t[0], t[1], t[2]) for t in tried if len(t[3]) < 3000 and t[1] != t[2]]
    tap.ok(not bad and longest > 100 and later > 0,
           "%s: a range step ends where single steps do; the longest has %d; a point ended %d" % (name, longest, later), "\n".join(bad[:5]))


def check_conditions(tap, r, at, sum_at):
    """A condition of the bytecode at the breakpoint AT, against what memory has at each of its stops."""
    plain, values = "0,%x,1" % at, []
    r.monitor("goto 0")
    r.ask("s")
    r.ask("Z" + plain)
    while "replaylog" not in r.ask("vCont;c"):
        values.append((when(r)[0], int.from_bytes(r.memory(sum_at, 4), "little")))
        r.ask("s")
    for op, holds in (("14", lambda v: v < 10), ("13", lambda v: v == 7), ("0e", None)):
        # const64 sum; ref32; const8 10 or 7; OP; end
        code = "25%016x1922%s%s27" % (sum_at, "0a" if op == "14" else "07", op)
        if holds is None:
            code, holds = "25%016x190e27" % sum_at, lambda v: v == 0
        r.monitor("goto 0")
        r.ask("s")
        tap.ok(r.ask("Z%s;X%x,%s" % (plain, len(code) // 2, code)) == "OK", "a condition: " + op)
        found = []
        while "replaylog" not in r.ask("vCont;c"):
            found.append(when(r)[0])
            r.ask("s")
        tap.ok(found == [t for t, v in values if holds(v)] and values, "it holds %d of %d times" % (len(found), len(values)),
               (found, values))
    r.ask("z" + plain)


def check_interrupt(tap, r, at):
    """While a condition never holds."""
    r.monitor("goto 0")
    r.ask("s")
    r.ask("Z0,%x,1;X3,220027" % at)
    r.process.stdin.write(gdb_remote.checked(b"vCont;c") + b"\x03")
    r.process.stdin.flush()
    answer = r.receive()
    tap.ok(answer.startswith("T02"), "an interrupt stops", answer)
    # gdb steps; its user's interrupt comes when a step has ended, and must stop the next one.
    before = when(r)
    r.process.stdin.write(b"\x03")
    tap.ok(r.ask("vCont;s:1").startswith("T02") and when(r) == before, "one between two steps, too")
    tap.ok("replaylog:end" in r.ask("vCont;c"), "and only once")
    r.ask("z0,%x,1" % at)


def check_refused(tap, r):
    before = (r.ask("g"), when(r), r.memory(gdb_remote.number(r.registers(r.rows())["rsp"]), 64))
    g = r.ask("g")
    replies = [r.ask(p) for p in ("G" + g.replace("x", "0"), "P0=0000000000000000", "M0,1:00", b"X0,1:a", "Mzz", "P", "X")]
    tap.ok(set(replies) == {"E01"}, "nothing can be written", replies)
    after = (r.ask("g"), when(r), r.memory(gdb_remote.number(r.registers(r.rows())["rsp"]), 64))
    tap.ok(before == after, "and nothing has changed")
    wrong = [r.ask(p) for p in ("m", "m1", "m1,", "mg,1", "p", "pfff", "Hq", "Hg99", "T99", "Z", "Z9,0,1", "Z0,zz", "Z2,0,0",
                                "Z0,10,1;X5,00", "qXfer:auxv:read::zz", "vCont;x", "vCont", "vCont;s:99", "qRcmd,6", "qRcmd,zz",
                                "Z2,ffffffffffffffff,8", "Z2,0,ffffffff")]
    tap.ok(all(w in ("E01", "") for w in wrong), "a wrong packet has an answer", wrong)
    tap.ok([r.ask(p) for p in ("vMustReplyEmpty", "", "jThreadsInfo", "!", "R00")] == [""] * 5, "an unknown one an empty answer")
    tap.ok(r.ask("m0,8") == "E14" and r.ask("mfffffffffffffff8,100").startswith("E"), "memory that is not known")


def check_ways(tap):
    prog = harness.compiled(tap, "ways.c", WAYS, "-O0", "-static", "-no-pie")
    wet = prog and harness.record_wet(tap, "ways", [prog])
    if not wet:
        return None
    at = gdb_remote.symbols(prog)
    r = gdblib.serve(wet)
    check_stops(tap, "ways", r, ["0,%x,1" % at["depth"], "1,%x,1" % at["handler"], "2,%x,4" % at["sum"], "2,%x,1" % (at["copy"] + 3)], 20)
    forward, _ = stops(r, "vCont;c", 0)
    r.monitor("goto end")
    r.ask("s")
    _, end, *_ = when(r)
    tap.ok(when(r)[0] == end and "replaylog:end" in r.ask("vCont;c"), "goto end")
    r.ask("Z0,%x,1" % at["main"])
    r.ask("bc")
    main_at = when(r)[0]
    r.ask("z0,%x,1" % at["main"])
    tap.ok(when(r)[3] == at["main"] and when(r)[5].startswith("ways.c:"), "a breakpoint backward", when(r))
    check_steps(tap, "ways", r, main_at, 1500)
    check_ranges(tap, "ways", r, at["sum"], 30)
    check_memory(tap, r, wet, main_at, [at[name] for name in ("copy", "text", "sum", "steps")])
    # The loop of one line, from behind it to its begin.
    tap.ok(r.monitor("goto ways.c:25#0") == "" and "T05" in r.ask("s"), "goto a line")
    begin = when(r)
    tap.ok(begin[5] == "ways.c:25", "it is there", begin)
    r.monitor("goto ways.c:26")
    r.ask("s")
    check_pass(tap, r, when(r)[0], begin[0])
    check_conditions(tap, r, at["depth"], at["sum"])
    check_interrupt(tap, r, at["depth"])
    check_refused(tap, r)
    tap.ok("nothing at" in r.monitor("goto 0x1") and "no time" in r.monitor("goto x") and "behind the end" in r.monitor("goto 99,999,999")
           and "executed" in r.monitor("goto ways.c:999") and "exact" in r.monitor("help"), "monitor says what is wrong")
    status, err = r.close()
    tap.ok(status == 0 and re.fullmatch("dcfg gdb: made .*: [0-9,]+ instructions, 1 thread, [0-9.]+ % of the trace\n", err),
           "the server ends, and has made an index", err)
    return prog, wet


def check_threads(tap):
    prog = harness.compiled(tap, "threads.c", THREADS, "-O0", "-static", "-no-pie", "-pthread")
    wet = prog and harness.record_wet(tap, "threads", [prog])
    if not wet:
        return
    at = gdb_remote.symbols(prog)
    r = gdblib.serve(wet)
    forward = check_stops(tap, "threads", r, ["0,%x,1" % at["run"], "2,%x,4" % at["shared"]], 15)
    tap.ok({t for kind, (_, _, t, *_) in forward if "break" in kind} == {2, 3, 4}, "each thread stops", forward)
    # In one that has begun.
    first = next(w for kind, w in forward if "break" in kind)
    check_steps(tap, "threads", r, first[0], 300)
    check_ranges(tap, "threads", r, at["shared"], 30)
    r.monitor("goto %d" % first[0])
    r.ask("s")
    # The kernel says which one begins first.
    second, later = first[2], min({2, 3, 4} - {first[2]})
    listed = r.ask("qfThreadInfo")
    tap.ok(listed == "m1,%x" % second, "threads that have begun", listed)
    registers, rows = {}, r.rows()
    for t in (1, second):
        tap.ok(r.ask("Hg%x" % t) == "OK" and r.ask("T%x" % t) == "OK", "thread %d is there" % t)
        registers[t] = r.registers(rows)
    r.ask("Hg1")
    tap.ok(when(r)[2] == second, "monitor when is about the thread that stopped", when(r))
    tap.ok(r.ask("T%x" % later) == "E01" and r.ask("Hg%x" % later) == "E01", "and one that has not begun is not")
    tap.ok(registers[1]["rsp"] != registers[second]["rsp"] and "x" not in registers[1]["rip"] + registers[second]["rip"],
           "each has registers of its own")
    r.close()


def check_port(tap, wet):
    p = subprocess.Popen([commandlib.DCFG, "gdb", "--listen=0", wet], stderr=subprocess.PIPE, env=harness.ENV)
    line = p.stderr.readline().decode()
    m = re.match(r"dcfg gdb: listening on localhost:(\d+)$", line)
    if not tap.ok(m, "--listen says where", line):
        p.kill()
        p.wait()
        return
    port = int(m[1])
    with socket.create_connection(("127.0.0.1", port), harness.TIMEOUT) as s:
        s.sendall(gdb_remote.checked(b"?"))
        answer = s.recv(4096)
        tap.ok(answer.startswith(b"+"), "a client is served", answer)
        try:
            other = socket.create_connection(("127.0.0.1", port), harness.TIMEOUT)
            other.settimeout(harness.TIMEOUT)
            try:
                refused = other.recv(1) == b""
            except OSError:
                refused = True
            other.close()
        except OSError:
            refused = True
        tap.ok(refused, "another one is not")
        # A connection of another program may have the same number, at another address.
        links = [os.readlink("/proc/%d/fd/%s" % (p.pid, fd)) for fd in os.listdir("/proc/%d/fd" % p.pid)]
        rows = [line.split() for line in harness.read("/proc/net/tcp").splitlines()[1:]]
        hosts = {row[1].split(":")[0] for row in rows if "socket:[%s]" % row[9] in links}
        tap.ok(hosts <= {"0100007F"}, "it is on this machine only", hosts)
    tap.ok(p.wait(harness.TIMEOUT) == 0, "it ends when the client goes")
    p.stderr.close()


def check_lost(tap, wet, at):
    """A client that goes away while a condition is evaluated again and again; one that sends no more, but reads on."""
    p = subprocess.Popen([commandlib.DCFG, "gdb", "--listen=0", wet], stderr=subprocess.PIPE, env=harness.ENV)
    port = int(re.search(rb"localhost:(\d+)$", p.stderr.readline())[1])
    with socket.create_connection(("127.0.0.1", port), harness.TIMEOUT) as s:
        # goto 0, for ever
        s.sendall(gdb_remote.checked(b"Z0,%x,1;X3,210000" % at) + gdb_remote.checked(b"vCont;c") + gdb_remote.checked(b"bc"))
    tap.ok(p.wait(harness.TIMEOUT) == 0, "a server ends when its client goes in the middle of a search", p.returncode)
    p.stderr.close()
    sent = b"".join(gdb_remote.checked(packet) for packet in [b"QStartNoAckMode"] + 400 * [b"vCont;s", b"qC"] + [b"D"])
    status, out, _ = commandlib.command("gdb", "--serve", wet, input=sent)
    tap.ok(status == 0 and out.count("$QC1#") == 400 and out.endswith("$OK#9a"), "all packets are answered that came before the end", out[-200:])


def check_bad(tap, wet):
    packed = tap.path("packed.wet.gz")
    with open(packed, "wb") as f:
        subprocess.run(["gzip", "-c", wet], stdout=f, check=True)
    for name, args, text in (("compressed", [packed], "not compressed"),
                             ("a graph", [tap.path("ways.dcfg.json")], ""),
                             ("no file", [tap.path("none")], "none"),
                             ("--at", ["--at=ways.c:999", wet], "ways.c:999"),
                             ("a port", ["--listen=99999", wet], "no such port"),
                             ("both", ["--listen=0", "--serve", wet], "one of them"),
                             ("arguments", ["--serve", wet, "--", "-batch"], "-batch")):
        status, out, err = commandlib.command("gdb", *(["--serve"] if name not in ("a port", "both", "arguments") else []), *args,
                                              stdin=subprocess.DEVNULL)
        tap.ok(status == 2 and out == "" and text in err and err.startswith("dcfg gdb: ") and err.count("\n") == 1,
               name + ": one line says so", err)


def arm64_recording(path):
    """A recording of arm64, made by hand: compares 7 with 9, and saves both on its stack."""
    h = wet_by_hand

    def x(n):
        return (8 * n, 8)
    flags = (256, 2)
    instrs = [h.Instr(struct.pack("<I", code), *rest) for code, *rest in (
        (0xD28000E0, h.PLAIN, [], [x(0)], [], [(8, 7)]),                                                     # mov x0, #7
        (0xD2800121, h.PLAIN, [], [x(1)], [], [(8, 9)]),                                                     # mov x1, #9
        (0x9100001F, h.PLAIN, [x(0)], [x(31)], [], [(8, 0x7010)]),                                           # mov sp, x0
        (0xEB010002, h.PLAIN, [x(0), x(1)], [x(2), flags], [], [(8, 2 ** 62)]),                              # subs x2, x0, x1
        (0x5400004B, h.BRANCH, [flags]),                                                                     # b.lt +8
        (0xD503201F, h.PLAIN),
        (0xA9BF07E0, h.PLAIN, [x(0), x(1), x(31)], [x(31)],                                                  # stp x0, x1, [sp, #-16]!
         [(h.WRITES, 8, 0, 0x7000), (h.WRITES, 8, 0, 0x7008)], [(8, 7), (8, 9)]),
        (0xF84087E3, h.PLAIN, [x(31)], [x(3), x(31)], [(h.READS, 8, 0, 0x7000)], [(8, 7)]),                  # ldr x3, [sp], #8
        (0x4E080C01, h.PLAIN, [x(0)], [(288 + 16, 16)], [], [(8, 7), (8, 7)]),                               # dup v1.2d, x0
        (0xC85F7FE4, h.PLAIN, [x(31)], [x(4)], [(h.READS, 8, 0, 0x7008)], [(8, 9)]),                         # ldxr x4, [sp]
        (0xC8057FE0, h.PLAIN, [x(0), x(31)], [x(5)], [(h.WRITES, 8, 0, 0x7008)], [(8, 7)]),                  # stxr w5, x0, [sp]
        (0xB10004A6, h.PLAIN, [x(5)], [x(6), flags], [], [(8, 1)]),                                          # adds x6, x5, #1
        (0xD503201F, h.PLAIN))]
    harness.write(path, h.recording(h.ARM64, instrs, [[0, 1, 2, 3, 4], [6, 7, 8, 9, 10, 11, 12]], [(1, True), (2, False)]))


def check_arm64(tap):
    """Registers of arm64, and which gdb is started."""
    wet = tap.path("arm64.wet")
    arm64_recording(wet)
    r = gdblib.serve(wet)
    rows, target = r.rows(), r.ask("qXfer:features:read:target.xml:0,4000")
    tap.ok([name for name, _ in rows] == ["x%d" % n for n in range(31)] + ["sp", "pc", "cpsr"] + ["v%d" % n for n in range(32)]
           + ["fpsr", "fpcr", "tpidr"] and re.findall(r"aarch64\.(\w+)", target) == ["core", "fpu", "tls"], "arm64: rows", target)
    states, packets = [], []
    for _ in range(12):
        states.append({name: gdb_remote.number(value) for name, value in r.registers(rows).items()})
        packets.append(r.ask("g"))
        r.ask("s")
    begin, compared, last = states[0], states[4], states[-1]
    tap.ok(begin["pc"] == wet_by_hand.BASE and all(begin[n] is None for n in ("x0", "sp", "cpsr", "v0", "fpsr", "tpidr")),
           "arm64: nothing is invented", begin)
    tap.ok(compared["cpsr"] == 0x80000000 and states[5]["pc"] == wet_by_hand.BASE + 24, "arm64: a comparison, and its branch", compared)
    want = {"x0": 7, "x1": 9, "x2": 2 ** 62, "x3": 7, "x4": 9, "x5": 0, "x6": 1, "sp": 0x7008, "cpsr": 0, "v1": 7 << 64 | 7, "v0": None,
            "x7": None, "pc": wet_by_hand.BASE + 48}
    tap.ok({name: last[name] for name in want} == want, "arm64: registers at the end", last)
    tap.ok(states[6]["sp"] == 0x7000, "arm64: the stack pointer behind STP", states[6])
    tap.ok(r.memory(0x7000, 16) == struct.pack("<2Q", 7, 7) and not r.memory(0x7010, 1), "arm64: memory")
    back = []
    while "replaylog" not in r.ask("bs") and len(back) < 20:
        back.append(r.ask("g"))
    tap.ok(back == packets[::-1], "arm64: steps back lead through the same registers")
    tap.ok(r.close()[0] == 0, "arm64: the server ends")
    check_debugger(tap, wet)


def check_debugger(tap, wet):
    """The one that knows the processor is started: the first of gdb and gdb-multiarch.  These only name themselves."""
    def started(known):
        path = tap.path("bin-" + "-".join(known))
        os.mkdir(path)
        for name in "gdb", "gdb-multiarch":
            os.chmod(harness.write(os.path.join(path, name), "#!/bin/sh\n[ \"$2\" = -batch ] && exit %d\necho %s\n" % (name not in known, name)), 0o755)
        p = subprocess.run([commandlib.DCFG, "gdb", wet], env=dict(harness.ENV, PATH=path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return p.returncode, p.stdout.decode().strip(), p.stderr.decode()
    if os.uname().machine == "aarch64":
        tap.skip("which gdb is started", "this machine's own gdb knows arm64")
        return
    tap.ok(started(["gdb", "gdb-multiarch"])[:2] == (0, "gdb"), "arm64: gdb is started if it knows the processor")
    tap.ok(started(["gdb-multiarch"])[:2] == (0, "gdb-multiarch"), "arm64: else gdb-multiarch is")
    status, out, err = started([])
    tap.ok(status != 0 and not out and err.endswith("install gdb-multiarch\n") and err.count("\n") == 1, "arm64: else a line says so", err)


def main():
    tap = harness.Tap("gdb")
    made = check_ways(tap)
    check_threads(tap)
    check_arm64(tap)
    if made:
        check_port(tap, made[1])
        check_lost(tap, made[1], gdb_remote.symbols(made[0])["depth"])
        check_bad(tap, made[1])
    tap.done()


main()
