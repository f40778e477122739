/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The rules of call stacks. */

/* Owns: the activations of all threads: which began, which ended, and when.
   Handed: transfers of control by wet_control.c, slice_acts.c and
   call_stacks.c, which have the data of an activation.

   An activation has a place, by which its end is recognised.

   - Calls push the return address (x86): the place is the address in memory of
     the return address.  A call ends all activations whose places are not
     above its own.  An indirect jump ends those below the stack pointer
     (longjmp, exceptions).  A return ends those below its own place, and then
     the activation of that place.  If there is none, the return is a jump.

   - Calls leave the return address in a register (arm64, Activations.links):
     the place is the stack pointer at the call.  A caller without a frame of
     its own has the same one, so a call ends only activations whose places are
     below its own.  A jump to where setjmp() was called ends the callees at
     its stack pointer, too; another jump does so only if the top activation is
     below.

   - There are edges, without addresses of the stack: see call_stacks.c.

   A handler's activation stands above one for the kernel's work, which nobody
   called.  The kernel writes its frame before it begins: the lowest address
   has the return address, and all of it is above what the handler ends.  Going
   back from the handler ends both.  So does a load of the stack pointer, if it leads
   out of the handler, to an activation that was interrupted.  A mark tells if
   the handler has let what it interrupted call a function, which nobody called.

   The first activation of a thread has no place.  When it returns, another one
   stands for its caller; so it is for a handler that returns to an unknown
   place.

   A thread may leave its stack for another one: format/stacks.h has the rules.
   The activations of a stack that was left stay, and go on with it.  A stack's
   first activation has no caller; the transfer that led there began it.  Here no
   symbols tell whether control goes on in a function or begins one.  So a load of
   an address within the present stack is longjmp's or an exception's, if it is
   near where a function made its call, and else leads to a stack in a function's
   array.

   A program may copy a stack to another place, as Go does to enlarge one.  If
   control goes to a new stack, and there returns from a call of the stack that was
   left for the present one, that stack has moved.  Places of its activations stay;
   the stack's shift tells how far it has moved. */

#ifndef DCFG_LIB_ACTIVATIONS_H
#define DCFG_LIB_ACTIVATIONS_H

#include "lib/base/job.h"
#include "lib/dcfg_wet.h"
#include "format/stacks.h"
#include "format/wet_code.h"

#define NO_PLACE UINT64_MAX

/* Activation: what each activation has.  Activations are a tree, from callees
   to callers: a thread's stack, or a copy of where it was, is one number. */
typedef
   struct {
      uint64_t place;           // or NO_PLACE
      uint32_t up;              // the caller's; in a free one: the next free
                                // one
      uint32_t refs;
      uint32_t last;            // last instruction so far, or DCFG_NONE
      uint32_t call;            // instruction that called it, or DCFG_NONE
      bool     handler;         // the kernel's work for a signal's handler
   }
   Activation;

/* LeftStack: a stack that was left. */
typedef
   struct {
      StackSpan span;
      uint64_t  shift;          // how far it has moved
      uint32_t  act;            // its innermost activation
      void*     kept;           // the user's data of it
   }
   LeftStack;

typedef
   struct {
      Job*     job;
      Array    acts;            // elements have the user's size; 0 is none
      uint32_t free;            // first free one, or 0
      bool     links;           // calls leave the return address in a register
      uint32_t pushed;          // bytes of one in memory, or 0
      bool     keeps;           // ended ones stay: see activations_free_made()
      Array    made;            // uint32_t: those that began, if .keeps
      Array    left;            // LeftStack, that with the lowest .low first
   }
   Activations;

/* ActLoad: the stack pointer was loaded with what may be of another stack.
   .to is 0: it was not. */
typedef
   struct {
      uint64_t from, to;
   }
   ActLoad;

/* ActLeaves: T goes from a handler to what that interrupted. */
typedef enum { ActStays, ActGoesOn, ActBegins, ActLeaves } ActWhere;

