/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Kinds of slices. */

#ifndef DCFG_LIB_SLICE_KIND_H
#define DCFG_LIB_SLICE_KIND_H

#include "lib/slice/slice_branch_joins.h"
#include "lib/slice/slice_found.h"

/* How far a branch may be from the result of a call-back: see slice_back.c. */
#define MAX_HOPS 4

/* NEVER, as a number of hops: the node leads to no result. */
#define NEVER UINT8_MAX

/* Member: what is known of the instance in work as a part of the slice.
   Written by slice_meet.c, and its names by the kind of slice. */
typedef
   struct {
      uint32_t id;              // number in the kind's nodes; DCFG_NONE: no
                                // node
      uint32_t distance;
      uint32_t weak_distance;   // over those that want it weakly
      uint8_t  hops;            // if not real: steps from the branch
      bool     real;            // else it has to lead to the program
      bool     near;            // only criteria have used it
      bool     limited;         // a criterion of which a part is asked
      bool     cut;             // nothing is followed from it

      /* When all is known of it: what its wants call it; the same of weak
         wants, if it has any. */
      uint32_t name, weak_name;
      bool     weakly;
   }
   Member;

/* User: who wants something. */
typedef
   struct {
      uint32_t distance;
      uint8_t  hops;            // if weak: steps from a branch, and 1
   }
   User;

/* SliceKind: what is made of a slice that is gone through backward.  Functions
   return false without memory; NULL: nothing is to be done. */
typedef
   struct SliceKind {
      bool (*start)(Found* f, Live* l);
      void (*free)(Found* f);

      /* Nothing that was found until now counts; nobody wants anything. */
      void (*forget)(Found* f);

      /* The instance at SPOT is a member; it is a criterion, too. */
      bool (*add)(Found* f, const Spot* spot, Member* m);
      bool (*criterion)(Found* f, const Spot* spot, Member* m);

      /* Who wants WANT. */
      User (*user)(const Found* f, const Want* want);

      /* The member made byte AT of what WANT wants.  RESULT: and is the result
         of the program that a weak one has to lead to. */
      bool (*meet)(Found* f, const Member* m, const Want* want, uint32_t at,
                   bool result);

      /* All is known of the member. */
      bool (*close)(Found* f, const Spot* spot, Member* m);

      /* The closed member wants what it used: L and B.  NULL: it does not. */
      bool (*want)(Found* f, const Acts* acts, const Spot* spot,
                   const Member* m, Live* l, BranchJoins* b);

      /* Note that WANT is not followed. */
      bool (*cut)(Found* f, const Want* want);

      /* The way back is at its end. */
      bool (*finish)(Found* f);

      bool numbers;             // nodes are numbered to the end
      bool distances;           // names are, but of weak wants: neither user()
                                // nor meet() is asked
   }
   SliceKind;

/* Each in a file of its name. */
extern const SliceKind slice_keep, slice_sums, slice_forward,
                       slice_forward_sums;

#endif /* DCFG_LIB_SLICE_KIND_H */
