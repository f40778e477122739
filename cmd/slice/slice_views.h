/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The forms of slices. */

#ifndef DCFG_CMD_SLICE_VIEWS_H
#define DCFG_CMD_SLICE_VIEWS_H

#include "cmd/base/cmd.h"
#include "cmd/base/table.h"
#include "cmd/program/inlined.h"
#include "cmd/page/page.h"
#include "cmd/slice/slice_query.h"
#include "cmd/program/lines.h"

/* SliceView: a slice, and the choices for its form. */
typedef
   struct {
      DcfgWet*           w;
      const DcfgSlice*   s;
      Sliced*            found;         // has .s, and its query
      CodeLines*         code;          // lines of .w
      const char*        file;          // path of .w
      const char*        root;          // folder of images' files, or NULL
      const char*        title;         // "Slice of prog"
      const char*        criterion;     // the instance that matched
      const char* const* not_followed;  // sentences, and NULL
      const char*        own;           // pattern for other images of the
                                        // program, or NULL
      struct SliceOmissions* omitted;   // stores that did not run; or NULL
      InlinedTrace*      inlined;       // with --inline; or NULL
      bool               thin, forward;
      bool               all;           // lines of libraries are not folded
   }
   SliceView;

/* SliceForm: a format of slices; the file of each defines it. */
typedef
   struct {
      OptionChoice choice;      // its value of --as
      bool    keeps_instances;  // needs instances, not only sums
      void  (*write)(const SliceView* v, FILE* out);
   }
   SliceForm;

/* All forms, a row each.  The first is the default. */
#define SLICE_FORMS(ROW) \
   ROW(lines) ROW(source) ROW(instances) ROW(json) ROW(html)

#define SLICE_FORM_DECLARATION(name) extern const SliceForm slice_form_##name;
SLICE_FORMS(SLICE_FORM_DECLARATION)

/*--- slice_words.c: all texts last until text_forget()     ---*/

/* Return the port of input IN: "control", "rax", "memory". */
const char* slice_port(DcfgWet* w, const DcfgSliceInput* in);

/* Return the recorded value of N, as "0x34"; "" if none was recorded. */
const char* slice_value(const SliceView* v, const DcfgSliceNode* n);

/* Return the same in hexadecimal, also of floating-point numbers. */
const char* slice_hex(const SliceView* v, const DcfgSliceNode* n);

/* Return the place of IN, as "price.c:21", "main" or
   "libz.so.1.2.13+0x1234"; "" if none is known. */
const char* slice_place(const DcfgWetInstr* in);

/* Write the member "inlined" of a JSON object: the functions that INSTR was
   inlined from and into.  Write nothing without --inline. */
void slice_put_inlined(const SliceView* v, uint32_t instr, FILE* out);

/* Write the lines above the rows, which have LINES_IN of the LINES that ran; OF:
   "source". */
void slice_put_head(FILE* out, const SliceView* v, uint64_t lines_in,
                    uint64_t lines, const char* of);

/* Write the columns of a row: its DISTANCE, and how many of its EXECUTED
   instances are in the slice. */
void slice_put_numbers(FILE* out, uint32_t distance, uint64_t in_slice,
                       uint64_t executed);

/*--- slice_html.c                                         ---*/

/* Page of a slice for a page of another command. */
extern const Page slice_guest_page;

/* Write the data of the slice's page to OUT, as a JSON object. */
void slice_page_data(const SliceView* v, FILE* out);

#endif /* DCFG_CMD_SLICE_VIEWS_H */