/* ActThread: where a thread is.  All zero: it has not begun. */
typedef
   struct {
      uint32_t act;
      uint32_t handlers;        // active ones
      bool     entering;        // a handler's frame is being written
      uint8_t  where;           // ActWhere: where the present transfer leads
      ActLoad  load;
      ActLoad  held;            // .load when a handler began,
      uint32_t held_at;         // and .handlers then
      StackSpan on;             // the stack that it runs on; .low is not used
      uint64_t shift;           // how far that has moved
      uint64_t before;          // .low of the stack that it was on before, or 0
      uint64_t maybe;           // .before of a stack that may have moved to the
                                // present one, or 0
      uint64_t maybe_sp;        // the stack pointer there then
   }
   ActThread;

/* Transfer: a call, return or indirect jump. */
typedef
   struct {
      uint8_t  kind;            // InsnKind
      bool     goes_back;       // a jump to where setjmp() was called
      uint64_t place;           // the activation's that it begins or ends; 0:
                                // not known
      uint64_t sp;              // stack pointer behind a jump, or 0
      uint32_t instr;
      uint64_t me;              // the user's name of it
   }
   Transfer;

typedef enum { ActReturned, ActLeft, ActReplaced } ActEnd;

/* ActUser: a user's activations, and its functions, which the compiler puts in
   place. */
typedef
   struct {
      Activations* all;
      size_t size;              // bytes of an activation, which begins with an
                                // Activation
      /* Prepare A, which BY called, or nobody if BY is NULL. */
      void (*begin)(void* arg, ActThread* t, Activation* a, const Transfer* by);
      /* A, the top of T, ends.  Return false on errors. */
      bool (*end)(void* arg, ActThread* t, const Activation* a, ActEnd how);
      /* T leaves its stack, with its activations, or comes to one that was left.
         What is put at *KEPT then comes back; NULL at *KEPT is a new stack.
         Return false on errors.  Both may be NULL. */
      bool (*leave)(void* arg, ActThread* t, void** kept);
      bool (*resume)(void* arg, ActThread* t, void** kept);
      /* Return the address behind instruction INSTR. */
      uint64_t (*behind)(void* arg, uint32_t instr);
      void*  arg;
   }
   ActUser;

/* Start; free all; free the activations that began while .keeps was set.
   PUSHED: bytes of a return address in memory; 0: calls leave it in a register. */
bool activations_start(Activations* all, Job* job, size_t size,
                       uint32_t pushed);
void activations_free(Activations* all, size_t size);
void activations_free_made(Activations* all, size_t size);

/* T runs an instruction. */
static inline void act_runs(ActThread* t)
{
   t->entering = false;
}

static inline Activation* act_at(const Activations* all, size_t size,
                                 uint32_t id)
{
   return (Activation*)((uintptr_t)all->acts.data + id * size);
}

static inline Activation* act_get(const ActUser* u, uint32_t id)
{
   return act_at(u->all, u->size, id);
}

static inline void act_free(Activations* all, size_t size, uint32_t id)
{
   act_at(all, size, id)->up = all->free;
   all->free = id;
}

/* Drop a reference to activation ID. */
static inline void act_release(Activations* all, size_t size, uint32_t id)
{
   while (id != 0 && --act_at(all, size, id)->refs == 0) {
      uint32_t up = act_at(all, size, id)->up;
      act_free(all, size, id);
      id = up;
   }
}

/* ACT_INLINE: a function with an ActUser, of which nothing is left then. */
#define ACT_INLINE static inline __attribute__((always_inline))

/* Return the id of a new activation with one reference, whose caller has one
   reference more from now on; 0 if memory is exhausted. */
ACT_INLINE uint32_t act_new(const ActUser* u, uint64_t place, uint32_t up)
{
   Activations* all = u->all;
   uint32_t     id = all->free;

   if (id != 0)
      all->free = act_get(u, id)->up;
   else if (array_add(all->job, &all->acts, u->size) == NULL)
      return 0;
   else
      id = (uint32_t)all->acts.n - 1;
   *act_get(u, id) = (Activation){ place, up, 1, DCFG_NONE, DCFG_NONE, false };
   if (all->keeps) {
      uint32_t* made = array_add(all->job, &all->made, sizeof(*made));
      if (made == NULL)
         return 0;
      *made = id;
   }
   return id;
}

