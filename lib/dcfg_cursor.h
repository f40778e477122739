/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Cursors, which go through whole execution traces forward and backward. */

/* These functions answer questions about any time of a whole execution trace
   (dcfg_wet.h) that has an index (dcfg_slice.h): which instance comes next or
   came last, who wrote a register last, which bytes memory has.  For example,
   this prints the last instruction before time T that wrote the int at ADDR:

      DcfgCursor* r = dcfg_cursor_new(w, &err);
      uint64_t    at;
      if (dcfg_cursor_find_access(r, addr, 4, DCFG_CURSOR_STORE, t, true, &at)
          == DCFG_CURSOR_FOUND)
         printf("0x%" PRIx64 "\n",
                dcfg_wet_instr(w, dcfg_cursor_instr(r, at)->instr)->addr);
      dcfg_cursor_free(r);

   Time T is the state before the instruction with .time T (DcfgWetEvent).  All
   instructions with lower times have been executed.  The kernel has done all
   that it did between instructions T - 1 and T.  Times go from 0 to
   dcfg_cursor_end(), the end of the trace.

   A question about another part of the trace decodes one or two chunks of it.
   A DcfgCursor keeps a few decoded chunks, and no more memory.  Its functions
   must not run in two threads at once. */

#ifndef DCFG_CURSOR_H
#define DCFG_CURSOR_H

#include "dcfg_wet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* DcfgCursor: a reader of any time of a trace, with the chunks that it decoded. */
typedef struct DcfgCursor DcfgCursor;

/* Return a cursor of W, for dcfg_cursor_free().  W must have an index, and stay
   open until then.  Return NULL and set *ERR if W has no index, is not a file
   that can be opened again, or memory is short. */
DCFG_API DcfgCursor* dcfg_cursor_new(DcfgWet* w, DcfgError* err);

/* Free R, which may be NULL. */
DCFG_API void dcfg_cursor_free(DcfgCursor* r);

/* Free the decoded chunks, as before another long task that needs memory.  They
   are decoded again when they are needed. */
DCFG_API void dcfg_cursor_forget(DcfgCursor* r);

/* Return the last time: the number of instructions in the trace. */
DCFG_API uint64_t dcfg_cursor_end(const DcfgCursor* r);

/* From now on, searches call STOP with ARG once for each chunk of the trace,
   and end if it returns true.  NULL: nothing ends them. */
DCFG_API void dcfg_cursor_listen(DcfgCursor* r, bool (*stop)(void* arg),
                                 void* arg);

/* Set *ERR to the first error since R was made, such as a part of the trace
   that cannot be read.  Functions below return DCFG_CURSOR_FAILED, NULL or
   false after an error. */
DCFG_API void dcfg_cursor_error(const DcfgCursor* r, DcfgError* err);

/*--- Instances                                            ---*/

enum { DCFG_CURSOR_LOAD = 1, DCFG_CURSOR_STORE = 2, DCFG_CURSOR_FIRST = 4 };

/* DcfgCursorAccess: .size bytes of memory at .addr that an instance loaded,
   stored, or both: .kind has the bits above. */
typedef
   struct {
      uint64_t addr;
      uint32_t size;
      uint32_t kind;
   }
   DcfgCursorAccess;

/* DcfgCursorInstr: an instance.  DcfgCursor owns it; it is valid until the next
   call for the same DcfgCursor. */
typedef
   struct {
      uint64_t time;
      uint32_t thread, instr;   // numbers, as DcfgWetEvent has them
      bool     rep;             // an iteration of a REP instruction
      uint32_t n_accesses;
      const DcfgCursorAccess* accesses; // only those that were executed
      uint32_t value_size;      // bytes of .value; 0: no value was recorded
      const uint8_t* value;     // the lowest byte first
   }
   DcfgCursorInstr;

/* Return the instance at time T.  Return NULL at the last time, or after an
   error. */
DCFG_API const DcfgCursorInstr* dcfg_cursor_instr(DcfgCursor* r, uint64_t t);

/* Return whether instruction INSTR has a REP prefix, so that each of its
   iterations is an instance. */
DCFG_API bool dcfg_cursor_repeats(const DcfgCursor* r, uint32_t instr);

