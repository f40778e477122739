/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices of whole execution traces. */

/* Finds slices of a whole execution trace (dcfg_wet.h): the instances that a
   value came from, or those that it went into.  For example, this prints all
   instances that the last execution of instruction I depends on:

      bool*         at = calloc(dcfg_wet_instrs(w), sizeof(bool));
      DcfgSliceQuery q = { .instrs = at, .instance = DCFG_SLICE_LAST };
      at[i] = true;
      DcfgSlice* s = dcfg_slice_new(w, &q, &err);
      for (uint32_t k = 0; s != NULL && k < s->n_nodes; k++)
         printf("0x%" PRIx64 "#%" PRIu64 "\n",
                dcfg_wet_instr(w, s->nodes[k].instr)->addr,
                s->nodes[k].instance);
      dcfg_slice_free(s);

   The first slice of a trace makes its index, in one pass.  A backward slice
   then reads the file from the criterion to its begin, with .steps only those
   parts of it that matter; a forward slice reads it from its begin to its end.
   Memory is bounded by a part of the tape, the index and the slice. */

#ifndef DCFG_SLICE_H
#define DCFG_SLICE_H

#include "dcfg_wet.h"

#ifdef __cplusplus
extern "C" {
#endif

/*--- Queries                                              ---*/

#define DCFG_SLICE_LAST  UINT64_MAX             // the instance that was
                                                // executed last
#define DCFG_SLICE_EVERY (UINT64_MAX - 1)

/* DcfgSliceOf: the part of the criterion that the slice is of, with its value
   just before the criterion was executed. */
typedef
   enum {
      DCFG_SLICE_ALL,           // all that the criterion used
      DCFG_SLICE_REGISTER,      // .place: a general register by its encoding,
                                // or 32 and more: a vector register
      DCFG_SLICE_FLAGS,
      DCFG_SLICE_X87,
      DCFG_SLICE_MEMORY,        // .size bytes at address .place
      DCFG_SLICE_FRAME          // .size bytes at .place, modulo 2^64, from the
                                // call frame address of DWARF: the address
                                // behind the return address of the criterion's
                                // activation
   }
   DcfgSliceOf;

/* DcfgSliceRange: memory from .low up to, not including, .high. */
typedef
   struct {
      uint64_t low, high;
      bool     tables;          // a table of constants: constant only for
                                // instructions in .lookups
   }
   DcfgSliceRange;

/* DcfgSlicePart: an instance and its memory, as a part of a criterion. */
typedef
   struct {
      uint32_t instr;
      uint64_t instance;
      uint64_t place, size;
   }
   DcfgSlicePart;

/* DcfgSliceStart: instance number .order of the run, from which a slice follows
   as much as if its distance were .distance at most. */
typedef
   struct {
      uint64_t order;
      uint32_t distance;
   }
   DcfgSliceStart;

/* DcfgSliceShuffle: for each byte of a vector register, the bytes of two operands
   that it is made of; -1: of none.  The operands are vector register .vector, and
   another vector register or anything else, .other.  Both may be one register. */
typedef
   struct {
      uint8_t vector, other;    // .other: DCFG_SLICE_NO_VECTOR: no vector register
      int8_t  of[2][16];
   }
   DcfgSliceShuffle;

#define DCFG_SLICE_NO_VECTOR 0xFF

/* DcfgSliceBytes: how an instruction makes its result of its operands.  The
   operands are the registers .from, a bit for each general register, vector
   registers, and memory that it loads.  The result is the registers .to, a vector
   register, or memory that it stores.  Bytes are numbered from the lowest one of
   the register or memory. */
typedef
   struct {
      bool     each;            // byte K of the result is made of byte K + .shift
                                // of each operand, or as .shuffle says; false:
                                // of any bytes
      bool     apart;           // nothing else that the instruction writes is
                                // made of the operands
      uint8_t  last;            // if not 0: operands have so many bytes, and the
                                // last one stands for those behind it
      int8_t   shift;
      uint8_t  zero;            // bytes of the register that are zero, whatever
                                // the operands are; a bit for each
      uint32_t from, to;
      const DcfgSliceShuffle* shuffle;  // or NULL
   }
   DcfgSliceBytes;

/* DcfgSliceQuery: a query.  All zero is the default.  Arrays have an element
   for each instruction, by its number. */
typedef
   struct {
      /* The criterion: instance number .instance of the instructions .instrs;
         LAST: the instance of any of them that was executed last; EVERY: all
         instances.  With .run, .instrs are the instructions of a source line,
         and the criterion is all instances of one execution of the line: see
         below.  With .run and EVERY it is those of all executions, and nodes
         have their .execution. */
      const bool* instrs;
      uint64_t    instance;
      bool        run;
      bool        uncounted;    // with .run, executions behind the one asked for
                                // need not be counted
      DcfgSliceOf of;
      uint64_t    place, size;

      bool        forward;      // find what depends on the criterion

      /* Dependences that the slice does not follow: .no_control, control;
         .no_control_of, control of these instructions; .no_address, these
         general registers in the address of an operand (a bit for each
         register, by encoding). */
      bool            no_control;
      const bool*     no_control_of;
      const uint32_t* no_address;
      const uint32_t* no_address_near;  // as .no_address, for instances that
                                        // only a criterion has used, if the
                                        // slice is of a part of the criterion

      const uint32_t* no_register;      // these registers are not followed as
                                        // values, either

      /* If not NULL, a slice backward follows those bytes of the operands that
         made bytes which the slice wants.  NULL: all bytes of them. */
      const DcfgSliceBytes* bytes;

      /* Constant memory, in ascending order.  The address determines a value
         loaded from there, so the slice follows the address. */
      const DcfgSliceRange* constants;
      uint32_t              n_constants;
      const bool*           lookups;    // NULL: none of them

      /* Memory of format strings, in ascending order.  If an instruction loads
         from there, the slice does not follow these registers of it, whatever
         the members above say. */
      const DcfgSliceRange* formats;
      uint32_t              n_formats;
      const uint32_t*       no_register_of_formats;

      /* With .no_control_of, follow control all the same if the branch tests a
         call back's result.  That is a value in general register 0 (RAX or X0)
         that other instructions left there, if it reaches the branch through
         flags and registers. */
      bool            results;

      /* Ignore .no_address and .no_control_of for functions of .no_control_of
         that called back: that called other functions, directly or through
         functions of .no_control_of.  Needs .no_control_of. */
      bool            callbacks;

      bool            only_criteria;    // follow nothing: find the criteria
                                        // only

      /* Compute only .totals and counts.  Nodes are only the last and the first
         criterion, without inputs.  Then memory is bounded by a part of the
         tape and by the program's memory.  A backward slice of a window of a
         run has all nodes. */
      bool            sums;

      /* If not 0, do not follow instances at this distance.  Instances of
         .copies do not count as steps. */
      uint32_t    steps;
      const bool* copies;

      /* If not NULL, the slice ends at instances of these instructions, unless it
         starts there: their distance is .steps at least. */
      const bool* ends;

      /* If not NULL, copies are only passed, in slices with nodes: .places are
         general registers that only tell an instruction where its operands in
         memory are (a bit for each, by encoding).  If a copy computed one, that
         is half a step.  Control of a copy is not followed, unless the slice
         starts there or the copy is of .no_control_of. */
      const uint32_t* places;

      /* The distance of criteria, and other instances from which the slice
         starts, in ascending order. */
      uint32_t              distance;
      const DcfgSliceStart* starts;
      uint32_t              n_starts;

      /* If not NULL, the criterion is several instances together; if .of is
         MEMORY, each with its memory.  Then .of must be MEMORY or ALL, .instance
         EVERY, and .instrs the instructions of all parts.  If NULL, .place and
         .size are the memory. */
      const DcfgSlicePart* parts;
      uint32_t             n_parts;
   }
   DcfgSliceQuery;

/* An execution of a line (.run) is what a debugger's breakpoint would stop for.
   It is the instances of the line's instructions that one activation of its
   function executed, from where control came to the line until it left it.

   - It begins with the line's first instance in the activation.  It also begins
     with an instance before which the activation executed other lines'
     instructions.  There is an exception, as compilers mix lines: if these and
     the instructions of the line before them are straight-line code, without a
     jump, branch or return, the execution goes on.
   - It begins at a back edge: with an instance whose instruction stands at the
     same or a lower address than the line's instruction that ran before it. So
     each iteration of a loop in one line is an execution.  Iterations of an
     instruction with a repeat prefix are not.
   - Calls that the line makes, and signals, do not end it.  Their instructions
     are not part of it: recursion is another activation, with executions of its
     own.

   Executions are numbered from 0 in the order in which they begin, over all
   activations and threads.  LAST is the one that executed the last instance of
   all.  If the line calls itself, this may not be the last one that began. */

/*--- Results                                              ---*/

/* In place of a node: an input that no node of the slice wrote. */
#define DCFG_SLICE_NOBODY   UINT32_MAX          // no executed instruction wrote
                                                // it
#define DCFG_SLICE_NOT      (UINT32_MAX - 1)    // the input is not followed

/* DcfgSliceInput: a writer of what an instance used.  A port may have several,
   for its bytes. */
typedef
   struct {
      uint8_t  port;            // DcfgWetPortKind
      uint8_t  reg;             // register, or index of the access
      bool     unseen;          // .node is NOBODY, and somebody else wrote it: see
                                // DcfgSliceUnseen
      int8_t   behind;          // byte K of .bytes is byte K + .behind of the
                                // result of .node; only if the query's .bytes
                                // have .each for it
      uint32_t node;
      uint64_t bytes;           // a backward slice: which bytes of the register
                                // or memory .node wrote, a bit for each, as
                                // DcfgSliceBytes numbers them; 0: not known
   }
   DcfgSliceInput;

/* DcfgSliceUnseen: a write that the trace does not have: another process's, or
   the kernel's where nothing announced it.  The instance with .order .since - 1,
   or a mark before .since, is the last one that told the .size bytes at .addr;
   0: none did.  The instance with .order .time loads other bytes. */
typedef
   struct {
      uint64_t addr;
      uint32_t size;
      uint64_t since, time;
   }
   DcfgSliceUnseen;

/* DcfgSliceNode: an instance in the slice. */
typedef
   struct {
      uint32_t instr;
      uint32_t thread;
      uint64_t instance;
      uint64_t order;           // instances with a greater one ran later
      uint32_t distance;        // from the criterion, in inputs.  Inputs
                                // followed for .results count only for
                                // instances that are in the slice because of
                                // them
      uint32_t n_inputs;
      uint64_t first_input;     // in .inputs.  A forward slice has only inputs
                                // that are nodes
      uint64_t addr;            // first memory that it wrote, or 0
      uint64_t from;            // first operand in memory that it read, or 0
      uint64_t value;           // in .values: the lowest byte first
      uint32_t value_size;      // 0: not recorded, or it computes none
      uint64_t execution;       // number of a criterion's execution, with .run
                                // and EVERY
      uint32_t n_reads;         // memory that the kernel read for a system call
      uint64_t first_read;      // in .reads
   }
   DcfgSliceNode;

/* DcfgSliceReading: memory that the kernel read. */
typedef
   struct {
      uint64_t addr, size;
   }
   DcfgSliceReading;

/* DcfgSliceTotal: an instruction's instances: those in the slice, and all that
   were executed.  .distance is the least distance, or UINT32_MAX if none is in
   the slice.  .threads has a bit for each thread that executed an instance in
   the slice; bit 63 stands for thread 63 and all above.  .order is that of its
   instance in the slice that ran last; in a slice forward, first. */
typedef
   struct {
      uint64_t in_slice, executed;
      uint64_t threads;
      uint64_t order;
      uint32_t distance;
   }
   DcfgSliceTotal;

/* DcfgSliceCrossing: memory that one thread wrote and another one read, where
   both instances are in a backward slice.  There is one for each pair of
   instructions and threads.  It has the instances nearest to the criterion, and
   the last ones if several are equally near. */
typedef
   struct {
      uint32_t writer, reader;  // instructions
      uint32_t from, to;        // threads of the writer and the reader
      uint64_t written, read;   // .order of the instances
      uint32_t distance;        // distance of the farther instance
   }
   DcfgSliceCrossing;

typedef
   struct {
      DcfgSliceNode*  nodes;    // from the last to the first; in a forward
                                // slice, from the first to the last
      uint32_t        n_nodes;
      uint32_t        n_criteria;       // nodes of distance 0, without copies
      uint32_t*       criteria;         // numbers of these nodes
      DcfgSliceInput* inputs;
      uint64_t        n_inputs;
      uint8_t*        values;
      DcfgSliceReading* reads;
      DcfgSliceTotal* totals;   // by instruction
      DcfgSliceCrossing* crossings;     // the nearest first
      uint32_t        n_crossings;
      uint64_t*       thread_begins;    // by thread: .order of its first
                                        // instance; 0 if the slice did not go
                                        // back to it
      uint64_t*       thread_ends;      // by thread: .order of its last
                                        // instance, or UINT64_MAX
      uint64_t        n_instances;      // in the slice, with those that are not
                                        // kept
      uint64_t        n_executed;       // all executed instances

      /* Inputs that were not followed; in a forward slice, uses of its
         instances that do not count as dependences. */
      uint64_t        n_no_control, n_no_address, n_no_steps;

      /* For DCFG_SLICE_FRAME: the address of the memory, or 0 if it is not
         known, because nothing called the activation. */
      uint64_t        frame;

      uint64_t        n_executions;     // executions of the line, if the query
                                        // has a number of one; with .uncounted
                                        // at least those up to it

      uint64_t        n_met;    // instances that met the criterion, with those
                                // that are not kept

      DcfgSliceUnseen* unseen;  // those that the slice met, the latest first
      uint32_t        n_unseen;
   }
   DcfgSlice;

/* Return the slice of W for Q.  Return NULL, and set *ERR, on errors.  The
   slice has no nodes if no instance meets the criterion.  W must be at its
   begin, before its first event, and is there again afterwards.  W cannot be a
   pipe.  A compressed file is unpacked once for W, to a file without a name in
   TMPDIR or /tmp, which goes away with W. */
DCFG_API DcfgSlice* dcfg_slice_new(DcfgWet* w, const DcfgSliceQuery* q,
                                   DcfgError* err);

/* Return the slice of Q, which is the query of S with more .starts: instances of S.
   .steps may be greater; then .distance, and those of the earlier .starts, are
   greater by as much.  The result is that of dcfg_slice_new(), but the walk back
   begins with the new starts, and ends where S has the answer.  S is freed, also on
   errors.  Other conditions are as for dcfg_slice_new(). */
DCFG_API DcfgSlice* dcfg_slice_go_on(DcfgWet* w, DcfgSlice* s,
                                     const DcfgSliceQuery* q, DcfgError* err);

/* Free S, which may be NULL. */
DCFG_API void dcfg_slice_free(DcfgSlice* s);

/* Return which bytes of the operand PORT, register REG, made the bytes WANTED of
   the result of an instruction that B tells of; UINT64_MAX: all may have.
   Numbers beyond the operand's bytes mean nothing. */
DCFG_API uint64_t dcfg_slice_bytes(const DcfgSliceBytes* b, uint64_t wanted,
                                   DcfgWetPortKind port, uint32_t reg);

/* DCFG_SLICE_CALL_REGISTERS: a system call's number and its six arguments. */
#define DCFG_SLICE_CALL_REGISTERS 7

/* DcfgSliceCall: an executed system call. */
typedef
   struct {
      uint32_t instr;
      bool     known;           // .registers are
      uint64_t instance;
      uint64_t order;           // as in DcfgSliceNode
      uint64_t registers[DCFG_SLICE_CALL_REGISTERS];    // the number first
   }
   DcfgSliceCall;

/* Set *CALLS to the system calls of W, *N elements in the order of their execution,
   which the caller frees.  The index of W has them; one is made if W has none.
   Return false, and set *ERR, on errors. */
DCFG_API bool dcfg_slice_calls(DcfgWet* w, DcfgSliceCall** calls, size_t* n,
                               DcfgError* err);

/* Write an index of W to FD, an empty file that is open for reading and
   writing, in one pass over W.  If FD is -1, the index is in memory: W uses it,
   and it goes away with W.  Slices start from an index, and make one in memory
   if W has none; an index in a file serves later readers of the trace, too.
   Slices are the same with any index, if dcfg_wet_tell_loads() was called before
   it was made, or never.

   OUTSIDE: the .no_control_of of later queries with .callbacks; one with another
   .no_control_of needs a pass of its own.  It may be NULL.  Return false, and
   set *ERR, on errors.  W must not be a pipe, and for a file neither compressed
   nor in memory; its position is as for dcfg_slice_new(). */
DCFG_API bool dcfg_slice_make_index(DcfgWet* w, int fd, const bool* outside,
                                    DcfgError* err);

/* Let slices of W use the index on FD, in place of an earlier one.  W owns FD;
   on failure FD is closed.  Return false, and set *ERR, if the file is no
   index, is damaged, or belongs to another trace.  Parts are checked when they
   are read; if one is wrong, slices make an index in memory. */
DCFG_API bool dcfg_slice_use_index(DcfgWet* w, int fd, DcfgError* err);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_SLICE_H */
