/* What an instruction uses and defines, as the processor itself shows it: each case of tests/progs/wet/classes.S is executed
   many times with registers that differ in one location.

       wet_probe TRIALS    probes; writes a line for each case: its address, its length, and the locations, by their
                           numbers in docs/wet-file.md, that it uses and that it defines, as A-B,A-B
       wet_probe           executes each case once, to be recorded
       wet_probe TIMES states    executes each so often; writes for each execution that does not fault its address, in 8
                           bytes, its code, in 16, and what there was before and after it: for wet_results.py

   A location is used if other contents of it change anything that the instruction writes, or whether it faults or where it
   goes, beside the location itself; or change the location to something that is neither these contents nor always the
   same; or if it is sometimes overwritten and sometimes not.  It is defined if the instruction ever changes it.  That is
   what was seen in a number of trials, so it may be less than the truth, but is never more.

   x87's registers have 10 bytes here and are all or nothing; its C1, tags, top and exceptions, and those of MXCSR, are no
   locations.  */

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { INT, DBL, FLT, IDX, X87, MMX, NOT };
enum { CARRY = 256, FLAGS, DIRECTION, STATUS, VECTOR = 288, PHYSICAL = 800, STACK = 864, N_LOCS = 928 };
enum { MEMORY = 1024, PAGE = 4096 };

/* FXSAVE's and XSAVE's layout. */
typedef struct {
    uint16_t fcw, fsw;
    uint8_t  ftw, reserved;
    uint16_t fop;
    uint64_t fip, fdp;
    uint32_t mxcsr, mxcsr_mask;
    uint8_t  st[8][16], xmm[16][16], unused[96];
    uint64_t xstate, header[7];
    uint8_t  ymm[16][16];
} __attribute__((aligned(64))) Extended;

typedef struct {
    uint64_t general[16], flags;       /* by encoding */
} General;

typedef struct {
    General  g;
    Extended x;
    uint8_t  memory[MEMORY];
    int      end;                      /* which way back, or the signal */
    uint64_t mm[8];                    /* as MMX has them, behind a case */
} State;

typedef struct {
    const uint8_t *code, *end;
    uint64_t       mode;
} Case;

extern const Case probe_cases[];
void probe_run(const void *code);

General  probe_in, probe_out;
uint64_t probe_out_mm[8];
Extended probe_in_extended, probe_out_extended;
int      probe_way;

#define TO(n, reg)   "   mov probe_in+8*" #n ", %" #reg "\n"
#define FROM(n, reg) "   mov %" #reg ", probe_out+8*" #n "\n"
#define MM(n)        "   movq %mm" #n ", probe_out_mm+8*" #n "\n"
#define BACK(name, way)                                                                                     \
    "   .globl " name "\n" name ":\n   .quad 1f\n   .text\n1: movl $" way ", probe_way\n   jmp back\n   .data\n"

__asm__("   .text\n"
        "   .globl probe_run\n"
        "probe_run:\n"
        "   push %rbx\n   push %rbp\n   push %r12\n   push %r13\n   push %r14\n   push %r15\n"
        "   mov %rsp, harness_sp\n"
        "   mov %rdi, entry\n"
        "   mov $7, %eax\n   xor %edx, %edx\n"
        "   xrstor64 probe_in_extended\n"
        "   pushq probe_in+128\n   popf\n"
        TO(0, rax) TO(1, rcx) TO(2, rdx) TO(3, rbx) TO(5, rbp) TO(6, rsi) TO(7, rdi) TO(8, r8) TO(9, r9) TO(10, r10)
        TO(11, r11) TO(12, r12) TO(13, r13) TO(14, r14) TO(15, r15) TO(4, rsp)
        "   jmp *entry\n"
        "back:\n"
        FROM(0, rax) FROM(1, rcx) FROM(2, rdx) FROM(3, rbx) FROM(4, rsp) FROM(5, rbp) FROM(6, rsi) FROM(7, rdi) FROM(8, r8)
        FROM(9, r9) FROM(10, r10) FROM(11, r11) FROM(12, r12) FROM(13, r13) FROM(14, r14) FROM(15, r15)
        "   mov harness_sp, %rsp\n"
        "   pushf\n   pop probe_out+128\n"
        "   cld\n"
        "   mov $7, %eax\n   xor %edx, %edx\n"
        "   xsave64 probe_out_extended\n"
        MM(0) MM(1) MM(2) MM(3) MM(4) MM(5) MM(6) MM(7)
        "   fninit\n   vzeroupper\n   ldmxcsr mxcsr\n"
        "   pop %r15\n   pop %r14\n   pop %r13\n   pop %r12\n   pop %rbp\n   pop %rbx\n"
        "   ret\n"
        "   .data\n"
        "   .balign 8\n"
        "harness_sp: .quad 0\n"
        "entry: .quad 0\n"
        "mxcsr: .long 0x1f80\n"
        BACK("probe_back", "0") BACK("probe_back_2", "1")
        "   .text\n");

