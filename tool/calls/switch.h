/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stacks that threads leave and come back to. */

#ifndef __DCFG_SWITCH_H
#define __DCFG_SWITCH_H

#include "tool/calls/stack_state.h"

/* Return a thread's own stack, on which nothing has run. */
Stack* DCFG_(new_own_stack)(void);

/* CS's stack pointer, which was FROM, has been loaded with TO.  Return whether
   that may be another stack, of which *D gets what is known. */
Bool DCFG_(may_depart)(const CallStack* cs, Addr from, Addr to, Departure* d);

/* Return whether SP, the stack pointer now, is of CS's stack, and the code behind
   the load has set it back. */
Bool DCFG_(has_come_back)(const CallStack* cs, const Departure* d, Addr sp);

/* CS, which is at no way out of a handler, leaves its stack as D says, for one that
   was left earlier.  If there is none, a new one begins, on which nothing has run,
   with stack pointer TOP.  Control goes to PLACE. */
void DCFG_(change_stack)(CallStack* cs, const Departure* d, const Place* place,
                         Addr top);

/* CS ends, and has ended all calls of the present stack.  Return whether its own
   stack goes on, which was left. */
Bool DCFG_(go_to_own_stack)(CallStack* cs);

/* A profile is about to go: the stacks that were left have calls in NEW in place of
   OLD; NULL: forget these stacks. */
void DCFG_(move_left_stacks)(CallProfile* old, CallProfile* new);

/* Forget what these stacks have cost. */
void DCFG_(clear_left_stacks)(void);

/* Forget the stacks that were left at these addresses. */
void DCFG_(forget_stacks)(Addr a, SizeT len);

/* CS ends for good. */
void DCFG_(free_own_stack)(CallStack* cs);

#endif /* __DCFG_SWITCH_H */
