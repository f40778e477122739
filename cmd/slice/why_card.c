/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines of dcfg why. */

/* Owns: which instances are one step, and the order of what they used.
   Handed: a slice.  Taken by: why_lines.c.

   Instances of a line ran together if one branch or call of another line let
   them run.  Nothing is twice in a step: that is another iteration. */

#include "cmd/slice/slice_functions.h"
#include "cmd/slice/why.h"

#include "cmd/base/cmd.h"
#include "cmd/machine/processor.h"
#include "cmd/shared/wet_program.h"

#include <stdlib.h>
#include <string.h>

#define BIT(reg) (UINT32_C(1) << (reg))

/*--- What ran together                                    ---*/

static bool is_one_line(DcfgWet* w, uint32_t a, uint32_t b)
{
   const DcfgWetInstr x = *dcfg_wet_instr(w, a);
   const DcfgWetInstr y = *dcfg_wet_instr(w, b);

   return x.line != 0 && x.line == y.line && x.source != NULL
          && y.source != NULL && strcmp(x.source, y.source) == 0
          && x.function != NULL && y.function != NULL
          && strcmp(x.function, y.function) == 0;
}

uint32_t why_control(const DcfgSlice* s, uint32_t node)
{
   const DcfgSliceNode* n = &s->nodes[node];

   for (uint32_t k = 0; k < n->n_inputs; k++)
      if (s->inputs[n->first_input + k].port == DCFG_WET_CONTROL)
         return s->inputs[n->first_input + k].node;
   return DCFG_SLICE_NOBODY;
}

bool why_is_call(const Sliced* f, uint32_t node)
{
   return f->roles.calls[f->s->nodes[node].instr];
}

void why_cards_start(WhyCards* y, Sliced* f)
{
   uint32_t n = f->s->n_nodes;

   *y = (WhyCards){ .f = f, .runs = zalloc(n + (size_t)1, sizeof(uint32_t)),
                    .frames = find_frames(f->w),
                    .seen = zalloc(n + (size_t)1, sizeof(uint32_t)) };
   /* The instance that let a node run stands behind it. */
   for (uint32_t i = n; i-- > 0; ) {
      uint32_t c = why_control(f->s, i);
      y->runs[i] = c < DCFG_SLICE_NOT && c > i && !why_is_call(f, c)
                   && is_one_line(f->w, f->s->nodes[i].instr,
                                  f->s->nodes[c].instr)
                   ? y->runs[c] : c;
   }
}

void why_cards_end(WhyCards* y)
{
   free(y->runs);
   free(y->frames);
   free(y->seen);
}

bool why_is_library_code(const Sliced* f, uint32_t instr)
{
   const DcfgWetInstr* in = dcfg_wet_instr(f->w, instr);

   return f->foreign[instr] && (in->line == 0 || is_of_system(in->image_name));
}

bool why_is_library(const Sliced* f, uint32_t node)
{
   return why_is_library_code(f, f->s->nodes[node].instr);
}

/* Does NODE belong to card C?  A slice of very few steps may not know: then it has
   to be deepened. */
static bool joins(const WhyCards* y, WhyCard* c, uint32_t node)
{
   const DcfgSlice* s = y->f->s;
   uint32_t         with = y->runs[c->head], runs = y->runs[node];

   if (s->nodes[node].thread != s->nodes[c->head].thread
       || !is_one_line(y->f->w, s->nodes[node].instr,
                       s->nodes[c->head].instr))
      return false;
   c->cut |= (runs == DCFG_SLICE_NOT || with == DCFG_SLICE_NOT)
             && y->f->q.steps != 0 && y->f->q.steps < WHY_STEPS;
   if (runs != with)
      return false;
   for (size_t i = 0; i < c->n_members; i++)
      if (c->members[i] != node
          && s->nodes[c->members[i]].instr == s->nodes[node].instr)
         return false;
   return true;
}

/*--- Inputs                                               ---*/

static bool is_cut(const WhyCards* y, uint32_t node)
{
   return y->f->q.steps != 0
          && y->f->s->nodes[node].distance >= y->f->q.steps;
}

