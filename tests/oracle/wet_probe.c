/* Finds uses and definitions of instructions by running them: each case of tests/progs/wet/classes.S, or
   tests/progs/arm64/classes.S, is executed many times with registers that differ in one location.

       wet_probe TRIALS [FLAGS PUT]
                           probes; writes a line for each case: its address, its length, and the locations, by their
                           numbers in docs/dev/wet-file.md, that it uses and that it defines, as A-B,A-B
       wet_probe           executes each case once, to be recorded
       wet_probe TIMES states    executes each so often; writes for each execution that does not fault its address, in 8
                           bytes, its code, in 16, and the state before and after it: for wet_results.py

   A location is used in three cases.  Other contents change anything else that the instruction writes, or whether it
   faults, or where it goes.  They change the location itself, to neither these contents nor always the same.  The
   location is sometimes overwritten and sometimes not.  A location is defined if the instruction ever changes it.  The
   result comes from a number of trials, so it may be less than the truth, but is never more.

   FLAGS is a file with an address and two masks in each line, one for each case, in their order.  A mask has EFLAGS,
   and above its 32 bits x87's status word.  Changes of the first mask's bits are ignored.  PUT tells what becomes of
   the second mask's bits, as if another processor had executed the instruction: "left" as this one leaves them, "kept"
   as they were before, or "random". */

#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { INT, DBL, FLT, IDX, X87, MMX, NOT };
enum { MEMORY = 1024, PAGE = 4096 };

typedef struct {
    const uint8_t *code, *end;
    uint64_t       mode;
} Case;

extern const Case probe_cases[];
/* The case's masks of FLAGS, and the first letter of PUT. */
static uint64_t ignored, put_mask;
static char     put = 'l';
/* A page with nothing around it. */
static uint8_t   *const page = (uint8_t *)0x10000000, *const window = (uint8_t *)0x10000400;
static sigjmp_buf after_fault;

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

/* Fill N bytes with numbers, whose exponents are similar, or not. */
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

#ifdef __aarch64__
#include "wet_probe_arm64.h"
#else
#include "wet_probe_x86.h"
#endif

/* ---- executing --------------------------------------------------------------------------------------------------- */

static void run(const Case *c, const State *in, State *out)
{
    memcpy(window, in->memory, MEMORY);
    *out = *in;
    if ((out->end = -sigsetjmp(after_fault, 0)) != 0)
        return;
    execute(c, in, out);
    memcpy(out->memory, window, MEMORY);
}

/* Write the contents of location LOC to TO, up to 10 bytes.  Return how many. */
static unsigned contents(const State *s, uint64_t mode, unsigned loc, uint8_t *to)
{
    memset(to, 0, 10);
    if (loc < 8 * N_GENERAL) {
        to[0] = (uint8_t)(s->g.general[loc / 8] >> 8 * (loc % 8));
        return 1;
    }
    if (loc >= CARRY && loc < CARRY + N_FLAGS) {
        uint32_t f = (uint32_t)s->g.flags & flag_masks[loc - CARRY] & (uint32_t)~ignored;
        memcpy(to, &f, 4);
        return 4;
    }
    return other_contents(s, mode, loc, to);
}

/* Change the contents of locations FIRST to below END, which are of one register. */
static void change(State *s, uint64_t mode, unsigned first, unsigned end)
{
    if (first < CARRY) {
        unsigned r = first / 8;
        uint64_t now = general(r);
        if (rnd() % 2 || now == s->g.general[r])
            fill(&now, 8);
        uint64_t mask = end - first == 8 ? ~0ull : ((1ull << 8 * (end - first)) - 1) << 8 * (first % 8);
        if (!((now ^ s->g.general[r]) & mask))
            now = ~s->g.general[r];
        s->g.general[r] = (s->g.general[r] & ~mask) | (now & mask);
    } else if (first < CARRY + N_FLAGS) {
        uint64_t mask = flag_masks[first - CARRY], now = rnd() & mask;
        s->g.flags = now == (s->g.flags & mask) ? s->g.flags ^ mask : (s->g.flags & ~mask) | now;
    } else {
        change_other(s, mode, first, end);
    }
}

/* Return whether A and B differ in a location other than FIRST to below END.  Most are equal as a whole. */
static bool others_differ(const State *a, const State *b, uint64_t mode, unsigned first, unsigned end)
{
    bool    general = memcmp(&a->g, &b->g, sizeof a->g) != 0, vectors = vectors_differ(a, b), stack = stacks_differ(a, b);
    uint8_t x[10], y[10];
    for (unsigned l = general ? 0 : CARRY + N_FLAGS; l < N_LOCS; l++) {
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

/* Return whether C does something else when one of locations FIRST to below END has other contents. */
static bool differs_once(const Case *c, const State *in, const State *out, unsigned first, unsigned end, Seen *seen)
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

/* Return whether C uses one of locations FIRST to below END, in one trial.  An instruction such as XGETBV tells what the
   system changes at any time; so the result that differs has to come from the contents: the old ones still give OUT. */
static bool differs(const Case *c, const State *in, const State *out, unsigned first, unsigned end, Seen *seen)
{
    static State again;
    if (!differs_once(c, in, out, first, end, seen))
        return false;
    run(c, in, &again);
    return again.end == out->end && !memcmp(out->memory, again.memory, MEMORY) &&
           (out->end < 0 || !others_differ(out, &again, c->mode, 0, 0));
}

/* Return the first location of the next group of locations. */
static unsigned next_group(unsigned first)
{
    if (first < CARRY)
        return first + 8 < 8 * N_GENERAL ? first + 8 : CARRY;
    return first + 1 < CARRY + N_FLAGS ? first + 1 : next_other(first);
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
            if (g == VECTOR) {         /* mostly no vector register is used */
                vectors = vectors || differs(c, &in, &out, VECTOR, PHYSICAL, seen);
                if (!vectors)
                    end = PHYSICAL;
            }
            if (end == PHYSICAL && !vectors)
                continue;
            unsigned last = g >= VECTOR ? end : g >= CARRY ? g + 1 : g + 8;
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

static void read_flags(FILE *flags, uint64_t address)
{
    for (uint64_t at = 0; at < address;)
        if (fscanf(flags, "%" SCNx64 "%" SCNx64 "%" SCNx64, &at, &ignored, &put_mask) != 3 || at > address)
            exit(3);
}

static void probe_all(int trials, FILE *flags)
{
    /* Use one processor, because CPUID tells which one executes it. */
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (const Case *c = probe_cases; c->code; c++) {
        bool uses[N_LOCS] = { false }, defs[N_LOCS] = { false };
        if (flags)
            read_flags(flags, (uint64_t)c->code);
        probe(c, c->mode == NOT ? 0 : trials, uses, defs);
        printf("%lx %d ", (unsigned long)c->code, (int)(c->end - c->code));
        print(uses);
        printf(" ");
        print(defs);
        printf("\n");
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
    if (argc > 1) {
        FILE *flags = argc == 4 ? fopen(argv[2], "r") : NULL;
        if (argc == 4 && !flags) {
            perror(argv[2]);
            return 2;
        }
        put = argc == 4 ? argv[3][0] : put;
        probe_all(atoi(argv[1]), flags);
        return 0;
    }
    for (const Case *c = probe_cases; c->code; c++) {
        make_state(&in, c->mode);
        run(c, &in, &out);
    }
    return 0;
}
