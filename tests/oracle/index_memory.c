/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory as the index of a trace tells it, and as the trace does.

      index_memory TRACE INDEX N SEED [use]

   makes INDEX of TRACE, which has values and is of an amd64 program, and goes
   through TRACE once, with a map of all bytes that were written.  At about N
   random times it asks for the memory around a random written byte, and about
   as often for memory that an instruction is about to load.  Prints how many
   bytes and loads were compared, and the first differences; the exit status is
   1 if there are any.  With "use", it takes INDEX as it is.

   The map is simple: a byte has a value, or lost it, or the map does not know.
   It shares nothing with the code that makes an index, and goes forward. */

#include <dcfg_cursor.h>
#include <dcfg_slice.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t below(uint64_t n)
{
   state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
   return n == 0 ? 0 : (state >> 24) % n;
}

static void fail(const char* what, const DcfgError* err)
{
   fprintf(stderr, "index_memory: %s: %s\n", what, err->reason);
   exit(2);
}

/*--- The map                                              ---*/

enum { NOTHING, VALUE, LOST, DOUBTFUL };

#define N_BYTES (1u << 22)

typedef
   struct {
      uint64_t addr;            // plus 1; 0: free
      uint8_t  is, value;
   }
   MapByte;

static MapByte* map;
static uint32_t* order;         // places in the map, in order of their making
static uint32_t n_order;

static MapByte* find(uint64_t addr)
{
   uint32_t at = (uint32_t)((addr * UINT64_C(0x9E3779B97F4A7C15)) >> 42);

   while (map[at].addr != 0 && map[at].addr != addr + 1)
      at = (at + 1) % N_BYTES;
   return &map[at];
}

static void set(uint64_t addr, uint64_t n, uint8_t is, const uint8_t* values)
{
   for (uint64_t i = 0; i < n; i++) {
      MapByte* b = find(addr + i);
      if (b->addr == 0) {
         if (n_order > N_BYTES / 2) {
            fprintf(stderr, "index_memory: too many bytes\n");
            exit(2);
         }
         b->addr = addr + i + 1;
         order[n_order++] = (uint32_t)(b - map);
      }
      b->is    = is;
      b->value = values == NULL ? 0 : values[i];
   }
}

/* Change only bytes that are in the map, of a range that may be large. */
static void doubt(uint64_t addr, uint64_t n)
{
   for (uint32_t i = 0; i < n_order; i++)
      if (map[order[i]].addr - 1 - addr < n)
         map[order[i]].is = DOUBTFUL;
}

/* Memory that was new at some time. */
#define N_FRESH 1000u
static struct { uint64_t addr, size; } fresh[N_FRESH];
static uint32_t n_fresh;

static bool was_fresh(uint64_t addr)
{
   for (uint32_t i = 0; i < n_fresh; i++)
      if (addr - fresh[i].addr < fresh[i].size)
         return true;
   return false;
}

static void take_instr(DcfgWet* w, const DcfgWetEvent* e)
{
   const DcfgWetInstr* in = dcfg_wet_instr(w, e->instr);
   uint32_t            stores = 0, at = 0;

   for (uint32_t i = 0; i < in->n_accesses; i++)
      if (in->accesses[i].writes) {
         stores++;
         at = i;
      }
   for (uint32_t i = 0; i < in->n_accesses && i < e->n_accesses; i++)
      if (in->accesses[i].writes && e->accesses[i] != 0)
         set(e->accesses[i], in->accesses[i].size, DOUBTFUL, NULL);
   if (stores != 1 || at >= e->n_accesses || e->accesses[at] == 0)
      return;
   if (e->has_value && e->value_size == in->accesses[at].size)
      set(e->accesses[at], e->value_size, VALUE, e->value);
}

static void take(DcfgWet* w, const DcfgWetEvent* e)
{
   switch (e->kind) {
      case DCFG_WET_INSTR:    take_instr(w, e); break;
      case DCFG_WET_CONTENTS: set(e->addr, e->size, VALUE, e->bytes); break;
      case DCFG_WET_WRITTEN:
         if (e->size <= 65536)
            set(e->addr, e->size, LOST, NULL);
         else
            doubt(e->addr, e->size);
         break;
      case DCFG_WET_MOVED:
         doubt(e->addr, e->size);
         doubt(e->from, e->size);
         break;
      case DCFG_WET_FRESH:
         if (n_fresh < N_FRESH) {
            fresh[n_fresh].addr   = e->addr;
            fresh[n_fresh++].size = e->size;
         }
         doubt(e->addr, e->size);
         break;
      case DCFG_WET_MAPPED:   doubt(e->addr, e->size); break;
      default: break;
   }
}

/*--- Questions                                            ---*/

#define AROUND 24u

static uint64_t n_compared, n_different, n_loads, n_loads_different;

