/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images, functions and blocks that are the same in two runs. */

#ifndef DCFG_CMD_BUILDS_H
#define DCFG_CMD_BUILDS_H

#include "cmd/program/functions.h"

/* Builds: two runs, of one build or of two.  SIDE is 0 for the first run, 1 for
   the second.  The same image, function or block has the same number in
   both. */
typedef struct Builds Builds;

/* PlaceKind: the nodes for which build_places() counts: all blocks, heads of
   loops, entries of routines. */
typedef enum { PLACE_BLOCKS, PLACE_LOOPS, PLACE_ROUTINES } PlaceKind;

/* Return the builds of runs A and B, which must last until builds_free(). */
Builds*          builds_new(const Program* a, const Program* b);
void             builds_free(Builds* builds);

/* Return whether an image that is in both runs was rebuilt. */
bool             builds_differ(const Builds* builds);

/* Return whether the function of NODE was paired by its shape only. */
bool             build_is_guess(const Builds* builds, int side, uint32_t node);

/* Return the functions of a run, which BUILDS owns. */
const Functions* build_functions(const Builds* builds, int side);

/* Return how many numbers of images there are; whether the image with NUMBER was
   rebuilt. */
uint32_t         build_images(const Builds* builds);
bool             build_was_rebuilt(const Builds* builds, uint32_t number);

/* Return the number of an image. */
uint32_t         build_image(const Builds* builds, int side, uint32_t image);

/* Return by block a number that is equal for the same block in both runs, if
   their images have the same number.  The caller frees the array.  The number
   is the offset in the image.  In a rebuilt image, it stands for the function,
   the line, and the index among the nodes of KIND in that line. */
uint64_t*        build_places(Builds* builds, int side, PlaceKind kind);

/* Return SYMBOL without the suffixes that compilers and BOLT add to parts and
   copies: "name" for "name.part.0" or "name/1".  Valid until text_forget(). */
const char*      base_name(const char* symbol);

/* Return a function's number.  Parts that a compiler split off, and copies for
   special cases, have the function's number. */
uint64_t         build_function(const Builds* builds, int side,
                                uint32_t function);

/*--- Pairs of what was executed                           ---*/

/* Kind: the kinds of things that are paired. */
typedef
   enum {
      MATCH_FUNCTIONS, MATCH_LOOPS, MATCH_ROUTINES, MATCH_BLOCKS, MATCH_EDGES
   }
   Kind;

/* Pair: a thing that A, B or both executed.  In rebuilt images,
   build_places() and build_function() say which things are the same; in other
   images, those with equal offsets are. */
typedef
   struct {
      uint32_t a, b;            // index; DCFG_NONE if the run does not have it
      uint64_t count_a, count_b;
   }
   Pair;

/* Return all executed things of KIND, in no order, to be freed; *N is their
   number.  Counts are executions of blocks, traversals of edges, instructions
   of functions and routines, iterations of loops.  Functions are those of
   build_function(). */
Pair* match(Builds* builds, const Program* a, const Program* b, Kind kind,
            size_t* n);

#endif /* DCFG_CMD_BUILDS_H */