/* Set *ADDR to the program counter at the last time, of the thread that ran
   last.  Return false if the trace does not tell it. */
DCFG_API bool dcfg_cursor_last_address(DcfgCursor* r, uint64_t* addr);

/* Set *INSTANCE to the number of the instance at time T among the instances of
   its instruction, from 0.  Return false if T is the last time, or after an
   error. */
DCFG_API bool dcfg_cursor_number(DcfgCursor* r, uint64_t t,
                                 uint64_t* instance);

/* DcfgCursorFound: the result of a search.  Only DCFG_CURSOR_FOUND sets the
   caller's variables. */
typedef
   enum {
      DCFG_CURSOR_FOUND,
      DCFG_CURSOR_NONE,         // there is none in that direction
      DCFG_CURSOR_STOPPED,      // dcfg_cursor_listen()'s function ended it
      DCFG_CURSOR_FAILED        // dcfg_cursor_error() has the error
   }
   DcfgCursorFound;

/* Set *T to the time of instance number INSTANCE, from 0, of instruction
   INSTR. */
DCFG_API DcfgCursorFound dcfg_cursor_time_of(DcfgCursor* r, uint32_t instr,
                                             uint64_t instance, uint64_t* t);

/* Set *T to the first time from FROM on at which THREAD executes an
   instruction; if BACK, to the last such time before FROM. */
DCFG_API DcfgCursorFound dcfg_cursor_find_thread(DcfgCursor* r,
                                                 uint32_t thread,
                                                 uint64_t from, bool back,
                                                 uint64_t* t);

/* Set *T to the last time before FROM at which THREAD executes an instruction,
   and *INSTR to that instruction's number.  This is faster than the function
   above, above all if FROM is the time that the last call found. */
DCFG_API DcfgCursorFound dcfg_cursor_before(DcfgCursor* r, uint32_t thread,
                                            uint64_t from, uint64_t* t,
                                            uint32_t* instr);

/* DcfgCursorSignal: a signal for which THREAD enters a handler at .time: before
   the handler's first instruction, with that time. */
typedef
   struct {
      uint64_t time;
      uint32_t thread;
      uint32_t signal;          // its number; 0: the trace does not tell it
   }
   DcfgCursorSignal;

/* Set *S to the first signal with a time from FROM on; if BACK, to the last one
   with a time below FROM. */
DCFG_API DcfgCursorFound dcfg_cursor_find_signal(DcfgCursor* r, uint64_t from,
                                                 bool back,
                                                 DcfgCursorSignal* s);

/* DcfgCursorSet: a set of instructions, with the chunks that executed them. */
typedef struct DcfgCursorSet DcfgCursorSet;

/* Return the set of the N instructions whose numbers INSTRS has, for
   dcfg_cursor_set_free(); NULL if memory is short.  Free it before R; S may be
   NULL. */
DCFG_API DcfgCursorSet* dcfg_cursor_set_new(DcfgCursor* r,
                                            const uint32_t* instrs,
                                            uint32_t n);
DCFG_API void dcfg_cursor_set_free(DcfgCursor* r, DcfgCursorSet* s);

/* Set *T to the first time from FROM on at which THREAD executes an instruction of
   S, any thread if THREAD is DCFG_NONE; if BACK, to the last such time before
   FROM. */
DCFG_API DcfgCursorFound dcfg_cursor_find_instr(DcfgCursor* r,
                                                const DcfgCursorSet* s,
                                                uint32_t thread, uint64_t from,
                                                bool back, uint64_t* t);

/* Return a time before which, from T on, no thread executes an instruction of S:
   T itself if one may come in the same part of the trace, or UINT64_MAX if none
   comes.  The trace is not read for that. */
DCFG_API uint64_t dcfg_cursor_set_pause(const DcfgCursor* r,
                                        const DcfgCursorSet* s, uint64_t t);

/* Set *T to the first time from FROM on at which an instruction accesses one of
   the SIZE bytes at ADDR; if BACK, to the last such time before FROM.  KIND has
   the bits DCFG_CURSOR_LOAD and DCFG_CURSOR_STORE.  The kernel's accesses have
   the time of the instruction before them.  A load that finds what somebody else
   wrote (dcfg_wet_tell_loads()) counts as a store, too.  DCFG_CURSOR_FIRST: nobody
   in the trace writes the bytes between FROM and the load that is looked for, which
   is the first.  Then the index tells most parts of the trace that lack it. */
