/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program of a whole execution trace, and the trace's index. */

#ifndef DCFG_CMD_RECORDING_H
#define DCFG_CMD_RECORDING_H

#include "lib/dcfg_slice.h"
#include "lib/dcfg_wet.h"

#include <stdbool.h>

/* Return the path of the file with main(), of a program without symbols that of
   the file loaded lowest; or NULL.  W owns the text. */
const char* wet_program(DcfgWet* w);

/* Return whether W begins when its program had run already: it has the last part
   of a run, a region, or a forked child.  Then values may be from before. */
bool wet_begins_late(const DcfgWet* w);

/* Return whether PATH, which may be NULL, is below /usr/include, /usr/lib or
   /lib: a header or library of the distribution; or a source of Rust's or Go's
   library. */
bool is_of_system(const char* path);

/* Set FOREIGN, which has an element for each instruction of W: it is not the
   program's own code.  That is the code with lines of the image that has
   INSTRS; if that is NULL, of the program and of all images that are not of a
   distribution. */
void mark_foreign(DcfgWet* w, const bool* instrs, bool* foreign);

/* Return, by number of an image of W, whether any of its instructions has a
   source line.  The caller frees the array. */
bool* images_with_lines(DcfgWet* w);

typedef
   enum {
      INDEX_MADE,               // if it is not there, or wrong
      INDEX_UNNAMED,            // a new one, without a name
      INDEX_NEVER
   }
   IndexUse;

/* Let slices of W, the trace in FILE, use its index as USE says.  Return NULL;
   or why there is none, a clause that is valid until text_forget().  OUTSIDE is
   for a new index, as in dcfg_slice_make_index().  If a new index has no name,
   *UNNAMED becomes its descriptor, which the caller closes; else -1.  UNNAMED
   may be NULL. */
const char* index_missing(DcfgWet* w, const char* file, IndexUse use,
                          const bool* outside, int* unnamed);

/* Slices of W use the index that PATH names: true if it is one of W. */
bool use_index_at(DcfgWet* w, const char* path);

/* The use that --index=TEXT asks for: INDEX_MADE if TEXT is NULL or "yes", NO if it
   is "no". */
IndexUse index_use(const char* text, IndexUse no);

#define OPT_INDEX(to, help) { "index", OPT_TEXT, to, "no|yes", help }

#endif /* DCFG_CMD_RECORDING_H */
