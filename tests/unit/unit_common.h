/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Shared by the unit tests. */

#ifndef __UNIT_COMMON_H
#define __UNIT_COMMON_H

#include "../run_suite.h"
#include "tool/graph/graph.h"

/*--- Chance                                               ---*/

/* The seed of the present random case.  require() prints it, so that a failure
   can be run again alone. */
extern ULong seed_in_work;

/* Start a random case: the same seed always gives the same numbers. */
void  start_chance(ULong seed);

ULong any_number(void);
UInt  below(UInt n);               // 0 .. n-1
Bool  chance(UInt percent);

/* Store a random order of 0 to N-1 in ORDER. */
void  shuffle(UInt* order, UInt n);

#define require(cond, ...) \
   do { \
      if (!(cond)) { \
         char said_[400]; \
         snprintf(said_, sizeof(said_), __VA_ARGS__); \
         ck_abort_msg("%s (%s), seed %llu", said_, #cond, seed_in_work); \
      } \
   } while (0)

/*--- Graphs made by hand                                  ---*/

/* Return a graph of N blocks, one byte each, in one image, without edges. */
Graph* plain_graph(UInt n);

/* Add an edge; in any order, and put_in_order() must follow.  A count of 0
   makes a bypass. */
void   add_edge(Graph* g, UInt source, UInt target, EdgeType type,
                ULong count);
void   put_in_order(Graph* g);

/* Return the index of edge SOURCE -> TARGET in G, or -1. */
Int    edge_of(const Graph* g, UInt source, UInt target);

/* Return a random graph: with edges of all types that the tool makes, or only
   of those that stay in a routine, and one ENTRY to the first block. */
Graph* random_graph(UInt max_blocks, Bool all_types);

/* Return whether all fields of the two are equal. */
Bool   same_graph(const Graph* a, const Graph* b);

/*--- Reachability and dominance by definition             ---*/

#define MAX_NODES 64

/* Return the blocks that FROM (a bit for each block) reaches by edges that stay
   in a routine, without passing the blocks in WITHOUT.  At most MAX_NODES
   blocks. */
ULong reached(const Graph* g, ULong from, ULong without);

#define BIT(b) (1ULL << (b))

/*--- Running                                              ---*/

/* Limit the stack, so that a recursion as deep as the data crashes. */
void forbid_deep_recursion(void);

/* End the test if it takes more processor time than SECONDS.  Time in which
   others run, or nobody, does not count, as it does for Check's limit. */
void limit_processor_time(UInt seconds);

#endif /* __UNIT_COMMON_H */