DCFG_API DcfgCursorFound dcfg_cursor_find_access(DcfgCursor* r, uint64_t addr,
                                                 uint64_t size, uint32_t kind,
                                                 uint64_t from, bool back,
                                                 uint64_t* t);

/*--- Mappings                                             ---*/

/* DcfgCursorMapping: how a range of memory is mapped from time .time on, until a
   later one has some of the range.  .mapping.there is false if nothing is mapped.
   .mapping.is_new is false if the memory was moved there, or if the trace begins
   amid the program; then nobody knows its contents. */
typedef
   struct {
      uint64_t       time;
      DcfgWetMapping mapping;
   }
   DcfgCursorMapping;

/* Return all *N mappings, in the order in which they were made.  Those with which
   the trace begins have time 0.  Changes of protection alone are left out. */
DCFG_API const DcfgCursorMapping* dcfg_cursor_mappings(const DcfgCursor* r,
                                                       size_t* n);

/* Return the mapping that the byte at ADDR has at time T; NULL if the trace does not
   tell it.  If RENEWED is not NULL, set *RENEWED to whether something else than an
   instruction or a system call has written the byte since then, such as the
   kernel for a signal's handler. */
DCFG_API const DcfgCursorMapping* dcfg_cursor_mapped(const DcfgCursor* r,
                                                     uint64_t addr, uint64_t t,
                                                     bool* renewed);

/*--- States                                               ---*/

/* DcfgCursorBy: the kinds of writers of a register. */
typedef
   enum {
      DCFG_CURSOR_BEGIN,        // nobody in the trace
      DCFG_CURSOR_BY_INSTR,     // the instruction at .time, of .thread
      DCFG_CURSOR_BY_KERNEL,    // the kernel, which put .value there
      DCFG_CURSOR_BY_SIGNAL,    // the kernel, as it entered a handler
      DCFG_CURSOR_BY_CREATOR    // .thread made this thread after instruction
                                // .time, its system call
   }
   DcfgCursorBy;

/* DcfgCursorStack: the source of a new thread's first stack pointer. */
typedef
   enum {
      DCFG_CURSOR_STACK_OF_CREATOR,
      DCFG_CURSOR_STACK_ARGUMENT,       // second argument of clone()
      DCFG_CURSOR_STACK_UNKNOWN
   }
   DcfgCursorStack;

/* DcfgCursorWriter: the last writer of bytes of a register. */
typedef
   struct {
      DcfgCursorBy by;
      uint64_t     time;
      uint32_t     thread;
      uint8_t      bytes;       // the bytes that it wrote, a bit for each
      DcfgCursorStack stack;    // for DCFG_CURSOR_BY_CREATOR
      uint64_t     since;       // these bytes are unchanged since that time
      uint8_t      value[8];    // the bytes, if the kernel wrote them
      bool         from_index;  // the index told it: see dcfg_cursor_doubt()
   }
   DcfgCursorWriter;

/* DcfgCursorKind: kinds of registers.  If the kernel wrote a group of flags,
   .value has the whole register of flags. */
typedef
   enum {
      DCFG_CURSOR_GENERAL,      // 8 bytes; the number in instructions' encoding
      DCFG_CURSOR_FLAGS,        // groups of flags: 0: C; 1: others; 2: D
      DCFG_CURSOR_VECTOR,       // 8 bytes of a vector register: on amd64,
                                // register N / 4, bytes from 8 * (N % 4)
      DCFG_CURSOR_X87,          // the number that MMX gives the register
      DCFG_CURSOR_X87_STACK     // the place from the top of the stack before
                                // the instruction; for dcfg_cursor_written()
   }
   DcfgCursorKind;

/* Set *BY to the last writer, before time T, of register N of KIND of THREAD:
   the last one that wrote any of the bytes in WANTED, which has a bit for each.
   Return DCFG_CURSOR_NONE if the trace has no such writer. */
