/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The same things in two builds. */

#ifndef DCFG_CMD_BUILDS_H
#define DCFG_CMD_BUILDS_H

#include "cmd/shared/functions.h"

/* Builds: two runs of one build or two.  A SIDE is 0 or 1.  What is the same in
   both has the same number. */
typedef struct Builds Builds;

typedef enum { PLACE_BLOCKS, PLACE_LOOPS, PLACE_ROUTINES } PlaceKind;

Builds*          builds_new(const Program* a, const Program* b);
void             builds_free(Builds* b);

/* Return whether an image is in both runs with different symbols. */
bool             builds_differ(const Builds* b);

/* Return whether the function of a node was matched by its shape only. */
bool             build_is_guess(const Builds* b, int side, uint32_t node);

const Functions* build_functions(const Builds* b, int side);

/* Return the number of an image. */
uint32_t         build_image(const Builds* b, int side, uint32_t image);

/* Return, by node, a place to compare, to be freed.  It is the offset in the
   image.  In a rebuilt image, it is a number for the function, the line, and
   the index among the blocks, loops' heads or routines of that line. */
uint64_t*        build_places(Builds* b, int side, PlaceKind kind);

/* Return SYMBOL without the suffixes that compilers and BOLT add to parts and
   copies: "name" for "name.part.0" or "name/1".  Valid until text_forget(). */
const char*      base_name(const char* symbol);

/* Return a function's number.  Parts that a compiler split off, and copies for
   special cases, have the function's number. */
uint64_t         build_function(const Builds* b, int side, uint32_t function);

#endif /* DCFG_CMD_BUILDS_H */
