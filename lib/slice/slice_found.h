/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The result of a slice, while it is found. */

#ifndef DCFG_LIB_SLICE_FOUND_H
#define DCFG_LIB_SLICE_FOUND_H

#include "lib/base/number_map.h"
#include "lib/slice/slice_callbacks.h"

#define NODE(f, i) (&ELEM((f)->nodes, DcfgSliceNode, i))

struct SliceKind;

/* Found: written by slice_found.c, and by the kinds of slices. */
typedef
   struct {
      Job*             job;
      const SliceCode* code;
      const Callbacks* callbacks;
      const struct SliceKind* kind;
      void*            own;     // the kind's
      DcfgSlice*       result;
      Array            nodes;   // DcfgSliceNode
      Array            inputs;  // DcfgSliceInput
      Array            values;  // uint8_t
      Array            readings;        // DcfgSliceReading
      Array            criteria;        // uint32_t
      Array            crossings;       // DcfgSliceCrossing
      NumberMap        crossing_of;     // by its instructions and threads
      uint64_t         n_met;   // number of criteria, with those that are not
                                // kept
   }
   Found;

/* With .job, .code, .callbacks, .kind and .result set. */
bool found_start(Found* f);

/* Nothing that was found until now counts. */
void found_forget(Found* f);
void found_free(Found* f);

/* SPOT is a node, number *ID, of which all is known but its distance and its
   inputs; node ID is a criterion; SIZE more bytes of N's value; N has one input
   more. */
bool found_add_node(Found* f, const Spot* spot, uint32_t* id);
bool found_add_criterion(Found* f, uint32_t id);
bool found_add_value(Found* f, DcfgSliceNode* n, const uint8_t* value,
                     uint32_t size);
bool found_add_input(Found* f, DcfgSliceNode* n, DcfgSliceInput in);

/* The same as found_add_node() of a criterion, where only the last and the
   first that are met are kept: the one before this is forgotten.  A loop may
   have hundreds of millions. */
bool found_add_end(Found* f, const Spot* spot, uint32_t* id);

/* An input through PORT is not followed; nor are N of an instance that has as
   many steps as are wanted. */
void found_leave_out(Found* f, DcfgWetPortKind port);
void found_end(Found* f, uint64_t n);
void found_forget_left_out(Found* f);

/* A value went from one thread to another. */
bool found_cross(Found* f, DcfgSliceCrossing c);

/* One more instance of INSTR is in the slice: number ORDER of the run, which
   THREAD executed. */
void found_count(Found* f, uint32_t instr, uint32_t thread, uint64_t order,
                 uint32_t distance);

/* Count all nodes of the result. */
void found_count_nodes(Found* f);

/* Make what was found the result, in place of what that was. */
bool found_hand_over(Found* f);

#endif /* DCFG_LIB_SLICE_FOUND_H */
