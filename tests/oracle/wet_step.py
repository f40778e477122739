"""Run by gdb, which it leads step by step through a program that waits under Valgrind's tool none.

Environment: TARGET is a command that speaks gdb's protocol, LISTED what wet_values.c printed of the program, STEPPED a file
for what is seen: after each instruction but the last a line with its address, the sixteen general registers by their
encoding, the sixteen xmm registers, and 16 bytes of memory at each of the addresses that the list has.  Valgrind goes
several times through an instruction with a repeat prefix in one step: of those that it does not stop at, the line is -.
"""
import os

import gdb

GENERAL = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()
MASK = 2 ** 64 - 1


def number(text):
    return int(gdb.parse_and_eval(text)) & MASK


def memory(inferior, address):
    try:
        return bytes(inferior.read_memory(address, 16)).hex()
    except gdb.MemoryError:
        return "-"


def main():
    gdb.execute("set confirm off")
    gdb.execute("target remote | " + os.environ["TARGET"], to_string=True)
    inferior = gdb.selected_inferior()
    with open(os.environ["LISTED"]) as listed, open(os.environ["STEPPED"], "w") as out:
        for line in listed.read().splitlines()[:-1]:
            at = number("$pc")
            if at != int(line.split()[0], 16):
                out.write("-\n")
                continue
            gdb.execute("stepi", to_string=True)
            words = ["%x" % at] + ["%x" % number("$" + name) for name in GENERAL]
            words += ["%016x%016x" % (number("$xmm%d.v2_int64[1]" % k), number("$xmm%d.v2_int64[0]" % k)) for k in range(16)]
            words += [memory(inferior, int(a, 16)) for a in line.split()[2:]]
            out.write(" ".join(words) + "\n")
    gdb.execute("kill")


main()
