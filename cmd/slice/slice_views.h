/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What slices are written as. */

#ifndef DCFG_CMD_SLICE_VIEWS_H
#define DCFG_CMD_SLICE_VIEWS_H

#include "cmd/base/table.h"

#include "lib/dcfg_slice.h"

/* A slice, and what is said of it. */
typedef
   struct {
      DcfgWet*           w;
      const DcfgSlice*   s;
      const char*        file;          // that W was read from
      const char*        root;          // of images, or NULL: wet_place.h
      const char*        title;         // "Slice of prog"
      const char*        criterion;     // which instance matched
      const char* const* not_followed;  // sentences, and NULL
   }
   SliceView;

/* The lines of source that are in it, with how far they are from the criterion,
   and functions without lines. */
void slice_write_source(const SliceView* v, FILE* out);

/* Its instances, each with what it used; for programs; as a picture, the TOP
   nearest ones. */
void slice_write_instances(const SliceView* v, FILE* out);
void slice_write_json(const SliceView* v, FILE* out);
void slice_write_dot(const SliceView* v, uint64_t top, FILE* out);

/* What input IN is of: "control", "rax", "memory". */
const char* slice_port(DcfgWet* w, const DcfgSliceInput* in);

/* The value that was recorded, "0x34"; "" if none was. */
const char* slice_value(const SliceView* v, const DcfgSliceNode* n);

/* A page for a browser, which needs nothing else. */
void slice_write_html(const SliceView* v, FILE* out);

/* A script for gdb that stops at the slice's instances in their order. */
void slice_write_gdb(const SliceView* v, FILE* out);

/* Prints which lines and instructions are in one of two slices only, or have
   other counts in B, at most TOP of each (0: all).  Returns how many do. */
uint64_t slice_print_diff(const SliceView* a, const SliceView* b, Form form,
                          uint64_t top);

#endif /* DCFG_CMD_SLICE_VIEWS_H */