/* A page with nothing around it. */
static uint8_t   *const page = (uint8_t *)0x10000000, *const window = (uint8_t *)0x10000400;
static sigjmp_buf after_fault;

/* Valgrind leaves DF as it was, and the kernel AC, with which what is not aligned would fault here, too. */
static void on_signal(int signal)
{
    __asm__ volatile("cld\n   lea -128(%%rsp), %%rsp\n   pushf\n   andl $~0x40000, (%%rsp)\n   popf\n   lea 128(%%rsp), %%rsp"
                     ::: "cc", "memory");
    siglongjmp(after_fault, signal);
}

/* ---- random contents --------------------------------------------------------------------------------------------- */

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static void fill(void *p, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t bits = rnd();
        memcpy((char *)p + i, &bits, n - i < 8 ? n - i : 8);
    }
}

/* N bytes of numbers, whose exponents are alike, or not so. */
static void fill_numbers(void *p, size_t n, uint64_t mode)
{
    uint64_t spread = rnd() % 3 ? 1 : 40, bits;
    fill(p, n);
    if (mode == DBL)
        for (size_t i = 0; i + 8 <= n; i += 8) {
            memcpy(&bits, (char *)p + i, 8);
            bits = (bits & ~(0x7ffull << 52)) | (1023 + rnd() % spread + (spread > 1 ? 15 : 0)) << 52;
            memcpy((char *)p + i, &bits, 8);
        }
    if (mode == FLT)
        for (size_t i = 0; i + 4 <= n; i += 4) {
            uint32_t word;
            memcpy(&word, (char *)p + i, 4);
            word = (word & ~(0xffu << 23)) | (uint32_t)(127 + rnd() % (spread > 1 ? 25 : 1)) << 23;
            memcpy((char *)p + i, &word, 4);
        }
    if (mode == IDX)
        for (size_t i = 0; i + 8 <= n; i += 8) {
            bits = (rnd() % 16) | (rnd() % 16 ? 0 : rnd() << 60);
            if (rnd() % 2)
                bits |= bits << 32;
            memcpy((char *)p + i, &bits, 8);
        }
}

/* What register N is to hold. */
static uint64_t general(unsigned n)
{
    switch (n) {
    case 1:
        return rnd() % 4 ? rnd() % (rnd() % 2 ? 4 : 64) : rnd();
    case 2:
        return rnd() % 4 ? rnd() : rnd() % 3;            /* a dividend's upper half */
    case 3: case 4: case 5: case 6: case 7:
        return (uint64_t)window + 64 * (2 * n - 4) + (n == 4 ? 64 : 0);
    default:
        return rnd() % 8 ? rnd() : rnd() % 4;
    }
}

static void fill_stack(Extended *x)
{
    for (int i = 0; i < 8; i++) {
        fill(x->st[i], 8);
        x->st[i][7] |= 0x80;
        x->st[i][8] = (uint8_t)(0xff + (rnd() % 3 ? 0 : rnd() % 30));
        x->st[i][9] = (uint8_t)(0x3f | (rnd() & 0x80));
        if (x->st[i][8] != 0xff)
            x->st[i][9] = (uint8_t)(0x40 | (x->st[i][9] & 0x80));
    }
}

