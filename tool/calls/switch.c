/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stacks that threads leave and come back to. */

/* Owns: the stacks that were left, and what it means to leave one.  Handed: loads of
   the stack pointer, and ways out behind them, by tool/calls/stack.c.

   format/stacks.h has the rules, which readers of whole execution traces share.
   Here symbols and the program's memory tell more:

   - A value in the present stack leads to an active function, unless control goes
   to a function's begin: then a stack begins in another one's array.

   - A value with which a stack began before leads to that stack, if control goes
   to where it was left.

   - A new place at which the function goes on where a stack was left just before:
   return addresses show that the stack was copied there.  Go does so when it needs
   a larger one.

   - A jump to a function's begin is a way out, too.

   Each stack has its own calls, which end and begin only there.  While a stack is
   left, its calls cost nothing, nor is any function active by it: costs are
   settled when it is left, and begin anew when it goes on.  So a turn takes time
   for each active call, but none of the counts that generated code makes knows of
   stacks. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"
#include "tool/base/core.h"
#include "tool/calls/stack_state.h"
#include "tool/calls/systime.h"
#include "tool/calls/toggle.h"

/* A stack has moved if as many of its calls have. */
#define SURE_CALLS 3

/* The most bytes that are pushed at once. */
#define MOST_PUSHED (8 * sizeof(Addr))

static OSet* left;            // Stack, the one with the highest .low first

static Word cmp_stacks(const void* a, const void* b)
{
   const ULong x = *(const ULong*)a;
   const ULong y = ((const Stack*)b)->span.low;

   return x > y ? -1 : x < y;
}

static Stack* new_stack(void)
{
   if (left == NULL)
      left = VG_(OSetGen_Create)(0, cmp_stacks, VG_(malloc), "dcfg.stacks",
                                 VG_(free));
   Stack* s = VG_(OSetGen_AllocNode)(left, sizeof(*s));
   VG_(memset)(s, 0, sizeof(*s));
   return s;
}

static void free_stack(Stack* s)
{
   VG_(free)(s->frames);
   VG_(OSetGen_FreeNode)(left, s);
}

static Bool is_left(const Stack* s)
{
   return VG_(OSetGen_Lookup)(left, &s->span.low) == s;
}

/* Forget S, which was left. */
static void forget_stack(Stack* s)
{
   VG_(OSetGen_Remove)(left, &s->span.low);
   free_stack(s);
}

Stack* DCFG_(new_own_stack)(void)
{
   return new_stack();
}

/*--- Which stack                                          ---*/

/* Return the first stack that was left at or below A, or NULL. */
static Stack* left_below(ULong a)
{
   VG_(OSetGen_ResetIterAt)(left, &a);
   return VG_(OSetGen_Next)(left);
}

/* Return the stack that was left where the stack pointer A leads, or NULL.  VEX
   may show the pointer only when the code behind its load has pushed something,
   so A may be a little lower. */
static Stack* left_at(Addr a)
{
   Stack* s = left_below(a);

   if (s == NULL || a > s->span.top)
      s = left_below(a + MOST_PUSHED);
   return s != NULL && a <= s->span.top ? s : NULL;
}

UInt DCFG_(left_handlers)(const CallStack* cs, Addr to)
{
   const Word n = VG_(sizeXA)(cs->suspended);

   for (Word i = 0; i < n; i++) {
      const Suspended* s = VG_(indexXA)(cs->suspended, i);
      if (s->sp <= to && (s->alternate.size != 0
                          ? is_on_alternate(&s->alternate, to)
                          : to <= cs->on->span.top
                            && !is_on_alternate(&cs->alternate, to)))
         return n - i;
   }
   return 0;
}

Bool DCFG_(may_depart)(const CallStack* cs, Addr from, Addr to, Departure* d)
{
   const ULong top = cs->on->span.top;

   *d = (Departure){ from, to, left_at(to), False };
   if (top == 0 || to == 0)
      return False;
   if (cs->alternate.size != 0) {
      if (is_on_alternate(&cs->alternate, to))
         d->left = NULL;
      d->inside = d->left == NULL && DCFG_(left_handlers)(cs, to) > 0;
      return d->inside || d->left != NULL;
   }
   d->inside = stack_is_inside(top, from, to,
                               d->left == NULL ? NULL : &d->left->span);
   if (d->inside)
      d->left = NULL;
   if (d->inside || d->left != NULL)
      return True;
   /* Whoever leaves a handler for good goes to a function that is active. */
   return VG_(sizeXA)(cs->suspended) == 0 && stack_may_begin(from, to);
}