WhyUse why_use(const WhyCards* y, uint32_t node, const DcfgSliceInput* in,
               WhyUse outer)
{
   const Sliced*    f = y->f;
   uint32_t         i = f->s->nodes[node].instr;
   const Processor* p = processor_of(f->w);
   WhyUse           use = USE_VALUE;

   if (in->port == DCFG_WET_CONTROL)
      use = USE_BRANCH;
   else if (in->port == DCFG_WET_GENERAL
            && (in->reg == p->stack || (in->reg == p->frame && y->frames[i])
                || ((f->roles.saves[i] >> in->reg & 1)
                    && (f->roles.moved[i] >> p->stack & 1))))
      use = USE_FRAME;
   else if (in->port == DCFG_WET_MEMORY && f->roles.copies[i]
            && (f->roles.moved[i] >> p->stack & 1)
            && in->node < DCFG_SLICE_NOT
            && f->roles.saves[f->s->nodes[in->node].instr] != 0)
      use = USE_FRAME;
   else if (in->port == DCFG_WET_GENERAL
            && (f->roles.addresses[i] >> in->reg & 1)
            && (!f->roles.lookups[i] || !why_is_library(f, node)))
      use = USE_ADDRESS;
   return use > outer ? use : outer;
}

static bool is_known(const WhyCard* c, uint32_t node, const WhyInput* in)
{
   for (size_t i = 0; i < c->n_inputs; i++) {
      const WhyInput* k = &c->inputs[i];
      if (k->node == node && node < DCFG_SLICE_NOT)
         return true;
      if (k->node == node
          && (k->user == in->user
              || (k->use == USE_FRAME && in->use == USE_FRAME))
          && k->input->port == in->input->port
          && k->input->reg == in->input->reg)
         return true;
   }
   return false;
}

static void add_passed(WhyCard* c, uint32_t node)
{
   GROW(c->passed, c->n_passed, c->passed_room);
   c->passed[c->n_passed++] = node;
}

static void add_input(WhyCard* c, WhyInput in, uint32_t node)
{
   if (is_known(c, node, &in))
      return;
   in.node     = node;
   in.n_passed = (uint32_t)c->n_passed - in.first;
   GROW(c->inputs, c->n_inputs, c->inputs_room);
   c->inputs[c->n_inputs++] = in;
}

/* Members that are found, and why: they are gone through by their use. */
typedef
   struct {
      uint32_t* nodes[USE_FRAME];
      size_t    n[USE_FRAME], room[USE_FRAME];
   }
   Found;

static void add_found(Found* l, WhyUse use, uint32_t node)
{
   GROW(l->nodes[use], l->n[use], l->room[use]);
   l->nodes[use][l->n[use]++] = node;
}

/* Behind copies: the program's instance that computed what IN brings, a
   library's, or none.  A line that got a value from a library, or loaded one
   that nobody wrote, is not passed: it has chosen which. */
static uint32_t behind_copies(WhyCards* y, WhyCard* c,
                              const DcfgSliceInput* in)
{
   const DcfgSliceInput* via = in;

   while (via->node < DCFG_SLICE_NOT && in->port != DCFG_WET_CONTROL
          && !why_is_library(y->f, via->node) && !joins(y, c, via->node)) {
      const DcfgSliceInput* next;
      next = why_behind_copy(y->f, via->node, via);
      if (next == NULL)
         break;
      c->cut |= is_cut(y, via->node);
      if (next->node == DCFG_SLICE_NOBODY
          || (next->node < DCFG_SLICE_NOT
              && why_is_library(y->f, next->node)))
         break;
      add_passed(c, via->node);
      via = next;
   }
   return via->node;
}

static void pass_library(WhyCards* y, WhyCard* c, Found* l, WhyInput in,
                         uint32_t first);

/* Follow input IN of member .user: it leads to another member, or is an input
   of the card. */
static void follow(WhyCards* y, WhyCard* c, Found* l, WhyInput in)
{
   uint32_t node;

   in.first = (uint32_t)c->n_passed;
   node     = behind_copies(y, c, in.input);
   if (in.use != USE_BRANCH && node < DCFG_SLICE_NOT
       && why_is_call(y->f, node))
      in.use = USE_FRAME;
   if (in.use == USE_FRAME || node >= DCFG_SLICE_NOT)
      add_input(c, in, node);
   else if (joins(y, c, node)) {
      if (y->seen[node] != y->n_cards) {
         y->seen[node] = y->n_cards;
         add_found(l, in.use, node);
      }
   } else if (in.use != USE_BRANCH && why_is_library(y->f, node))
      pass_library(y, c, l, in, node);
   else
      add_input(c, in, node);
}

/* Pass a library's instances: follow the inputs from which it computed FIRST,
   values before addresses. */
