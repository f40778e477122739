/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to state/: instances, as the processor's rules see them. */

#ifndef DCFG_CMD_STATE_INSTANCE_H
#define DCFG_CMD_STATE_INSTANCE_H

#include "cmd/state/program_state.h"

/* The greatest depth of the recursion that computes a register from others. */
#define MOST_DEPTH 64

static const StateValue nothing = { .known = 0 };

/* Instance: an instance, with copies of its accesses and value, which the
   library overwrites at its next call. */
typedef
   struct {
      ProgramState*    s;
      uint32_t         thread;
      DcfgWetInstr     in;
      DcfgReplayInstr  at;
      DcfgReplayAccess accesses[64];
      uint8_t          value[1024];
   }
   Instance;

/* Set *I to the instance at time T.  Return false if there is none. */
bool state_get_instance(ProgramState* s, uint64_t t, Instance* i);

/* Set *I to THREAD's first instance from time *T on, and *T to its time.  Return
   false if there is none. */
bool state_next_instance(ProgramState* s, uint32_t thread, uint64_t* t,
                         Instance* i);

/* Return what the processor's rules get of I, which must outlive it. */
StateView state_view(Instance* i);

/* Return whether I stores: then its recorded value is what it stores. */
bool state_stores(const Instance* i);

/*--- state_registers.c                                    ---*/

/* Return vector register N of THREAD at time T. */
StateValue state_vector(ProgramState* s, uint32_t thread, uint64_t t,
                        unsigned n);

/* Set *BITS to the flags of GROUP of THREAD at time T, at their places in the
   register.  Return false if they are not known. */
bool state_flags(ProgramState* s, uint32_t thread, uint64_t t, unsigned group,
                 uint64_t* bits);

/*--- state_uses.c                                         ---*/

/* If an address that instance I used tells general register N, set *VALUE to
   the register before I, and return true. */
bool state_address_tells(const Instance* i, unsigned n, uint64_t* value);

/* Return whether the instructions of THREAD from time T on use register N,
   numbered as in MadeValue, with value V.  Only the next few instructions are
   looked at, up to the first that uses or writes it. */
bool state_agrees(ProgramState* s, uint32_t thread, uint64_t t, unsigned n,
                  const StateValue* v);

/*--- state_x87.c                                          ---*/

/* Return x87's register at place N from the top of the stack of THREAD at time
   T, in the 8 bytes that Valgrind computes with. */
StateValue state_x87(ProgramState* s, uint32_t thread, uint64_t t, unsigned n);

/* Set *IN_USE to whether the tag of that register says so.  Return false if it is
   not known. */
bool state_x87_in_use(ProgramState* s, uint32_t thread, uint64_t t, unsigned n,
                      bool* in_use);

/* Set *BITS to the condition codes, at their places in the status word.  Return
   false if they are not known. */
bool state_x87_codes(ProgramState* s, uint32_t thread, uint64_t t,
                     uint64_t* bits);

/* Return the status word, and the word of tags. */
StateValue state_x87_status(ProgramState* s, uint32_t thread, uint64_t t);
StateValue state_x87_tags(ProgramState* s, uint32_t thread, uint64_t t);

/*--- state_others.c                                       ---*/

/* Return register OTHER of THREAD at time T. */
StateValue state_other(ProgramState* s, uint32_t thread, uint64_t t,
                       StateOther other);

/* Set *U to the last time before T, from FROM on, at which THREAD executes an
   instruction that may write OTHER.  Return false if there is none; set
   *GIVEN_UP if the search was too long. */
bool state_last_writer(ProgramState* s, StateOther other, uint32_t thread,
                       uint64_t t, uint64_t from, uint64_t* u, bool* given_up);

/* Return a time before which, from T on, no thread executes such an
   instruction. */
uint64_t state_next_writer(ProgramState* s, StateOther other, uint64_t t);

#endif /* DCFG_CMD_STATE_INSTANCE_H */
