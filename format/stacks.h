/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Rules for the tool and for readers: on which stack a thread is. */

/* Coroutines, fibers and goroutines have stacks of their own.  A thread leaves one
   for another by loading its stack pointer; a change by a number, or within the
   running function's frame, is no such load.  The loaded value tells where the
   thread goes:

   - A stack that was left goes on, if the value is between the stack pointer that
   it was left with and the one that its first function began with.  It is not
   needed that they are equal: some libraries save the pointer elsewhere, or go
   back to an outer function, as Go does on a thread's own stack.  Of several,
   that with the highest low end is the stack: one may be in a function's array.

   - A value in the present stack, above its pointer, is no other stack: longjmp or
   an exception goes back to an active function.

   - Any other begins a stack.  So does the value with which a stack began before,
   because its memory is used again.

   The function that loads the pointer goes on, often by a few instructions, and
   these are its own.  The stack is another one from the next call, return or
   indirect jump on. */

#ifndef DCFG_FORMAT_STACKS_H
#define DCFG_FORMAT_STACKS_H

/* A load of less than so much below the pointer is how a function makes room for
   an array. */
#define STACK_ARRAY 4096u

/* StackSpan: where a stack is. */
typedef
   struct {
      unsigned long long low;     // the stack pointer when it was left
      unsigned long long start;   // the one that it began with; 0: a thread's own
      unsigned long long top;     // the one that its first function began with; 0:
                                  // not known
   }
   StackSpan;

/* Return whether a load of TO in place of FROM stays in a stack that ends at TOP.
   LEFT: the stack that was left at TO, or NULL. */
static inline int stack_is_inside(unsigned long long top,
                                  unsigned long long from,
                                  unsigned long long to, const StackSpan* left)
{
   return from <= to && to <= top && (left == 0 || left->low <= from);
}

/* Return whether such a load may begin a stack. */
static inline int stack_may_begin(unsigned long long from,
                                  unsigned long long to)
{
   return to > from || from - to > STACK_ARRAY;
}

/* Return whether SP, the stack pointer some instructions behind such a load, is
   that of the stack that ends at TOP: they have set it back. */
static inline int stack_has_come_back(unsigned long long top,
                                      unsigned long long from,
                                      unsigned long long to,
                                      unsigned long long sp)
{
   return (sp > to ? sp - to : to - sp) > STACK_ARRAY && from <= sp && sp <= top;
}

/* Return whether stack OTHER, which was left, is where stack S is: its memory was
   used again.  A thread's own stack stays. */
static inline int stack_is_replaced(const StackSpan* other, const StackSpan* s)
{
   return s->start != 0 && other->start != 0 && other->low <= s->top
          && other->top >= s->low;
}

#endif /* DCFG_FORMAT_STACKS_H */
