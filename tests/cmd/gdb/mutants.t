#!/usr/bin/python3
"""dcfg gdb and packets that a mutator has made of right ones: no crash, and nothing that upsets a sanitizer.  (TAP)

    mutants.t [N [SEED]]         N mutants; 6000 of them, or with DCFG_SLOW=1 100,000

Packets of all kinds, and conditions of breakpoints: bytecode that loops, divides by zero, and reads far away.  Some frames are
wrong, too.  In the end the server still answers, at the same recording, and no file beside the recording has changed.
"""
import hashlib
import os
import random
import re
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import gdb_remote
import gdblib
import harness

SOURCE = """#include <string.h>
static volatile int sum;
static char text[32];
static int add(int n) { sum += n; return sum; }
int main(void)
{
    for (int i = 0; i < 20; i++)
        add(i);
    __asm__ volatile("rep movsb" : : "D"(text), "S"(text + 8), "c"(20) : "memory");
    return memchr(text, 'x', sizeof(text)) != 0;
}
"""


def seeds(at):
    sum_at, add = at["sum"], at["add"]
    code = "25%016x19220a1427" % sum_at
    loop = "21000027"
    division = "2201220004220027"
    far = "25ffffffffffffff001a27"
    conditions = ["Z0,%x,1;X%x,%s" % (add, len(c) // 2, c) for c in (code, loop, division, far, "2600102622000227", "2828292b3301320127")]
    return conditions + [
        "qSupported:multiprocess+;swbreak+", "?", "g", "p10", "p0", "p2a", "Hg1", "Hc0", "Hc-1", "T1", "qC", "qfThreadInfo",
        "qsThreadInfo", "m%x,40" % sum_at, "m%x,2000" % add, "m1fff000000,100", "M%x,4:00000000" % sum_at, "X%x,0:" % sum_at,
        "G00", "P10=0000000000000000", "vCont?", "vCont;c", "vCont;s:1;c", "vCont;r%x,%x:1" % (add, add + 16), "c", "s", "bs", "bc",
        "bs", "bs", "Z0,%x,1" % add, "z0,%x,1" % add, "Z2,%x,4" % sum_at, "z2,%x,4" % sum_at, "Z3,%x,4" % sum_at, "z3,%x,4" % sum_at,
        "Z4,%x,8" % at["text"], "z4,%x,8" % at["text"], "Z1,%x,1" % at["main"], "qXfer:features:read:target.xml:0,1000",
        "qGetTLSAddr:1,0,10", "QPassSignals:e;14;1e", "qXfer:auxv:read::0,1000",
        "qXfer:libraries-svr4:read::0,1000", "qXfer:threads:read::0,1000", "qXfer:exec-file:read:1:0,1000",
        "qAttached", "vMustReplyEmpty"] + ["qRcmd," + c.encode().hex() for c in (
            "when", "goto 0", "goto end", "goto 20000", "goto mutants.c:8#2", "goto 0x%x#3" % add, "exact on", "exact off", "help")]


def mutate(rng, packet):
    data = bytearray(packet.encode())
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        how = rng.randrange(7)
        i = rng.randrange(len(data) + 1)
        if how == 0 and data:
            data[i % len(data)] = rng.choice(b"0123456789abcdef,;:-=fzZ")
        elif how == 1 and data:
            data[i % len(data)] = rng.randrange(256)
        elif how == 2:
            data[i:i] = bytes(rng.choice(b"0123456789abcdef,;:") for _ in range(rng.randrange(1, 20)))
        elif how == 3:
            del data[i:i + rng.randrange(1, 8)]
        elif how == 4:
            data[i:i] = data[:rng.randrange(len(data) + 1)]
        elif how == 5:
            data[i:] = b"f" * rng.randrange(20)
        elif data[:1] in b"Z":
            # Other code, with the right length.
            n = rng.randrange(1, 40)
            code = bytes(rng.choice((rng.randrange(256), rng.randrange(0x33), rng.randrange(0x33))) for _ in range(n))
            data = bytearray(packet.split(";")[0].encode() + b";X%x," % n + code.hex().encode())
    # The client stays: these would send it away.
    return b"vMustReplyEmpty" if data[:1] in (b"k", b"D") or data[:5] == b"vKill" else bytes(data)


def frame(rng, data):
    escaped = bytearray()
    for b in data:
        escaped += bytes((0x7d, b ^ 0x20)) if b in b"#$}*" else bytes((b,))
    whole = gdb_remote.checked(bytes(escaped))
    how = rng.randrange(60)
    if how == 0:
        return whole[:-1] + b"z"
    if how == 1:
        return b"+-\x03" + whole
    if how == 2:
        return whole[:rng.randrange(len(whole))] + whole
    if how == 3:
        return b"$" + b"m" * rng.choice((100, 0x5000)) + b"#00"
    return whole


def digests(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        found[name] = hashlib.sha256(harness.read(os.path.join(folder, name), "rb")).hexdigest()
    return found


def main(argv):
    tap = harness.Tap("gdb_mutants")
    n = int(argv[0]) if argv else 100000 if os.environ.get("DCFG_SLOW") else 6000
    seed = int(argv[1]) if len(argv) > 1 else 1
    rng = random.Random(seed)
    prog = harness.compiled(tap, "mutants.c", SOURCE, "-O0", "-static", "-no-pie")
    wet = prog and harness.record_wet(tap, "mutants", [prog])
    if not wet:
        tap.done()
        return
    r = gdblib.serve(wet, cwd=tap.dir)
    packets = seeds(gdb_remote.symbols(prog))
    for p in packets:
        r.ask(p)
    before = digests(tap.dir)
    answers, done = bytearray(), threading.Event()

    def read():
        while True:
            data = r.process.stdout.read1(65536)
            if not data:
                break
            answers.extend(data)
            del answers[:-4096]
        done.set()

    threading.Thread(target=read, daemon=True).start()
    status = None
    try:
        for _ in range(n):
            r.process.stdin.write(frame(rng, mutate(rng, rng.choice(packets))))
        for _ in range(2):
            # The first one ends what a broken frame began.
            r.process.stdin.write(gdb_remote.checked(b"qRcmd," + b"when".hex().encode()))
        r.process.stdin.write(gdb_remote.checked(b"D"))
        r.process.stdin.flush()
        r.process.stdin.close()
    except BrokenPipeError:
        pass
    done.wait(harness.TIMEOUT)
    err = r.process.stderr.read().decode(errors="replace")
    status = r.process.wait(harness.TIMEOUT)
    errors = [line for line in err.splitlines() if not re.match("dcfg gdb: made ", line)]
    tap.ok(status == 0 and not errors, "%d mutants, seed %d: the server goes on" % (n, seed), "%s\n%s" % (status, err[-3000:]))
    tap.ok(b"time ".hex().encode() in answers and bytes(answers).endswith(b"$OK#9a"), "and still answers", bytes(answers[-300:]))
    tap.ok(digests(tap.dir) == before, "no file has changed", before)
    tap.done()


if __name__ == "__main__":
    main(sys.argv[1:])