static void fill_extended(Extended *x, uint64_t mode)
{
    memset(x, 0, sizeof *x);
    x->fcw    = 0x37f;
    x->mxcsr  = 0x1f80;
    x->xstate = 7;
    fill_numbers(x->xmm, sizeof x->xmm, mode);
    fill_numbers(x->ymm, sizeof x->ymm, mode);
    fill_stack(x);
    x->fsw = (uint16_t)((rnd() & 0x4500) | (mode == MMX ? 0 : 4 << 11));
    x->ftw = mode == MMX ? 0xff : 0xf0;
    if (mode == MMX)
        for (int i = 0; i < 8; i++) {
            fill(x->st[i], 8);
            x->st[i][8] = x->st[i][9] = 0xff;
        }
    if (rnd() % 4 == 0)                /* equal operands */
        memcpy(x->xmm[2], x->xmm[1], 16);
}

static void make_state(State *s, uint64_t mode)
{
    for (unsigned n = 0; n < 16; n++)
        s->g.general[n] = general(n);
    s->g.flags     = 0x202 | (rnd() & 0x8d5) | (rnd() % 4 ? 0 : 0x400);
    fill_extended(&s->x, mode);
    fill_numbers(s->memory, sizeof s->memory, rnd() % 2 ? mode : INT);
    /* What POPF takes has neither TF nor AC. */
    uint64_t popped = rnd() & 0xcd5;
    memcpy(s->memory + (s->g.general[4] - (uint64_t)window), &popped, 8);
    if (rnd() % 4 == 0)
        s->g.general[0] = s->g.general[1];
    if (rnd() % 8 == 0)
        memcpy(s->memory + 64 * 10, s->memory + 64 * 8, 64);
}

/* ---- executing --------------------------------------------------------------------------------------------------- */

static void run(const Case *c, const State *in, State *out)
{
    probe_in          = in->g;
    probe_in_extended = in->x;
    memcpy(window, in->memory, MEMORY);
    memset(&probe_out_extended, 0, sizeof probe_out_extended);
    *out = *in;
    if ((out->end = -sigsetjmp(after_fault, 0)) != 0)
        return;
    probe_run(c->code);
    out->g   = probe_out;
    out->x   = probe_out_extended;
    out->end = probe_way;
    if (!(out->x.xstate & 1))
        memset(out->x.st, 0, sizeof out->x.st);
    if (!(out->x.xstate & 2))
        memset(out->x.xmm, 0, sizeof out->x.xmm);
    if (!(out->x.xstate & 4))
        memset(out->x.ymm, 0, sizeof out->x.ymm);
    memcpy(out->memory, window, MEMORY);
    memcpy(out->mm, probe_out_mm, sizeof out->mm);
}

/* The contents of location LOC, up to 10 bytes; how many. */
static unsigned contents(const State *s, uint64_t mode, unsigned loc, uint8_t *to)
{
    static const uint32_t flags[] = { 1, 0x8d4, 0x400 };
    memset(to, 0, 10);
    if (loc < CARRY) {
        to[0] = (uint8_t)(s->g.general[loc / 8] >> 8 * (loc % 8));
        return 1;
    }
    if (loc <= DIRECTION) {
        uint32_t f = (uint32_t)s->g.flags & flags[loc - CARRY];
        memcpy(to, &f, 4);
        return 4;
    }
    if (loc == STATUS) {
        to[0] = (uint8_t)(s->x.fsw >> 8 & 0x45);
        return 1;
    }
    if (loc >= VECTOR && loc < PHYSICAL) {
        unsigned r = (loc - VECTOR) / 32, k = (loc - VECTOR) % 32;
        to[0] = k < 16 ? s->x.xmm[r][k] : s->x.ymm[r][k - 16];
        return 1;
    }
    if (mode == MMX && loc >= PHYSICAL && loc < STACK) {
        to[0] = s->x.st[(loc - PHYSICAL) / 8][(loc - PHYSICAL) % 8];
        return 1;
    }
    if (mode != MMX && loc >= STACK && loc < N_LOCS) {
        /* They move when the top does. */
        unsigned r = ((loc - STACK) / 8 + 4) & 7, top = s->x.fsw >> 11 & 7;
        memcpy(to, s->x.st[(r - top) & 7], 10);
        return 10;
    }
    return 0;
}

