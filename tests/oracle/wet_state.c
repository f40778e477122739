/* Prints what a whole execution trace says of the process, one thing on a line, for wet_state.t and wet_memory.py:

       V VERSION                             the file's version
       E KIND STATUS                         the end, as DcfgWetEnd
       P PID PROGRAM BIAS START NAME         the process, its program's image, how far it is from its file's addresses
       A TYPE VALUE                          an entry of the auxiliary vector
       M ADDRESS SIZE HOW OFFSET ROOM FILE   a mapping; HOW: rwx, and + if it is new, or - if there is none
       T THREAD TID                          a thread, and its registers in the lines that follow
       R KIND NUMBER BYTES                   a register, the highest byte first
       C ADDRESS BYTES                       contents
       X THREAD KIND ADDRESS SIZE FROM       an event; behind it an M, C or R line if it has such things, or
       S SIGNAL, N RESULT, I TID
       L THREAD IP                           the first instruction that a thread executes
       O THREAD IP CODE VALUE ACCESSES...    with "all": every instruction; behind + if it stores, else -; VALUE as
                                             registers, or -

   usage: wet_state FILE [all]. */

#include "dcfg_wet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 4096

static void put_bytes(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%02x", bytes[i]);
}

static void put_value(const uint8_t *bytes, size_t n)
{
    while (n-- > 0)
        printf("%02x", bytes[n]);
}

static void put_mapping(const DcfgWetMapping *m)
{
    printf("M %" PRIx64 " %" PRIx64 " ", m->addr, m->size);
    if (m->there)
        printf("%c%c%c%s", m->readable ? 'r' : '-', m->writable ? 'w' : '-', m->executable ? 'x' : '-', m->is_new ? "+" : "");
    else
        putchar('-');
    printf(" %" PRIx64 " %" PRIx64 " %s\n", m->offset, m->room_below, m->from_file ? m->file : "");
}

static void put_contents(uint64_t addr, const uint8_t *bytes, size_t n)
{
    printf("C %" PRIx64 " ", addr);
    put_bytes(bytes, n);
    putchar('\n');
}

static void put_registers(const DcfgWetRegister *r, uint32_t n)
{
    for (; n > 0; n--, r++) {
        printf("R %d %u ", (int)r->kind, r->reg);
        put_value(r->bytes, r->size);
        putchar('\n');
    }
}

/* The name of image N. */
static const char *image_name(DcfgWet *w, uint32_t n)
{
    for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++)
        if (dcfg_wet_instr(w, i)->image == n)
            return dcfg_wet_instr(w, i)->image_name;
    return "";
}

static void put_state(DcfgWet *w, const DcfgWetState *s)
{
    printf("E %d %u\n", (int)s->end, s->status);
    if (!s->known)
        return;
    printf("P %" PRIu64 " %d %" PRIx64 " %d %s\n", s->pid, s->program == DCFG_NONE ? -1 : (int)s->program, s->load_bias, s->at_start,
           image_name(w, s->program));
    for (uint32_t i = 0; i < s->n_aux; i++)
        printf("A %" PRIu64 " %" PRIx64 "\n", s->aux[i].type, s->aux[i].value);
    for (uint32_t i = 0; i < s->n_mappings; i++)
        put_mapping(&s->mappings[i]);
    for (uint32_t i = 0; i < s->n_threads; i++) {
        printf("T %u %" PRIu64 "\n", s->threads[i].thread, s->threads[i].tid);
        put_registers(s->threads[i].registers, s->threads[i].n_registers);
    }
    for (uint32_t i = 0; i < s->n_contents; i++)
        put_contents(s->contents[i].addr, s->contents[i].bytes, s->contents[i].size);
}

static void put_event(const DcfgWetEvent *e)
{
    printf("X %u %d %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", e->thread, (int)e->kind, e->addr, e->size, e->from);
    if (e->kind == DCFG_WET_CONTENTS)
        put_contents(e->addr, e->bytes, e->size);
    else if (e->kind == DCFG_WET_MAPPED)
        put_mapping(e->mapping);
    else if (e->kind == DCFG_WET_REGISTERS)
        put_registers(e->registers, e->n_registers);
    else if (e->kind == DCFG_WET_SIGNAL)
        printf("S %u\n", e->signal);
    else if (e->kind == DCFG_WET_RESULT)
        printf("N %" PRId64 "\n", (int64_t)e->result);
    else if (e->kind == DCFG_WET_IDENTITY)
        printf("I %" PRIu64 "\n", e->tid);
}

static void put_instr(DcfgWet *w, const DcfgWetEvent *e)
{
    const DcfgWetInstr *in = dcfg_wet_instr(w, e->instr);

    printf("O %u %" PRIx64 " %c", e->thread, e->addr, in->stores ? '+' : '-');
    put_bytes(in->code, in->size);
    putchar(' ');
    if (e->has_value)
        put_value(e->value, e->value_size);
    else
        putchar('-');
    for (uint32_t i = 0; i < e->n_accesses; i++)
        printf(" %" PRIx64, e->accesses[i]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    static bool  seen[MAX_THREADS];
    DcfgError    err;
    DcfgWetEvent e;
    char         text[DCFG_ERROR_TEXT_SIZE];
    DcfgWet     *w = argc > 1 ? dcfg_wet_open(argv[1], NULL, &err) : NULL;
    DcfgWetEvents *v = w ? dcfg_wet_events_new(w, &err) : NULL;

    if (!v) {
        puts(argc > 1 ? dcfg_error_text(&err, text) : "usage: wet_state FILE [all]");
        return 2;
    }
    printf("V %u\n", dcfg_wet_version(w));
    put_state(w, dcfg_wet_state(w));
    while (dcfg_wet_next(v, &e, &err)) {
        if (e.kind != DCFG_WET_INSTR)
            put_event(&e);
        if (e.kind == DCFG_WET_INSTR && e.thread < MAX_THREADS && !seen[e.thread]) {
            printf("L %u %" PRIx64 "\n", e.thread, e.addr);
            seen[e.thread] = true;
        }
        if (e.kind == DCFG_WET_INSTR && argc > 2)
            put_instr(w, &e);
    }
    if (err.status != DCFG_OK) {
        puts(dcfg_error_text(&err, text));
        return 2;
    }
    dcfg_wet_events_free(v);
    dcfg_wet_close(w);
    return 0;
}
