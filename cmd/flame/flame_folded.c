/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Folded stacks. */

/* Owns: folded stacks: lines "main;work;area 17"; of two runs, with both
   counts.  Handed: a tree.  Taken by: cmd_flame.c. */

#include "cmd/flame/flame_tree.h"

#include "cmd/base/format.h"

#include <inttypes.h>

static void put_stack(const StackTree* t, uint32_t stack, FILE* out)
{
   uint32_t path[MAX_DEPTH + 1];
   uint32_t n = 0;

   for (; stack != 0; stack = t->stacks[stack].parent)
      path[n++] = stack;
   while (n-- > 0) {
      fputs(text_frame(t->stacks[path[n]].name), out);
      if (n > 0)
         fputc(';', out);
   }
}

static void write_folded(const Traced* runs, int n, FILE* out)
{
   StackTree* t = tree_of(runs, n);
   bool       two = n == 2;

   for (uint32_t i = 0; i < t->n; i++) {
      const Stack* s = &t->stacks[i];
      if (s->self[0] == 0 && (!two || s->self[1] == 0))
         continue;
      if (i == 0)
         fputs(text_frame(s->name), out);
      put_stack(t, i, out);
      fprintf(out, " %" PRIu64, s->self[0]);
      if (two)
         fprintf(out, " %" PRIu64, s->self[1]);
      fputc('\n', out);
   }
   tree_free(t);
}

const FlameForm flame_form_folded = {
   .choice = { "folded",
               "lines `main;work;area 17', as other programs for "
               "such graphs read them; so it is without an option", NULL },
   .write = write_folded
};