/* Other contents for locations FIRST to below END, which are of one register. */
static void change(State *s, uint64_t mode, unsigned first, unsigned end)
{
    Extended other;
    unsigned r;
    if (first < CARRY) {
        r = first / 8;
        uint64_t now = general(r);
        if (rnd() % 2 || now == s->g.general[r])
            fill(&now, 8);
        uint64_t mask = end - first == 8 ? ~0ull : ((1ull << 8 * (end - first)) - 1) << 8 * (first % 8);
        if (!((now ^ s->g.general[r]) & mask))
            now = ~s->g.general[r];
        s->g.general[r] = (s->g.general[r] & ~mask) | (now & mask);
    } else if (first <= DIRECTION) {
        uint64_t mask = first == CARRY ? 1 : first == FLAGS ? 0x8d4 : 0x400, now = rnd() & mask;
        s->g.flags = now == (s->g.flags & mask) ? s->g.flags ^ mask : (s->g.flags & ~mask) | now;
    } else if (first == STATUS) {
        s->x.fsw ^= (uint16_t)(1 + rnd() % 5 % 4 == 0 ? 0x4500 : rnd() % 2 ? 0x4000 : 0x100);
    } else if (first < PHYSICAL) {
        fill_extended(&other, mode);
        for (unsigned l = first; l < end; l++) {
            r = (l - VECTOR) / 32;
            unsigned k   = (l - VECTOR) % 32;
            uint8_t *to  = k < 16 ? &s->x.xmm[r][k] : &s->x.ymm[r][k - 16];
            uint8_t  now = k < 16 ? other.xmm[r][k] : other.ymm[r][k - 16];
            *to = end - first > 1 ? now : now == *to || mode != INT ? (uint8_t)(*to ^ 1 << rnd() % 8) : now;
        }
    } else if (mode == MMX) {
        for (unsigned l = first; l < end; l++)
            s->x.st[(l - PHYSICAL) / 8][(l - PHYSICAL) % 8] ^= (uint8_t)(1 + rnd() % 255);
    } else {
        fill_extended(&other, mode);
        r = (first - STACK) / 8;
        memcpy(s->x.st[r], other.st[r], 10);
    }
}

/* Do A and B differ in any location but FIRST to below END?  Most are the same as a whole. */
static bool others_differ(const State *a, const State *b, uint64_t mode, unsigned first, unsigned end)
{
    bool    general = memcmp(&a->g, &b->g, sizeof a->g) != 0, vectors = memcmp(a->x.xmm, b->x.xmm, sizeof a->x.xmm) != 0
            || memcmp(a->x.ymm, b->x.ymm, sizeof a->x.ymm) != 0;
    bool    stack = a->x.fsw != b->x.fsw || memcmp(a->x.st, b->x.st, sizeof a->x.st) != 0;
    uint8_t x[10], y[10];
    for (unsigned l = general ? 0 : STATUS; l < N_LOCS; l++) {
        if (l == VECTOR && !vectors)
            l = PHYSICAL;
        if (l >= PHYSICAL && !stack)
            break;
        if (l >= first && l < end)
            continue;
        unsigned n = contents(a, mode, l, x);
        contents(b, mode, l, y);
        if (memcmp(x, y, n))
            return true;
    }
    return false;
}

typedef struct { bool kept, lost; } Seen;

/* Is one of locations FIRST to below END seen to be used by C, in a trial? */
static bool differs(const Case *c, const State *in, const State *out, unsigned first, unsigned end, Seen *seen)
{
    static State in2, out2;
    uint8_t      a[10], b[10], ia[10], ib[10];
    in2 = *in;
    change(&in2, c->mode, first, end);
    run(c, &in2, &out2);
    if (out->end != out2.end || memcmp(out->memory, out2.memory, MEMORY))
        return true;
    if (out->end < 0)
        return false;
    if (others_differ(out, &out2, c->mode, first, end))
        return true;
    for (unsigned l = first; l < end; l++) {
        unsigned n = contents(out, c->mode, l, a);
        contents(&out2, c->mode, l, b);
        contents(in, c->mode, l, ia);
        contents(&in2, c->mode, l, ib);
        if (!memcmp(ia, ib, n))
            continue;
        if (!memcmp(a, ia, n) && !memcmp(b, ib, n))
            seen[l].kept = true;
        else if (!memcmp(a, b, n))
            seen[l].lost = true;
        else
            return true;
        if (seen[l].kept && seen[l].lost)
            return true;
    }
    return false;
}

