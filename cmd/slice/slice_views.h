/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The forms of slices. */

#ifndef DCFG_CMD_SLICE_VIEWS_H
#define DCFG_CMD_SLICE_VIEWS_H

#include "cmd/base/cmd.h"
#include "cmd/base/table.h"
#include "cmd/inline/inlined_trace.h"
#include "cmd/slice/slice_query.h"
#include "cmd/variables/code_lines.h"

/* A slice, and what is said of it. */
typedef
   struct {
      DcfgWet*           w;
      const DcfgSlice*   s;
      Sliced*            found;         // the same, and how it was asked for
      CodeLines*         code;          // lines of .w
      const char*        file;          // path of W
      const char*        root;          // folder of images' files, or NULL
      const char*        title;         // "Slice of prog"
      const char*        criterion;     // the instance that matched
      const char* const* not_followed;  // sentences, and NULL
      uint64_t           top;           // most instances in a picture
      const char*        own;           // images that are the program's, too: a
                                        // pattern, or NULL
      struct SliceOmissions* omitted;   // finds stores that did not run; or NULL
      InlinedTrace*      inlined;       // with --inline; or NULL
      bool               thin, forward;
      bool               all;           // lines of libraries are not folded
   }
   SliceView;

/* SliceForm: what a slice can be written as; the file of each defines it. */
typedef
   struct {
      OptionChoice choice;                   // its value of --as
      bool    keeps_instances;          // needs instances, not only sums
      void  (*write)(const SliceView* v, FILE* out);
   }
   SliceForm;

/* All forms: a row each, the first is what is written without --as. */
#define SLICE_FORMS(ROW) \
   ROW(lines) ROW(source) ROW(instances) ROW(json) ROW(dot) ROW(html) ROW(gdb)

#define SLICE_FORM_DECLARATION(name) extern const SliceForm slice_form_##name;
SLICE_FORMS(SLICE_FORM_DECLARATION)

/* --- slice_words.c: all of these last until text_forget() at least --- */

/* Return the port of input IN: "control", "rax", "memory". */
const char* slice_port(DcfgWet* w, const DcfgSliceInput* in);

/* The value that was recorded, "0x34"; "" if none was. */
const char* slice_value(const SliceView* v, const DcfgSliceNode* n);

/* "price.c:21", "main", or "libz.so.1.2.13+0x1234"; "" if nothing is known. */
const char* slice_place(const DcfgWetInstr* in);

/* Print "inlined", the functions that INSTR was inlined from and into, as a member
   of a JSON object; nothing without --inline. */
void slice_put_inlined(const SliceView* v, uint32_t instr, FILE* out);

/* "0x1091f9#0". */
const char* slice_instance(DcfgWet* w, const DcfgSliceNode* n);

/* Prints the columns of a row: how far it is, and how many of its instances
   are in the slice, of those that were EXECUTED. */
void slice_put_numbers(FILE* out, uint32_t distance, uint64_t in_slice,
                       uint64_t executed);

/* Prints which lines and instructions are in one of two slices only, or have
   other counts in B, at most TOP of each (0: all).  Returns how many do. */
uint64_t slice_print_diff(const SliceView* a, const SliceView* b, Form form,
                          uint64_t top);

#endif /* DCFG_CMD_SLICE_VIEWS_H */