Bool DCFG_(has_come_back)(const CallStack* cs, const Departure* d, Addr sp)
{
   return stack_has_come_back(cs->on->span.top, d->from, d->to, sp);
}

/* Return whether the return address of F, which has moved by SHIFT, is in
   memory. */
static Bool is_in_memory(const Frame* f, PtrdiffT shift)
{
   const Addr at = f->sp + shift;

   return VG_(am_is_valid_for_client)(at, sizeof(Addr), VKI_PROT_READ)
          && *(const Addr*)at == DCFG_(return_addr)(f);
}

/* Return whether the N outer calls of S, which have moved by SHIFT, are in memory.
   Jumps have no return addresses. */
static Bool are_in_memory(const Stack* s, UInt n, PtrdiffT shift)
{
   UInt sure = 0;

   for (UInt i = n; i > 0 && sure < SURE_CALLS; i--) {
      if (s->frames[i - 1].sb == NULL)
         continue;
      if (!is_in_memory(&s->frames[i - 1], shift))
         return False;
      sure++;
   }
   return sure > 0;
}

/* Return how far S has moved, if control goes on at PLACE, with stack pointer SP,
   where S was left: it begins a function there again, or returns from a call; 0: it
   has not. */
static PtrdiffT shift_of(const Stack* s, const Place* place, Addr sp)
{
   for (UInt i = s->n_frames; i > 0; i--) {
      const Frame*   f     = &s->frames[i - 1];
      const PtrdiffT shift = sp - f->sp;
      const PtrdiffT behind = shift - (PtrdiffT)sizeof(Addr);
      if (place->is_entry && f->entry == place
          && are_in_memory(s, i, shift))
         return shift;
      if (DCFG_(return_addr)(f) == place->hash_key
          && are_in_memory(s, i - 1, behind))
         return behind;
   }
   return 0;
}

/* Return the stack that CS has left for the present one, if it has moved to stack
   pointer SP; NULL: it has not. */
static Stack* moved_stack(const CallStack* cs, const Place* place, Addr sp)
{
   Stack*         s     = VG_(OSetGen_Lookup)(left, &cs->before_low);
   const PtrdiffT shift = s == NULL || s != cs->before || s->span.start == 0
                          ? 0 : shift_of(s, place, sp);

   if (shift == 0)
      return NULL;
   VG_(OSetGen_Remove)(left, &s->span.low);
   s->span.start += shift;
   s->span.top   += shift;
   for (UInt i = 0; i < s->n_frames; i++)
      s->frames[i].sp += shift;
   return s;
}

/*--- To leave a stack, and to come back                   ---*/

/* Return the function that nobody has called on CS's stack; 0: none. */
static UInt first_function(const CallStack* cs)
{
   return cs->n_frames > 0 ? cs->frames[0].function : cs->now.function;
}

static void count_first(CallStack* cs, Int n)
{
   const UInt f = first_function(cs);

   if (f != 0 && (n > 0 || *active(cs, f) > 0))
      *active(cs, f) += n;
}

/* The costs of CS's calls are complete up to now. */
static void settle_calls(CallStack* cs)
{
   const ULong total = total_of(cs);

   if (cs->now.stub != NULL)
      DCFG_(add_call_cost)(cs->now.stub, total - cs->now.stub_start);
   settle_self(cs, total);
   for (UInt i = cs->n_frames; i > 0; i--) {
      Frame* f = &cs->frames[i - 1];
      if (f->call == NULL)
         continue;
      end_pair(cs, f, total);
      *active(cs, f->entry->function) -= 1 + f->more;
      DCFG_(add_call_cost)(f->call, cost_of(f, total));
      if (cs->times != NULL)
         DCFG_(times_end)(cs->times, i - 1, f->call);
   }
   end_first(cs->totals, &cs->first, total);
   count_activation(cs, cs->first.function, -1);
   count_first(cs, -1);
}

