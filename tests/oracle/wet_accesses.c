/* Compares the memory accesses of a whole execution trace with those that Lackey reports for an identical run,
   instruction by instruction and access by access:

       wet_accesses FILE < LACKEY'S-TRACE

   Lackey reports an access that reads and writes as one, and one that VEX makes in two steps as two, so an address that
   is repeated at once counts once.  There are three other differences, which are counted separately:

   - VEX passes registers of BT, BTS, BTR and BTC through memory below the stack.  Lackey reports this, a trace does
     not.
   - libc's strcspn() reads up to three bytes behind a string's end as indices of a table of 256 bytes.  In the dynamic
     linker these are the kernel's random bytes, different in each run.
   - VEX drops a load whose result is overwritten before it is used.  Lackey does not report the load, a trace does.

   The stack of a 32-bit program is below Valgrind's own, which the kernel puts elsewhere in each run.  The first access
   there tells how far apart the two runs' stacks are, a number of pages. */

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

/* Read Lackey's next instruction. */
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

/* Return whether it is BT, BTS, BTR or BTC of registers. */
static bool has_false_memory(const DcfgWetInstr *in)
{
    uint32_t i = 0;
    while (i < in->size && (in->code[i] == 0x66 || in->code[i] == 0xF0 || (in->code[i] & 0xF0) == 0x40))
        i++;
    return i + 2 < in->size && in->code[i] == 0x0F && (in->code[i + 1] & 0xE7) == 0xA3 && in->code[i + 2] >= 0xC0;
}

/* Return whether AT is in the stack of a 32-bit program under Valgrind. */
static bool on_stack_of_32_bits(uint64_t at)
{
    return at >= 0xF0000000 && at <= 0xFFFFFFFF;
}

/* Move Lackey's addresses, as if its stack were at our place. */
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

/* Return whether the accesses of FEW are among those of MANY, in order. */
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
    DcfgWetEvents *v = w ? dcfg_wet_events_new(w, &err) : NULL;
    DcfgWetEvent e;
    uint64_t     n = 0, accesses = 0, lookups = 0, beyond = 0, dropped = 0, wrong = 0;
    static Accesses ours, theirs;

    if (!v) {
        puts(argc == 2 ? dcfg_error_text(&err, text) : "usage: wet_accesses FILE < TRACE");
        return 2;
    }
    while (dcfg_wet_next(v, &e, &err)) {
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
    dcfg_wet_events_free(v);
    dcfg_wet_close(w);
    printf("%" PRIu64 " instructions, %" PRIu64 " accesses, %" PRIu64 " of bits of registers, %" PRIu64
           " beyond a string, %" PRIu64 " dropped, %" PRIu64 " wrong\n", n, accesses, lookups, beyond, dropped, wrong);
    return wrong != 0 || beyond > 6;
}
