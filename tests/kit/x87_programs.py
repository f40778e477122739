"""Random programs that move the top of x87's stack, for cmd/slice/x87.t.

program(seed, bits, xsave): (C, LOADS), of a program that writes its results, as doubles, to standard output.

- Each number is loaded once.  So a result tells which instance of which instruction loaded it: LOADS has {number: (label,
instance)}.  A number that LOADS does not have was computed by FPTAN or FSINCOS.  Labels of these, and of XRSTOR, which
restores some of the state and keeps the rest, begin with `perhaps`.

- Result N is stored by the instruction at label `obs_N`, once.

- Tops come from memory (FLDENV, FRSTOR, FXRSTOR, XRSTOR), some through subroutines, so that one instruction loads different
tops.  They also come from FNINIT, MMX, FINCSTP, and FPTAN, which pushes nothing if its operand is too large.  A register
that is popped keeps its number, and shows it again when its tag says so.
"""
import random

SUBROUTINES = {"env": "fldenv (%{c})", "rstor": "frstor (%{c})", "fx": "fxrstor (%{c})", "push": "fldl (%{c})"}
HEAD = r"""
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
double konst[%(n)d], out[%(n)d];
unsigned char envs[16][28], saves[%(n)d][108], fx[%(n)d][512] __attribute__((aligned(64)));
unsigned char xs[%(n)d][1024] __attribute__((aligned(64)));
unsigned char space[108];
double junk = 77777;
void run(void);
static void on_signal(int sig)
{
    asm volatile("fninit\n fldl junk\n fldl junk\n fldenv envs+28*5\n fldl junk\n" ::: "memory");
}
void interrupt(void) { kill(getpid(), SIGUSR1); }
static void put(unsigned char *p, long double x) { memcpy(p, &x, 10); }
static void short_at(unsigned char *p, unsigned n) { p[0] = n; p[1] = n >> 8; }
static void image(unsigned char *p, int top)
{
    short_at(p, 0x37f), short_at(p + 2, top << 11), p[4] = 0xff;
    short_at(p + 24, 0x1f80);
}
int main(void)
{
    for (int t = 0; t < 16; t++) {
        short_at(envs[t], 0x37f);
        short_at(envs[t] + 4, (t & 7) << 11);
        short_at(envs[t] + 8, t < 8 ? 0 : 0xffff);
    }
%(tables)s
    signal(SIGUSR1, on_signal);
    run();
    return fwrite(out, sizeof(double), %(n_out)d, stdout) != %(n_out)d;
}
"""


