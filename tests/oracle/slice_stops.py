"""Run by gdb after the script of dcfg slice --gdb: goes on from stop to stop.

Environment: STOPPED is a file for what is seen: a line for each stop with its address and the sixteen general registers, by
their encoding, after the instruction.
"""
import os

import gdb

GENERAL = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()


def number(text):
    return int(gdb.parse_and_eval(text)) & (2 ** 64 - 1)


def alive():
    return gdb.selected_inferior().pid != 0


def main():
    gdb.execute("set pagination off")
    with open(os.environ["STOPPED"], "w") as out:
        # Perhaps it begins at one.
        if Point.next == 1:
            gdb.execute("continue")
        while alive():
            at, stop = number("$pc"), Point.next
            # A step may end at the next stop.
            gdb.execute("stepi")
            registers = [number("$" + r) for r in GENERAL] if alive() else [0] * 16
            out.write(" ".join("%x" % x for x in [at] + registers) + "\n")
            if alive() and Point.next == stop:
                gdb.execute("continue")


main()