/* Registers and the like, one after the other. */
static unsigned next_group(unsigned first)
{
    if (first < CARRY)
        return first + 8;
    if (first < STATUS)
        return first + 1;
    if (first == STATUS)
        return VECTOR;
    if (first < PHYSICAL)
        return first + 32;
    return first + 8;
}

static void probe(const Case *c, int trials, bool *uses, bool *defs)
{
    State in, out;
    Seen  seen[N_LOCS], by_byte[N_LOCS];
    bool  used[N_LOCS] = { false }, vectors = false;
    memset(seen, 0, sizeof seen);
    memset(by_byte, 0, sizeof by_byte);
    for (int t = 0; t < trials; t++) {
        make_state(&in, c->mode);
        run(c, &in, &out);
        for (unsigned l = 0; l < N_LOCS; l++) {
            uint8_t  a[10], b[10];
            unsigned n = contents(&in, c->mode, l, a);
            contents(&out, c->mode, l, b);
            defs[l] |= out.end >= 0 && n > 0 && memcmp(a, b, n);
        }
        for (unsigned g = 0, end; g < N_LOCS; g = end) {
            end = next_group(g);
            if (g >= PHYSICAL && (c->mode == MMX) != (g < STACK))
                continue;
            if (g == VECTOR) {         /* mostly none of them */
                vectors = vectors || differs(c, &in, &out, VECTOR, PHYSICAL, seen);
                if (!vectors)
                    end = PHYSICAL;
            }
            if (end == PHYSICAL && !vectors)
                continue;
            unsigned last = g == STATUS ? g + 1 : end;
            if (!used[g])
                used[g] = differs(c, &in, &out, g, last, seen);
            if (!used[g])
                continue;
            if (last - g == 1 || g >= STACK) {
                memset(uses + g, true, last - g);
                continue;
            }
            for (unsigned l = g; l < last; l++)
                if (!uses[l])
                    uses[l] = differs(c, &in, &out, l, l + 1, by_byte);
        }
    }
}

static void print(const bool *locs)
{
    const char *between = "";
    for (unsigned l = 0; l < N_LOCS; l++) {
        unsigned first = l;
        while (l < N_LOCS && locs[l])
            l++;
        if (l > first) {
            printf("%s%u-%u", between, first, l - 1);
            between = ",";
        }
    }
}

static void write_states(int times)
{
    static State in, out;
    for (int t = 0; t < times; t++)
        for (const Case *c = probe_cases; c->code; c++) {
            make_state(&in, c->mode);
            run(c, &in, &out);
            if (out.end < 0)
                continue;
            uint64_t address = (uint64_t)c->code, bytes[2] = { 0 };
            memcpy(bytes, c->code, (size_t)(c->end - c->code));
            fwrite(&address, sizeof address, 1, stdout);
            fwrite(bytes, sizeof bytes, 1, stdout);
            fwrite(&in, sizeof in, 1, stdout);
            fwrite(&out, sizeof out, 1, stdout);
        }
}

int main(int argc, char **argv)
{
    static char      stack[65536];
    stack_t          other = { .ss_sp = stack, .ss_size = sizeof stack };
    struct sigaction act   = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER };
    State            in, out;

    if (mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page) {
        perror("mmap");
        return 2;
    }
    sigaltstack(&other, NULL);
    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGBUS, &act, NULL);
    sigaction(SIGFPE, &act, NULL);
    sigaction(SIGTRAP, &act, NULL);
    sigaction(SIGILL, &act, NULL);
    if (argc == 3) {
        write_states(atoi(argv[1]));
        return 0;
    }
    for (const Case *c = probe_cases; c->code; c++) {
        bool uses[N_LOCS] = { false }, defs[N_LOCS] = { false };
        if (argc == 1) {
            make_state(&in, c->mode);
            run(c, &in, &out);
            continue;
        }
        probe(c, c->mode == NOT ? 0 : atoi(argv[1]), uses, defs);
        printf("%lx %d ", (unsigned long)c->code, (int)(c->end - c->code));
        print(uses);
        printf(" ");
        print(defs);
        printf("\n");
    }
    return 0;
}