Call* DCFG_(call_in)(CallProfile* cp, Call* c)
{
   CallSite site;

   if (c == NULL || !DCFG_(counts_contexts))
      return c;
   site = DCFG_(site_of)(c);
   return DCFG_(find_call)(cp, &site, c->to, c->to_context);
}

/* The costs of CS's calls begin anew. */
static void begin_calls_again(CallStack* cs)
{
   const ULong total = total_of(cs);

   cs->now.stub       = DCFG_(call_in)(cs->profile, cs->now.stub);
   cs->now.stub_start = total;
   if (cs->totals != NULL && cs->first.function != 0) {
      cs->first.start    = total;
      cs->first.is_outer = DCFG_(function_total)(cs->totals, cs->first.function)
                           ->active == 0;
      begin_turn(cs, cs->first.function);
   }
   count_activation(cs, cs->first.function, 1);
   count_first(cs, 1);
   for (UInt i = 0; i < cs->n_frames; i++) {
      Frame* f = &cs->frames[i];
      f->call        = DCFG_(call_in)(cs->profile, f->call);
      f->stub        = DCFG_(call_in)(cs->profile, f->stub);
      f->start       = total;
      f->more_starts = f->more * total;
      if (f->call == NULL)
         continue;
      if (cs->totals != NULL)
         begin_pair_again(cs, f);
      *active(cs, f->entry->function) += 1 + f->more;
      if (cs->times != NULL)
         DCFG_(times_begin)(cs->times, i);
   }
}

/* Forget the stacks that were left where S is, which runs there. */
static void forget_overlapped(const Stack* s)
{
   Stack* other;

   while ((other = left_below(s->span.top)) != NULL
          && stack_is_replaced(&other->span, &s->span))
      forget_stack(other);
}

/* Put CS's stack, which is left with stack pointer LOW, among those that were
   left.  Of two that were left there, a thread's own one stays, and goes on. */
static void put_stack(CallStack* cs, Addr low)
{
   Stack* s = cs->on;
   Stack* other;

   s->span.low = low;
   s->profile  = cs->profile;
   s->frames   = cs->frames;
   s->n_frames = cs->n_frames;
   s->room     = cs->room;
   s->now      = cs->now;
   s->first    = cs->first;
   s->collects = cs->collects;
   s->cost    += total_of(cs) - cs->turn;
   s->ran      = instrs_on_stack(cs, base_of(cs));
   forget_overlapped(s);
   while ((other = VG_(OSetGen_Lookup)(left, &s->span.low)) != NULL)
      if (other->span.start == 0)
         s->span.low--;
      else
         forget_stack(other);
   VG_(OSetGen_Insert)(left, s);
   cs->before     = s;
   cs->before_low = s->span.low;
}

/* CS goes on on S, which is not among those that were left. */
static void take_stack(CallStack* cs, Stack* s)
{
   cs->on        = s;
   cs->frames    = s->frames;
   cs->n_frames  = s->n_frames;
   cs->room      = s->room;
   cs->now       = s->now;
   cs->first     = s->first;
   cs->floor     = 0;
   cs->returned  = 0;
   cs->turn      = total_of(cs);
   cs->elsewhere = instrs_so_far(cs, base_of(cs)) - s->ran;
   s->frames     = NULL;
   if (DCFG_(heeds_functions))
      cs->collects = s->collects;
}

/* Tell the listener that CS has come from stack FROM. */
static void tell_stack(CallStack* cs, Stack* from)
{
   const CallListener* l = DCFG_(call_listener);

   if (l == NULL)
      return;
   from->log = l->change_stack(base_of(cs), cs->on->log, cs->now.function == 0,
                               from->ran);
   l->turn(base_of(cs), instrs_on_stack(cs, base_of(cs)), !cs->is_idle);
}

/* Return the stack that begins where S, if there is one, began before. */
static Stack* begin_stack(const CallStack* cs, Stack* again, Addr start, Addr top)
{
   Stack* s = new_stack();

   s->span.start = start;
   s->span.top   = top;
   s->collects = cs->collects;
   if (again == NULL)
      return s;
   s->log = again->log;
   s->ran = again->ran;
   forget_stack(again);
   return s;
}

