"""Run by gdb: steps through a program that waits under Valgrind's tool none.

Environment: TARGET is a command that speaks gdb's protocol.  LISTED is the output of wet_values.c for the program.
STEPPED is a file for the results, with a line for each instruction but the last.  A line has the instruction's address,
the sixteen general registers by their encoding, the sixteen xmm registers, and 16 bytes of memory at each of the list's
addresses.  Valgrind
runs several iterations of an instruction with a repeat prefix in one step: for those at which it does not stop, the
line is -.
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
    # By default, gdb asks again after two seconds.  Then it gets two answers.
    gdb.execute("set remotetimeout 3600")
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
