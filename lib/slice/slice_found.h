/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The result of a slice, while it is found. */

#ifndef DCFG_LIB_SLICE_FOUND_H
#define DCFG_LIB_SLICE_FOUND_H

#include "lib/base/hash.h"
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
      Array            unseen;  // DcfgSliceUnseen
      NumberMap        crossing_of;     // keys: instructions and threads of a
                                        // crossing
      uint64_t         n_met;   // criteria met, with those that are not kept
   }
   Found;

/* Begin, with .job, .code, .callbacks, .kind and .result set. */
bool found_start(Found* f);

/* Forget all that was found. */
void found_forget(Found* f);
void found_free(Found* f);

/* Make SPOT a node, number *ID, without distance and inputs; make node ID a
   criterion; add SIZE bytes to N's value; add an input to N. */
bool found_add_node(Found* f, const Spot* spot, uint32_t* id);
bool found_add_criterion(Found* f, uint32_t id);
bool found_add_value(Found* f, DcfgSliceNode* n, const uint8_t* value,
                     uint32_t size);
bool found_add_input(Found* f, DcfgSliceNode* n, DcfgSliceInput in);

/* As found_add_node(), for a criterion if only the last one and the first one
   met are kept.  Each replaces the one before it: a loop may have hundreds of
   millions. */
bool found_add_end(Found* f, const Spot* spot, uint32_t* id);

/* Count an input through PORT that is not followed; or N inputs of an instance
   that is as many steps away as the query allows. */
void found_leave_out(Found* f, DcfgWetPortKind port);
void found_end(Found* f, uint64_t n);
void found_forget_left_out(Found* f);

/* Note that a value went from one thread to another. */
bool found_cross(Found* f, DcfgSliceCrossing c);

/* Count one more instance of INSTR, instruction number ORDER of the run,
   executed by THREAD. */
void found_count(Found* f, uint32_t instr, uint32_t thread, uint64_t order,
                 uint32_t distance);

/* Count all nodes of the result. */
void found_count_nodes(Found* f);

/* Note that the slice met the unseen write U. */
bool found_unseen(Found* f, DcfgSliceUnseen u);

/* Hand the nodes, inputs and totals over to .result. */
bool found_hand_over(Found* f);

#endif /* DCFG_LIB_SLICE_FOUND_H */