/* Begin an activation at PLACE, called by T's top. */
ACT_INLINE bool act_push(const ActUser* u, ActThread* t, uint64_t place,
                         const Transfer* by)
{
   uint32_t id = act_new(u, place, t->act);

   if (id == 0)
      return false;
   if (by != NULL)
      act_get(u, id)->call = by->instr;
   u->begin(u->arg, t, act_get(u, id), by);
   t->act = id;
   return true;
}

/* Begin thread T, if it has not begun. */
ACT_INLINE bool act_begin(const ActUser* u, ActThread* t)
{
   return t->act != 0 || act_push(u, t, NO_PLACE, NULL);
}

/* End the top activation of T. */
ACT_INLINE bool act_pop(const ActUser* u, ActThread* t, ActEnd how)
{
   uint32_t    id = t->act;
   Activation* a = act_get(u, id);

   if (!u->end(u->arg, t, a, how))
      return false;
   t->handlers -= a->handler;
   t->act = a->up;
   if (u->all->keeps)
      return true;
   /* T gets the reference to the caller of an activation that is freed. */
   if (--a->refs == 0)
      act_free(u->all, u->size, id);
   else
      act_get(u, t->act)->refs++;
   return true;
}

/* End the activations whose places are below LIMIT. */
ACT_INLINE bool act_unwind(const ActUser* u, ActThread* t, uint64_t limit)
{
   const Activation* a;

   while ((a = act_get(u, t->act))->place < limit && a->up != 0)
      if (!act_pop(u, t, ActLeft))
         return false;
   return true;
}

/* Return from the activation at PLACE.  The caller of a thread's first
   activation, and of a handler's, is not known: another one stands for it;
   *MADE gets its id. */
ACT_INLINE bool act_return(const ActUser* u, ActThread* t, uint64_t place,
                           uint32_t* made)
{
   const Activation a = *act_get(u, t->act);

   if (a.place == place && a.up != 0)
      return act_pop(u, t, ActReturned);
   if (!a.handler && a.up != 0)
      return true;
   if (!act_pop(u, t, ActReplaced) || !act_push(u, t, a.place, NULL))
      return false;
   act_get(u, t->act)->handler = a.handler;
   t->handlers += a.handler;
   *made = t->act;
   return true;
}

/*--- Other stacks                                         ---*/

/* Note that T's stack pointer, which was FROM, was loaded with TO. */
void act_load(const Activations* all, size_t size, ActThread* t, uint64_t from,
              uint64_t to);

/* T, which has .load, comes to transfer X: set .where. */
void act_depart(const Activations* all, size_t size, ActThread* t,
                const Transfer* x);

/* Return the activation that a handler of T interrupted, if stack pointer TO is of
   it or of its callers; 0: it is not. */
uint32_t act_interrupted(const Activations* all, size_t size,
                         const ActThread* t, uint64_t to);

/* T goes to another stack, as .where says, by transfer X.  *MADE gets the
   activation that began, or 0. */
bool act_change(const ActUser* u, ActThread* t, const Transfer* x,
                uint32_t* made);

/* T, which has .maybe, goes on at ADDR. */
bool act_arrive(const ActUser* u, ActThread* t, uint64_t addr);

/* End the activations of all stacks that were left, by T, which has none. */
bool act_end_left(const ActUser* u, ActThread* t);

/* Forget the stacks that were left at SIZE bytes from ADDR on, which are no more
   memory. */
bool act_unmapped(const ActUser* u, ActThread* t, uint64_t addr, uint64_t size);

/*--- Transfers                                            ---*/

/* T goes from a handler to what that interrupted. */
ACT_INLINE bool act_leave_handlers(const ActUser* u, ActThread* t)
{
   uint32_t behind = act_interrupted(u->all, u->size, t, t->load.to);

   t->load.to = 0;
   t->where   = ActStays;
   while (behind != 0 && t->act != behind)
      if (!act_pop(u, t, ActLeft))
         return false;
   return true;
}

