/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Executions of a line of source. */

/* Owns: the begin of each execution of a line.  Handed: instances of an
   activation, in either direction.

   dcfg_slice.h defines an execution.  The rule compares two instances of the
   line, and the instances of the activation between them.  So it gives the
   same answer forward and backward. */

#include "lib/slice/slice_executions.h"

void executions_start(Executions* x, const SliceCode* code)
{
   *x = (Executions){ .code = code, .end = UINT64_MAX };
}

/* Return whether control may go elsewhere behind I, and not come back. */
static bool leaves(const SliceCode* c, uint32_t i)
{
   switch (plan_of(c, i)->kind) {
      case InsnCond:
      case InsnJump:
      case InsnIndirectJump:
      case InsnReturn:
         return true;
      default:
         return false;
   }
}

/* Return whether control goes back from FROM to TO.  Iterations of an
   instruction with a repeat prefix are one execution of it. */
static bool goes_back(const SliceCode* c, uint32_t from, uint32_t to)
{
   if (from == to)
      return plan_of(c, to)->kind != InsnRep;
   return ELEM(c->w->instrs, WetInstr, to).addr
          < ELEM(c->w->instrs, WetInstr, from).addr;
}

void executions_note(Executions* x, LineState* s, uint32_t i, uint64_t order)
{
   const SliceCode* c = x->code;
   uint32_t         last = s->last - 1;

   if (!c->q->instrs[i]) {
      if (s->last != 0 && (leaves(c, last) || leaves(c, i)))
         s->last = 0;
      return;
   }
   if (s->last == 0 || goes_back(c, last, i))
      s->wanted = x->n++ == c->q->instance;
   if (s->wanted)
      x->end = order;
   s->last = i + 1;
}

bool executions_began(const SliceCode* c, LineBack* b, uint32_t i)
{
   bool own = c->q->instrs[i];

   if (own ? (b->between && leaves(c, i)) || goes_back(c, i, b->next)
           : leaves(c, i))
      return true;
   b->between = !own;
   if (own)
      b->next = i;
   return false;
}
