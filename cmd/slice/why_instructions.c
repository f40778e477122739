/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg why, instance by instance. */

/* Owns: steps that are instances.  Handed: a slice.

   A step goes from an instance to the instances that computed its inputs.  It
   passes instances that only hand on a value, as moves, PUSH and POP do. */

#include "cmd/base/format.h"
#include "cmd/slice/slice_query.h"
#include "cmd/slice/slice_views.h"
#include "cmd/slice/why.h"
#include "cmd/slice/why_unseen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Origin: the instance that computed an input, and the copies on the way. */
typedef
   struct {
      const DcfgSliceInput* input;      // an input of the instance
      uint32_t node;            // or DCFG_SLICE_NOBODY, DCFG_SLICE_NOT
      uint32_t first, n_copies; // part of Why.copies
      uint32_t loader;          // the instance that loads memory which nobody
                                // wrote, or DCFG_NONE
      bool     unseen;          // somebody else wrote it
   }
   Origin;

typedef
   struct {
      Sliced*   f;
      SliceView v;
      Origin*   origins;        // those of the last printed instance
      size_t    n_origins, room;
      uint32_t* copies;
      size_t    n_copies, copies_room;
   }
   Why;

/*--- Origins                                              ---*/

/* Add the origin of IN, an input of NODE. */
static void add_origin(Why* y, uint32_t node, const DcfgSliceInput* in)
{
   const DcfgSliceInput* via = in;
   Origin o = { in, in->node, (uint32_t)y->n_copies, 0, DCFG_NONE, false };
   uint32_t loader = node;
   uint64_t bytes = why_bytes(y->f, in, ALL_BYTES);

   while (o.node < DCFG_SLICE_NOT && in->port != DCFG_WET_CONTROL) {
      const DcfgSliceInput* next = why_behind_copy(y->f, o.node, via, &bytes);
      if (next == NULL)
         break;
      GROW(y->copies, y->n_copies, y->copies_room);
      y->copies[y->n_copies++] = o.node;
      o.n_copies++;
      loader = o.node;
      o.node = next->node;
      via    = next;
   }
   if (o.node == DCFG_SLICE_NOBODY && via->port == DCFG_WET_MEMORY) {
      o.loader = loader;
      o.unseen = input_is_unseen(y->f->initial, y->f->s, loader, via);
   }
   GROW(y->origins, y->n_origins, y->room);
   y->origins[y->n_origins++] = o;
}

/* Find the origins of the inputs of NODE.  Control is last: the inputs that
   made the value say more. */
static void find_origins(Why* y, uint32_t node)
{
   const DcfgSliceNode*  n = &y->f->s->nodes[node];
   const DcfgSliceInput* in = &y->f->s->inputs[n->first_input];

   y->n_origins = y->n_copies = 0;
   for (uint32_t k = 0; k < n->n_inputs; k++)
      if (in[k].port != DCFG_WET_CONTROL)
         add_origin(y, node, &in[k]);
   for (uint32_t k = 0; k < n->n_inputs; k++)
      if (in[k].port == DCFG_WET_CONTROL)
         add_origin(y, node, &in[k]);
}

/*--- Telling                                              ---*/

static void tell_instance(const Why* y, uint32_t node)
{
   const DcfgSliceNode* n = &y->f->s->nodes[node];
   const DcfgWetInstr   in = *dcfg_wet_instr(y->f->w, n->instr);
   const char*          value = slice_value(&y->v, n);
   const char*          around = y->v.inlined == NULL ? ""
                                 : inlined_trace_text(y->v.inlined, n->instr);
   char                 text[256];

   instr_text(&in, text, sizeof(text));
   printf("%s  %s%s%s", instance_text(y->f->w, n), text,
          value[0] == 0 ? "" : " = ", value);
   if (slice_place(&in)[0] != 0)
      printf("   %s", slice_place(&in));
   if (around[0] != 0)
      printf(" in %s", around);
   else if (in.line != 0 && in.function != NULL)
      printf(" in %s", text_clean(text_brief(text_demangle(in.function))));
   putchar('\n');
}

static void tell_copies(const Why* y, const Origin* o)
{
   if (o->n_copies == 0)
      return;
   printf("%14sthrough", "");
   for (uint32_t k = o->n_copies; k-- > 0; ) {
      if (o->n_copies > 6 && k == o->n_copies - 4) {
         printf(" ... (%s more)", text_count(o->n_copies - 6));
         k = 2;
         continue;
      }
      printf(" %s", instance_text(y->f->w,
                                  &y->f->s->nodes[y->copies[o->first + k]]));
   }
   putchar('\n');
}