/* Return whether a function at PLACE, to which control goes, is where S was
   left. */
static Bool goes_on_at(const Stack* s, const Place* place)
{
   return !place->is_entry
          && (place->function == s->now.function
              || (s->n_frames > 0
                  && place->function == s->frames[s->n_frames - 1].function));
}

void DCFG_(change_stack)(CallStack* cs, const Departure* d, const Place* place,
                         Addr top)
{
   Stack*     from  = cs->on;
   Stack*     to    = d->left;
   const Bool again = to != NULL && place != NULL && to->span.start == d->to
                      && !goes_on_at(to, place);

   settle_calls(cs);
   if (to != NULL && !again) {
      VG_(OSetGen_Remove)(left, &to->span.low);
   } else {
      Stack* moved = moved_stack(cs, place, top);
      to = moved != NULL ? moved : begin_stack(cs, again ? to : NULL, d->to, top);
   }
   put_stack(cs, d->from);
   take_stack(cs, to);
   begin_calls_again(cs);
   tell_stack(cs, from);
}

/* Another thread, which is on CS's own stack, has it for good. */
static void lose_own_stack(const CallStack* cs)
{
   cs->own->span.start = cs->own->span.top;
}

Bool DCFG_(go_to_own_stack)(CallStack* cs)
{
   Stack*    ended = cs->on;
   Departure d;

   if (ended == cs->own)
      return False;
   if (!is_left(cs->own)) {
      lose_own_stack(cs);
      cs->own = ended;
      return False;
   }
   d = (Departure){ ended->span.top, cs->own->span.low, cs->own, False };
   DCFG_(change_stack)(cs, &d, NULL, 0);
   return True;
}

/*--- The life of profiles and memory                      ---*/

/* Call DO_IT for each stack that was left, with ARG.  It may free the stack if it
   is FREED. */
static void each_left(Bool (*do_it)(Stack* s, const void* arg), const void* arg)
{
   XArray* all = DCFG_NEW_ARRAY("dcfg.stacks.all", Stack*);
   Stack*  s;

   VG_(OSetGen_ResetIter)(left);
   while ((s = VG_(OSetGen_Next)(left)) != NULL)
      VG_(addToXA)(all, &s);
   for (Word i = 0; i < VG_(sizeXA)(all); i++) {
      s = *(Stack**)VG_(indexXA)(all, i);
      if (!do_it(s, arg))
         forget_stack(s);
   }
   VG_(deleteXA)(all);
}

typedef
   struct {
      CallProfile *old, *new;
   }
   Move;

static Bool move_stack(Stack* s, const void* arg)
{
   const Move* m = arg;

   if (s->profile != m->old)
      return True;
   s->profile = m->new;
   for (UInt i = 0; m->new != NULL && i < s->n_frames; i++) {
      s->frames[i].call = DCFG_(call_in)(m->new, s->frames[i].call);
      s->frames[i].stub = DCFG_(call_in)(m->new, s->frames[i].stub);
   }
   if (m->new != NULL)
      s->now.stub = DCFG_(call_in)(m->new, s->now.stub);
   return m->new != NULL || s->span.start == 0;
}

void DCFG_(move_left_stacks)(CallProfile* old, CallProfile* new)
{
   const Move m = { old, new };

   each_left(move_stack, &m);
}

static Bool clear_stack(Stack* s, const void* arg)
{
   s->cost = s->ran = 0;
   return True;
}

void DCFG_(clear_left_stacks)(void)
{
   each_left(clear_stack, NULL);
}

void DCFG_(forget_stacks)(Addr a, SizeT len)
{
   Stack* s;

   while (left != NULL && len > 0 && (s = left_below(a + len - 1)) != NULL
          && s->span.low >= a && s->span.start != 0)
      forget_stack(s);
}

void DCFG_(free_own_stack)(CallStack* cs)
{
   if (cs->on != cs->own && cs->on->span.start != 0)
      free_stack(cs->on);
   if (is_left(cs->own))
      forget_stack(cs->own);
   else if (cs->on == cs->own)
      free_stack(cs->own);
   else
      lose_own_stack(cs);
}
