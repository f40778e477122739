/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory of activations. */

/* Owns: memory of activations; which stack a thread is on.  Handed: by their
   users. */

#include "lib/base/activations.h"

#include <string.h>

bool activations_start(Activations* all, Job* job, size_t size,
                       uint32_t pushed)
{
   *all = (Activations){ .job = job, .links = pushed == 0, .pushed = pushed };
   return array_add(job, &all->acts, size) != NULL;
}

void activations_free_made(Activations* all, size_t size)
{
   for (size_t i = 0; i < all->made.n; i++)
      act_free(all, size, ELEM(all->made, uint32_t, i));
   array_cut(&all->made, 0);
}

void activations_free(Activations* all, size_t size)
{
   array_free(all->job, &all->acts, size);
   array_free(all->job, &all->made, sizeof(uint32_t));
   array_free(all->job, &all->left, sizeof(LeftStack));
}

/*--- Stacks that were left                                ---*/

/* The most bytes that the code behind a load pushes before it is seen. */
#define MOST_PUSHED 64u

/* Return the number of stacks that were left at or below A. */
static size_t left_below(const Activations* all, uint64_t a)
{
   size_t low = 0, high = all->left.n;

   while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (ELEM(all->left, LeftStack, middle).span.low <= a)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

/* Return the stack that was left where the stack pointer A leads, or NULL. */
static LeftStack* left_at(const Activations* all, uint64_t a)
{
   size_t     n = left_below(all, a);
   LeftStack* s = n == 0 ? NULL : &ELEM(all->left, LeftStack, n - 1);

   if (s == NULL || a > s->span.top) {
      n = left_below(all, add_capped(a, MOST_PUSHED));
      s = n == 0 ? NULL : &ELEM(all->left, LeftStack, n - 1);
   }
   return s != NULL && a <= s->span.top ? s : NULL;
}

static LeftStack remove_left(Activations* all, size_t i)
{
   LeftStack* s = &ELEM(all->left, LeftStack, i);
   LeftStack  was = *s;

   memmove(s, s + 1, (array_pop(&all->left) - i) * sizeof(*s));
   return was;
}

static bool insert_left(Activations* all, const LeftStack* s)
{
   size_t     i = left_below(all, s->span.low);
   LeftStack* at;

   if (array_add(all->job, &all->left, sizeof(*at)) == NULL)
      return false;
   at = &ELEM(all->left, LeftStack, i);
   memmove(at + 1, at, (all->left.n - 1 - i) * sizeof(*at));
   *at = *s;
   return true;
}

/*--- Where a load leads                                   ---*/

/* Return the end of T's stack.  The first function of a thread's own stack has
   little on it; where that began is not known. */
static uint64_t top_of_stack(const Activations* all, size_t size, ActThread* t)
{
   uint64_t highest = 0;

   if (t->on.top != 0)
      return t->on.top;
   for (uint32_t id = t->act; id != 0; id = act_at(all, size, id)->up) {
      uint64_t place = act_at(all, size, id)->place;
      if (place != NO_PLACE && place > highest)
         highest = place;
   }
   return t->on.top = add_capped(highest, STACK_ARRAY);
}

/* Return the stack pointer that T's innermost activation was called with, or a
   greater one. */
static uint64_t end_of_frame(const Activations* all, size_t size,
                             const ActThread* t)
{
   const Activation* a = act_at(all, size, t->act);

   return a->place != NO_PLACE ? a->place + t->shift
          : t->on.start != 0 ? t->on.top : NO_PLACE;
}

/* The most activations that a load is compared with. */
#define MOST_BELOW 1000u

/* Return whether TO, in T's stack, is away from all calls that its functions
   made: in an array. */
static bool is_in_array(const Activations* all, size_t size,
                        const ActThread* t, uint64_t to)
{
   uint64_t below = 0;
   uint32_t id = t->act;

   for (uint32_t n = 0; id != 0 && n < MOST_BELOW; n++) {
      const Activation* a = act_at(all, size, id);
      if (a->place >= to - t->shift)
         return below != 0 && to - t->shift - below > STACK_ARRAY;
      below = a->place;
      id    = a->up;
   }
   return false;
}

/* Return whether stack pointer SP is of activation ID, or of one that called it. */
static bool is_within(const Activations* all, size_t size, uint32_t id,
                      uint64_t sp)
{
   uint64_t below = act_at(all, size, id)->place;

   if (sp < below && below - sp > STACK_ARRAY)
      return false;
   for (; id != 0; id = act_at(all, size, id)->up) {
      uint64_t place = act_at(all, size, id)->place;
      if (place >= sp && place != NO_PLACE)
         return true;
      if (place != NO_PLACE)
         below = place;
   }
   return sp - below <= STACK_ARRAY;
}

uint32_t act_interrupted(const Activations* all, size_t size,
                         const ActThread* t, uint64_t to)
{
   const uint64_t sp = to - t->shift;
   uint32_t       n = t->handlers;

   for (uint32_t id = t->act; id != 0 && n > 0; ) {
      const Activation* a = act_at(all, size, id);
      id = a->up;
      n -= a->handler;
      if (a->handler && id != 0
          && (a->place > act_at(all, size, id)->place ? sp < a->place
                                                      : sp > a->place)
          && is_within(all, size, id, sp))
         return id;
   }
   return 0;
}

/* Return where load L leads T. */
static ActWhere find_where(const Activations* all, size_t size, ActThread* t,
                           const ActLoad* l)
{
   LeftStack* left = left_at(all, l->to);

   if (l->to == 0)
      return ActStays;
   if (left == NULL && act_interrupted(all, size, t, l->to) != 0)
      return ActLeaves;
   if (stack_is_inside(top_of_stack(all, size, t), l->from, l->to,
                       left == NULL ? NULL : &left->span))
      return is_in_array(all, size, t, l->to) ? ActBegins : ActStays;
   if (left != NULL)
      return left->span.start == l->to ? ActBegins : ActGoesOn;
   /* Who leaves a handler for good goes to a function that is active. */
   return t->handlers == 0 && stack_may_begin(l->from, l->to) ? ActBegins
                                                              : ActStays;
}

void act_load(const Activations* all, size_t size, ActThread* t, uint64_t from,
              uint64_t to)
{
   ActLoad  l = { t->load.to != 0 ? t->load.from : from, to };
   uint64_t end = end_of_frame(all, size, t);

   /* In its frame. */
   if (t->load.to == 0 && to - from <= end - from)
      return;
   t->load = find_where(all, size, t, &l) == ActStays ? (ActLoad){ 0 } : l;
}

/* Return the stack pointer behind X; 0: it is not known. */
static uint64_t sp_behind(const Activations* all, const Transfer* x)
{
   return x->kind == InsnReturn && x->place != 0 ? x->place + all->pushed
          : x->kind == InsnIndirectJump ? x->sp : x->place;
}

void act_depart(const Activations* all, size_t size, ActThread* t,
                const Transfer* x)
{
   const ActLoad l = t->load;
   uint64_t      sp = sp_behind(all, x);

   t->load.to = 0;
   t->where   = (uint8_t)find_where(all, size, t, &l);
   if (t->where == ActStays)
      return;
   if (sp == 0 || stack_has_come_back(top_of_stack(all, size, t), l.from, l.to,
                                      sp))
      t->where = ActStays;
   else
      t->load = l;
}

/*--- From stack to stack                                  ---*/

/* Take T from its stack, which *S gets.  T is on none then. */
static bool leave_stack(const ActUser* u, ActThread* t, LeftStack* s)
{
   *s = (LeftStack){ t->on, t->shift, t->act, NULL };
   if (u->leave != NULL && !u->leave(u->arg, t, &s->kept))
      return false;
   t->act = 0;
   return true;
}

/* Put T, which is on none, on stack S. */
static bool come_to_stack(const ActUser* u, ActThread* t, LeftStack* s)
{
   t->act   = s->act;
   t->on    = s->span;
   t->shift = s->shift;
   return u->resume == NULL || u->resume(u->arg, t, &s->kept);
}

/* End stack number I of those that were left, by T, which is on none. */
static bool end_stack(const ActUser* u, ActThread* t, size_t i)
{
   LeftStack s = remove_left(u->all, i);

   if (!come_to_stack(u, t, &s))
      return false;
   while (t->act != 0)
      if (!act_pop(u, t, ActReturned))
         return false;
   return true;
}

/* End the stacks that were left where S is, by T, which is on none. */
static bool end_replaced(const ActUser* u, ActThread* t, const StackSpan* s)
{
   for (size_t i = left_below(u->all, s->top); i-- > 0; )
      if (stack_is_replaced(&ELEM(u->all->left, LeftStack, i).span, s)
          && !end_stack(u, t, i))
         return false;
   return true;
}

/* Find the stack where load L leads T, which is on none.  WHERE: it begins by
   transfer X; *TO has no activation then. */
static bool find_stack(const ActUser* u, ActThread* t, const ActLoad* l,
                       const Transfer* x, ActWhere where, LeftStack* to)
{
   Activations* all = u->all;
   LeftStack*   left = left_at(all, l->to);
   size_t       i = left == NULL ? 0
                    : (size_t)(left - &ELEM(all->left, LeftStack, 0));
   uint64_t     top = sp_behind(all, x);

   if (where == ActGoesOn && left != NULL) {
      *to = remove_left(all, i);
      return true;
   }
   *to = (LeftStack){ { 0, l->to, top > l->to ? top : l->to }, 0, 0, NULL };
   return left == NULL || left->span.start != l->to || end_stack(u, t, i);
}

/* Put S, which T has left, away. */
static bool put_stack(const ActUser* u, ActThread* t, const LeftStack* s)
{
   return end_replaced(u, t, &s->span) && insert_left(u->all, s);
}

bool act_change(const ActUser* u, ActThread* t, const Transfer* x,
                uint32_t* made)
{
   const ActLoad  l = t->load;
   const ActWhere where = (ActWhere)t->where;
   const uint64_t before = t->before;
   Transfer       here = *x;
   LeftStack      from, to;

   t->load.to = 0;
   t->where   = ActStays;
   while (t->handlers > 0)
      if (!act_pop(u, t, ActLeft))
         return false;
   if (!act_begin(u, t))
      return false;
   if (top_of_stack(u->all, u->size, t) < l.from)
      t->on.top = add_capped(l.from, STACK_ARRAY);
   t->on.low = l.from;
   if (!leave_stack(u, t, &from) || !find_stack(u, t, &l, x, where, &to)
       || !put_stack(u, t, &from) || !come_to_stack(u, t, &to))
      return false;
   t->before = l.from;
   if (where == ActGoesOn)
      return act_before(u, t, &here) && act_transfer(u, t, &here, made);
   if (!act_push(u, t, NO_PLACE, x))
      return false;
   t->maybe    = before;
   t->maybe_sp = sp_behind(u->all, x);
   *made = t->act;
   return true;
}

/* Return the activation of S that a call from before ADDR made; 0: there is
   none. */
static uint32_t called_before(const ActUser* u, const LeftStack* s,
                              uint64_t addr)
{
   uint32_t id = s->act;

   for (uint32_t n = 0; id != 0 && n < MOST_BELOW; n++) {
      const Activation* a = act_get(u, id);
      if (a->up != 0 && a->place != NO_PLACE && a->call != DCFG_NONE
          && u->behind(u->arg, a->call) == addr)
         return id;
      id = a->up;
   }
   return 0;
}

bool act_arrive(const ActUser* u, ActThread* t, uint64_t addr)
{
   size_t    i = left_below(u->all, t->maybe);
   LeftStack s = { .act = 0 };
   uint32_t  act;
   uint64_t  shift;

   if (i > 0 && ELEM(u->all->left, LeftStack, i - 1).span.low == t->maybe)
      s = ELEM(u->all->left, LeftStack, i - 1);
   t->maybe = 0;
   act = s.span.start == 0 ? 0 : called_before(u, &s, addr);
   if (act == 0)
      return true;
   shift = t->maybe_sp - u->all->pushed - act_get(u, act)->place;
   remove_left(u->all, i - 1);
   s.span.start += shift - s.shift;
   s.span.top   += shift - s.shift;
   s.shift       = shift;
   while (t->act != 0)
      if (!act_pop(u, t, ActReturned))
         return false;
   if (!come_to_stack(u, t, &s))
      return false;
   for (uint32_t behind = act_get(u, act)->up; t->act != behind; )
      if (!act_pop(u, t, ActReturned))
         return false;
   return true;
}

bool act_end_left(const ActUser* u, ActThread* t)
{
   while (u->all->left.n > 0)
      if (!end_stack(u, t, u->all->left.n - 1))
         return false;
   return true;
}

bool act_unmapped(const ActUser* u, ActThread* t, uint64_t addr, uint64_t size)
{
   const ActThread was = *t;
   LeftStack       s;

   if (!leave_stack(u, t, &s))
      return false;
   for (size_t i = left_below(u->all, add_capped(addr, size)); i-- > 0; ) {
      const StackSpan* span = &ELEM(u->all->left, LeftStack, i).span;
      if (span->low < addr)
         break;
      if (span->low - addr < size && span->start != 0 && !end_stack(u, t, i))
         return false;
   }
   *t = was;
   return come_to_stack(u, t, &s);
}