static const char* unseen_place(void* y, uint32_t instr, uint64_t instance)
{
   const Why*          why = y;
   const DcfgWetInstr* in = dcfg_wet_instr(why->f->w, instr);

   return text_format("0x%" PRIx64 "#%" PRIu64 "   %s", in->addr, instance,
                      slice_place(in));
}

/* Return whether origin O of NODE, which nothing wrote, is from before the
   trace. */
static bool is_before(const Why* y, uint32_t node, const Origin* o)
{
   return o->n_copies > 0 ? wet_begins_late(y->f->w)
          : slice_is_before(y->f, node, o->input);
}

static void tell(Why* y, uint32_t node)
{
   find_origins(y, node);
   tell_instance(y, node);
   for (size_t i = 0; i < y->n_origins; i++) {
      const Origin* o = &y->origins[i];
      printf("%3zu %-8s  ", i + 1, slice_port(y->f->w, o->input));
      DcfgSliceUnseen u;
      UnseenKind      kind = o->loader == DCFG_NONE ? UNSEEN_NOT
                             : why_unseen(y->f, o->loader, o->unseen,
                                          &u);
      if (kind != UNSEEN_NOT) {
         why_tell_unseen(y->f, kind, &u, "              ",
                         &(UnseenPlace){ unseen_place, y });
      } else if (o->node == DCFG_SLICE_NOBODY && is_before(y, node, o)) {
         if (o->input->port != DCFG_WET_CONTROL)
            slice_note_before();
         puts("nothing that was kept: before the window, or nobody");
      } else if (o->node == DCFG_SLICE_NOBODY)
         puts( o->input->port == DCFG_WET_CONTROL
              ? "nothing: it runs in any case"
              : "nothing that was executed wrote it: initial data");
      else if (o->node == DCFG_SLICE_NOT)
         puts("not followed");
      else
         tell_instance(y, o->node);
      tell_copies(y, o);
      text_forget();
   }
}

/* Print STEPS instances, from FIRST on, the nearest to it first. */
static void tell_steps(Why* y, uint32_t first, uint64_t steps)
{
   uint32_t  n = y->f->s->n_nodes, head = 0, tail = 0;
   uint32_t* queue = zalloc(n, sizeof(*queue));
   bool*     seen = zalloc(n, sizeof(*seen));

   queue[tail++] = first;
   seen[first]   = true;
   for (; head < tail && head < steps; head++) {
      if (head > 0)
         putchar('\n');
      tell(y, queue[head]);
      for (size_t i = 0; i < y->n_origins; i++) {
         uint32_t on = y->origins[i].node;
         if (on < DCFG_SLICE_NOT && !seen[on]) {
            queue[tail++] = on;
            seen[on]      = true;
         }
      }
   }
   FREE_ALL(queue, seen);
}

/* Print an instance, and ask the user for the next one, until the user
   quits. */
static void converse(Why* y, uint32_t first)
{
   uint32_t* way = NULL;
   size_t    n = 0, room = 0;
   char*     line = NULL;
   size_t    size = 0;

   GROW(way, n, room);
   way[n++] = first;
   for (bool again = true; ; ) {
      size_t k;
      if (again)
         tell(y, way[n - 1]);
      fputs("why (number, b: back, q: quit)? ", stdout);
      fflush(stdout);
      if (getline(&line, &size, stdin) < 0 || why_says(line, "quit"))
         break;
      k     = why_choice(line);
      again = true;
      if (why_says(line, "back") && n > 1) {
         n--;
      } else if (k >= 1 && k <= y->n_origins
                 && y->origins[k - 1].node < DCFG_SLICE_NOT) {
         GROW(way, n, room);
         way[n++] = y->origins[k - 1].node;
      } else {
         why_no_answer(line, y->n_origins, false);
         again = false;
      }
   }
   FREE_ALL(way, line);
}

void why_instructions(Sliced* f, const SliceView* v, bool asks, uint64_t steps)
{
   Why y = { .f = f, .v = *v };

   if (asks)
      converse(&y, f->s->criteria[0]);
   else
      tell_steps(&y, f->s->criteria[0], steps);
   FREE_ALL(y.origins, y.copies);
}
