#!/usr/bin/python3
"""Scale: a run of ten billion instructions, whose counts do not fit into 32 bits, and one with half a million executed
blocks.  Minutes, so only with DCFG_SLOW=1.  (TAP)"""
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import lifelib
from lifelib import MEASURE, Dcfg, check, equal, run

LOOPS = 4400000000          # more than 2 to the 32nd, of two instructions
CALLS = 400000000           # five instructions: call, ret, and the loop
LONG = """
        .text; .globl _start; .type _start, @function
_start: movabsq $%d, %%rcx
1:      decq %%rcx
        jnz 1b
        movl $%d, %%ecx
2:      call f
        nop
        decl %%ecx
        jnz 2b
        movl $231, %%eax
        xorl %%edi, %%edi
        syscall
        .size _start, . - _start
        .globl f; .type f, @function
f:      ret
        .size f, . - f
        .data; .quad 0
        .section .note.GNU-stack, "", @progbits
"""
# Each function has four blocks: up to its jump, the part that the jump skips at every second call, a call, and the
# rest.
FUNCTIONS = 125000
MANY_HEAD = """
        .text; .globl _start; .type _start, @function
_start: movl $2, %ebx
1:      call f0
        subl $1, %ebx
        jnz 1b
        movl $231, %eax
        xorl %edi, %edi
        syscall
        .size _start, . - _start
        .globl leaf; .type leaf, @function
leaf:   ret
        .size leaf, . - leaf
        .data; .quad 0
        .section .note.GNU-stack, "", @progbits
        .text
"""
MANY = """
        .globl f%(k)d; .type f%(k)d, @function
f%(k)d: testl $1, %%ebx
        jnz 1f
        nop
1:      call leaf
        %(end)s
        .size f%(k)d, . - f%(k)d
"""


def assemble(tap, name, text):
    harness.written(tap, name + ".s", text)
    return harness.cc(tap, tap.path(name + ".s"), name, "-static", "-nostdlib")


def measured(tap, name, prog):
    start = time.time()
    r = run(tap, name, [prog], before=MEASURE)
    ran = time.time() - start
    good = check(tap, name, r, 1)
    if good:
        print("# %s: %.1f s, %s MB; %.1f s to check; the file has %.1f MB"
              % (name, ran, int(r.out.split()[-1]) // 1024, time.time() - start - ran,
                 os.path.getsize(r.files[0]) / 1e6))
    return (Dcfg(r.files[0]), int(r.out.split()[-1])) if good else (None, 0)


def main():
    tap = harness.Tap("slow")
    if os.environ.get("DCFG_SLOW") != "1":
        tap.skip("ten billion instructions, half a million blocks", "DCFG_SLOW=1 runs them")
        tap.done()
    memory = {}
    for name, loops, calls in (("short", 1000, 1000), ("long", LOOPS, CALLS)):
        prog = assemble(tap, name, LONG % (loops, calls))
        d, memory[name] = measured(tap, name, prog)
        if not d:
            continue
        equal(tap, name + ": instructions", d.total, 1 + 2 * loops + 1 + 5 * calls + 3)
        equal(tap, name + ": counts", sorted(b.count for b in d.p.blocks.values()),
              sorted([1, loops, 1, calls, calls, calls, 1]))
        equal(tap, name + ": calls", d.calls("f"), calls)
    tap.ok(memory["long"] < memory["short"] + 2000, "memory does not depend on time", memory)

    end = "ret"
    text = [MANY_HEAD]
    for k in range(FUNCTIONS):
        text.append(MANY % {"k": k, "end": "jmp f%d" % (k + 1) if k < FUNCTIONS - 1 else end})
    prog = assemble(tap, "many", "".join(text))
    d, _ = measured(tap, "many", prog)
    if d:
        equal(tap, "many: blocks", len(d.p.blocks), 4 * FUNCTIONS + 1 + 1 + 3)
        # ebx is 2 and then 1: the nop runs the first time.
        equal(tap, "many: instructions", d.total, 1 + 2 * 3 + 3 + FUNCTIONS * (2 * 5 + 1))
        equal(tap, "many: calls", d.calls("leaf"), 2 * FUNCTIONS)
    tap.done()


if __name__ == "__main__":
    main()
