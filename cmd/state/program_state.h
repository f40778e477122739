/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The state of a recorded program at any time: threads, registers, memory. */

#ifndef DCFG_CMD_STATE_H
#define DCFG_CMD_STATE_H

#include "cmd/machine/processor.h"
#include "cmd/program/initial_memory.h"
#include "cmd/state/state_rules.h"

#include "lib/dcfg_cursor.h"

/* KeptRegister: the last value that was computed of a register, and the times,
   .from to .to, at which the register has it. */
typedef
   struct {
      bool       there;         // false: there is no value yet
      uint64_t   from, to;
      StateValue value;
   }
   KeptRegister;

/* MadeValue: an entry of the cache: the value that the instance at some time
   put into register .n.  A general register has its own number, vector register
   K MAX_GENERAL + K, group K of flags 2 * MAX_GENERAL + K. */
#define N_MADE 2048u
typedef
   struct {
      uint64_t   time;          // the instance's time plus 1; 0: empty
      unsigned   n;
      StateValue value;
   }
   MadeValue;

/* KeptOther: the last value that was found of a register of StateOther, and the
   times, .from to .to, at which .thread has it unless the trace tells another
   one. */
typedef
   struct {
      bool       there;
      uint32_t   thread;
      uint64_t   from, to;
      uint64_t   told;          // when the trace told it last
      StateValue value;
   }
   KeptOther;

/* KeptX87: likewise, of x87's registers and tags, numbered as by MMX. */
typedef
   struct {
      bool       there;
      uint32_t   thread;
      uint64_t   from, to;
      uint64_t   told;
      StateValue values[8];
      uint8_t    tags, known_tags;
   }
   KeptX87;

/* StateThread: a thread, with the times of its first and last instruction.
   .first is UINT64_MAX if it executed none. */
typedef
   struct {
      uint64_t     first, last;
      KeptRegister general[MAX_GENERAL];
   }
   StateThread;

/* ProgramState: a recorded program.  Only the files of the room write it. */
typedef
   struct ProgramState {
      DcfgWet*     w;
      DcfgCursor*  cursor;
      const Processor*  processor;
      const StateRules* rules;
      uint8_t      word;        // bytes that general registers have, a bit for
                                // each
      ImageBytes   images;
      Roles        roles;
      uint64_t*    addrs;       // by instruction: its address
      StateThread* threads;
      uint32_t     n_threads;
      uint32_t*    may_write;   // by instruction, a bit for each of StateOther;
                                // NULL: not looked at yet
      DcfgCursorSet* writers[N_OTHERS]; // by StateOther, instructions that may
                                // write it
      KeptOther    others[N_OTHERS];
      KeptX87      x87;
      MadeValue*   made;        // the cache, of N_MADE entries
      bool         doubts;      // the index told a wrong writer
      bool         whole;       // the trace begins with the program
      unsigned     depth;       // depth of the recursion that computes a
                                // register from others
      bool       (*stop)(void* arg);    // see state_listen()
      void*        stop_arg;
   }
   ProgramState;

/* Return the program that trace WET recorded, for state_free().  WET must have
   an index and outlive the result; RULES are those of its processor.  The
   images' files are looked for below ROOT first, unless that is NULL.  Return
   NULL and set *ERR if the trace cannot be read. */
ProgramState* state_new(DcfgWet* wet, const StateRules* rules, const char* root,
                        DcfgError* err);
void          state_free(ProgramState* state);

/* From now on, searches call STOP with ARG and end if it returns true; NULL:
   nothing ends them.  state_is_stopped() calls it at once. */
void state_listen(ProgramState* state, bool (*stop)(void* arg), void* arg);
bool state_is_stopped(const ProgramState* state);

/* Return whether THREAD exists at time T: between its first and its last
   instruction. */
bool state_has_thread(const ProgramState* state, uint32_t thread, uint64_t t);

/* Set *THREAD to the thread that executes the instruction at time T; at the end
   of the trace, the last one.  Return false if the trace cannot be read. */
bool state_thread_at(ProgramState* state, uint64_t t, uint32_t* thread);

/* Set *INSTR to the instruction that THREAD executes first from time T on, and
   *AT to the time when it does.  Return false if there is none. */
bool state_next_instr(ProgramState* state, uint32_t thread, uint64_t t,
                      uint32_t* instr, uint64_t* at);

/* Set *PC to THREAD's program counter at time T.  Return false if the trace
   does not tell it. */
bool state_pc(ProgramState* state, uint32_t thread, uint64_t t, uint64_t* pc);

/* Return a register of THREAD at time T, with the bytes that are known: the one
   of row ROW of the processor's rules; general register N. */
StateValue state_row(ProgramState* state, uint32_t thread, uint64_t t,
                     const StateRow* row);
StateValue state_general(ProgramState* state, uint32_t thread, uint64_t t,
                         unsigned n);

/* Return the base of THREAD's thread-local storage at time T. */
StateValue state_thread_base(ProgramState* state, uint32_t thread, uint64_t t);

/* Set BYTES to the SIZE bytes of memory at ADDR at time T, and KNOWN, with SIZE
   elements, to whether each is known.  Return false if the trace cannot be
   read. */
bool state_memory(ProgramState* state, uint64_t t, uint64_t addr, uint32_t size,
                  uint8_t* bytes, bool* known);

/* Set *NUMBER to the number in those SIZE bytes, at most 8.  Return false if one of
   them is not known. */
bool state_memory_number(ProgramState* state, uint64_t t, uint64_t addr,
                         uint32_t size, uint64_t* number);

#endif /* DCFG_CMD_STATE_H */