/* End the activations that ended before transfer X: their places are below
   it.  X gets addresses of where the stack began. */
ACT_INLINE bool act_before(const ActUser* u, ActThread* t, Transfer* x)
{
   if (t->load.to != 0)
      act_depart(u->all, u->size, t, x);
   if (t->where == ActLeaves && !act_leave_handlers(u, t))
      return false;
   if (t->where != ActStays)
      return true;
   if (t->shift != 0) {
      x->place -= x->place == 0 ? 0 : t->shift;
      x->sp    -= x->sp == 0 ? 0 : t->shift;
   }
   if (x->kind == InsnCall || x->kind == InsnIndirectCall)
      return act_unwind(u, t, x->place == 0 || u->all->links ? x->place
                                                             : x->place + 1);
   return x->kind != InsnReturn || u->all->links || act_unwind(u, t, x->place);
}

/* End the activations that indirect jump X leaves. */
ACT_INLINE bool act_jump(const ActUser* u, ActThread* t, const Transfer* x)
{
   if (!u->all->links)
      return act_unwind(u, t, x->sp);
   return x->sp == 0
          || (act_get(u, t->act)->place >= x->sp && !x->goes_back)
          || act_unwind(u, t, x->sp + 1);
}

/* Begin and end activations by transfer X; *MADE gets the one that began, or
   0. */
ACT_INLINE bool act_transfer(const ActUser* u, ActThread* t, const Transfer* x,
                             uint32_t* made)
{
   *made = 0;
   if (t->where != ActStays)
      return act_change(u, t, x, made);
   if (x->kind == InsnReturn)
      return (!u->all->links || act_unwind(u, t, x->place))
             && act_return(u, t, x->place, made);
   if (x->kind == InsnIndirectJump)
      return act_jump(u, t, x);
   if (x->place == 0)
      return true;
   if (!act_push(u, t, x->place, x))
      return false;
   *made = t->act;
   return true;
}

/* The innermost handler returned. */
ACT_INLINE bool act_handler_returns(const ActUser* u, ActThread* t)
{
   uint32_t          id = t->act;
   const Activation* a;

   while (id != 0 && !act_get(u, id)->handler)
      id = act_get(u, id)->up;
   a = act_get(u, id);
   /* There is no handler's activation, or it is the first one, which stays. */
   if (id == 0 || a->up == 0)
      return true;
   for (uint32_t behind = a->up; t->act != behind; )
      if (!act_pop(u, t, ActReturned))
         return false;
   t->load = (ActLoad){ 0 };
   if (t->held.to != 0 && t->handlers == t->held_at) {
      t->load = t->held;
      t->held.to = 0;
   }
   return true;
}

/* Note a mark of kind KIND, with its first two words: a handler begins or
   returns, or the kernel wrote memory. */
ACT_INLINE bool act_mark(const ActUser* u, ActThread* t, uint32_t kind,
                         const uint64_t* words)
{
   Activation *a, *kernel;

   if (kind == DCFG_WET_HANDLER) {
      if (t->load.to != 0) {
         t->held    = t->load;
         t->held_at = t->handlers;
         t->load.to = 0;
      }
      if (!act_push(u, t, 0, NULL))
         return false;
      act_get(u, t->act)->handler = true;
      t->handlers++;
      t->entering = true;
      return act_push(u, t, NO_PLACE, NULL);
   }
   if (kind == DCFG_WET_RETURN)
      return act_handler_returns(u, t);
   if (kind == DCFG_WET_CALLED)
      return act_push(u, t, words[0] - t->shift, NULL);
   if (kind == DCFG_WET_MAPPED)
      return u->all->left.n == 0 || act_unmapped(u, t, words[0], words[1]);
   if (kind != DCFG_WET_FRESH || !t->entering)
      return true;
   a      = act_get(u, t->act);
   kernel = act_get(u, a->up);
   if (words[0] - t->shift < a->place)
      a->place = words[0] - t->shift;
   if (words[0] - t->shift + words[1] > kernel->place)
      kernel->place = words[0] - t->shift + words[1];
   return true;
}

#endif /* DCFG_LIB_ACTIVATIONS_H */
