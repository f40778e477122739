/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stores that did not run, as inputs of dcfg why. */

/* Owns: which stores that did not run a card has, and their places among its
   inputs.  Handed: cards of a slice.

   In a large program dozens of stores could have changed a value.  A card
   prints the best omission of each line, and MOST_PRINTED of them at most. */

#include "cmd/slice/why.h"

#include "cmd/base/cmd.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PRINTED 4          // omissions that a card prints without --all

/* Return whether IN says only that a library, or no executed code, let the
   card run. */
static bool tells_nothing(const WhyCards* y, const WhyInput* in)
{
   return in->use == USE_BRANCH && (in->node >= DCFG_SLICE_NOT
                                    || why_is_library(y->f, in->node));
}

/* Return whether O could have changed a value that C used, passed or made. */
static bool is_of_card(const DcfgSlice* s, const WhyCard* c, const Omitted* o)
{
   for (size_t i = 0; i < c->n_passed; i++)
      if (c->passed[i] == o->node)
         return true;
   for (size_t i = 0; i < c->n_members; i++)
      if (c->members[i] == o->node
          || (o->since != 0 && s->nodes[c->members[i]].order == o->since))
         return true;
   return false;
}

/* Return the number of inputs before O if nobody had written the value that
   O could have changed, and set *FOUND.  Then O explains the most.  It comes
   first, but behind other such omissions, and behind a first input.  Else
   return 0 and clear *FOUND. */
static size_t behind_end(const WhyCard* c, const Omitted* o, bool* found)
{
   *found = false;
   for (size_t i = 0; i < c->n_inputs; i++) {
      const WhyInput* in = &c->inputs[i];
      if (o->since == 0 && in->user == o->node && in->omitted == NULL
          && in->node == DCFG_SLICE_NOBODY && in->use != USE_BRANCH) {
         *found = true;
         i = i == 0;
         while (i < c->n_inputs && c->inputs[i].omitted != NULL)
            i++;
         return i;
      }
   }
   return 0;
}

/* Return whether IN has the value that O could have changed. */
static bool brings(const DcfgSlice* s, const WhyCard* c, const WhyInput* in,
                   const Omitted* o)
{
   if (in->omitted != NULL || in->use != USE_VALUE || in->node >= DCFG_SLICE_NOT)
      return false;
   if (in->user == o->node || s->nodes[in->node].order == o->since)
      return true;
   for (uint32_t k = 0; k < in->n_passed; k++) {
      uint32_t at = c->passed[in->first + k];
      if (at == o->node || s->nodes[at].order == o->since)
         return true;
   }
   return false;
}

/* Return the number of inputs before O if an input has the value that O
   could have changed; else 0.  O counts if its code never ran.  If its code
   ran at other times, O counts if it is certain, and not in the next
   iteration of a loop.  O stands behind all values.  Most values of printed
   text are constant: there O stands right behind its own value. */
static size_t behind_value(const WhyCards* y, const WhyCard* c,
                           const Omitted* o)
{
   bool printed = why_is_library(y->f, c->head);
   bool strong = !o->again || !(o->maybe || o->turn);

   for (size_t i = 0; i < c->n_inputs && strong && o->since != 0; i++)
      if (brings(y->f->s, c, &c->inputs[i], o)) {
         do
            i++;
         while (i < c->n_inputs
                && (c->inputs[i].omitted != NULL
                    || (!printed && c->inputs[i].use == USE_VALUE)));
         return i;
      }
   return 0;
}

/* Return which omissions of L are printed without --all.  Those of C with a
   store in one line have one: a certain one, or else the first.  The caller
   frees the array. */