DCFG_API DcfgCursorFound dcfg_cursor_writer(DcfgCursor* r, uint32_t thread,
                                            uint64_t t, DcfgCursorKind kind,
                                            uint32_t n, uint8_t wanted,
                                            DcfgCursorWriter* by);

/* Take no more writers from the index: the user has found that an instruction
   used a register with another value than the one whose writer the index told.
   The trace alone answers from now on. */
DCFG_API void dcfg_cursor_doubt(DcfgCursor* r);

/* Set *BY to the last time before T at which the trace tells register REG of
   KIND of THREAD, with the value.  REG and KIND are as in DcfgWetRegister.  The
   trace tells registers at its begin (.time 0), before a thread's first
   instruction, when a handler begins, and behind the handler.  Instructions may
   have written the register since then.  Return DCFG_CURSOR_NONE if the trace
   tells nothing. */
DCFG_API DcfgCursorFound dcfg_cursor_told(DcfgCursor* r, uint32_t thread,
                                          uint64_t t, DcfgWetRegisterKind kind,
                                          uint32_t reg, DcfgCursorWriter* by);

/* Set *TOP to the top of x87's stack of THREAD at time T.  Return false if the
   trace does not tell it, or after an error. */
DCFG_API bool dcfg_cursor_x87_top(DcfgCursor* r, uint32_t thread, uint64_t t,
                                  unsigned* top);

/* Set *RESULT to the value that the system call at time T returned.  Return
   DCFG_CURSOR_NONE if it did not return. */
DCFG_API DcfgCursorFound dcfg_cursor_result(DcfgCursor* r, uint64_t t,
                                            uint64_t* result);

/* Return the bytes of register N of KIND that instruction INSTR writes, a bit
   for each. */
DCFG_API uint8_t dcfg_cursor_written(const DcfgCursor* r, uint32_t instr,
                                     DcfgCursorKind kind, uint32_t n);

/* DcfgCursorIs: how much the trace tells of a byte of memory. */
typedef
   enum {
      DCFG_CURSOR_NEVER,        // nobody in the trace has written it
      DCFG_CURSOR_KNOWN,        // its value
      DCFG_CURSOR_UNKNOWN,      // written, but the trace lacks the value
      DCFG_CURSOR_FRESH,        // a file was mapped there
      DCFG_CURSOR_UNSEEN        // unknown: somebody else wrote it about then; see
                                // dcfg_wet_tell_loads()
   }
   DcfgCursorIs;

/* DcfgCursorByte: a byte of memory. */
typedef
   struct {
      uint64_t since;           // the byte is unchanged since that time
      uint8_t  is;              // DcfgCursorIs
      uint8_t  value;
   }
   DcfgCursorByte;

/* The greatest SIZE of the functions below, in bytes. */
#define DCFG_CURSOR_MOST 4096

/* Set BYTES, with SIZE elements, to the SIZE bytes of memory at ADDR at time T.
   The last that the trace told counts: a store, contents that the kernel wrote,
   or a load (dcfg_wet_tell_loads()).  If the next load has another value, a byte
   is DCFG_CURSOR_UNSEEN until that was executed.  COPIES has an element for each instruction: true if its recorded value begins
   with the bytes that it loads.  Bytes that the index tells, and that such an
   instruction soon loads otherwise, are looked up in the trace.  Return false if
   SIZE is too large, or after an error. */
DCFG_API bool dcfg_cursor_memory(DcfgCursor* r, uint64_t t, uint64_t addr,
                                 uint32_t size, const bool* copies,
                                 DcfgCursorByte* bytes);

/* Set those of BYTES that are DCFG_CURSOR_NEVER or DCFG_CURSOR_UNKNOWN to the bytes
   that an instruction loads there after time T, before anybody writes them.  Others
   may write a file, so a later load does not tell DCFG_CURSOR_FRESH bytes.  COPIES
   is as above.  The search ends at the end of T's chunk.  Return false if SIZE is
   too large, or after an error. */
DCFG_API bool dcfg_cursor_loaded(DcfgCursor* r, uint64_t t, uint64_t addr,
                                 uint32_t size, const bool* copies,
                                 DcfgCursorByte* bytes);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_CURSOR_H */