static void pass_library(WhyCards* y, WhyCard* c, Found* l, WhyInput in,
                         uint32_t first)
{
   const DcfgSlice* s = y->f->s;
   Found            todo = { .n = { 0 } };
   size_t           before = c->n_inputs;

   if (y->seen[first] == y->n_cards)
      return;
   y->seen[first] = y->n_cards;
   add_found(&todo, in.use, first);
   for (WhyUse use = in.use; use < USE_FRAME; use++)
      for (size_t i = 0; i < todo.n[use]; i++) {
         uint32_t             from = todo.nodes[use][i];
         const DcfgSliceNode* n = &s->nodes[from];
         c->cut |= is_cut(y, from);
         for (uint32_t k = 0; k < n->n_inputs; k++) {
            const DcfgSliceInput* to = &s->inputs[n->first_input + k];
            WhyInput              at = { .use = why_use(y, from, to, use),
                                         .user = in.user, .input = in.input,
                                         .library = true,
                                         .first = (uint32_t)c->n_passed };
            uint32_t              node;
            if (at.use == USE_FRAME || to->node >= DCFG_SLICE_NOT)
               continue;
            add_passed(c, from);
            node = to->port == DCFG_WET_CONTROL ? to->node
                   : behind_copies(y, c, to);
            if (node >= DCFG_SLICE_NOT)
               continue;
            if (joins(y, c, node)) {
               if (y->seen[node] != y->n_cards) {
                  y->seen[node] = y->n_cards;
                  add_found(l, at.use, node);
               }
            } else if (!why_is_library(y->f, node)) {
               add_input(c, at, node);
            } else if (y->seen[node] != y->n_cards) {
               y->seen[node] = y->n_cards;
               add_found(&todo, at.use, node);
            }
         }
      }
   in.library = true;
   if (c->n_inputs == before)
      add_input(c, in, DCFG_SLICE_NOBODY);
   for (WhyUse use = 0; use < USE_FRAME; use++)
      free(todo.nodes[use]);
}

/*--- A card                                               ---*/

/* Did NODE use nothing but control? */
static bool is_constant(const DcfgSlice* s, uint32_t node)
{
   const DcfgSliceNode* n = &s->nodes[node];

   for (uint32_t k = 0; k < n->n_inputs; k++)
      if (s->inputs[n->first_input + k].port != DCFG_WET_CONTROL)
         return false;
   return true;
}

/* By use; in each, what can be gone on with first.  But what a library had of
   the program comes before the constants that it had, as formats. */
static int rank_of(const DcfgSlice* s, const WhyInput* in)
{
   bool end = in->node >= DCFG_SLICE_NOT;

   if (in->library && in->use != USE_FRAME)
      return end || is_constant(s, in->node) ? 2 * USE_BRANCH - 1
             : in->use == USE_BRANCH ? 2 * USE_BRANCH - 2 : 2 * (int)in->use;
   return 2 * (int)in->use + end;
}

static void sort_inputs(const DcfgSlice* s, WhyCard* c)
{
   for (size_t i = 1; i < c->n_inputs; i++) {
      WhyInput in = c->inputs[i];
      size_t   k = i;
      for (; k > 0 && rank_of(s, &c->inputs[k - 1])
                      > rank_of(s, &in); k--)
         c->inputs[k] = c->inputs[k - 1];
      c->inputs[k] = in;
   }
   for (size_t i = 0; i < c->n_inputs; i++)
      c->n_frame += c->inputs[i].use == USE_FRAME;
}

/* The members that NODE needs. */
static void add_members(WhyCards* y, WhyCard* c, uint32_t node)
{
   const DcfgSlice* s = y->f->s;
   Found            l = { .n = { 0 } };

   y->seen[node] = y->n_cards;
   add_found(&l, USE_VALUE, node);
   for (WhyUse use = 0; use < USE_FRAME; use++)
      for (size_t i = 0; i < l.n[use]; i++) {
         uint32_t             at = l.nodes[use][i];
         const DcfgSliceNode* n = &s->nodes[at];
         if (at != node && !joins(y, c, at))
            continue;
         GROW(c->members, c->n_members, c->members_room);
         c->members[c->n_members++] = at;
         c->cut |= is_cut(y, at);
         for (uint32_t k = 0; k < n->n_inputs; k++) {
            const DcfgSliceInput* in = &s->inputs[n->first_input + k];
            follow(y, c, &l, (WhyInput){ .use = why_use(y, at, in, use),
                                         .user = at, .input = in });
         }
      }
   for (WhyUse use = 0; use < USE_FRAME; use++)
      free(l.nodes[use]);
}

void why_card(WhyCards* y, WhyCard* c, uint32_t node, bool all)
{
   const DcfgSlice* s = y->f->s;

   *c = (WhyCard){ .head = node };
   y->n_cards++;
   add_members(y, c, node);
   for (uint32_t i = 0; i < s->n_criteria && all; i++)
      if (y->seen[s->criteria[i]] != y->n_cards
          && (y->f->q.parts != NULL || joins(y, c, s->criteria[i])))
         add_members(y, c, s->criteria[i]);
   sort_inputs(s, c);
}

void why_card_free(WhyCard* c)
{
   free(c->members);
   free(c->inputs);
   free(c->passed);
}