static bool* find_printed(const WhyCards* y, const WhyCard* c,
                          SliceOmissions* z, const OmittedList* l)
{
   bool*  printed = zalloc(l->n + 1, sizeof(*printed));
   size_t n = 0;

   for (size_t i = 0; i < l->n; i++) {
      size_t k = 0;
      if (!is_of_card(y->f->s, c, &l->all[i]))
         continue;
      while (k < i && !(printed[k]
                        && slice_omitted_is_one(z, &l->all[k], &l->all[i])))
         k++;
      if (k < i && l->all[k].maybe && !l->all[i].maybe) {
         printed[k] = false;
         printed[i] = true;
      } else if (k == i && n < MOST_PRINTED) {
         printed[i] = true;
         n++;
      }
   }
   return printed;
}

/* Insert O into C as input AT. */
static void insert_input(WhyCard* c, const Omitted* o, size_t at)
{
   GROW(c->inputs, c->n_inputs, c->inputs_room);
   memmove(c->inputs + at + 1, c->inputs + at,
           (c->n_inputs - at) * sizeof(*c->inputs));
   c->inputs[at] = (WhyInput){ .use = USE_OMITTED, .user = o->node,
                               .node = DCFG_SLICE_NOBODY, .omitted = o };
   c->n_inputs++;
}

static void add_inputs(const WhyCards* y, WhyCard* c, SliceOmissions* z,
                       const OmittedList* l)
{
   bool*  printed = find_printed(y, c, z, l);
   size_t last = c->n_inputs - c->n_frame;

   while (last > 0 && tells_nothing(y, &c->inputs[last - 1]))
      last--;
   for (size_t i = 0; i < l->n; i++) {
      const Omitted* o = &l->all[i];
      size_t         at;
      bool           found;
      if (!is_of_card(y->f->s, c, o))
         continue;
      if (!printed[i]) {
         insert_input(c, o, c->n_inputs);
         c->n_frame++;
         continue;
      }
      at = behind_end(c, o, &found);
      if (!found)
         at = behind_value(y, c, o);
      if (at == 0 && !found)
         at = last;
      last++;
      insert_input(c, o, at);
   }
   free(printed);
}

/* Mark the members of C, and the program's nodes among those that it passed.
   Return how many were not marked before.  Nodes of libraries stay unmarked:
   they use places of the library's own. */
static size_t mark_nodes(const WhyCards* y, const WhyCard* c, bool* marks)
{
   size_t n = 0;

   for (size_t i = 0; i < c->n_members; i++) {
      n += !marks[c->members[i]];
      marks[c->members[i]] = true;
   }
   for (size_t i = 0; i < c->n_passed; i++) {
      if (why_is_library(y->f, c->passed[i]))
         continue;
      n += !marks[c->passed[i]];
      marks[c->passed[i]] = true;
   }
   return n;
}

/* Return whether NODE used a value that a member of C made. */
static bool uses(const DcfgSlice* s, const WhyCard* c, uint32_t node)
{
   const DcfgSliceNode* n = &s->nodes[node];

   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &s->inputs[n->first_input + k];
      for (size_t i = 0; i < c->n_members && in->port != DCFG_WET_CONTROL; i++)
         if (in->node == c->members[i])
            return true;
   }
   return false;
}

void why_card_add_omitted(const WhyCards* y, WhyCard* c, SliceOmissions* z,
                          OmittedList* l)
{
   const DcfgSlice* s = y->f->s;
   bool*            marks = zalloc(s->n_nodes + (size_t)1, sizeof(*marks));
   uint32_t*        nodes;
   size_t           n = mark_nodes(y, c, marks), k = 0;

   /* Users of the card have smaller numbers than its head, for they ran
      later. */
   for (uint32_t i = 0; i < s->n_nodes; i++)
      if (!marks[i] && uses(s, c, i)) {
         marks[i] = true;
         n++;
      }
   nodes = zalloc(n + 1, sizeof(*nodes));
   for (uint32_t i = 0; i < s->n_nodes; i++)
      if (marks[i])
         nodes[k++] = i;
   *l = slice_omissions_of(z, s, nodes, n);
   add_inputs(y, c, z, l);
   free(nodes);
   free(marks);
}
