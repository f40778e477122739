/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices of whole execution traces. */

/* Which instances a value came from, or which it went into: slices of a whole
   execution trace (dcfg_wet.h).  For example, all that the last execution of
   instruction I depends on:

      bool*         at = calloc(dcfg_wet_instrs(w), sizeof(bool));
      DcfgSliceQuery q = { .instrs = at, .instance = DCFG_SLICE_LAST };
      at[i] = true;
      DcfgSlice* s = dcfg_slice_new(w, &q, &err);
      for (uint32_t k = 0; s != NULL && k < s->n_nodes; k++)
         printf("0x%" PRIx64 "#%" PRIu64 "\n",
                dcfg_wet_instr(w, s->nodes[k].instr)->addr,
                s->nodes[k].instance);
      dcfg_slice_free(s);

   A slice is found by going through the file from its end to its begin, or
   from the criterion to the end for one forward.  Memory is bounded by a part
   of the tape and the slice. */

#ifndef DCFG_SLICE_H
#define DCFG_SLICE_H

#include "dcfg_wet.h"

#ifdef __cplusplus
extern "C" {
#endif

/*--- What is asked for                                    ---*/

#define DCFG_SLICE_LAST  UINT64_MAX             // that was executed
#define DCFG_SLICE_EVERY (UINT64_MAX - 1)

/* What of the criterion, as it was just before that was executed. */
typedef
   enum {
      DCFG_SLICE_ALL,           // all that it used
      DCFG_SLICE_REGISTER,      // .place: a general register by its encoding,
                                // or 32 and more: a vector register
      DCFG_SLICE_FLAGS,
      DCFG_SLICE_X87,
      DCFG_SLICE_MEMORY,        // .size bytes at address .place
      DCFG_SLICE_FRAME          // .size bytes at .place, modulo 2^64, from the
                                // address behind its activation's return
                                // address: DWARF's call frame address
   }
   DcfgSliceOf;

/* Memory from .low up to .high, that is not included. */
typedef
   struct {
      uint64_t low, high;
      bool     tables;          // of constants: only where .lookups load
   }
   DcfgSliceRange;

/* Memory of one instance, as a part of a criterion. */
typedef
   struct {
      uint32_t instr;
      uint64_t instance;
      uint64_t place, size;
   }
   DcfgSlicePart;

/* A query; all that is zero is the default.  The arrays have an element for
   each instruction, by its number. */
typedef
   struct {
      /* The criterion: instance .instance of those of .instrs, LAST of all of
         them together (the one that was executed last), or EVERY one.  With
         .run, .instrs are those of a line of source, and all instances of one
         execution of the line are the criterion: see below. */
      const bool* instrs;
      uint64_t    instance;
      bool        run;
      DcfgSliceOf of;
      uint64_t    place, size;

      bool        forward;      // what depends on it, not what it depends on

      /* What is not followed: control at all; control of these; as operands
         in memory are found, these general registers (a bit for each, by
         encoding). */
      bool            no_control;
      const bool*     no_control_of;
      const uint32_t* no_address;
      const uint32_t* no_address_near;  // likewise, of what nothing but a
                                // criterion has used of which a part is asked

      const uint32_t* no_register;      // these neither as values

      /* Memory that is constant, or to some instructions is, in ascending order.
         What was loaded from there is what it is because of the address: this
         is followed. */
      const DcfgSliceRange* constants;
      uint32_t              n_constants;
      const bool*           lookups;    // NULL: none of them

      /* Memory of formats, in ascending order: of what loads from there these
         registers are not followed, whatever the members above say. */
      const DcfgSliceRange* formats;
      uint32_t              n_formats;
      const uint32_t*       no_register_of_formats;

      /* Where control is not followed since it is .no_control_of those, it
         still is if what they branch on, over flags and registers, is what
         other instructions left in general register 0, which is
         RAX or X0: a call-back's result. */
      bool            results;

      /* Functions of those .no_control_of that called others, directly or over
         functions like them, are none of those, and all that .no_address and
         .no_control_of say of them is not so.  Needs .no_control_of. */
      bool            callbacks;

      bool            only_criteria;    // nothing at all

      /* No more than .totals and what is counted: of nodes only the last and
         the first criterion, which have no inputs.  Then memory is bounded by
         a part of the tape and by what memory the program had.  Of a window
         of a run, all nodes of one backward are there. */
      bool            sums;

      /* Nothing is followed from what has this distance, if it is not 0; but
         COPIES are no steps. */
      uint32_t    steps;
      const bool* copies;

      /* Several instances that together are the criterion, each with its
         memory: .of is MEMORY, .instance is EVERY, and .instrs has all of
         theirs.  NULL: .place and .size say which memory. */
      const DcfgSlicePart* parts;
      uint32_t             n_parts;
   }
   DcfgSliceQuery;

/* An execution of a line (.run) is what a breakpoint would stop for: the
   instances of the line's instructions that one activation of its function
   executed from where control came to the line until it left it.

   - It begins with the line's first instance in the activation, and with one
     before which the activation executed other lines' instructions; but if
     these and the ones of the line before them are straight-line code, without
     a jump, branch or return, it goes on: compilers mix lines.
   - It begins at a back edge: with an instance whose instruction stands at the
     same or a lower address than the line's instruction that ran before it.
     So each iteration of a loop in one line is an execution.  Iterations of an
     instruction with a repeat prefix are not.
   - Calls that the line makes, and signals, do not end it.  What they execute
     is not part of it: recursion is another activation, with executions of its
     own.

   Executions are numbered from 0 in the order in which they begin, over all
   activations and threads.  LAST is the one that executed the last instance of
   all; only where the line calls itself this may not be the last that began. */

/*--- What is found                                        ---*/

/* What an input is connected with, where it is no node. */
#define DCFG_SLICE_NOBODY   UINT32_MAX          // nothing executed wrote it
#define DCFG_SLICE_NOT      (UINT32_MAX - 1)    // it is not followed

/* One of what an instance used.  Several of the same port: of its bytes. */
typedef
   struct {
      uint8_t  port;            // DcfgWetPortKind
      uint8_t  reg;             // the register; the access
      uint32_t node;
   }
   DcfgSliceInput;

/* An instance in the slice. */
typedef
   struct {
      uint32_t instr;
      uint32_t thread;
      uint64_t instance;
      uint64_t order;           // instances with a greater one ran later
      uint32_t distance;        // from the criterion, in inputs; those that
                                // are followed for .results count only of what
                                // is in the slice because of them
      uint32_t n_inputs;
      uint64_t first_input;     // in .inputs; of one forward, only those that
                                // are nodes
      uint64_t addr;            // of the memory that it wrote first, or 0
      uint64_t from;            // of its first operand that it read there, or 0
      uint64_t value;           // in .values: the lowest byte first
      uint32_t value_size;      // 0: none was recorded, or it computes none
      uint32_t n_reads;         // of a system call: what the kernel read
      uint64_t first_read;      // in .reads
   }
   DcfgSliceNode;

/* Memory. */
typedef
   struct {
      uint64_t addr, size;
   }
   DcfgSliceReading;

/* Of an instruction: how often it is in the slice and how often it was
   executed at all; its least distance, UINT32_MAX if it is not in it; which
   threads have executed what is in it: bit 63 stands for all from 63 on; the
   .order of its instance in the slice that ran last, of a slice forward
   first. */
typedef
   struct {
      uint64_t in_slice, executed;
      uint64_t threads;
      uint64_t order;
      uint32_t distance;
   }
   DcfgSliceTotal;

/* Memory that one thread wrote and another one read, where both instances are
   in a backward slice: one for each pair of instructions and of threads, with
   the instances that are nearest to the criterion; of several, the last. */
typedef
   struct {
      uint32_t writer, reader;  // instructions
      uint32_t from, to;        // threads: who wrote, who read
      uint64_t written, read;   // .order of the instances
      uint32_t distance;        // of the one that is farther away
   }
   DcfgSliceCrossing;

typedef
   struct {
      DcfgSliceNode*  nodes;    // from the last to the first; of one forward,
                                // from the first to the last
      uint32_t        n_nodes;
      uint32_t        n_criteria;       // nodes of distance 0 (but for copies)
      uint32_t*       criteria;         // which
      DcfgSliceInput* inputs;
      uint64_t        n_inputs;
      uint8_t*        values;
      DcfgSliceReading* reads;
      DcfgSliceTotal* totals;   // by instruction
      DcfgSliceCrossing* crossings;     // the nearest first
      uint32_t        n_crossings;
      uint64_t*       thread_begins;    // by thread: .order of its first
      uint64_t*       thread_ends;      // instance and of its last, as far back
                                        // as the slice had to go; else 0 and
                                        // UINT64_MAX
      uint64_t        n_instances;      // in the slice, with those that are
                                        // not kept
      uint64_t        n_executed;       // instances, of all of them

      /* Inputs that were not followed; of one forward, uses of what is in the
         slice that were not taken for one. */
      uint64_t        n_no_control, n_no_address, n_no_steps;

      /* DCFG_SLICE_FRAME: where it was found; 0: nowhere, since nothing
         called its activation. */
      uint64_t        frame;

      uint64_t        n_executions;     // of the line, if one is asked for by
                                        // its number

      uint64_t        n_met;    // instances that met the criterion, with those
                                // that are not kept
   }
   DcfgSlice;

/* NULL with *ERR set if that cannot be done; without nodes if no instance
   meets the criterion.  W is at its begin, before its first event, and is
   there again afterwards; it is no pipe.  What is compressed is unpacked to a
   file in TMPDIR, or /tmp, once for W; it has no name and goes with W. */
DCFG_API DcfgSlice* dcfg_slice_new(DcfgWet* w, const DcfgSliceQuery* q,
                                   DcfgError* err);

/* S may be NULL. */
DCFG_API void dcfg_slice_free(DcfgSlice* s);

/* Is told an instance, and the instruction that wrote a register before it in
   the same thread; DCFG_NONE: none that is known. */
typedef void (*DcfgSliceTellWriter)(void* arg, uint32_t instr,
                                    uint64_t instance, uint32_t writer);

/* Tells of each instance of the instructions that INSTRS has, in their order,
   who wrote the lowest byte of general register REG last.  One pass, which is
   several times as fast as a slice.  False with *ERR set if that cannot be
   done; of W holds what dcfg_slice_new() says. */
DCFG_API bool dcfg_slice_writers(DcfgWet* w, const bool* instrs, unsigned reg,
                                 DcfgSliceTellWriter tell, void* arg,
                                 DcfgError* err);

#ifdef __cplusplus
}
#endif

#endif /* DCFG_SLICE_H */