class Machine:
    """Writes the code.  It keeps track of tags and contents only to avoid overflows, and reads of registers without a
    number.
    """

    def __init__(self, seed, bits, xsave):
        self.r, self.bits, self.xsave = random.Random(seed), bits, xsave
        self.code, self.tables, self.loads = [], [], {}
        self.top, self.tags, self.held = 0, [False] * 8, [None] * 8   # held: "x", a number of x87's; "m", of MMX
        self.calls = dict.fromkeys(SUBROUTINES, 0)
        self.n = self.n_out = 0
        self.c = "rcx" if bits == 64 else "ecx"

    def emit(self, text):
        self.code.append("   " + text)

    def at(self, i=0):
        return (self.top + i) & 7

    def number(self, large=False):
        """Returns a new number."""
        self.n += 1
        return self.n * 1e25 if large else 0.5 + self.n / 4096

    def through(self, kind, operand, inline):
        """Puts the instruction, here or in its subroutine; returns (label, instance)."""
        if self.r.random() < 0.5:
            self.emit("mov $%s, %%%s" % (operand, self.c))
            self.emit("call sub_" + kind)
            self.calls[kind] += 1
            return "do_" + kind, self.calls[kind] - 1
        label = "load_%d" % len(self.code)
        self.emit("%s: %s %s" % (label, inline, operand))
        return label, 0

    def env(self, top=None, valid=None):
        top = self.r.randrange(8) if top is None else top
        valid = self.r.random() < 0.6 if valid is None else valid
        if valid and None in self.held:
            valid = False
        self.through("env", "envs+28*%d" % (top + 8 * (not valid)), "fldenv")
        self.top, self.tags = top, [valid] * 8

    def push(self, large=False):
        if self.tags[self.at(-1)]:
            return self.env(valid=False)
        x = self.number(large)
        self.tables.append("    konst[%d] = %r;" % (self.n - 1, x))
        self.loads[x] = self.through("push", "konst+8*%d" % (self.n - 1), "fldl")
        self.top = self.at(-1)
        self.tags[self.top], self.held[self.top] = True, "x"
        return None

    def numbers(self, place):
        """Puts eight new numbers for an image, in the order of the stack."""
        found = [self.number() for _ in range(8)]
        for i, x in enumerate(found):
            self.tables.append("    put(%s, %rL);" % (place % i, x))
        return found

    def restored(self, top, numbers, who):
        for x in numbers:
            self.loads[x] = who
        self.top, self.tags, self.held = top, [True] * 8, ["x"] * 8

    def frstor(self):
        top, k = self.r.randrange(8), self.n
        numbers = self.numbers("saves[%d] + 28 + 10 * %%d" % k)
        self.tables.append("    short_at(saves[%d], 0x37f), short_at(saves[%d] + 4, %d);" % (k, k, top << 11))
        self.restored(top, numbers, self.through("rstor", "saves+108*%d" % k, "frstor"))

    def fxrstor(self):
        top, k = self.r.randrange(8), self.n
        numbers = self.numbers("fx[%d] + 32 + 16 * %%d" % k)
        self.tables.append("    image(fx[%d], %d);" % (k, top))
        self.restored(top, numbers, self.through("fx", "fx+512*%d" % k, "fxrstor"))

    def xrstor(self):
        """Restores all of x87's state, its initial state, or nothing of it."""
        how, top, k = self.r.randrange(3), self.r.randrange(8), self.n
        label = "perhaps_%d" % len(self.code)
        if not self.xsave:
            return
        numbers = self.numbers("xs[%d] + 32 + 16 * %%d" % k)
        self.tables.append("    image(xs[%d], %d), xs[%d][512] = %d;" % (k, top, k, how != 1))
        self.emit("mov $%d, %%eax" % (1 if how < 2 else 2))
        self.emit("xor %edx, %edx")
        self.emit("%s: xrstor xs+1024*%d" % (label, k))
        if how == 0:
            self.restored(top, numbers, (label, 0))
        elif how == 1:
            self.top, self.tags, self.held = 0, [False] * 8, [None] * 8

    def save(self):
        """Saves and restores the state."""
        self.emit("fnsave space")
        self.emit("frstor space")
        self.held = [None] * 8 if "m" in self.held or None in self.held else self.held
        self.tags = self.tags if self.held[0] else [False] * 8
        self.emit("fldenv envs+28*%d" % (self.top + 8))
        self.tags, self.held = [False] * 8, [None] * 8

    def store(self):
        if not self.tags[self.top] or self.held[self.top] != "x":
            return self.push()
        pops = self.r.random() < 0.6
        self.emit("obs_%d: %s out+8*%d" % (self.n_out, "fstpl" if pops else "fstl", self.n_out))
        self.n_out += 1
        if pops:
            self.tags[self.top] = False
            self.top = self.at(1)
        return None

    def copy(self):
        if not self.tags[self.top] or self.held[self.top] != "x":
            return self.push()
        i, pops = self.r.randrange(1, 8), self.r.random() < 0.5
        self.emit("%s %%st(%d)" % ("fstp" if pops else "fst", i))
        self.tags[self.at(i)], self.held[self.at(i)] = True, "x"
        if pops:
            self.tags[self.top] = False
            self.top = self.at(1)
        return None

    def turn(self):
        for _ in range(self.r.choice((1, 1, 7))):        # VEX knows no FDECSTP
            self.emit("fincstp")
            self.top = self.at(1)

    def trig(self):
        """FPTAN or FSINCOS of a number in range, or out of it."""
        large = self.r.random() < 0.5
        self.env(valid=False)
        self.push(large)
        self.emit("perhaps_%d: %s" % (len(self.code), self.r.choice(("fptan", "fsincos"))))
        if not large:
            self.top = self.at(-1)
            self.tags[self.top], self.held[self.top] = True, "x"
        self.store()
        self.store()

    def multimedia(self):
        i, x = self.r.randrange(8), self.number()
        self.tables.append("    konst[%d] = %r;" % (self.n - 1, x))
        self.emit("load_%d: movq konst+8*%d, %%mm%d" % (len(self.code), self.n - 1, i))
        self.loads[x] = "load_%d" % (len(self.code) - 1), 0
        self.top, self.tags, self.held[i] = 0, [True] * 8, "m"
        if self.r.random() < 0.5:
            self.emit("obs_%d: movq %%mm%d, out+8*%d" % (self.n_out, i, self.n_out))
            self.n_out += 1
        self.emit("emms")
        self.tags = [False] * 8

    def signal(self):
        self.emit("call interrupt")

    def init(self):
        self.emit("fninit")
        self.top, self.tags = 0, [False] * 8
        if self.r.random() < 0.5:
            self.held = [None] * 8
        self.held = [None] * 8

    def step(self):
        what = self.r.choice([self.push] * 8 + [self.store] * 10 + [self.env] * 5 + [self.copy] * 4 + [self.turn] * 3
                             + [self.frstor, self.fxrstor, self.xrstor, self.trig, self.multimedia, self.init, self.save]
                             + [self.signal] * (self.n % 5 == 0))
        what()


def program(seed, bits, xsave, steps=400):
    m = Machine(seed, bits, xsave)
    for _ in range(steps):
        m.step()
    subs = "".join("sub_%s:\ndo_%s: %s\n   ret\n" % (k, k, text.format(c=m.c)) for k, text in SUBROUTINES.items())
    code = ".text\n.globl run\n.type run,@function\nrun:\n   sub $%d, %%%ssp\n   fninit\n%s\n   fninit\n   add $%d, %%%ssp\n   ret\n" \
        ".size run,.-run\n" % (8 if bits == 64 else 12, "re"[bits == 32], "\n".join(m.code), 8 if bits == 64 else 12,
                                "re"[bits == 32])
    text = HEAD % {"n": m.n + 1, "n_out": m.n_out, "tables": "\n".join(m.tables)}
    return text + "asm(\n" + "".join('"%s\\n"\n' % line for line in (code + subs).splitlines()) + ");\n", m.loads