static void ask(DcfgCursor* r, const bool* copies, uint64_t t, uint64_t addr,
                uint32_t size, DcfgCursorByte* b)
{
   DcfgError err;

   if (!dcfg_cursor_memory(r, t, addr, size, copies, b)) {
      dcfg_cursor_error(r, &err);
      fail("memory", &err);
   }
}

/* The instruction of E copies memory to a register: MOV. */
static void compare_load(DcfgCursor* r, const bool* copies,
                         const DcfgWetEvent* e, uint32_t size)
{
   DcfgCursorByte b[8];
   bool           same = true;

   if (e->n_accesses != 1 || !e->has_value || size > 8 || e->value_size < size)
      return;
   ask(r, copies, e->time, e->accesses[0], size, b);
   for (uint32_t i = 0; i < size; i++)
      same &= b[i].is != DCFG_CURSOR_KNOWN || b[i].value == e->value[i];
   n_loads++;
   if (!same && n_loads_different++ < 10)
      printf("time %" PRIu64 ": load of 0x%" PRIx64 "\n", e->time,
             e->accesses[0]);
}

static void compare(DcfgCursor* r, const bool* copies, uint64_t t)
{
   uint64_t       addr = map[order[below(n_order)]].addr - 1 - below(AROUND);
   DcfgCursorByte b[AROUND];

   ask(r, copies, t, addr, AROUND, b);
   for (uint32_t i = 0; i < AROUND; i++) {
      const MapByte* is = find(addr + i);
      bool           same = true;
      if (is->addr == 0)
         same = b[i].is != DCFG_CURSOR_NEVER || !was_fresh(addr + i);
      else if (is->is == VALUE)
         same = b[i].is == DCFG_CURSOR_KNOWN && b[i].value == is->value;
      else if (is->is == LOST)
         same = b[i].is == DCFG_CURSOR_UNKNOWN;
      n_compared += is->addr != 0 && is->is != DOUBTFUL;
      if (!same && n_different++ < 10)
         printf("time %" PRIu64 ", 0x%" PRIx64 ": %u, %02x, not %u, %02x\n", t,
                addr + i, b[i].is, b[i].value, is->is, is->value);
   }
}

/* Return whether instruction I is MOV from memory to a register. */
static bool is_mov(DcfgWet* w, uint32_t i)
{
   const DcfgWetInstr* in = dcfg_wet_instr(w, i);
   uint32_t            at = in->size > 1 && (in->code[0] & 0xF0) == 0x40;

   return in->n_accesses == 1 && in->accesses[0].reads
          && !in->accesses[0].writes && in->code[at] == 0x8B;
}

int main(int argc, char** argv)
{
   DcfgError    err;
   bool         given = argc == 5 || argc == 6, use = argc == 6;
   DcfgWet*     w = given ? dcfg_wet_open(argv[1], NULL, &err) : NULL;
   DcfgWetEvents* events = w == NULL ? NULL : dcfg_wet_events_new(w, &err);
   int          fd = given ? open(argv[2], use ? O_RDONLY
                                  : O_RDWR | O_CREAT | O_TRUNC, 0666) : -1;
   DcfgCursor*  r;
   DcfgWetEvent e;
   bool*        copies;
   uint64_t     every;

   if (!given) {
      fprintf(stderr, "usage: index_memory TRACE INDEX N SEED [use]\n");
      return 2;
   }
   if (events == NULL || fd < 0
       || (!use && !dcfg_slice_make_index(w, fd, NULL, &err))
       || !dcfg_slice_use_index(w, fd, &err)
       || (r = dcfg_cursor_new(w, &err)) == NULL)
      fail(argv[1], &err);
   state  = strtoull(argv[4], NULL, 0);
   map    = calloc(N_BYTES, sizeof(*map));
   order  = calloc(N_BYTES, sizeof(*order));
   copies = calloc(dcfg_wet_instrs(w) + (size_t)1, sizeof(*copies));
   every  = dcfg_cursor_end(r) / strtoull(argv[3], NULL, 0) + 1;
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++)
      copies[i] = is_mov(w, i);
   while (dcfg_wet_next(events, &e, &err)) {
      if (e.kind == DCFG_WET_INSTR && n_order > 0 && below(every) == 0)
         compare(r, copies, e.time);
      if (e.kind == DCFG_WET_INSTR && copies[e.instr]
          && below(every) < 3)
         compare_load(r, copies, &e, dcfg_wet_instr(w, e.instr)
                                     ->accesses[0].size);
      take(w, &e);
   }
   if (err.status != DCFG_OK)
      fail(argv[1], &err);
   printf("%" PRIu64 " bytes, %" PRIu64 " differ; %" PRIu64 " loads, %" PRIu64
          " loads differ\n", n_compared, n_different, n_loads,
          n_loads_different);
   dcfg_cursor_free(r);
   dcfg_wet_events_free(events);
   dcfg_wet_close(w);
   return n_different > 0 || n_loads_different > 0;
}
