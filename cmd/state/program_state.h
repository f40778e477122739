/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The state of a recorded program at any time. */

#ifndef DCFG_CMD_STATE_H
#define DCFG_CMD_STATE_H

#include "cmd/machine/processor.h"
#include "cmd/machine/roles.h"
#include "cmd/machine/state_rules.h"
#include "cmd/machine/wet_place.h"

#include "lib/dcfg_replay.h"

/* KeptRegister: a register's value from time .from to time .to. */
typedef
   struct {
      bool       there;
      uint64_t   from, to;
      StateValue value;
   }
   KeptRegister;

/* MadeValue: what the instance at time .time put into register .n, all of it.
   Numbers of vector registers are MAX_GENERAL and more, of groups of flags 2 *
   MAX_GENERAL and more. */
#define N_MADE 2048u
typedef
   struct {
      uint64_t   time;          // and 1; 0: none
      unsigned   n;
      StateValue value;
   }
   MadeValue;

/* StateThread: a thread, from its first to its last instruction. */
typedef
   struct {
      uint64_t     first, last;
      KeptRegister general[MAX_GENERAL];
   }
   StateThread;

/* ProgramState: written by the room's files alone. */
typedef
   struct {
      DcfgWet*     w;
      DcfgReplay*  replay;
      const Processor*  processor;
      const StateRules* rules;
      ImageBytes   images;
      Roles        roles;
      bool*        copies;      // by instruction: its value is what it loads
      uint64_t*    addrs;       // likewise: its address
      StateThread* threads;
      uint32_t     n_threads;
      MadeValue*   made;        // N_MADE
      bool         whole;       // the trace begins with the program
      unsigned     depth;       // registers in work, each for the one before
      bool       (*stop)(void* arg);    // see state_listen()
      void*        stop_arg;
   }
   ProgramState;

/* Return the states of W, which has an index and is of a processor with rules;
   ROOT is searched first for images.  Return NULL and set *ERR if the trace
   cannot be read. */
ProgramState* state_new(DcfgWet* w, const char* root, DcfgError* err);
void   state_free(ProgramState* s);

/* Ask STOP with ARG in searches whether to end them. */
void state_listen(ProgramState* s, bool (*stop)(void* arg), void* arg);
bool state_is_stopped(const ProgramState* s);

/* Does THREAD exist at time T? */
bool state_has_thread(const ProgramState* s, uint32_t thread, uint64_t t);

/* Set *THREAD to the one whose instruction comes at time T; at the end, to that
   of the last one. */
bool state_thread_at(ProgramState* s, uint64_t t, uint32_t* thread);

/* Set *INSTR to the number of the instruction that THREAD stands before at
   time T, and *AT to the time when it comes.  False: it has none. */
bool state_next_instr(ProgramState* s, uint32_t thread, uint64_t t,
                      uint32_t* instr, uint64_t* at);

/* Set *PC to the address of what THREAD executes next at time T. */
bool state_pc(ProgramState* s, uint32_t thread, uint64_t t, uint64_t* pc);

/* Registers of THREAD at time T, with what is known of them: row ROW of the
   processor's rules; general register N. */
StateValue state_row(ProgramState* s, uint32_t thread, uint64_t t,
                     const StateRow* row);
StateValue state_general(ProgramState* s, uint32_t thread, uint64_t t,
                         unsigned n);

/* Set BYTES to the SIZE bytes of memory at ADDR at time T, and KNOWN to whether
   each is known.  Return false if the trace cannot be read. */
bool state_memory(ProgramState* s, uint64_t t, uint64_t addr, uint32_t size,
                  uint8_t* bytes, bool* known);

/* Set *V to what the instance at time T put into register N, if that is kept,
   as MadeValue numbers registers; keep it. */
bool state_is_made(const ProgramState* s, uint64_t t, unsigned n, StateValue* v);
void state_keep_made(ProgramState* s, uint64_t t, unsigned n,
                     const StateValue* v);

#endif /* DCFG_CMD_STATE_H */
