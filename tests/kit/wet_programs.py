#!/usr/bin/env python3
"""Random programs for the tests of a whole execution trace, of the kind that tests/oracle/wet_model.py takes.

They use parts of registers, memory at any alignment, vectors and string instructions.  They have branches, loops that are
entered in the middle, tables of jumps, calls of all kinds, recursion, and calls that never return.  A seed makes the same
program each time.

    wet_programs.py SEED > PROGRAM.S             gcc -static -nostdlib -no-pie PROGRAM.S
"""
import random
import sys

REGS = {8: ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12"],
        4: ["eax", "ebx", "ecx", "edx", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d"],
        2: ["ax", "bx", "cx", "dx", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w"],
        1: ["al", "bl", "cl", "dl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b"]}
SUFFIX = {8: "q", 4: "l", 2: "w", 1: "b"}
CONDITIONS = ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"]
N_FUNCTIONS = 5


class Writer:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines, self.labels, self.counters = [], 0, 0

    def put(self, line):
        self.lines.append("\t" + line)

    def label(self):
        self.labels += 1
        return ".L%d" % self.labels

    def place(self, label):
        self.lines.append(label + ":")

    def reg(self, size):
        return "%" + self.r.choice(REGS[size])

    def memory(self, size):
        if self.r.random() < 0.5:
            return "memory+%d(%%rip)" % self.r.randrange(0, 60)
        self.put("mov %s, %%r13d" % self.reg(4))
        self.put("and $%d, %%r13d" % self.r.choice((7, 31, 56)))
        return "memory+%d(%%r13)" % self.r.randrange(0, 4)

    # --- straight code ---

    def arithmetic(self):
        size = self.r.choice((1, 2, 4, 4, 8, 8))
        op = self.r.choice(("add", "sub", "and", "or", "xor", "cmp", "test", "adc", "sbb", "mov", "mov"))
        way = self.r.randrange(4)
        if way == 0:
            self.put("%s $%d, %s" % (op, self.r.randrange(-100, 100), self.reg(size)))
        elif way == 1:
            self.put("%s%s %s, %s" % (op, SUFFIX[size], self.reg(size), self.memory(size)))
        elif way == 2 and op != "test":
            self.put("%s%s %s, %s" % (op, SUFFIX[size], self.memory(size), self.reg(size)))
        else:
            self.put("%s %s, %s" % (op, self.reg(size), self.reg(size)))

    def single(self):
        size = self.r.choice((1, 2, 4, 8))
        op = self.r.choice(("inc", "dec", "neg", "not"))
        where = self.reg(size) if self.r.random() < 0.6 else self.memory(size)
        self.put("%s%s %s" % (op, SUFFIX[size], where))

    def other(self):
        n = self.r.randrange(13)
        if n == 0:
            self.put("lea %d(%s,%s,4), %s" % (self.r.randrange(99), self.reg(8), self.reg(8), self.reg(8)))
        elif n == 1:
            self.put("imul %s, %s" % (self.reg(4), self.reg(4)))
        elif n == 2:
            self.put("%s $%d, %s" % (self.r.choice(("shl", "shr", "sar")), self.r.randrange(1, 31), self.reg(4)))
        elif n == 3:
            self.put("movzb%s %s, %s" % ("l", self.reg(1), self.reg(4)))
        elif n == 4:
            self.put("movswq %s, %s" % (self.memory(2), self.reg(8)))
        elif n == 5:
            self.put("cmov%s %s, %s" % (self.r.choice(CONDITIONS), self.reg(8), self.reg(8)))
        elif n == 6:
            self.put("cmov%s %s, %s" % (self.r.choice(CONDITIONS), self.memory(4), self.reg(4)))
        elif n == 7:
            self.put("set%s %s" % (self.r.choice(CONDITIONS), self.reg(1)))
        elif n == 8:
            self.put("xchg %s, %s" % (self.reg(8), self.reg(8)))
        elif n == 9:
            self.put("push %s" % self.reg(8))
            self.stuff(1)
            self.put("pop %s" % self.reg(8))
        elif n == 10:
            self.put("%s" % self.r.choice(("cltq", "cqto", "cltd", "cwtl", "nopw 0(%rax,%rax,1)")))
        elif n == 11:
            self.put("rol $%d, %s" % (self.r.randrange(1, 31), self.reg(4)))
        else:
            self.put("mov%s $%d, %s" % ("b", self.r.randrange(100), self.r.choice(("%ah", "%bh", "%ch", "%dh"))))

    def string(self):
        self.put("mov $%d, %%ecx" % self.r.randrange(0, 6))
        self.put("lea memory+%d(%%rip), %%rdi" % self.r.randrange(0, 16))
        if self.r.random() < 0.5:
            self.put("lea memory+%d(%%rip), %%rsi" % self.r.randrange(20, 40))
            self.put("rep movsb")
        else:
            self.put("rep stosb")

    def vector(self):
        a, b = self.r.randrange(4), self.r.randrange(4)
        self.put(self.r.choice((
            "movdqu memory+%d(%%rip), %%xmm%d" % (self.r.randrange(30), a),
            "movdqu %%xmm%d, memory+%d(%%rip)" % (a, self.r.randrange(30)),
            "movdqa %%xmm%d, %%xmm%d" % (a, b), "paddd %%xmm%d, %%xmm%d" % (a, b),
            "pxor %%xmm%d, %%xmm%d" % (a, b), "movd %s, %%xmm%d" % (self.reg(4), a),
            "movd %%xmm%d, %s" % (a, self.reg(4)), "pand memory+16(%%rip), %%xmm%d" % a)))

    def stuff(self, n):
        for _ in range(n):
            self.r.choice((self.arithmetic, self.arithmetic, self.single, self.other, self.other, self.string,
                           self.vector))()

    # --- control ---

    def if_else(self, f, depth):
        other, end = self.label(), self.label()
        self.arithmetic()
        self.put("j%s %s" % (self.r.choice(CONDITIONS), other))
        self.body(f, depth - 1)
        if self.r.random() < 0.5:
            self.put("jmp " + end)
            self.place(other)
            self.body(f, depth - 1)
            self.place(end)
        else:
            self.place(other)

    def loop(self, f, depth):
        """Makes a loop, sometimes entered in the middle, sometimes left there."""
        head, middle, end = self.label(), self.label(), self.label()
        self.counters += 1
        self.put("movl $%d, counters+%d(%%rip)" % (self.r.randrange(1, 4), 4 * self.counters))
        if self.r.random() < 0.3:
            self.arithmetic()
            self.put("j%s %s" % (self.r.choice(CONDITIONS), middle))
        self.place(head)
        self.body(f, depth - 1)
        if self.r.random() < 0.3:
            self.put("j%s %s" % (self.r.choice(CONDITIONS), end))
        self.place(middle)
        self.stuff(1)
        self.put("decl counters+%d(%%rip)" % (4 * self.counters))
        self.put("jg " + head)
        self.place(end)

    def switch(self, f, depth):
        cases, end = [self.label() for _ in range(4)], self.label()
        table = self.label()
        self.put("mov %s, %%r13d" % self.reg(4))
        self.put("and $3, %r13d")
        self.put("jmp *%s(,%%r13,8)" % table)
        for case in cases:
            self.place(case)
            self.stuff(1)
            if self.r.random() < 0.7:
                self.put("jmp " + end)
        self.place(end)
        self.lines += ["\t.section .rodata", table + ":"] + ["\t.quad " + c for c in cases] + ["\t.text"]

    def call(self, f, depth):
        """Makes a function that calls later functions, or, as long as there is fuel, any."""
        self.put("decl fuel(%rip)")
        end = self.label()
        self.put("js " + end)
        if self.r.random() < 0.5:
            self.put("call f%d" % self.r.randrange(N_FUNCTIONS))
        else:
            self.put("mov %s, %%r13d" % self.reg(4))
            self.put("and $3, %r13d")
            self.put("call *functions(,%r13,8)")
        self.place(end)

    def leave(self, f, depth):
        """Jumps out of the function, to its end or into another one."""
        end = self.label()
        self.arithmetic()
        self.put("j%s %s" % (self.r.choice(CONDITIONS), end))
        if f is not None and self.r.random() < 0.3 and f + 1 < N_FUNCTIONS:
            self.put("jmp f%d" % self.r.randrange(f + 1, N_FUNCTIONS))
        elif f is not None:
            self.put("ret")
        self.place(end)

    def jump_back(self, f, depth):
        """Jumps, like longjmp, to the mark that main left, if there is fuel."""
        end = self.label()
        self.put("decl fuel(%rip)")
        self.put("js " + end)
        self.arithmetic()
        self.put("j%s %s" % (self.r.choice(CONDITIONS), end))
        self.put("mov mark(%rip), %rsp")
        self.put("mov mark+8(%rip), %r13")
        self.put("jmp *%r13")
        self.place(end)

    def body(self, f, depth):
        self.stuff(self.r.randrange(1, 4))
        if depth > 0:
            for _ in range(self.r.randrange(1, 3)):
                self.r.choice((self.if_else, self.if_else, self.loop, self.switch, self.call, self.call, self.leave)
                              + ((self.jump_back,) if self.jumps else ()))(f, depth)
                self.stuff(1)

    def program(self):
        self.jumps = self.r.random() < 0.3
        for f in range(N_FUNCTIONS):
            self.lines += ["\t.type f%d, @function" % f, "f%d:" % f]
            self.body(f, 2)
            self.lines += ["\tret", "\t.size f%d, .-f%d" % (f, f)]
        self.lines += ["\t.globl _start", "\t.type _start, @function", "_start:"]
        self.put("mov %rsp, mark(%rip)")
        self.put("lea .Lmark(%rip), %rax")
        self.put("mov %rax, mark+8(%rip)")
        self.place(".Lmark")
        self.body(None, 3)
        for f in range(3):
            self.put("call f%d" % f)
        self.put("mov memory+8(%rip), %rax")
        self.put("mov %rax, output+3(%rip)")
        for line in ("mov $1, %eax", "mov $1, %edi", "lea output(%rip), %rsi", "mov $16, %edx", "syscall",
                     "mov $60, %eax", "xor %edi, %edi", "syscall"):
            self.put(line)
        self.lines += ["\t.size _start, .-_start", "\t.data", "fuel:\t.long 24", "functions:"]
        self.lines += ["\t.quad f%d" % f for f in range(4)]
        self.lines += ["\t.bss", "\t.balign 16", "memory:\t.skip 128", "mark:\t.skip 16",
                       "counters:\t.skip %d" % (4 * self.counters + 4), "\t.type output, @object", "\t.size output, 16",
                       "output:\t.skip 16", '\t.section .note.GNU-stack,"",@progbits']
        return "\n".join(["\t.text"] + self.lines) + "\n"


def program(seed):
    return Writer(seed).program()


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1])))
