/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The result of a slice, while it is found, and kinds of slices. */

#ifndef DCFG_LIB_SLICE_FOUND_H
#define DCFG_LIB_SLICE_FOUND_H

#include "lib/base/hash.h"
#include "lib/slice/slice_code.h"
#include "lib/slice/slice_wants.h"

#define NODE(f, i) (&ELEM((f)->nodes, DcfgSliceNode, i))

struct SliceKind;

/* KeptSlice: a slice, with what it needs to go on.  Written by slice_keep.c. */
typedef
   struct {
      DcfgSlice slice;
      Array     states;         // KeepState, by node
      Array     edges;          // Edge
      uint32_t  steps;          // .steps of the query; 0: the slice cannot go on
      uint32_t  chunk;          // the earliest that the walk went to
      size_t    n_values, n_reads;      // elements of .slice
   }
   KeptSlice;

/* Found: written by slice_found.c, and by the kinds of slices. */
typedef
   struct {
      Job*             job;
      const SliceCode* code;
      const Callbacks* callbacks;
      const struct SliceKind* kind;
      void*            own;     // the kind's
      DcfgSlice*       result;
      KeptSlice*       earlier;         // a slice that goes on; or NULL
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
      Array            begins;  // uint64_t: .order of instances from which the
                                // earlier slice goes on; the latest at the end
      uint32_t         chunk;   // the earliest that the walk went to
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

/* The most hops from a call back's result to a branch: see slice_back.c. */
#define MAX_HOPS 4

/* Number of hops of a node that leads to no result. */
#define NEVER UINT8_MAX

/* Member: the present instance, as a part of the slice.  Written by
   slice_back.c; its names by the kind of slice. */
typedef
   struct {
      uint32_t id;              // number of the kind's node, or DCFG_NONE
      uint32_t distance;
      uint32_t weak_distance;   // least distance by those that want it weakly
      uint32_t open;            // its distance if the slice did not end there
      uint8_t  hops;            // if not real: steps from the branch
      bool     real;            // false: it has to lead to the program
      bool     near;            // only criteria have used it
      bool     limited;         // a criterion of which a part is asked
      bool     starts;          // the slice starts there
      bool     cut;             // nothing is followed from it
      bool     done;            // its wants are those of the earlier slice

      uint64_t bytes;           // bytes of its result that are wanted, as
                                // bytes_wanted() returns them

      /* Set when all is known of the member: the name in its wants; the name in
         its weak wants, if it has any. */
      uint32_t name, weak_name;
      bool     weakly;
   }
   Member;

/* Let M, at SPOT, be cut if the query says so: set .open, .distance and .cut by
   .distance. */
void member_set_end(const Found* f, const Spot* spot, Member* m);

/* Hit: bytes of a want that the member made: .mask, from byte .at of the port on,
   which are those from byte .at + .behind of the member's result on.  .result:
   they are the program's result that a weak node has to lead to. */
typedef
   struct {
      uint32_t at;
      uint8_t  mask;
      int8_t   behind;
      bool     result;
   }
   Hit;

/* User: the instance that wants something. */
typedef
   struct {
      uint32_t distance;
      uint8_t  hops;            // if weak: steps from a branch, + 1
   }
   User;

/* SliceKind: a way to handle the members of a slice.  Functions return false
   if memory is exhausted.  NULL: nothing to do. */
typedef
   struct SliceKind {
      bool (*start)(Found* f, Live* l);
      void (*free)(Found* f);

      /* Forget all members.  No want for their bytes is left. */
      void (*forget)(Found* f);

      /* Add the instance at SPOT, a member; note that it is a criterion. */
      bool (*add)(Found* f, const Spot* spot, Member* m);
      bool (*criterion)(Found* f, const Spot* spot, Member* m);

      /* Return the instance that wants WANT. */
      User (*user)(const Found* f, const Want* want);

      /* Note that the member made bytes of WANT. */
      bool (*meet)(Found* f, const Member* m, const Want* want, Hit hit);

      /* Close the member: all is known of it. */
      bool (*close)(Found* f, const Spot* spot, Member* m);

      /* Add the wants of the closed member to L and B.  NULL: it has no wants. */
      bool (*want)(Found* f, const Acts* acts, const Spot* spot,
                   const Member* m, Live* l, BranchJoins* b);

      /* Note that WANT is not followed; that somebody else wrote the bytes MASK
         of WANT. */
      bool (*cut)(Found* f, const Want* want);
      bool (*unseen)(Found* f, const Want* want, uint8_t mask);

      /* End: the walk back is over. */
      bool (*finish)(Found* f);

      bool numbers;             // nodes are numbered to the end
      bool distances;           // names of strong wants are distances: user()
                                // and meet() are not called for them
   }
   SliceKind;

/* Return whether S can go on as Q says: all instances from which Q starts are its
   nodes. */
bool keep_may_go_on(const KeptSlice* s, const DcfgSliceQuery* q);

/* The kinds, each in a file of its name. */
extern const SliceKind slice_keep, slice_sums, slice_forward,
                       slice_forward_sums;

#endif /* DCFG_LIB_SLICE_FOUND_H */
