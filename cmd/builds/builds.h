/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The same things in two builds. */

#ifndef DCFG_CMD_BUILDS_H
#define DCFG_CMD_BUILDS_H

#include "cmd/shared/functions.h"

/* Two runs, each a SIDE, 0 or 1, of one build or of two.  What is the same in
   both gets the same number. */
typedef struct Builds Builds;

typedef enum { PLACE_BLOCKS, PLACE_LOOPS, PLACE_ROUTINES } PlaceKind;

Builds*          builds_new(const Program* a, const Program* b);
void             builds_free(Builds* b);

/* Does any image stand in both with different symbols? */
bool             builds_differ(const Builds* b);

/* Was the function that a node is in matched by its shape only? */
bool             build_is_guess(const Builds* b, int side, uint32_t node);

const Functions* build_functions(const Builds* b, int side);

/* The common number of an image. */
uint32_t         build_image(const Builds* b, int side, uint32_t image);

/* Return, by node, its place in the image.  That is its offset.  In an image
   that was built anew, it is a number for its function and line, and its number
   among the blocks, heads of loops or routines of this line.  To be freed. */
uint64_t*        build_places(Builds* b, int side, PlaceKind kind);

/* SYMBOL without what compilers and BOLT add to parts and copies of "name", as
   "name.part.0" and "name/1".  Lasts until text_forget(). */
const char*      base_name(const char* symbol);

/* A function's number.  One that a compiler has divided, or copied for a
   special case, has one number with its parts. */
uint64_t         build_function(const Builds* b, int side, uint32_t function);

#endif /* DCFG_CMD_BUILDS_H */
