/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Compares forward slices by sums with those that keep instances.

       slice_sums FILE N

   Asks for N instructions, spread over the executed ones, in each way of
   following; prints where the two kinds differ, and at the end how many slices
   were compared and how many instances they had. */

#include "dcfg_slice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t slices, instances, left_out, ended;

static void fail(const DcfgError* err)
{
   printf("cannot be told: %s\n", err->reason);
   exit(2);
}

static bool same_node(const DcfgSlice* a, uint32_t x, const DcfgSlice* b,
                      uint32_t y)
{
   const DcfgSliceNode* m = &a->nodes[a->criteria[x]];
   const DcfgSliceNode* n = &b->nodes[b->criteria[y]];

   return m->instr == n->instr && m->instance == n->instance
          && m->order == n->order;
}

static void compare(DcfgWet* w, const DcfgSliceQuery* asked, const char* what)
{
   DcfgSliceQuery q = *asked;
   DcfgError      err;
   DcfgSlice*     a = dcfg_slice_new(w, &q, &err);
   DcfgSlice*     b;
   uint32_t       bad = 0;

   q.sums = true;
   b = a == NULL ? NULL : dcfg_slice_new(w, &q, &err);
   if (b == NULL)
      fail(&err);
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++)
      if (a->totals[i].in_slice != b->totals[i].in_slice
          || a->totals[i].executed != b->totals[i].executed
          || a->totals[i].distance != b->totals[i].distance) {
         if (bad++ == 0)
            printf("%s: 0x%" PRIx64 ": %" PRIu64 " at %" PRIu32 ", and %"
                   PRIu64 " at %" PRIu32 "\n", what,
                   dcfg_wet_instr(w, i)->addr, a->totals[i].in_slice,
                   a->totals[i].distance, b->totals[i].in_slice,
                   b->totals[i].distance);
      }
   if (a->n_instances != b->n_instances || a->n_executed != b->n_executed
       || a->n_met != b->n_met || a->n_no_control != b->n_no_control
       || a->n_no_address != b->n_no_address || a->n_no_steps != b->n_no_steps)
      printf("%s: sums differ: %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
             " and %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", what,
             a->n_instances, a->n_no_control, a->n_no_address, a->n_no_steps,
             b->n_instances, b->n_no_control, b->n_no_address, b->n_no_steps);
   if ((a->n_criteria == 0) != (b->n_criteria == 0) || b->n_criteria > 2
       || (a->n_criteria > 0
           && (!same_node(a, 0, b, 0)
               || !same_node(a, a->n_criteria - 1, b, b->n_criteria - 1))))
      printf("%s: the criteria differ\n", what);
   slices++;
   instances += b->n_instances;
   left_out  += b->n_no_control + b->n_no_address;
   ended     += b->n_no_steps;
   dcfg_slice_free(a);
   dcfg_slice_free(b);
}

/* Compare Q for all choices of what is followed. */
static void compare_all(DcfgWet* w, DcfgSliceQuery q, const char* what)
{
   uint32_t  n = dcfg_wet_instrs(w);
   uint32_t* addresses = calloc(n + 1u, sizeof(*addresses));
   bool*     some = calloc(n + 1u, sizeof(*some));
   char      text[64];

   if (addresses == NULL || some == NULL)
      exit(2);
   for (uint32_t i = 0; i < n; i++) {
      addresses[i] = i % 2 == 0 ? 1u << 4 : UINT32_MAX;
      some[i]      = i % 3 == 0;
   }
   q.forward = true;
   for (int way = 0; way < 6; way++) {
      DcfgSliceQuery as = q;
      as.no_control    = way == 1 || way == 3;
      as.no_control_of = way == 2 || way == 5 ? some : NULL;
      as.no_address    = way >= 2 ? addresses : NULL;
      as.steps         = way >= 4 ? 3 : 0;
      as.copies        = way >= 4 ? some : NULL;
      snprintf(text, sizeof(text), "%s, way %d", what, way);
      compare(w, &as, text);
   }
   free(addresses);
   free(some);
}

int main(int argc, char** argv)
{
   DcfgError err;
   DcfgWet*  w = argc != 3 ? NULL : dcfg_wet_open(argv[1], NULL, &err);
   uint32_t  n = w == NULL ? 0 : dcfg_wet_instrs(w);
   uint32_t  step = n == 0 ? 1 : n / (uint32_t)atoi(argv[2]) + 1;
   bool*     at = calloc(n + 1u, sizeof(*at));

   if (w == NULL || at == NULL)
      return 2;
   for (uint32_t i = step / 2; i < n; i += step) {
      DcfgSliceQuery q = { .instrs = at, .instance = 0 };
      char           text[40];
      memset(at, 0, n);
      at[i] = true;
      snprintf(text, sizeof(text), "0x%" PRIx64, dcfg_wet_instr(w, i)->addr);
      compare_all(w, q, text);
      q.instance = DCFG_SLICE_EVERY;
      strcat(text, " every");
      compare_all(w, q, text);
      for (uint32_t k = i; k < i + 12 && k < n; k++)
         at[k] = true;
      q.instance = DCFG_SLICE_LAST;
      q.run      = true;
      strcpy(strchr(text, ' '), " run");
      compare_all(w, q, text);
   }
   printf("%" PRIu64 " slices, %" PRIu64 " instances, %" PRIu64
          " not followed, %" PRIu64 " ended\n", slices, instances, left_out,
          ended);
   free(at);
   dcfg_wet_close(w);
   return 0;
}
