/* Compares the memory accesses of a whole execution trace with those that Lackey tells of an identical run, instruction
   by instruction and access by access:

       wet_accesses FILE < LACKEY'S-TRACE

   Lackey tells an access that reads and writes as one, and one that VEX makes in two steps as two, so addresses that are
   repeated at once count once.  Otherwise there are three differences, which are counted apart:

   - VEX leads BT, BTS, BTR and BTC of registers through memory below the stack.  Lackey tells this, a trace does not.
   - libc's strcspn() looks up to three bytes beyond a string's end in a table of 256, before it sees that it had ended.
     What stands there in the dynamic linker's case are the kernel's random bytes, others in each run.
   - VEX drops a load whose result is not used before it is overwritten.  Lackey does not tell that, a trace does.

   The stack of a 32-bit program stands below Valgrind's own, which the kernel puts elsewhere in each run: the first access
   there says how far apart they are, a number of pages. */

#include "dcfg_wet.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

typedef struct { uint64_t addr, at[MOST]; unsigned n; } Accesses;

static void add(Accesses *a, uint64_t at)
{
    if (a->n < MOST && (a->n == 0 || a->at[a->n - 1] != at))
        a->at[a->n++] = at;
}

/* The next instruction of Lackey's. */
static bool next(Accesses *a)
{
    static char line[256];
    static bool held;

    a->n = 0;
    while (held || fgets(line, sizeof line, stdin))
        if (line[0] == 'I') {
            held = false;
            a->addr = strtoull(line + 3, NULL, 16);
            while (fgets(line, sizeof line, stdin)) {
                if (line[0] == 'I') {
                    held = true;
                    break;
                }
                if (line[0] == ' ' && strchr("LSM", line[1]))
                    add(a, strtoull(line + 3, NULL, 16));
            }
            return true;
        }
    return false;
}

/* Is it BT or its like, of registers? */
static bool has_false_memory(const DcfgWetInstr *in)
{
    uint32_t i = 0;
    while (i < in->size && (in->code[i] == 0x66 || in->code[i] == 0xF0 || (in->code[i] & 0xF0) == 0x40))
        i++;
    return i + 2 < in->size && in->code[i] == 0x0F && (in->code[i + 1] & 0xE7) == 0xA3 && in->code[i + 2] >= 0xC0;
}

/* Where a 32-bit program has its stack under Valgrind. */
static bool on_stack_of_32_bits(uint64_t at)
{
    return at >= 0xF0000000 && at <= 0xFFFFFFFF;
}

/* Lackey's, as if its stack were where ours is. */
static void move_stack(Accesses *theirs, const Accesses *ours)
{
    static uint64_t apart;
    static bool known;

    if (!known && ours->n && theirs->n && on_stack_of_32_bits(ours->at[0]) && on_stack_of_32_bits(theirs->at[0])) {
        apart = ours->at[0] - theirs->at[0];
        known = apart % 4096 == 0;
    }
    for (unsigned i = 0; known && i < theirs->n; i++)
        if (on_stack_of_32_bits(theirs->at[i]))
            theirs->at[i] += apart;
}

/* Are those of FEW among those of MANY, in their order? */
static bool among(const Accesses *few, const Accesses *many)
{
    unsigned k = 0;
    for (unsigned i = 0; i < many->n && k < few->n; i++)
        k += many->at[i] == few->at[k];
    return k == few->n;
}

int main(int argc, char **argv)
{
    DcfgError    err;
    char         text[DCFG_ERROR_TEXT_SIZE];
    DcfgWet     *w = argc == 2 ? dcfg_wet_open(argv[1], NULL, &err) : NULL;
    DcfgWetEvent e;
    uint64_t     n = 0, accesses = 0, lookups = 0, beyond = 0, dropped = 0, wrong = 0;
    static Accesses ours, theirs;

    if (!w) {
        puts(argc == 2 ? dcfg_error_text(&err, text) : "usage: wet_accesses FILE < TRACE");
        return 2;
    }
    while (dcfg_wet_next(w, &e, &err)) {
        if (e.kind != DCFG_WET_INSTR)
            continue;
        ours.n = 0;
        for (uint32_t i = 0; i < e.n_accesses; i++)
            if (e.accesses[i])
                add(&ours, e.accesses[i]);
        if (!next(&theirs) || theirs.addr != e.addr) {
            printf("instruction %" PRIu64 ": 0x%" PRIx64 ", Lackey is elsewhere\n", n, e.addr);
            return 1;
        }
        move_stack(&theirs, &ours);
        n++;
        accesses += ours.n;
        if (ours.n == theirs.n && !memcmp(ours.at, theirs.at, ours.n * sizeof ours.at[0]))
            continue;
        if (ours.n == 0 && has_false_memory(dcfg_wet_instr(w, e.instr)))
            lookups++;
        else if (ours.n == 1 && theirs.n == 1 && ours.at[0] + 255 >= theirs.at[0] && theirs.at[0] + 255 >= ours.at[0])
            beyond++;
        else if (ours.n > theirs.n && among(&theirs, &ours))
            dropped++;
        else if (wrong++ < 5)
            printf("0x%" PRIx64 "#%" PRIu64 ": %u accesses, the first at 0x%" PRIx64 "; Lackey's: %u, 0x%" PRIx64 "\n",
                   e.addr, e.instance, ours.n, ours.n ? ours.at[0] : 0, theirs.n, theirs.n ? theirs.at[0] : 0);
    }
    if (err.status != DCFG_OK) {
        puts(dcfg_error_text(&err, text));
        return 2;
    }
    if (next(&theirs)) {
        puts("Lackey has more instructions");
        wrong++;
    }
    dcfg_wet_close(w);
    printf("%" PRIu64 " instructions, %" PRIu64 " accesses, %" PRIu64 " of bits of registers, %" PRIu64
           " beyond a string, %" PRIu64 " dropped, %" PRIu64 " wrong\n", n, accesses, lookups, beyond, dropped, wrong);
    return wrong != 0 || beyond > 6;
}
