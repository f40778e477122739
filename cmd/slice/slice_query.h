/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Queries of slices. */

#ifndef DCFG_CMD_SLICE_QUERY_H
#define DCFG_CMD_SLICE_QUERY_H

#include "cmd/program/initial_memory.h"
#include "cmd/program/recording.h"
#include "cmd/slice/slice_output.h"
#include "cmd/program/lines.h"
#include "cmd/program/variables.h"

#include "lib/dcfg_slice.h"

/* SliceOptions: the options of a slice on the command line. */
typedef
   struct {
      const char* at;
      const char* of;
      const char* syscall;
      const char* output;
      bool        computed;     // only computed bytes of .output
      const char* root;         // searched first for images, or NULL
      bool        thin, full, forward;
      bool        copies;       // a copy is no step
      bool        whole;        // follow all bytes that a copy moved
      bool        instructions; // with few .steps, tell control everywhere
      bool        lines;        // frame pointers are not followed
      uint32_t    steps;        // 0: all
      bool        sums;         // no instances but those of the criterion
      bool        table;        // all executions of the line, and one step
      bool        uncounted;    // nobody is told how many executions a line has
      IndexUse    index;
   }
   SliceOptions;

/* Sliced: a criterion in a trace, and its slice. */
typedef
   struct {
      DcfgWet*       w;
      const char*    file;      // its name while it lacks an index; then NULL
      InitialMemory* initial;   // the memory that the program began with
      TraceProgram*  program;   // the one of .w
      CodeLines*     code;      // its lines
      DcfgSliceQuery q;
      DcfgSlice*     s;
      DcfgSliceStart* starts;   // those of .q
      size_t         starts_room;
      bool           named;     // .q asks for a place by the source's words
      const char*    of;        // the place as the user names it; NULL: none
      VariableType   of_type;   // the type that the source gives it
      uint64_t       of_order;  // the instance before which it is asked for
      Roles          roles;
      OutputQuestion printed;
      bool*          instrs;
      bool*          foreign;   // by instruction: outside of the program
      bool*          frames;    // by instruction: its function has a frame
                                // pointer
      uint8_t*       library;   // memory of why_is_library_code()
      DcfgSliceRange* constants;
      uint32_t*      spare;     // by system call: argument registers that it
                                // does not use
      uint32_t*      never;     // registers that are not followed
      uint32_t*      no_address;        // not followed as addresses
      char*          criterion; // one line
      uint64_t       n_executions;      // executions of the line, if one is
                                        // asked for by its number; else 0
      const char*    not_followed[6];   // sentences, and NULL
      char*          never_ran; // text: the guard that kept the line from
                                // running; NULL: the line ran
      char*          guard;     // the instance that did so: the criterion
   }
   Sliced;

/* Return whether only the place F->of is asked for of NODE: its inputs made the
   value there, and are not the instruction's own.  If it is memory, return its
   address. */
bool     slice_asks_place(const Sliced* f, uint32_t node);
uint64_t slice_asked_address(const Sliced* f);

/* Return whether input IN of node NODE of F's slice has a value from before the
   trace began: nothing in it wrote the value, and something may have before. */
bool slice_is_before(const Sliced* f, uint32_t node, const DcfgSliceInput* in);
/* Note that an answer has a value from before the trace began, or did not find
   its line in there; return whether one has been noted.  What let a line of main()
   run mostly is main()'s call, at the begin of the run: so a branch or call from
   before is only told. */
void slice_note_before(void);
bool slice_noted_before(void);
/* Return whether O asks for an execution by its number, or for all executions:
   they are counted from the program's begin. */
bool slice_counts(const SliceOptions* o);
/* Return whether the trace PATH has all of the slice for O, SliceOptions. */
bool slice_is_within(const void* o, const char* path);
/* Return the slice that O asks for in the trace FILE; free it with
   slice_forget().  If a line never ran, the slice is that of its guard.  Die
   if there is no such criterion. */
Sliced* slice_find(const char* file, const SliceOptions* o);
/* The same in the trace of F, and with its index.  F is forgotten. */
Sliced* slice_find_next(Sliced* f, const SliceOptions* o);
/* Return the sums of the slice that the same criterion has without --thin; NULL
   if memory does not suffice.  The caller frees it. */
DcfgSlice* slice_not_thin(const Sliced* f);
/* Return all executions of the line that has INSTRS, by instruction, and who wrote
   what they used; NULL if memory does not suffice.  The caller frees it. */
DcfgSlice* slice_every(const Sliced* f, const bool* instrs);
/* Return whether the slice starts from the instance ORDER, too.  Find the slice
   again, which also starts from the N instances ON and follows .distance steps from
   each.  Nodes then have other numbers.  Return false if the slice has become too
   large.  Then it is as before, or starts at its criterion alone. */
bool    slice_starts(const Sliced* f, uint64_t order);
bool    slice_start(Sliced* f, const DcfgSliceStart* on, size_t n);
/* Find the slice again, from its criterion alone; find the slice of another
   criterion, all of INSTANCE of instruction INSTR.  Nodes then have other
   numbers. */
void    slice_restart(Sliced* f);
void    slice_move(Sliced* f, uint32_t instr, uint64_t instance);
void    slice_forget(Sliced* f);

/* Return the value of SIZE BYTES that instruction INSTR made, if these are
   floating-point numbers: "0.25", "{1, 2.5}"; else NULL. */
const char* slice_float(const Sliced* f, uint32_t instr, const uint8_t* bytes,
                        size_t size);

/* Return the instance of N as "0x401136#2".  The text lasts until
   text_forget(). */
const char* instance_text(DcfgWet* w, const DcfgSliceNode* n);

/* Read the SIZE bytes, at most 8, at ADDR that C, a node of S, used.  Return false
   if they are not known. */
bool memory_value(TraceProgram* p, const DcfgSlice* s, const DcfgSliceNode* c,
                  uint64_t addr, size_t size, uint8_t* bytes);

/* Return the general register whose value is recorded for instruction INSTR;
   MAX_GENERAL if it stores, or writes none or several. */
unsigned register_written(DcfgWet* w, uint32_t instr);

/* ValueSearch: an instance; find_value() returns values as they were just
   before it. */
typedef
   struct {
      TraceProgram* program;
      uint32_t      instr;
      uint64_t      instance;
   }
   ValueSearch;

/* Set *VALUE to the value of O.  Return false if it is not known.  An
   ObjectReader; ARG is a ValueSearch. */
bool find_value(void* arg, const VariableObject* o, uint64_t* value);

#endif /* DCFG_CMD_SLICE_QUERY_H */
