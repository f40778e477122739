/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stores that did not run, beside a slice. */

#ifndef DCFG_CMD_SLICE_OMITTED_H
#define DCFG_CMD_SLICE_OMITTED_H

#include "cmd/omitted/omitted.h"
#include "cmd/slice/slice_query.h"
#include "cmd/slice/slice_views.h"

/* OmittedMode: when to look for all stores that did not run.
   OMITTED_IF_FEW: if few lines of the program are in the slice. */
typedef enum { OMITTED_IF_FEW, OMITTED_ALWAYS, OMITTED_NEVER } OmittedMode;

/* SliceOmissions: a finder of the stores that did not run, for one slice.
   An omission is such a store. */
typedef struct SliceOmissions SliceOmissions;

/* Return a finder for F, the slice that answers O.  F stays until
   slice_omissions_free().  OWN: a pattern of images that belong to the program,
   too, or NULL. */
SliceOmissions* slice_omissions_new(const Sliced* f, const SliceOptions* o,
                                    const char* own, OmittedMode mode);
void            slice_omissions_free(SliceOmissions* z);

/* Return the slice with its instances if some omissions may stand beside its
   nearest lines.  Return NULL if all omissions are looked for, or none. */
const DcfgSlice* slice_omissions_near(SliceOmissions* z);

/* Return the omissions of the N NODES of S.  The caller frees them with
   omitted_list_free(). */
OmittedList slice_omissions_of(SliceOmissions* z, const DcfgSlice* s,
                               const uint32_t* nodes, size_t n);

/* OmittedWords: an omission in words.  A line without a file is in the file of
   the user. */
typedef
   struct {
      const char* place;        // "price"
      bool        named;        // .place is a name of the source
      const char* store;        // "line 31"; "line 31, which calls bump:
                                // line 5"
      const char* branch;       // "line 30 was false"
      const char* at;           // "0x1091bb#4"
   }
   OmittedWords;

/* Return O, an omission of a node of S, in words.  The texts last until
   text_forget(). */
OmittedWords slice_omitted_words(SliceOmissions* z, const DcfgSlice* s,
                                 const Omitted* o);

/* Return the sentence on O, with the words W, as "could have changed price,
   but did not run: line 31 (because line 30 was false at 0x1091bb#4)". */
const char* slice_omitted_text(const OmittedWords* w, const Omitted* o);

/* Return the line of the code at ADDR, which is in the image of O; 0 if it
   has none.  Set *SOURCE to its file. */
uint32_t slice_omitted_line(SliceOmissions* z, const Omitted* o, uint64_t addr,
                            const char** source);

/* Write the begin of the member KEY of a JSON object: the code at ADDR, likewise. */
void slice_json_code(FILE* out, SliceOmissions* z, const Omitted* o,
                     const char* key, uint64_t addr);

/* Return whether the stores of A and B are in the same line. */
bool slice_omitted_is_one(SliceOmissions* z, const Omitted* a,
                          const Omitted* b);

/* Print a sentence on each omission of the slice, MOST lines at most. */
void slice_put_omitted(FILE* out, SliceOmissions* z, size_t most);

/* Write the member "omitted" of a JSON object, with a comma before it. */
void slice_json_omitted(FILE* out, SliceOmissions* z);

#endif /* DCFG_CMD_SLICE_OMITTED_H */
