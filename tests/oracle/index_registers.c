/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers as the index of a trace tells their writers, and as the trace does.

      index_registers TRACE INDEX N SEED

   asks N random questions for the last writer of a register, with the writers of
   INDEX and without, and compares the answers: the writer, and all of the instance
   that wrote.  Prints how many writers the index told, and the first differences;
   the exit status is 1 if there are any. */

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

/* Answer: a copy of what the library tells. */
typedef
   struct {
      DcfgCursorFound  found;
      DcfgCursorWriter by;
      DcfgCursorInstr  at;
      DcfgCursorAccess accesses[64];
      uint8_t          value[1024];
   }
   Answer;

static void ask(DcfgCursor* r, uint32_t thread, uint64_t t,
                DcfgCursorKind kind, uint32_t n, uint8_t wanted, Answer* a)
{
   const DcfgCursorInstr* at;

   memset(a, 0, sizeof(*a));
   a->found = dcfg_cursor_writer(r, thread, t, kind, n, wanted, &a->by);
   if (a->found != DCFG_CURSOR_FOUND || a->by.by != DCFG_CURSOR_BY_INSTR
       || (at = dcfg_cursor_instr(r, a->by.time)) == NULL)
      return;
   a->at = *at;
   memcpy(a->accesses, at->accesses,
          (at->n_accesses < 64 ? at->n_accesses : 64) * sizeof(*a->accesses));
   memcpy(a->value, at->value, at->value_size < 1024 ? at->value_size : 1024);
}

static int is_same(const Answer* a, const Answer* b, uint64_t t)
{
   return a->found == b->found && a->by.by == b->by.by
          && a->by.time == b->by.time && a->by.thread == b->by.thread
          && a->by.bytes == b->by.bytes && a->by.stack == b->by.stack
          && memcmp(a->by.value, b->by.value, sizeof(a->by.value)) == 0
          && a->by.since >= b->by.since && a->by.since <= t
          && a->at.time == b->at.time && a->at.instr == b->at.instr
          && a->at.thread == b->at.thread && a->at.rep == b->at.rep
          && a->at.n_accesses == b->at.n_accesses
          && a->at.value_size == b->at.value_size
          && memcmp(a->accesses, b->accesses, sizeof(a->accesses)) == 0
          && memcmp(a->value, b->value, sizeof(a->value)) == 0;
}

int main(int argc, char** argv)
{
   DcfgError   err;
   DcfgWet*    w = argc == 5 ? dcfg_wet_open(argv[1], NULL, &err) : NULL;
   int         fd = argc == 5 ? open(argv[2], O_RDONLY) : -1;
   DcfgCursor* with = NULL;
   DcfgCursor* without = NULL;
   uint64_t    told = 0, differ = 0, n;

   if (w == NULL || fd < 0 || !dcfg_slice_use_index(w, fd, &err)
       || (with = dcfg_cursor_new(w, &err)) == NULL
       || (without = dcfg_cursor_new(w, &err)) == NULL) {
      fprintf(stderr, "usage: index_registers TRACE INDEX N SEED\n");
      return 2;
   }
   dcfg_cursor_doubt(without);
   n     = strtoull(argv[3], NULL, 0);
   state = strtoull(argv[4], NULL, 0);
   for (uint64_t i = 0; i < n; i++) {
      uint64_t       t = below(dcfg_cursor_end(with) + 1);
      uint32_t       thread = (uint32_t)below(dcfg_wet_threads(w));
      DcfgCursorKind kind = below(3) == 0 ? DCFG_CURSOR_VECTOR
                            : DCFG_CURSOR_GENERAL;
      uint32_t       reg = (uint32_t)below(kind == DCFG_CURSOR_VECTOR ? 64
                                           : 16);
      uint8_t        wanted = 0xFF;
      /* One after another, the writers of all bytes. */
      while (wanted != 0) {
         Answer a, b;
         ask(with, thread, t, kind, reg, wanted, &a);
         ask(without, thread, t, kind, reg, wanted, &b);
         told += a.by.from_index;
         if ((!is_same(&a, &b, t) || b.by.from_index) && differ++ < 10)
            printf("thread %u, time %" PRIu64 ", register %u of %d, %02x: %d "
                   "%d %" PRIu64 " %02x, not %d %d %" PRIu64 " %02x\n", thread,
                   t, reg, (int)kind, wanted, (int)a.found, (int)a.by.by,
                   a.by.time, a.by.bytes, (int)b.found, (int)b.by.by,
                   b.by.time, b.by.bytes);
         if (b.found != DCFG_CURSOR_FOUND || b.by.by != DCFG_CURSOR_BY_INSTR)
            break;
         wanted &= (uint8_t)~b.by.bytes;
         t       = b.by.time;
      }
   }
   printf("%" PRIu64 " told, %" PRIu64 " differ\n", told, differ);
   dcfg_cursor_free(with);
   dcfg_cursor_free(without);
   dcfg_wet_close(w);
   return differ > 0;
}
