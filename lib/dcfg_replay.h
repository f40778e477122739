/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Going through whole execution traces in any direction. */

/* Finds instances, and who wrote registers and memory last, at any time of a
   whole execution trace (dcfg_wet.h) that has an index (dcfg_slice.h).  For
   example, this prints the last instruction before time T that wrote the int
   at ADDR:

      DcfgReplay* r = dcfg_replay_new(w, &err);
      uint64_t    at;
      if (dcfg_replay_find_access(r, addr, 4, DCFG_REPLAY_STORE, t, true, &at)
          == DCFG_REPLAY_FOUND)
         printf("0x%" PRIx64 "\n",
                dcfg_wet_instr(w, dcfg_replay_instr(r, at)->instr)->addr);
      dcfg_replay_free(r);

   Time T is the state before the instruction with .time T (DcfgWetEvent): all
   instructions with lower times were executed, and all that the kernel did
   between instructions T - 1 and T is done.  The last time is the number of
   instructions: nothing comes after it.

   A jump to another time decodes a chunk of the trace or two.  Memory is
   bounded by a few chunks. */

#ifndef DCFG_REPLAY_H
#define DCFG_REPLAY_H

#include "dcfg_wet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DcfgReplay DcfgReplay;

/* Return what goes through W, which has an index and must stay open until it is
   freed.  Return NULL and set *ERR if W has no index, or is no file that can be
   read again. */
DCFG_API DcfgReplay* dcfg_replay_new(DcfgWet* w, DcfgError* err);

/* Free R, which may be NULL. */
DCFG_API void dcfg_replay_free(DcfgReplay* r);

/* Return the number of instructions, which is the last time. */
DCFG_API uint64_t dcfg_replay_end(const DcfgReplay* r);

/* From now on, ask STOP with ARG now and then in searches whether to end
   them; NULL: nobody. */
DCFG_API void dcfg_replay_listen(DcfgReplay* r, bool (*stop)(void* arg),
                                 void* arg);

/* Set *ERR to the first error since R was made: a part of the trace that cannot
   be read.  Functions below that fail say DCFG_REPLAY_FAILED, NULL or false. */
DCFG_API void dcfg_replay_error(const DcfgReplay* r, DcfgError* err);

/*--- Instances                                            ---*/

enum { DCFG_REPLAY_LOAD = 1, DCFG_REPLAY_STORE = 2 };

/* DcfgReplayAccess: memory that an instance used.  .kind has bits of the
   enumeration above. */
typedef
   struct {
      uint64_t addr;
      uint32_t size;
      uint32_t kind;
   }
   DcfgReplayAccess;

/* DcfgReplayInstr: an instance.  It is valid until the next call for the same
   DcfgReplay. */
typedef
   struct {
      uint64_t time;
      uint32_t thread, instr;
      bool     rep;             // an iteration of a repeated instruction
      uint32_t n_accesses;
      const DcfgReplayAccess* accesses; // those that were made
      uint32_t value_size;      // 0: no value was recorded
      const uint8_t* value;     // the lowest byte first
   }
   DcfgReplayInstr;

/* Return the instance at time T, below the last time. */
DCFG_API const DcfgReplayInstr* dcfg_replay_instr(DcfgReplay* r, uint64_t t);

/* Is INSTR repeated by a prefix?  Each iteration is an instance. */
DCFG_API bool dcfg_replay_repeats(const DcfgReplay* r, uint32_t instr);

/* Set *ADDR to the address of the instruction that would come at the last
   time.  Return false if the trace does not tell it. */
DCFG_API bool dcfg_replay_last_address(DcfgReplay* r, uint64_t* addr);

/* Set *INSTANCE to the number of the instance at time T among those of its
   instruction. */
DCFG_API bool dcfg_replay_number(DcfgReplay* r, uint64_t t,
                                 uint64_t* instance);

/* The results of a search. */
typedef
   enum {
      DCFG_REPLAY_FOUND,
      DCFG_REPLAY_NONE,         // there is none in that direction
      DCFG_REPLAY_STOPPED,      // the listener ended the search
      DCFG_REPLAY_FAILED
   }
   DcfgReplayFound;

/* Set *T to the time of that instance of instruction INSTR. */
DCFG_API DcfgReplayFound dcfg_replay_time_of(DcfgReplay* r, uint32_t instr,
                                             uint64_t instance, uint64_t* t);

/* Set *T to the first time from FROM on at which THREAD executes an
   instruction; or if BACK, to the last time below FROM. */
DCFG_API DcfgReplayFound dcfg_replay_find_thread(DcfgReplay* r,
                                                 uint32_t thread,
                                                 uint64_t from, bool back,
                                                 uint64_t* t);

/* Likewise, for the last time below FROM, with the instruction's number in
   *INSTR: faster, above all if FROM is the last time that it said. */
DCFG_API DcfgReplayFound dcfg_replay_before(DcfgReplay* r, uint32_t thread,
                                            uint64_t from, uint64_t* t,
                                            uint32_t* instr);

/* Set of instructions, and which parts of the trace executed them. */
typedef struct DcfgReplaySet DcfgReplaySet;

