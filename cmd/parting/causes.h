/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to cmd/parting/: what the search for a cause shares. */

#ifndef DCFG_CMD_CAUSES_H
#define DCFG_CMD_CAUSES_H

#include "cmd/parting/parting.h"
#include "cmd/state/program_state.h"

/* OtherTurns: the turns of a thread other than the one that parted. */
typedef
   struct {
      uint32_t thread;
      ThreadTurn*    turns;
      size_t   n;
   }
   OtherTurns;

struct Causes {
   Runs*          r;
   const char*    root;
   ProgramState*  state[2];     // NULL before the first cause
   DcfgCursorSet* syscalls[2];  // instructions that make system calls
   DcfgCursorSet* own;          // instructions of A with lines that are the
                                // program's own
   bool*          foreign;      // by instruction of A: it is none of these
   OtherTurns*   turns[2];
   size_t         n_turns[2], turns_room[2];
   bool           cannot;       // there can be no state
};

/* RunInstance: an instance in both runs. */
typedef
   struct {
      uint64_t     t;           // its time
      uint32_t     thread, instr;
      DcfgWetInstr in;
      DcfgWetRegisterId uses[66];
      uint32_t     n_accesses;
      DcfgCursorAccess accesses[16];    // the first ones
   }
   RunInstance;

/* Return whether both traces can be asked at any time; make what that needs. */
bool can_ask(Causes* c);

/* Set *I to the instance of side K at time T.  Return false if there is
   none. */
bool instance_at(Causes* c, int k, uint64_t t, RunInstance* i);

/* Return the place in the source of instruction INSTR of side K, "t.c:12" or
   "libc.so.6+0x1234". */
const char* instr_where(Causes* c, int k, uint32_t instr);

/* Strength: how much a cause explains.  WEAK: addresses, by which contents are
   found; they differ in runs that part for another reason, too. */
typedef enum { UNKNOWN, WEAK, STRONG } Strength;

/* CauseOrigin: where a difference began, in words. */
typedef
   struct {
      Strength    strength;
      const char* words;        // until text_forget()
      const char* detail;       // or NULL
   }
   CauseOrigin;

/* Return what the bytes at ADDR, by side, are that nobody in the traces
   wrote.  The strength is UNKNOWN, without words, if they are not the same
   thing in both. */
CauseOrigin initial_origin(Causes* c, const uint64_t addr[2], const uint64_t t[2]);

/* CallOrigin: a system call as the origin.  .follow: the bytes of a path that
   differ, whose writers tell more, at .path; .arguments: registers of arguments
   that differ, one bit for each. */
typedef
   struct {
      CauseOrigin   origin;
      bool     follow;
      uint64_t path[2];
      uint32_t arguments;
   }
   CallOrigin;

/* Return what system call I, of both sides, is.  BY_RESULT: its result
   differs, not memory that it wrote. */
CallOrigin call_origin(Causes* c, const RunInstance i[2], bool by_result);

/* Add to CAUSE the values that the condition of branch I looked at. */
void find_values(Causes* c, const RunInstance i[2], PartCause* cause);

/* Return the time of instruction AT of THREAD of side K, and the other way
   round; UINT64_MAX: there is none.  T: the turns of the thread that parted. */
uint64_t time_of(const PartThread* t, int k, uint64_t at);
uint64_t at_of(Causes* c, const PartThread* t, int k, uint32_t thread,
               uint64_t time);

/* Return which instruction of the thread of T in the other run is
   instruction AT in side K; UINT64_MAX: none is known. */
uint64_t twin_of(const PartThread* t, int k, uint64_t at);

/* Return the last writer of byte BYTE of a register, that of the flags'
   group BYTE if KIND is DCFG_WET_FLAGS, before T. */
DcfgCursorFound register_writer(Causes* c, int k, uint32_t thread, uint64_t t,
                                const DcfgWetRegisterId* reg, unsigned byte,
                                DcfgCursorWriter* by);

/* Set BYTES, 32, to register REG just before I; return which bytes are
   known. */
uint32_t register_value(Causes* c, int k, const RunInstance* i,
                        const DcfgWetRegisterId* reg, uint8_t* bytes);

/* Free the texts of V. */
void     part_value_free(PartValue* v);

#endif /* DCFG_CMD_CAUSES_H */
