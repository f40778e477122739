/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Data for pairing the functions and stubs of two builds. */

#ifndef DCFG_CMD_PAIRING_H
#define DCFG_CMD_PAIRING_H

/* Private to the room builds/.  builds.c numbers images, functions and blocks.
   It asks shape.c which of the other functions look alike, and which stubs are
   the same. */

#include "cmd/base/names.h"
#include "cmd/program/functions.h"

/*--- Images                                               ---*/

/* ImageSide: a run. */
typedef
   struct {
      const Program* g;
      uint32_t*      image;     // by image: its common number
   }
   ImageSide;

/* BuildImages: the images of two runs.  The same image has the same number in
   both. */
typedef
   struct {
      ImageSide side[2];
      uint32_t  n_images;       // the number of common numbers
      bool*     rebuilt;        // by common number: the builds differ
      bool*     same;           // by common number: the builds' ids are equal
      bool*     stripped;       // by common number: the builds differ, and one
                                // of them has no symbols
      bool      differ;         // some image was rebuilt
   }
   BuildImages;

/*--- Functions by their shape                             ---*/

/* ShapeSide: the functions of a run.  The arrays have an element for each. */
typedef
   struct {
      const Program*   g;
      const Functions* f;
      uint64_t*        number;  // functions of both runs with the same number
                                // are the same
      const uint32_t*  image;   // only functions of the same image pair
      const uint32_t*  name;    // 0: none; functions of different names never
                                // pair
      const bool*      open;    // the function may be paired
   }
   ShapeSide;

/* Pair open functions whose numbers only one side has.  Give the function of
   side 1 the number of side 0's, and enter that number into GUESSES. */
void match_shapes(const ShapeSide side[2], KeyMap* guesses);

/*--- Stubs                                                ---*/

/* StubSide: a run.  Arrays have an element for each block, but for .numbers. */
typedef
   struct {
      const Functions* f;
      const uint64_t*  numbers; // by function: its number, equal in both runs
      const uint64_t*  places;  // by block, by build_places()
      uint64_t*        stub;    // the result: equal for the same stub in both
                                // runs; NO_STUB for other blocks
   }
   StubSide;

/* NO_STUB: all bits, which .stub has before. */
#define NO_STUB UINT64_MAX

/* Set .stub of both sides, for the stubs of all images but those that are known
   to be one build. */
void match_stubs(const BuildImages* images, StubSide side[2]);

#endif /* DCFG_CMD_PAIRING_H */