/* Return the set of N instructions.  Free it before R; S may be NULL. */
DCFG_API DcfgReplaySet* dcfg_replay_set_new(DcfgReplay* r,
                                            const uint32_t* instrs,
                                            uint32_t n);
DCFG_API void dcfg_replay_set_free(DcfgReplay* r, DcfgReplaySet* s);

/* Likewise, of an instruction in S, by any thread. */
DCFG_API DcfgReplayFound dcfg_replay_find_instr(DcfgReplay* r,
                                                const DcfgReplaySet* s,
                                                uint64_t from, bool back,
                                                uint64_t* t);

/* Likewise, of an access to one of the SIZE bytes at ADDR of a kind in KIND.
   What the kernel does behind instruction T is found there. */
DCFG_API DcfgReplayFound dcfg_replay_find_access(DcfgReplay* r, uint64_t addr,
                                                 uint64_t size, uint32_t kind,
                                                 uint64_t from, bool back,
                                                 uint64_t* t);

/*--- States                                               ---*/

typedef
   enum {
      DCFG_REPLAY_BEGIN,        // nothing that was recorded
      DCFG_REPLAY_BY_INSTR,     // the instruction at .time, of .thread
      DCFG_REPLAY_BY_KERNEL,    // .value is what the kernel put there
      DCFG_REPLAY_BY_SIGNAL,    // a handler was entered
      DCFG_REPLAY_BY_CREATOR    // .thread made this thread after instruction
                                // .time, its system call
   }
   DcfgReplayBy;

/* DcfgReplayStack: what a thread's first stack pointer is. */
typedef
   enum {
      DCFG_REPLAY_STACK_OF_CREATOR,
      DCFG_REPLAY_STACK_ARGUMENT,       // second argument of clone()
      DCFG_REPLAY_STACK_UNKNOWN
   }
   DcfgReplayStack;

/* DcfgReplayWriter: who wrote bytes of a register. */
typedef
   struct {
      DcfgReplayBy by;
      uint64_t     time;
      uint32_t     thread;
      uint8_t      bytes;       // one bit for each byte that was written
      DcfgReplayStack stack;
      uint64_t     since;       // the register has been so from that time on
      uint8_t      value[8];    // the bytes, if the kernel wrote them
   }
   DcfgReplayWriter;

/* Kinds of registers.  What the kernel put into flags is all of their
   register. */
typedef
   enum {
      DCFG_REPLAY_GENERAL,      // by their encoding, of 8 bytes
      DCFG_REPLAY_FLAGS,        // 0: C; 1: the others; 2: D
      DCFG_REPLAY_VECTOR,       // 8 bytes of a vector register each
      DCFG_REPLAY_X87           // as MMX numbers them
   }
   DcfgReplayKind;

/* Set *BY to the last one that wrote one of the bytes WANTED, a bit each, of
   register N of KIND before THREAD's state at time T. */
DCFG_API DcfgReplayFound dcfg_replay_writer(DcfgReplay* r, uint32_t thread,
                                            uint64_t t, DcfgReplayKind kind,
                                            uint32_t n, uint8_t wanted,
                                            DcfgReplayWriter* by);

/* Set *RESULT to what the system call at time T returned.  NONE: it did not, or
   the file does not tell. */
DCFG_API DcfgReplayFound dcfg_replay_result(DcfgReplay* r, uint64_t t,
                                            uint64_t* result);

/* Return the bytes of register N of KIND that INSTR writes, a bit for each. */
DCFG_API uint8_t dcfg_replay_written(const DcfgReplay* r, uint32_t instr,
                                     DcfgReplayKind kind, uint32_t n);

typedef
   enum {
      DCFG_REPLAY_NEVER,        // nothing that was recorded has written it
      DCFG_REPLAY_KNOWN,
      DCFG_REPLAY_UNKNOWN,      // the bytes written there were not recorded
      DCFG_REPLAY_FRESH         // the memory was mapped anew, from a file
   }
   DcfgReplayIs;

/* DcfgReplayByte: a byte of memory. */
typedef
   struct {
      uint64_t since;           // the first time at which it has been so
      uint8_t  is;              // DcfgReplayIs
      uint8_t  value;
   }
   DcfgReplayByte;

#define DCFG_REPLAY_MOST 4096

/* Set BYTES to the SIZE bytes at ADDR at time T.  SIZE is at most
   DCFG_REPLAY_MOST. */
DCFG_API bool dcfg_replay_memory(DcfgReplay* r, uint64_t t, uint64_t addr,
                                 uint32_t size, DcfgReplayByte* bytes);

/* Set those of BYTES that are not known to the bytes that an instruction in
   COPIES loads first from there after time T, while nobody writes there.
   COPIES has an element for each instruction: its value is what it loads, or
   begins with that.  The search ends with the part of the trace. */
DCFG_API bool dcfg_replay_loaded(DcfgReplay* r, uint64_t t, uint64_t addr,
                                 uint32_t size, const bool* copies,
                                 DcfgReplayByte* bytes);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_REPLAY_H */
